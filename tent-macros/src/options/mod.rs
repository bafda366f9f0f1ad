//! Reads the options of an attribute into its table: `name = value` or `name`, separated by commas.
//!
//! A tolerant reader splits an attribute into options, so that a malformed option hides no other, and reports
//! unknown and repeated names. The [`tables`] then convert the values, each option on its own. Which options
//! may stand together is for the rules in `model`.

mod access;
pub(crate) mod tables;
mod value;
pub(crate) mod values;

pub(crate) use access::Access;
use value::CratePath;
pub(crate) use value::{AttributeOption, Number, Spanned, Value, invalid};

use darling::FromMeta;
use darling::ast::NestedMeta;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Expr, Ident, Meta, MetaNameValue, Token};
use tent_core::names::nearest;

use crate::diagnostic::{Diagnostics, Place as _, suggest};
use tent_core::codes;

/// A table of options: one field for each option, absent or with a value and its span.
pub(crate) trait Table: FromMeta + Default {
    /// A valid attribute, for help lines.
    const EXAMPLE: &'static str;

    /// The names of all options, sorted.
    fn names() -> Vec<&'static str>;
}

/// The options of an attribute, and which of them the author wrote.
pub(crate) struct Options<T> {
    /// The options whose values are valid.
    pub(crate) table: T,
    /// The names of all options as written, also of those that are unknown or invalid.
    written: Vec<String>,
    names: Vec<&'static str>,
}

impl<T> Options<T> {
    /// Whether the author wrote this option, perhaps misspelled or with an invalid value. A missing required
    /// option is reported only where this is false: one mistake is one diagnostic.
    pub(crate) fn attempts(&self, name: &str) -> bool {
        self.written.iter().any(|word| {
            let unknown = !self.names.contains(&word.as_str());
            let misspelled = || nearest(word, self.names.iter().copied()) == Some(name);
            word == name || (unknown && misspelled())
        })
    }
}

/// Reads the tokens between the parentheses of `attribute`, which is named as in `#[query]`.
pub(crate) fn read<T: Table>(
    attribute: &str,
    tokens: TokenStream,
    diagnostics: &mut Diagnostics,
) -> Options<T> {
    let mut reader = Reader::new::<T>(attribute, diagnostics);
    reader.split(tokens);
    reader.finish()
}

/// Reads all attributes among `attributes` that have the name `name` into one table. `attribute` is how
/// diagnostics name them, for example `#[failure]` on a field.
pub(crate) fn read_attributes<'a, T: Table>(
    attributes: impl IntoIterator<Item = &'a Attribute>,
    name: &str,
    attribute: &str,
    diagnostics: &mut Diagnostics,
) -> Options<T> {
    let named = attributes
        .into_iter()
        .filter(|one| one.path().is_ident(name));
    read_metas(named.map(|one| &one.meta), attribute, diagnostics)
}

/// Reads attributes that are known to be the right ones into one table.
pub(crate) fn read_metas<'a, T: Table>(
    metas: impl IntoIterator<Item = &'a Meta>,
    attribute: &str,
    diagnostics: &mut Diagnostics,
) -> Options<T> {
    let mut reader = Reader::new::<T>(attribute, diagnostics);
    for meta in metas {
        match meta {
            Meta::List(list) => reader.split(list.tokens.clone()),
            Meta::Path(_) | Meta::NameValue(_) => {
                let problem = format!("{attribute} requires options in parentheses");
                let help = format!("write `{}`", T::EXAMPLE);
                reader
                    .diagnostics
                    .add(codes::INVALID_OPTION, meta, &problem, &help);
            }
        }
    }
    reader.finish()
}

/// The path of tent's private module: that of the crate `tent`, or the one below `crate = path`.
pub(crate) fn private_path(krate: Option<&Spanned<CratePath>>) -> TokenStream {
    match krate {
        Some(krate) => {
            let path = &krate.value.0;
            quote!(#path::__private)
        }
        None => quote!(::tent::__private),
    }
}

/// One option as written.
struct Written {
    name: Ident,
    value: Option<(Token![=], Expr)>,
}

/// Splits attributes into options.
struct Reader<'a> {
    attribute: &'a str,
    example: &'static str,
    names: Vec<&'static str>,
    written: Vec<String>,
    options: Vec<Written>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reader<'a> {
    fn new<T: Table>(attribute: &'a str, diagnostics: &'a mut Diagnostics) -> Self {
        Reader {
            attribute,
            example: T::EXAMPLE,
            names: T::names(),
            written: Vec::new(),
            options: Vec::new(),
            diagnostics,
        }
    }

    /// The table. Each option is converted alone first, because one error would lose the whole table.
    fn finish<T: Table>(self) -> Options<T> {
        let mut valid: Vec<NestedMeta> = Vec::with_capacity(self.options.len());
        for option in self.options {
            let item = NestedMeta::Meta(option.meta());
            match T::from_list(std::slice::from_ref(&item)) {
                Ok(_) => valid.push(item),
                Err(errors) => {
                    for error in errors.flatten() {
                        self.diagnostics.push(option.place(error));
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

    fn split(&mut self, tokens: TokenStream) {
        let read = |input: ParseStream<'_>| {
            self.split_all(input);
            Ok(())
        };
        if let Err(error) = read.parse2(tokens) {
            self.diagnostics.push(error);
        }
    }

    /// Continues after the next comma where an option cannot be parsed.
    fn split_all(&mut self, input: ParseStream<'_>) {
        while !input.is_empty() {
            match self.split_one(input) {
                Ok(option) => self.accept(option),
                Err((place, problem)) => {
                    let help = format!(
                        "write `{}`; valid options: {}",
                        self.example,
                        self.names.join(", ")
                    );
                    self.diagnostics
                        .add(codes::INVALID_OPTION, place, &problem, &help);
                    skip_to_comma(input);
                }
            }
            if input.is_empty() || input.parse::<Token![,]>().is_ok() {
                continue;
            }
            let problem = "expected a comma before this";
            let help = "separate options with commas";
            self.diagnostics
                .add(codes::INVALID_OPTION, input.span(), problem, help);
            if !input.peek(Ident::peek_any) {
                skip_to_comma(input);
                let _ = input.parse::<Token![,]>();
            }
        }
    }

    fn split_one(&mut self, input: ParseStream<'_>) -> Result<Written, (Span, String)> {
        let name = Ident::parse_any(input)
            .map_err(|_| (input.span(), "expected the name of an option".to_owned()))?;
        let name = Ident::new(&name.unraw().to_string(), name.span());
        self.written.push(name.to_string());
        if !input.peek(Token![=]) {
            return Ok(Written { name, value: None });
        }
        let invalid = |error: syn::Error| {
            let problem = format!("the value of `{name}` is not an expression: {error}");
            (error.span(), problem)
        };
        let equals: Token![=] = input.parse().map_err(invalid)?;
        if input.is_empty() || input.peek(Token![,]) {
            return Err((equals.span, format!("`{name}` has no value after `=`")));
        }
        let value = input.parse().map_err(invalid)?;
        let value = Some((equals, value));
        Ok(Written { name, value })
    }

    /// Keeps an option whose name is known and new.
    fn accept(&mut self, option: Written) {
        let name = option.name.to_string();
        if !self.names.contains(&name.as_str()) {
            let problem = format!("unknown option `{name}` for {}", self.attribute);
            let help = suggest(&name, &self.names);
            self.diagnostics
                .add(codes::INVALID_OPTION, &option.name, &problem, &help);
        } else if self.options.iter().any(|before| before.name == name) {
            let problem = format!("`{name}` is set twice");
            self.diagnostics
                .add(codes::INVALID_OPTION, &option.name, &problem, "remove one");
        } else {
            self.options.push(option);
        }
    }
}

impl Written {
    fn meta(&self) -> Meta {
        let path = self.name.clone().into();
        match &self.value {
            None => Meta::Path(path),
            Some((eq_token, value)) => Meta::NameValue(MetaNameValue {
                path,
                eq_token: *eq_token,
                value: value.clone(),
            }),
        }
    }

    /// Where an error of this option is shown. A list shows the element, which the error knows; everything
    /// else shows the whole value, because an error of darling holds one span and underlines one token.
    fn place(&self, error: darling::Error) -> syn::Error {
        let span = error.span();
        let text = syn::Error::from(error).to_string();
        match &self.value {
            Some((_, Expr::Array(_))) => span.error(text),
            Some((_, value)) => value.error(text),
            None => self.name.error(text),
        }
    }
}

fn skip_to_comma(input: ParseStream<'_>) {
    while !input.is_empty() && !input.peek(Token![,]) {
        if input.parse::<TokenTree>().is_err() {
            return;
        }
    }
}

/// The expression without the invisible groups that `macro_rules!` leaves around it.
pub(crate) fn ungrouped(mut expression: &Expr) -> &Expr {
    while let Expr::Group(group) = expression {
        expression = &group.expr;
    }
    expression
}

/// The text of a path, as an author would write it.
pub(crate) fn written_path(path: &syn::Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
