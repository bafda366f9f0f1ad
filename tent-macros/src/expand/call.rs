//! The function that reads the arguments, calls the author's function and takes its answer.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::field::{constant, typed};
use super::{giver, part};
use crate::model::{Model, Taken};

/// The function, by the name `__tent_run`.
pub(super) fn run(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let later = model.function.asyncness.is_some();
    let refuse = |error: TokenStream| {
        if later {
            quote!(return #private::failed(#error))
        } else {
            quote!(return #private::Err(#error))
        }
    };
    // A local that is named at the author's places is one word of this place, or `macro_rules!` would
    // take them for two.
    let arguments = Ident::new("__tent_arguments", Span::call_site());
    let how = Ident::new("__tent_how", Span::call_site());
    let misfit = refuse(quote!(#arguments.refused()));
    let missing = refuse(quote!(__tent_error));
    let (mut read, mut missed, mut parts) = (vec![], vec![], vec![]);
    for (at, parameter) in model.parameters.iter().enumerate() {
        let (local, constant, kind) = (local(at), constant(at), parameter.kind);
        let (cfgs, place) = (&parameter.cfgs, parameter.place());
        let taken = match &parameter.taken {
            Taken::Part(_) => {
                let part = part(parameter, private);
                parts.push(quote! {
                    #(#cfgs)*
                    let #local = match (#part.part)(__tent_cx) {
                        #private::Ok(__tent_part) => __tent_part,
                        #private::Err(__tent_error) => #missing,
                    };
                });
                continue;
            }
            Taken::Field(field) => match &field.default {
                Some(default) => {
                    let default = typed(kind, default);
                    quote_spanned!(place=> #arguments.take_or::<#kind>(&#constant, || #default))
                }
                None => quote_spanned!(place=> #arguments.take::<#kind>(&#constant)),
            },
            Taken::Whole(_) => quote_spanned!(place=> #arguments.whole::<#kind>()),
        };
        read.push(quote!(#(#cfgs)* let #local = #taken;));
        missed.push(quote! {
            #(#cfgs)*
            let #private::Some(#local) = #local else { #misfit; };
        });
    }
    let open = (!read.is_empty())
        .then(|| quote!(let mut #arguments = #private::Arguments::new(__tent_input);));

    let giver = giver(model, private);
    let body = quote! { #open #(#read)* #(#missed)* #(#parts)* let #how = #giver; };
    let name = &model.function.name;
    let given = model.parameters.iter().enumerate().map(|(at, parameter)| {
        let (local, cfgs) = (local(at), &parameter.cfgs);
        quote!(#(#cfgs)* #local)
    });
    let method = if later { "later" } else { "give" };
    let method = Ident::new(method, name.span());
    let how = Ident::new("__tent_how", Span::call_site().located_at(name.span()));
    let call = quote_spanned!(name.span()=> #how.#method(#name(#(#given),*)));
    if later {
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

/// The local that holds an argument. Prefixed, so that no constant of the author's can be meant.
fn local(at: usize) -> Ident {
    format_ident!("__tent_{at}")
}
