//! The rules of `#[schemars(…)]` on a field that the macro or the compiler can check (T7017): ranges and lengths without
//! values, patterns that are not regular expressions, rules that the type of the field cannot have.
//!
//! Everything else about these attributes is for schemars and for the checks at start.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, Field, Meta, MetaNameValue, Token};

use super::mentions;
use crate::diagnostic::{self, Diagnostics};
use crate::model::{check_pattern, compare};
use crate::options::{Number, number, private_at, ungrouped};
use tent_core::codes;

/// The rules of `schemars` with a kind of type, and the method of the runtime that tells whether a type is of it.
const KINDS: [(&str, &str, &str); 3] = [
    ("range", "has_bounds", "numbers"),
    ("length", "has_length", "texts and lists"),
    ("regex", "has_pattern", "texts"),
];

/// Checks the rules of a field. Returns constants that the compiler evaluates, for a type without parameters.
pub(super) fn check(
    field: &Field,
    private: Option<&TokenStream>,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let mut checks = TokenStream::new();
    // With these, the schema is not that of the type.
    let replaced = |one: &Attribute| {
        ["with", "schema_with"]
            .iter()
            .any(|word| mentions(one, word))
    };
    let private = private.filter(|_| !field.attrs.iter().any(replaced));
    for rule in field.attrs.iter().flat_map(rules) {
        let Meta::List(list) = &rule else { continue };
        let Some((name, method, what)) = KINDS.iter().find(|(name, ..)| list.path.is_ident(name))
        else {
            continue;
        };
        let parts = Punctuated::<MetaNameValue, Token![,]>::parse_terminated;
        let Ok(parts) = parts.parse2(list.tokens.clone()) else {
            continue;
        };
        let part = |name: &str| {
            let part = parts.iter().find(|one| one.path.is_ident(name));
            part.map(|one| ungrouped(&one.value))
        };
        let bound = |name: &str| part(name).and_then(number);
        if let (Some(min), Some(max)) = (bound("min"), bound("max"))
            && compare(min, max) == Some(std::cmp::Ordering::Greater)
        {
            empty(name, min, max, list.span(), diagnostics);
        }
        if let Some(Expr::Lit(literal)) = part("pattern")
            && let syn::Lit::Str(pattern) = &literal.lit
        {
            check_pattern(&pattern.value(), pattern.span(), diagnostics);
        }
        if let Some(private) = private {
            let (kind, span) = (&field.ty, list.path.span());
            let private = private_at(private, span);
            let method = syn::Ident::new(method, span);
            let problem = format!("`{name}` is for {what}, and the field is of another type");
            let help = format!("remove `{name}`");
            let message = diagnostic::text(codes::INVALID_RULE, &problem, &help);
            let cfgs = field.attrs.iter().filter(|one| one.path().is_ident("cfg"));
            checks.extend(quote_spanned! {span=>
                #(#cfgs)*
                const _: () = #private::require(#private::TypeProbe::<#kind>::KIND.#method(), #message);
            });
        }
    }
    checks
}

fn empty(name: &str, min: Number, max: Number, span: Span, diagnostics: &mut Diagnostics) {
    let problem = "`min` is greater than `max`, so that no value is valid";
    let help = format!("write `{name}(min = {max}, max = {min})`");
    diagnostics.add(codes::INVALID_RULE, span, problem, &help);
}

/// The parts of a `#[schemars(…)]`.
fn rules(attribute: &Attribute) -> Vec<Meta> {
    if !attribute.path().is_ident("schemars") {
        return Vec::new();
    }
    let Meta::List(list) = &attribute.meta else {
        return Vec::new();
    };
    let parts = Punctuated::<Meta, Token![,]>::parse_terminated;
    let parts = parts.parse2(list.tokens.to_token_stream());
    parts.map(Vec::from_iter).unwrap_or_default()
}
