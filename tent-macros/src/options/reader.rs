//! The tolerant reader: splits attributes into options, so that a malformed option hides no other.
//!
//! An option that is not written as `name = value` gets one diagnostic. If the table accepts a value that the author probably
//! means (see [`repair`](super::repair)), the help line shows it, and the reader continues as if it were written.

use darling::ast::NestedMeta;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, Ident, Lit, Meta, MetaNameValue, Token};
use tent_core::codes;

use super::examples::example;
use super::repair::{candidates, text_of};
use super::{Options, Table};
use crate::diagnostic::{Diagnostics, Place as _, suggest, with_help};

/// One option as written, or as repaired.
struct Written {
    name: Ident,
    value: Option<(Token![=], Expr)>,
}

/// Splits attributes into options.
pub(super) struct Reader<'a> {
    attribute: &'a str,
    example: &'static str,
    names: Vec<&'static str>,
    accepts: fn(&Written) -> bool,
    written: Vec<String>,
    options: Vec<Written>,
    pub(super) diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    pub(super) fn new<T: Table>(attribute: &'a str, diagnostics: &'a mut Diagnostics) -> Self {
        Reader {
            attribute,
            example: T::EXAMPLE,
            names: T::names(),
            accepts: |option| T::from_list(&[option.item()]).is_ok(),
            written: Vec::new(),
            options: Vec::new(),
            diagnostics,
        }
    }

    /// The table. Each option is converted alone first, because one error would lose the whole table.
    pub(super) fn finish<T: Table>(self) -> Options<T> {
        let mut valid: Vec<NestedMeta> = Vec::with_capacity(self.options.len());
        for option in &self.options {
            let item = option.item();
            match T::from_list(std::slice::from_ref(&item)) {
                Ok(_) => valid.push(item),
                Err(errors) => {
                    let help = self.fix(option);
                    for error in errors.flatten() {
                        self.diagnostics.push(option.place(error, help.as_deref()));
                    }
                }
            }
        }
        Options {
            // Every option is valid alone and none is repeated, so this succeeds.
            table: T::from_list(&valid).unwrap_or_default(),
            written: self.written,
            names: self.names,
        }
    }

    /// What to write in place of an invalid value, if the table accepts something similar.
    fn fix(&self, option: &Written) -> Option<String> {
        let (_, value) = option.value.as_ref()?;
        if matches!(value, Expr::Array(_)) {
            return None;
        }
        let repaired = self.repair(&option.name, &value.to_token_stream())?;
        Some(format!("write `{}`", repaired.text()))
    }

    /// The option with the value that these tokens probably mean.
    fn repair(&self, name: &Ident, tokens: &TokenStream) -> Option<Written> {
        let place = tokens.clone().into_iter().next();
        let place = place.map_or_else(|| name.span(), |token| token.span());
        candidates(&name.to_string(), tokens, place)
            .into_iter()
            .map(|value| Written {
                name: name.clone(),
                value: Some((Token![=](place), value)),
            })
            .find(self.accepts)
    }

    pub(super) fn split(&mut self, tokens: TokenStream) {
        let read = |input: ParseStream<'_>| {
            self.split_all(input);
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            self.diagnostics.push(error);
        }
    }

    fn split_all(&mut self, input: ParseStream<'_>) {
        while !input.is_empty() {
            let place = input.span();
            match Ident::parse_any(input) {
                Ok(name) => self.option(Ident::new(&name.unraw().to_string(), name.span()), input),
                Err(_) if input.parse::<Token![,]>().is_ok() => {
                    self.add(place, "a comma without an option before it", "remove it");
                    continue;
                }
                Err(_) => self.without_name(place, input),
            }
            self.comma(input);
        }
    }

    /// Reads what comes after the name of an option.
    fn option(&mut self, name: Ident, input: ParseStream<'_>) {
        self.written.push(name.to_string());
        if ends(input) {
            return self.accept(Written { name, value: None });
        }
        let assigned = input.peek(Token![=]) && !input.peek(Token![==]) && !input.peek(Token![=>]);
        if !assigned {
            if self.begins_option(input) {
                return self.accept(Written { name, value: None });
            }
            let place = input.span();
            let problem = format!("expected `=` after `{name}`");
            let tokens = without_separator(self.rest(input));
            return self.malformed(name, place, &problem, &tokens, None);
        }
        let Ok(equals) = input.parse::<Token![=]>() else {
            return;
        };
        if ends(input) {
            let problem = format!("`{name}` has no value after `=`");
            return self.malformed(name, equals.span, &problem, &TokenStream::new(), None);
        }
        let start = input.fork();
        match input.parse::<Expr>() {
            Ok(value) if ends(input) || self.begins_option(input) => {
                self.accept(Written {
                    name,
                    value: Some((equals, value)),
                });
            }
            Ok(value) => {
                let place = input.span();
                let rest = self.rest(input);
                let unexpected = written(&rest);
                let problem = format!("unexpected `{unexpected}` after the value of `{name}`");
                let help = format!("remove `{unexpected}`");
                let value = value.to_token_stream();
                self.malformed(name, place, &problem, &quote!(#value #rest), Some(&help));
            }
            Err(error) => {
                let tokens = self.rest(&start);
                while !input.is_empty() && !ends(input) && input.parse::<TokenTree>().is_ok() {}
                let problem = format!("the value of `{name}` is not an expression: {error}");
                self.malformed(name, error.span(), &problem, &tokens, None);
            }
        }
    }

    /// Adds the one diagnostic of an option that is not written as `name = value`.
    fn malformed(
        &mut self,
        name: Ident,
        place: Span,
        problem: &str,
        tokens: &TokenStream,
        help: Option<&str>,
    ) {
        if !self.names.contains(&name.to_string().as_str()) {
            return self.accept(Written { name, value: None });
        }
        let repaired = self.repair(&name, tokens);
        let fix = match (&repaired, help) {
            (Some(repaired), _) => format!("write `{}`", repaired.text()),
            (None, Some(help)) => help.to_owned(),
            (None, None) => format!("write `{}`", example(&name.to_string())),
        };
        self.add(place, problem, &fix);
        if let Some(repaired) = repaired {
            self.accept(repaired);
        }
    }

    /// Adds the diagnostic of something that is not a name, and skips it.
    fn without_name(&mut self, place: Span, input: ParseStream<'_>) {
        let tokens = self.rest(input);
        let access = Ident::new("access", place);
        let value = syn::parse2::<Expr>(tokens).ok();
        let access = value.as_ref().and_then(text_of).and_then(|_| {
            let tokens = value.to_token_stream();
            self.repair(&access, &tokens)
        });
        let help = match &access {
            Some(access) => format!("write `{}`", access.text()),
            None => format!(
                "write `{}`; valid options: {}",
                self.example,
                self.names.join(", ")
            ),
        };
        self.add(place, "expected the name of an option", &help);
        if let Some(access) = access {
            self.written.push(access.name.to_string());
            self.accept(access);
        }
    }

    /// Reads the comma between options.
    fn comma(&mut self, input: ParseStream<'_>) {
        if input.is_empty() || input.parse::<Token![,]>().is_ok() {
            return;
        }
        let place = input.span();
        match input.parse::<Token![;]>() {
            Ok(_) => self.add(place, "expected a comma", "write `,` in place of `;`"),
            Err(_) => self.add(place, "expected a comma before this", "write `,` before it"),
        }
    }

    /// Keeps an option whose name is known and new.
    fn accept(&mut self, option: Written) {
        let name = option.name.to_string();
        if !self.names.contains(&name.as_str()) {
            let problem = format!("unknown option `{name}` for {}", self.attribute);
            let help = suggest(&name, &self.names);
            self.add(option.name.span(), &problem, &help);
        } else if self.written.iter().filter(|one| **one == name).count() > 1 {
            let problem = format!("`{name}` is set twice");
            self.add(option.name.span(), &problem, "remove one");
        } else {
            self.options.push(option);
        }
    }

    fn add(&mut self, place: Span, problem: &str, help: &str) {
        self.diagnostics
            .add(codes::INVALID_OPTION, place, problem, help);
    }

    /// Whether an option begins here, after a comma that is missing.
    fn begins_option(&self, input: ParseStream<'_>) -> bool {
        let ahead = input.fork();
        let Ok(name) = Ident::parse_any(&ahead) else {
            return false;
        };
        let known = self.names.contains(&name.unraw().to_string().as_str());
        ahead.peek(Token![=]) || (known && ends(&ahead))
    }

    /// The tokens up to the end of the option. The first is always taken.
    fn rest(&self, input: ParseStream<'_>) -> TokenStream {
        let mut tokens = TokenStream::new();
        while !ends(input) && (tokens.is_empty() || !self.begins_option(input)) {
            match input.parse::<TokenTree>() {
                Ok(token) => tokens.extend([token]),
                Err(_) => break,
            }
        }
        tokens
    }
}

impl Written {
    fn item(&self) -> NestedMeta {
        let path = self.name.clone().into();
        NestedMeta::Meta(match &self.value {
            None => Meta::Path(path),
            Some((eq_token, value)) => Meta::NameValue(MetaNameValue {
                path,
                eq_token: *eq_token,
                value: value.clone(),
            }),
        })
    }

    /// The option as an author would write it.
    fn text(&self) -> String {
        match &self.value {
            None => self.name.to_string(),
            Some((_, value)) => format!("{} = {}", self.name, written(&value.to_token_stream())),
        }
    }

    /// Where an error of this option is shown, perhaps with a better help line. A list shows the element, which the error
    /// knows; everything else shows the whole value, because an error of darling holds one span and underlines one token.
    fn place(&self, error: darling::Error, help: Option<&str>) -> syn::Error {
        let span = error.span();
        let text = syn::Error::from(error).to_string();
        let text = help.map_or_else(|| text.clone(), |help| with_help(&text, help));
        match &self.value {
            Some((_, Expr::Array(_))) => span.error(text),
            Some((_, value)) => value.error(text),
            None => self.name.error(text),
        }
    }
}

/// Whether an option ends here.
fn ends(input: ParseStream<'_>) -> bool {
    input.is_empty() || input.peek(Token![,]) || input.peek(Token![;])
}

/// The value after another sign in place of `=`, or in parentheses.
fn without_separator(tokens: TokenStream) -> TokenStream {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    if let [TokenTree::Group(group)] = all.as_slice() {
        return group.stream();
    }
    all.into_iter()
        .skip_while(
            |token| matches!(token, TokenTree::Punct(mark) if "=:>".contains(mark.as_char())),
        )
        .collect()
}

/// Tokens as an author would write them.
fn written(tokens: &TokenStream) -> String {
    match syn::parse2::<Lit>(tokens.clone()) {
        Ok(literal) => literal.to_token_stream().to_string(),
        Err(_) => tokens.to_string().replace(" :: ", "::").replace(" (", "("),
    }
}
