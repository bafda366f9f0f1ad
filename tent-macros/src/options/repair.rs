//! Values that an author probably means by a value of the wrong form: a word without quotes, a path with them.
//!
//! Which of them an option takes, its table decides; see [`reader`](super::reader).

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{Expr, ExprLit, Lit, LitStr, parse_quote};

/// What these tokens may mean as the value of the option `name`, the likeliest first.
pub(super) fn candidates(name: &str, tokens: &TokenStream, place: Span) -> Vec<Expr> {
    let value = syn::parse2::<Expr>(tokens.clone()).ok();
    let quoted = quotable(tokens, value.as_ref()).map(|text| quote_text(&text, place));
    let mut found = Vec::new();
    // `access` takes a path too, and a word of it without quotes is one.
    if name == "access" {
        found.extend(quoted.clone());
    }
    found.extend(value.clone());
    found.extend(quoted);
    match value {
        Some(Expr::Call(call)) => found.push(*call.func),
        Some(Expr::Lit(ExprLit {
            lit: Lit::Int(number),
            ..
        })) => found.extend(with_units(number.base10_digits(), place)),
        // Every word is the path of a rule too; the table of `access` has its own help for a text.
        Some(value) if name != "access" => {
            let text = text_of(&value);
            found.extend(text.as_deref().and_then(|text| unquoted(text, place)));
            let digits = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
            found.extend(digits.iter().flat_map(|digits| with_units(digits, place)));
        }
        _ => {}
    }
    found
}

/// A number as a duration and as a rate.
fn with_units(number: &str, place: Span) -> [Expr; 2] {
    ["s", "/min"].map(|unit| quote_text(&format!("{number}{unit}"), place))
}

fn quote_text(text: &str, place: Span) -> Expr {
    let text = LitStr::new(text, place);
    parse_quote!(#text)
}

/// The text of a string literal.
pub(super) fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// A path, a number or a flag in quotes, without them.
fn unquoted(text: &str, place: Span) -> Option<Expr> {
    let tokens: TokenStream = text.parse().ok()?;
    let tokens: TokenStream = tokens
        .into_iter()
        .map(|mut token| {
            token.set_span(place);
            token
        })
        .collect();
    match syn::parse2::<Expr>(tokens).ok()? {
        Expr::Call(call) => Some(*call.func),
        value @ (Expr::Path(_) | Expr::Lit(_)) => Some(value),
        _ => None,
    }
}

/// The text to put in quotes, for words and numbers. The name of a constant is not the text that is meant.
fn quotable(tokens: &TokenStream, value: Option<&Expr>) -> Option<String> {
    if let Some(Expr::Lit(literal)) = value {
        match &literal.lit {
            Lit::Str(_) | Lit::Bool(_) => return None,
            Lit::Char(one) => return Some(one.value().to_string()),
            Lit::ByteStr(bytes) => return String::from_utf8(bytes.value()).ok(),
            _ => {}
        }
    }
    let is_word = |token: TokenTree| match token {
        TokenTree::Ident(word) => word.to_string().chars().any(char::is_lowercase),
        TokenTree::Punct(mark) => ":/-.".contains(mark.as_char()),
        TokenTree::Literal(literal) => literal
            .to_string()
            .starts_with(|c: char| c.is_ascii_digit()),
        TokenTree::Group(_) => false,
    };
    let text = tokens.to_string().replace(' ', "");
    (!text.is_empty() && !text.contains("::") && tokens.clone().into_iter().all(is_word))
        .then_some(text)
}
