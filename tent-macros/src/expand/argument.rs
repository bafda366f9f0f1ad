//! Generates the constants with the fields of an input.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Type;

use super::options::{Update, about, some};
use super::{input_of, rules};
use crate::model::{Argument, Model, Parameter};
use crate::options::{Number, Spanned};

/// The constant of a field, by the position of its parameter.
pub(super) fn constant(position: usize) -> Ident {
    format_ident!("__TENT_FIELD_{position}")
}

/// The constants of all fields.
pub(super) fn fields(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let constants = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let Some(argument) = parameter.argument() else {
            return TokenStream::new();
        };
        let (cfgs, constant) = (&parameter.cfgs, constant(at));
        let value = field(parameter, argument, private);
        let mirrored = argument.options.header.as_ref().map(|_| {
            let kind = parameter.kind;
            quote_spanned!(parameter.place()=> #(#cfgs)* const _: () = #private::mirrored::<#kind>();)
        });
        let checks = rules::checks(parameter, argument, private);
        quote! {
            #(#cfgs)*
            const #constant: #private::Field = #value;
            #mirrored
            #checks
        }
    });
    quote!(#(#constants)*)
}

fn field(parameter: &Parameter<'_>, argument: &Argument, private: &TokenStream) -> TokenStream {
    let (name, options) = (&argument.name, &argument.options);
    let input = input_of(parameter, private);
    let default = options.default.as_ref().map(|default| {
        let default = typed(parameter.kind, &default.value);
        quote!(|| { let __tent_value = #default; #private::DefaultValue(&__tent_value).tent_json() })
    });
    let example = options.example.as_ref().map(|example| {
        let example = &example.value;
        quote!(|| #private::example(&(#example)))
    });
    let bound = |bound: &Option<Spanned<Number>>| {
        bound.as_ref().map(|bound| match bound.value {
            Number::Integer(value) => quote!(#private::Bound::Integer(#value)),
            Number::Float(value) => quote!(#private::Bound::Number(#value)),
        })
    };
    let text = |text: &Option<Spanned<String>>| {
        text.as_ref().map(|text| {
            let text = &text.value;
            quote!(#text)
        })
    };
    let length = |length: &Option<Spanned<u64>>| {
        length.as_ref().map(|length| {
            let length = length.value;
            quote!(#length)
        })
    };
    let header = options.header.as_ref().map(|header| {
        let header = &header.value.0;
        quote!(#header)
    });
    let secret = options.secret.as_ref().is_some_and(|secret| secret.value);

    let mut rules = Update::default();
    rules.set("min", some(bound(&options.min), private));
    rules.set("max", some(bound(&options.max), private));
    rules.set("min_len", some(length(&options.min_len), private));
    rules.set("max_len", some(length(&options.max_len), private));
    rules.set("pattern", some(text(&options.pattern), private));
    rules.set("example", some(example, private));
    let rules = (!rules.is_empty())
        .then(|| rules.apply(&quote!(#private::Rules), &quote!(#private::Rules::NONE)));

    let mut field = Update::default();
    field.set("about", about(&argument.about, private));
    field.set("title", some(text(&options.title), private));
    field.set("default", some(default, private));
    field.set("rules", rules);
    field.set("secret", secret.then(|| quote!(true)));
    field.set("header", some(header, private));
    let base = quote_spanned!(parameter.place()=> #private::field(#name, #input.schema));
    field.apply(&quote!(#private::Field), &base)
}

/// An expression with an expected type.
pub(super) fn typed(kind: &Type, expression: &syn::Expr) -> TokenStream {
    quote!({ let __tent_typed: #kind = #expression; __tent_typed })
}
