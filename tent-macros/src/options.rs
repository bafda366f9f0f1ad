//! The options of an attribute as they are written: `name = value`, `name`, one after another. A
//! mistake in one hides no other. Knows no option by name; who reads them does.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, Path, Token, UnOp};
use tent_core::codes::{self, Code};

use crate::docs::peeled;
use crate::fault::{Faults, choose, fault, usual};

/// What an attribute may state, and how it is spoken of.
pub(crate) struct Known<'a> {
    /// The options there are.
    pub(crate) names: &'a [&'a str],
    /// What states them, such as `a variant` or `#[arg]`.
    pub(crate) on: &'a str,
    /// An example of them, such as `#[failure(hidden)]`.
    pub(crate) example: &'a str,
}

/// A value and where it is written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// One option.
pub(crate) struct Written {
    pub(crate) name: Ident,
    /// Its value; `None` of a bare word.
    pub(crate) value: Option<Expr>,
}

/// The options that `tokens` state: what stands in the parentheses of an attribute.
pub(crate) fn read(tokens: TokenStream, known: &Known<'_>, faults: &mut Faults) -> Vec<Written> {
    let mut found = Vec::new();
    read_more(tokens, known, faults, &mut found);
    found
}

/// The options of every `#[attribute(…)]` in `attributes`.
pub(crate) fn of_attributes<'a>(
    attributes: impl IntoIterator<Item = &'a Attribute>,
    attribute: &str,
    known: &Known<'_>,
    faults: &mut Faults,
) -> Vec<Written> {
    let mut found = Vec::new();
    for one in attributes {
        if one.path().is_ident(attribute) {
            of_meta(&one.meta, known, faults, &mut found);
        }
    }
    found
}

/// The options of one attribute, put behind those `found` before.
pub(crate) fn of_meta(
    attribute: &Meta,
    known: &Known<'_>,
    faults: &mut Faults,
    found: &mut Vec<Written>,
) {
    match attribute {
        Meta::List(list) => read_more(list.tokens.clone(), known, faults, found),
        Meta::Path(_) | Meta::NameValue(_) => {
            let name = attribute.path().to_token_stream();
            let what = format!("`#[{name}]` takes its options in parentheses");
            faults.add(codes::INVALID_OPTION, attribute, &what, &known.help());
        }
    }
}

/// The path that generated code finds tent's private module under: tent's own, or below the path that
/// `crate = path` states.
pub(crate) fn root(options: &[Written], faults: &mut Faults) -> TokenStream {
    let stated = options.iter().find(|option| option.name == "crate");
    match stated.and_then(|option| faults.handle(option.krate())) {
        Some(path) => quote!(#path::__private),
        None => quote!(::tent::__private),
    }
}

impl Known<'_> {
    fn help(&self) -> String {
        match self.names {
            [_] => format!("write {}", self.example),
            all => format!("write {}; there are: {}", self.example, all.join(", ")),
        }
    }
}

fn read_more(
    tokens: TokenStream,
    known: &Known<'_>,
    faults: &mut Faults,
    found: &mut Vec<Written>,
) {
    let read = |input: ParseStream<'_>| {
        read_all(input, known, faults, found);
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        faults.push(error);
    }
}

/// Goes on behind the next comma where an option does not read, so that it hides no other.
fn read_all(
    input: ParseStream<'_>,
    known: &Known<'_>,
    faults: &mut Faults,
    found: &mut Vec<Written>,
) {
    while !input.is_empty() {
        match read_one(input) {
            Ok(one) => keep(one, known, faults, found),
            Err(error) => {
                let what = format!("this is no option: {error}");
                faults.add(codes::INVALID_OPTION, error.span(), &what, &known.help());
                skip(input);
            }
        }
        if input.is_empty() || input.parse::<Token![,]>().is_ok() {
            continue;
        }
        let what = "a comma is missing before this";
        let help = "write `,` between two options";
        faults.add(codes::INVALID_OPTION, input.span(), what, help);
        if !input.peek(Ident::peek_any) {
            skip(input);
            let _ = input.parse::<Token![,]>();
        }
    }
}

/// Keeps an option that is known and new.
fn keep(one: Written, known: &Known<'_>, faults: &mut Faults, found: &mut Vec<Written>) {
    let name = one.name.unraw().to_string();
    if !known.names.contains(&name.as_str()) {
        let what = format!("there is no option `{name}` on {}", known.on);
        faults.add(
            codes::INVALID_OPTION,
            &one.name,
            &what,
            &choose(&name, known.names),
        );
    } else if found.iter().any(|before| before.name.unraw() == name) {
        let what = format!("`{name}` stands twice");
        faults.add(
            codes::INVALID_OPTION,
            &one.name,
            &what,
            "keep one of the two",
        );
    } else {
        found.push(one);
    }
}

fn read_one(input: ParseStream<'_>) -> syn::Result<Written> {
    let name =
        Ident::parse_any(input).map_err(|_| input.error("expected the name of an option"))?;
    if !input.peek(Token![=]) {
        return Ok(Written { name, value: None });
    }
    let equals = input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        let text = format!("`{name}` has no value");
        return Err(syn::Error::new(equals.span, text));
    }
    let value = Some(input.parse()?);
    Ok(Written { name, value })
}

/// On to the next comma.
fn skip(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

impl Written {
    fn span(&self) -> Span {
        self.value
            .as_ref()
            .map_or(self.name.span(), |value| value.span())
    }

    /// A fault of its value, or of the bare word.
    pub(crate) fn fault(&self, code: Code, what: &str, help: &str) -> syn::Error {
        match &self.value {
            Some(value) => fault(code, value, what, help),
            None => fault(code, &self.name, what, help),
        }
    }

    /// A text that is written as a literal (T7015).
    pub(crate) fn string(&self) -> syn::Result<&LitStr> {
        match self.literal() {
            Some(Lit::Str(text)) => Ok(text),
            _ => {
                let what = format!("`{}` takes a string literal", self.name);
                Err(match &self.value {
                    Some(value) => usual(codes::NOT_A_LITERAL, value, &what),
                    None => usual(codes::NOT_A_LITERAL, &self.name, &what),
                })
            }
        }
    }

    /// What [`string`](Self::string) says.
    pub(crate) fn text(&self) -> syn::Result<At<String>> {
        self.string().map(at)
    }

    /// The literal that is its value.
    pub(crate) fn literal(&self) -> Option<&Lit> {
        match self.value.as_ref().map(peeled) {
            Some(Expr::Lit(literal)) => Some(&literal.lit),
            _ => None,
        }
    }

    /// A word alone, without a value.
    pub(crate) fn bare(&self) -> syn::Result<()> {
        let Some(value) = &self.value else {
            return Ok(());
        };
        let what = format!("`{}` takes no value", self.name);
        Err(fault(
            codes::INVALID_OPTION,
            value,
            &what,
            "write the word alone",
        ))
    }

    /// The path of tent, as `crate` states it.
    pub(crate) fn krate(&self) -> syn::Result<&Path> {
        match self.value.as_ref().map(peeled) {
            Some(Expr::Path(path)) if path.qself.is_none() => Ok(&path.path),
            _ => {
                let what = "`crate` takes the path of tent";
                let help = "write it absolute, such as `crate = ::my_app::tent`";
                Err(self.fault(codes::INVALID_OPTION, what, help))
            }
        }
    }

    /// The path of a function of the author's own.
    pub(crate) fn path(&self, name: &str) -> syn::Result<&Path> {
        match self.value.as_ref().map(peeled) {
            Some(Expr::Path(path)) if path.qself.is_none() => Ok(&path.path),
            _ => {
                let what = format!("`{name}` takes the path of a function");
                let help = format!("write it without parentheses, such as `{name} = all_orders`");
                Err(self.fault(codes::INVALID_OPTION, &what, &help))
            }
        }
    }

    /// One of these words, as a string literal.
    pub(crate) fn one_of(&self, known: &[&str]) -> syn::Result<At<String>> {
        let text = self.text()?;
        if known.contains(&text.value.as_str()) {
            return Ok(text);
        }
        let what = format!("`{}` takes no {:?}", self.name, text.value);
        let help = choose(&text.value, known);
        Err(fault(codes::INVALID_OPTION, text.span, &what, &help))
    }

    /// A string literal, or a list of some.
    pub(crate) fn texts(&self) -> syn::Result<Vec<At<String>>> {
        match self.value.as_ref().map(peeled) {
            Some(Expr::Array(list)) => {
                let mut faults = Faults::default();
                let texts = list
                    .elems
                    .iter()
                    .filter_map(|one| {
                        let what = format!("`{}` takes string literals", self.name);
                        faults.handle(
                            literal(one)
                                .ok_or_else(|| usual(codes::NOT_A_LITERAL, one.span(), &what)),
                        )
                    })
                    .collect();
                faults.finish_with(texts)
            }
            _ => Ok(vec![self.text()?]),
        }
    }

    /// `true` or `false`; a bare word is `true`.
    pub(crate) fn flag(&self) -> syn::Result<At<bool>> {
        let span = self.span();
        match self.value.as_ref().map(peeled) {
            None => Ok(At { value: true, span }),
            Some(Expr::Lit(ExprLit {
                lit: Lit::Bool(flag),
                ..
            })) => Ok(At {
                value: flag.value,
                span,
            }),
            Some(_) => {
                let what = format!("`{}` takes `true` or `false`", self.name);
                let help = format!("write `{} = true`, or leave it out", self.name);
                Err(fault(codes::INVALID_OPTION, span, &what, &help))
            }
        }
    }

    /// A number, perhaps negative.
    pub(crate) fn number(&self) -> syn::Result<At<Number>> {
        let wrong = || {
            let what = format!("`{}` takes a number", self.name);
            let help = format!("write it as a literal, such as `{} = 1`", self.name);
            fault(codes::INVALID_OPTION, self.span(), &what, &help)
        };
        let value = self.value.as_ref().and_then(number).ok_or_else(wrong)?;
        Ok(At {
            value,
            span: self.span(),
        })
    }

    /// A number of characters or items.
    pub(crate) fn count(&self) -> syn::Result<At<u64>> {
        let number = self.number()?;
        match number.value {
            Number::Integer(value) => u64::try_from(value).ok(),
            Number::Float(_) => None,
        }
        .map(|value| At {
            value,
            span: number.span,
        })
        .ok_or_else(|| {
            let what = format!("`{}` takes a whole number from 0", self.name);
            let help = format!("write it as a literal, such as `{} = 1`", self.name);
            fault(codes::INVALID_OPTION, number.span, &what, &help)
        })
    }

    /// Any expression.
    pub(crate) fn expression(&self) -> syn::Result<&Expr> {
        self.value.as_ref().ok_or_else(|| {
            let what = format!("`{}` takes an expression", self.name);
            let help = format!("write `{} = …`", self.name);
            fault(codes::INVALID_OPTION, self.name.span(), &what, &help)
        })
    }
}

/// A number literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

fn number(expression: &Expr) -> Option<Number> {
    match peeled(expression) {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(digits) => digits.base10_parse().ok().map(Number::Integer),
            Lit::Float(digits) => digits
                .base10_parse()
                .ok()
                .filter(|number: &f64| number.is_finite())
                .map(Number::Float),
            _ => None,
        },
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => Some(match number(expr)? {
            Number::Integer(number) => Number::Integer(number.checked_neg()?),
            Number::Float(number) => Number::Float(-number),
        }),
        _ => None,
    }
}

/// The text of a string literal.
pub(crate) fn literal(expression: &Expr) -> Option<At<String>> {
    match peeled(expression) {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(at(text)),
        _ => None,
    }
}

fn at(text: &LitStr) -> At<String> {
    At {
        value: text.value(),
        span: text.span(),
    }
}
