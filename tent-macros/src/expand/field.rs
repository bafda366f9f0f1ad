//! The constants that hold the fields of an input.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;

use crate::model::{Field, Model, Parameter, Taken};
use crate::options::Number;

/// The constant of a field, by the position of its parameter.
pub(super) fn constant(at: usize) -> Ident {
    format_ident!("__TENT_FIELD_{at}")
}

pub(super) fn fields(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let constants = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let Taken::Field(field) = &parameter.taken else {
            return TokenStream::new();
        };
        let (cfgs, constant) = (&parameter.cfgs, constant(at));
        let value = self::field(parameter, field, private);
        let mirrored = field.header.as_ref().map(|_| {
            let kind = parameter.kind;
            quote_spanned!(parameter.place()=> #(#cfgs)* const _: () = #private::mirrored::<#kind>();)
        });
        quote! {
            #(#cfgs)*
            const #constant: #private::Field = #value;
            #mirrored
        }
    });
    quote!(#(#constants)*)
}

fn field(parameter: &Parameter<'_>, field: &Field, private: &TokenStream) -> TokenStream {
    let (kind, name) = (parameter.kind, &field.name);
    let mut steps = quote_spanned!(parameter.place()=> #private::field::<#kind>(#name));
    let mut step = |step: TokenStream| steps.extend(step);
    if let Some(title) = &field.title {
        let title = &title.value;
        step(quote!(.title(#title)));
    }
    if !field.about.is_empty() {
        let about = &field.about;
        step(quote!(.about(#about)));
    }
    if let Some(default) = &field.default {
        let default = typed(kind, default);
        step(
            quote!(.default_json(|| { let __tent_value = #default; #private::Shown(&__tent_value).tent_shown() })),
        );
    }
    if let Some(min) = field.min {
        let bound = bound(min, private);
        step(quote!(.min(#bound)));
    }
    if let Some(max) = field.max {
        let bound = bound(max, private);
        step(quote!(.max(#bound)));
    }
    if let Some(length) = field.min_len {
        step(quote!(.min_len(#length)));
    }
    if let Some(length) = field.max_len {
        step(quote!(.max_len(#length)));
    }
    if let Some(pattern) = &field.pattern {
        step(quote!(.pattern(#pattern)));
    }
    if let Some(example) = &field.example {
        step(quote!(.example(|| #private::example(&(#example)))));
    }
    if field.secret {
        step(quote!(.secret()));
    }
    if let Some(header) = &field.header {
        let header = &header.value;
        step(quote!(.header(#header)));
    }
    steps
}

/// An expression that is held to a type.
pub(super) fn typed(kind: &Type, expression: &syn::Expr) -> TokenStream {
    quote!({ let __tent_typed: #kind = #expression; __tent_typed })
}

fn bound(number: Number, private: &TokenStream) -> TokenStream {
    match number {
        Number::Integer(value) => quote!(#private::Bound::Integer(#value)),
        Number::Float(value) => quote!(#private::Bound::Number(#value)),
    }
}
