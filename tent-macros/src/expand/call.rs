//! Generates the function that reads the arguments, calls the author's function and converts what it returns.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::argument::{constant, typed};
use super::{converter, from_app, input_of};
use crate::model::{Model, Source};

/// The function, under the name `__tent_run`.
pub(super) fn run(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let is_async = model.function.asyncness.is_some();
    let fail = |error: TokenStream| {
        if is_async {
            quote!(return #private::failed(#error))
        } else {
            quote!(return #private::Err(#error))
        }
    };
    // Locals that are used at the author's spans keep the hygiene of this macro: inside of `macro_rules!`, the
    // author's spans would make them different identifiers.
    let arguments = Ident::new("__tent_arguments", Span::call_site());
    let converter_local = Ident::new("__tent_converter", Span::call_site());
    let invalid = fail(quote!(#arguments.into_error()));
    let missing = fail(quote!(__tent_error));

    // All arguments are read before any is checked, so that one error names all invalid fields.
    let (mut read, mut checked, mut supplied) = (vec![], vec![], vec![]);
    for (at, parameter) in model.parameters.iter().enumerate() {
        let (local, constant, kind) = (local(at), constant(at), parameter.kind);
        let (cfgs, place) = (&parameter.cfgs, parameter.place());
        let input = input_of(parameter, private);
        let value = match &parameter.source {
            Source::App(_) => {
                let from_app = from_app(parameter, private);
                supplied.push(quote! {
                    #(#cfgs)*
                    let #local = match (#from_app.get)(__tent_cx) {
                        #private::Ok(__tent_value) => __tent_value,
                        #private::Err(__tent_error) => #missing,
                    };
                });
                continue;
            }
            Source::Argument(argument) => match &argument.options.default {
                Some(default) => {
                    let default = typed(kind, &default.value);
                    quote_spanned!(place=> #arguments.take_or(&#constant, #input.read, || #default))
                }
                None => quote_spanned!(place=> #arguments.take(&#constant, #input.read)),
            },
            Source::Input(_) => quote_spanned!(place=> #arguments.take_all(#input.read)),
        };
        read.push(quote!(#(#cfgs)* let #local = #value;));
        checked.push(quote! {
            #(#cfgs)*
            let #private::Some(#local) = #local else { #invalid; };
        });
    }
    let open = (!read.is_empty())
        .then(|| quote!(let mut #arguments = #private::Arguments::new(__tent_input);));

    let converter = converter(model, private);
    let body = quote! {
        #open #(#read)* #(#checked)* #(#supplied)*
        let #converter_local = #converter;
    };
    let name = &model.function.name;
    let values = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let (local, cfgs) = (local(at), &parameter.cfgs);
        quote!(#(#cfgs)* #local)
    });
    let method = if is_async {
        "convert_future"
    } else {
        "convert"
    };
    let method = Ident::new(method, name.span());
    let converter_local = Ident::new(
        "__tent_converter",
        Span::call_site().located_at(name.span()),
    );
    let call = quote_spanned!(name.span()=> #converter_local.#method(#name(#(#values),*)));
    if is_async {
        quote! {
            fn __tent_run<'__tent>(
                __tent_cx: &'__tent #private::Cx,
                __tent_input: #private::Object,
            ) -> #private::BoxFuture<'__tent, #private::Result<#private::Output>> {
                #body
                #call
            }
        }
    } else {
        quote! {
            fn __tent_run(
                __tent_cx: &#private::Cx,
                __tent_input: #private::Object,
            ) -> #private::Result<#private::Output> {
                #body
                #call
            }
        }
    }
}

/// The local that holds an argument. Its prefix keeps it apart from the author's constants, which a pattern would
/// match.
fn local(at: usize) -> Ident {
    format_ident!("__tent_{at}")
}
