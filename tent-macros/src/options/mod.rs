//! Reads the options of an attribute into its table: `name = value` or `name`, separated by commas.
//!
//! A tolerant [`reader`] splits an attribute into options, so that a malformed option hides no other, and reports
//! unknown and repeated names. The [`tables`] then convert the values, each option on its own. Which options
//! may stand together is for the rules in `model`.

mod access;
mod examples;
mod reader;
mod repair;
pub(crate) mod tables;
mod value;
pub(crate) mod values;

pub(crate) use access::Access;
use value::CratePath;
pub(crate) use value::{AttributeOption, Number, Spanned, Value, invalid, number};

use darling::FromMeta;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Attribute, Expr, Meta};
use tent_core::names::nearest;

use crate::diagnostic::Diagnostics;
use reader::Reader;
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

/// The path of the private module, placed elsewhere.
pub(crate) fn private_at(path: &TokenStream, place: Span) -> TokenStream {
    path.clone()
        .into_iter()
        .map(|mut token| {
            // The span of `$crate` decides which crate it names.
            if token.to_string() != "$crate" {
                token.set_span(place);
            }
            token
        })
        .collect()
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
