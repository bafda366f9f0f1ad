//! Generates the options of a declaration as struct updates: only the options that the author set are written.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Expr;
use syn::spanned::Spanned as _;

use super::relocated;
use crate::docs::Docs;
use crate::model::Model;
use crate::options::Spanned;

/// The fields of a struct update.
#[derive(Default)]
pub(super) struct Update(TokenStream);

impl Update {
    /// Adds a field, if it has a value.
    pub(super) fn set(&mut self, field: &str, value: Option<TokenStream>) {
        if let Some(value) = value {
            let field = Ident::new(field, Span::call_site());
            self.0.extend(quote!(#field: #value,));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `path { …, ..base }`, or `base` without fields.
    pub(super) fn apply(self, path: &TokenStream, base: &TokenStream) -> TokenStream {
        if self.is_empty() {
            return base.clone();
        }
        let fields = self.0;
        quote!(#path { #fields ..#base })
    }
}

/// The value of a field that is an `Option`.
pub(super) fn some(value: Option<TokenStream>, private: &TokenStream) -> Option<TokenStream> {
    value.map(|value| quote!(#private::Some(#value)))
}

/// Adds the options that the author set.
pub(super) fn set(update: &mut Update, model: &Model<'_>, private: &TokenStream) {
    let common = &model.declared.common;
    let function = &model.declared.function;
    let text = |text: &Option<Spanned<String>>| {
        let text = text.as_ref()?.value.to_token_stream();
        Some(quote!(#private::Some(#text)))
    };
    let flag = |flag: &Option<Spanned<bool>>| Some(flag.as_ref()?.value.to_token_stream());
    let set = |is_set: bool| is_set.then(|| quote!(true));

    if let Some(name) = &common.name {
        update.set("name", Some(name.value.to_token_stream()));
        update.set("explicit_name", Some(quote!(true)));
    }
    update.set("title", text(&common.title));
    update.set("about", about(&model.about, private));
    update.set("mcp", set(model.declared.offers_mcp()));
    update.set(
        "api",
        match model.kind.is_function() {
            true => flag(&function.api),
            false => Some(quote!(false)),
        },
    );
    update.set("needs_approval", set(function.danger.is_some()));
    update.set("approval_on_page", set(function.asks.is_some()));
    let scope = common
        .scope
        .as_ref()
        .map(|scope| scope.value.0.to_token_stream());
    update.set("scope", some(scope, private));
    update.set("additive", set(function.writes.is_some()));
    let changes = function.changes.as_ref();
    update.set(
        "read_only",
        set(changes.is_some_and(|changes| !changes.value)),
    );
    update.set("sends", flag(&function.sends));
    update.set("structured", flag(&function.structured));
    update.set("idempotent", some(flag(&function.idempotent), private));
    update.set("retry", flag(&function.retry));
    update.set("blocking", flag(&common.blocking));
    let timeout = common.timeout.as_ref().map(|timeout| {
        let milliseconds = u64::try_from(timeout.value.0.as_millis()).unwrap_or(u64::MAX);
        quote!(#private::Duration::from_millis(#milliseconds))
    });
    update.set("timeout", some(timeout, private));
    let limit = common.limit.as_ref().map(|limit| {
        let (calls, seconds) = (limit.value.calls, limit.value.period.as_secs());
        quote!((#calls, #private::Duration::from_secs(#seconds)))
    });
    update.set("limit", some(limit, private));
    let needs = common.needs.as_ref().map(|needs| {
        let needs = &needs.value.0;
        quote!(&[#(#needs),*])
    });
    update.set("needs", needs);
    let icons = common.icons.as_ref().map(|icons| {
        let icons = &icons.value;
        let krate = relocated(private, icons.span());
        quote_spanned!(icons.span()=> || #krate::icons(#icons))
    });
    update.set("icons", some(icons, private));
    let on = function.on.as_ref().map(|on| on.value.0.to_token_stream());
    update.set("on", some(on, private));
    let meta = common.meta.as_ref().map(|meta| json(&meta.value, private));
    update.set("meta", some(meta, private));
}

/// A function that evaluates an expression to JSON.
pub(super) fn json(expression: &Expr, private: &TokenStream) -> TokenStream {
    quote_spanned! {expression.span()=>
        || #private::Into::<#private::Value>::into(#expression)
    }
}

/// The text of doc comments; `None` without any.
pub(super) fn about(about: &Docs, private: &TokenStream) -> Option<TokenStream> {
    match about {
        Docs::Text(text) if text.is_empty() => None,
        Docs::Text(text) => Some(quote!(#text)),
        Docs::Lines(lines) => {
            let (first, rest) = (lines.first(), lines.iter().skip(1));
            Some(quote!(#private::concat!(#first #(, "\n", #rest)*)))
        }
    }
}
