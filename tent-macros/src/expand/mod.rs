//! Generates code from a checked model. Next to the function, which it leaves alone, it writes one hidden constant with
//! the declaration, and the entry in the link-time inventory.
//!
//! Rules of the generated code:
//!
//! - Every path begins with `tent::__private`, and every item and local that it adds begins with `__tent`.
//! - What the compiler must know about a type is requested at that type's span, and about the function's future at the
//!   function's name, so that errors are shown there.
//! - A bound that two places need is written with the same tokens in both: the compiler reports it once.

mod argument;
mod call;
mod declaration;
mod options;
mod rules;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Meta, Token};

use crate::model::{Kind, Model, Parameter, Source, is_kind};
use crate::options::private_at as relocated;
use crate::syntax::{Function, Shape};

/// The declaration beside the function.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let private = &model.private;
    let constant = constant_name(&model.function.name);
    let visibility = &model.function.visibility;
    let conditions = conditions(&model.function.attributes);
    let lints = lints(&model.function.attributes);
    let fields = argument::fields(model, private);
    let run = call::run(model, private);
    let declaration = declaration::declaration(model, private);
    quote! {
        #(#conditions)*
        #(#lints)*
        #[doc(hidden)]
        #visibility const #constant: &#private::Declaration = {
            use #private::{NotResult as _, NotSerializable as _, OtherInput as _, UnknownType as _};
            #fields
            #run
            static __TENT_DECLARATION: #private::Declaration = #declaration;
            const _: () = {
                #private::inventory::submit! { #private::Entry(&__TENT_DECLARATION) }
            };
            &__TENT_DECLARATION
        };
    }
}

/// The hidden constant of a function with errors, so that `functions![f]` does not report a missing constant too.
pub(crate) fn stub(function: &Function, private: &TokenStream) -> TokenStream {
    let method = function
        .parameters
        .iter()
        .any(|parameter| matches!(parameter.shape, Shape::Receiver(_)));
    // An associated function: `functions!` cannot name it, and a trait does not accept the constant.
    if method || function.bodiless {
        return TokenStream::new();
    }
    // A second attribute of tent makes the constant.
    if function.attributes.iter().any(is_kind) {
        return TokenStream::new();
    }
    let constant = constant_name(&function.name);
    let visibility = &function.visibility;
    let conditions = conditions(&function.attributes);
    quote! {
        #(#conditions)*
        #[doc(hidden)]
        #visibility const #constant: &#private::Declaration = #private::STUB;
    }
}

fn constant_name(function: &Ident) -> Ident {
    let span = Span::call_site();
    format_ident!("__tent_function_{}", function.unraw(), span = span)
}

/// The `cfg`s of the function, for the declaration. From a `cfg_attr`, only the `cfg` in it.
fn conditions(attributes: &[Attribute]) -> Vec<TokenStream> {
    attributes
        .iter()
        .filter_map(|attribute| extract(attribute, "cfg"))
        .collect()
}

/// The lints that the author allows for the function, for the code that calls it. The call of a deprecated function
/// adds no warning.
fn lints(attributes: &[Attribute]) -> Vec<TokenStream> {
    let mut lints: Vec<TokenStream> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            // An `expect` would be unfulfilled where the generated code does not trigger the lint.
            Meta::List(list) if list.path.is_ident("expect") => {
                let tokens = &list.tokens;
                Some(quote!(#[allow(#tokens)]))
            }
            _ => extract(attribute, "allow"),
        })
        .collect();
    let deprecated = |attribute: &Attribute| {
        attribute.path().is_ident("deprecated") || extract(attribute, "deprecated").is_some()
    };
    if attributes.iter().any(deprecated) {
        lints.push(quote!(#[allow(deprecated)]));
    }
    lints
}

/// The attribute, if it has this name; from a `cfg_attr`, the attributes of this name in it.
fn extract(attribute: &Attribute, name: &str) -> Option<TokenStream> {
    if attribute.path().is_ident(name) {
        return Some(attribute.to_token_stream());
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let parts = attribute
        .parse_args_with(syn::punctuated::Punctuated::<Meta, Token![,]>::parse_terminated)
        .ok()?;
    let condition = parts.first()?;
    let named: Vec<&Meta> = parts
        .iter()
        .skip(1)
        .filter(|one| one.path().is_ident(name))
        .collect();
    (!named.is_empty()).then(|| quote!(#[cfg_attr(#condition, #(#named),*)]))
}

/// The functions that supply a parameter from the app.
fn from_app(parameter: &Parameter<'_>, private: &TokenStream) -> TokenStream {
    let Source::App(kind) = &parameter.source else {
        return TokenStream::new();
    };
    quote_spanned!(parameter.place()=> #private::from_app::<#kind, _>())
}

/// The functions that read a parameter from the input and describe its type.
fn input_of(parameter: &Parameter<'_>, private: &TokenStream) -> TokenStream {
    let (kind, place) = (parameter.kind, parameter.place());
    let private = relocated(private, place);
    quote_spanned!(place=> #private::InputProbe::<#kind>::KIND.tent_input())
}

/// The return type of the function, and its place.
fn return_type(model: &Model<'_>) -> (TokenStream, Span) {
    match &model.function.returns {
        Some(returns) => {
            let tokens = returns.to_token_stream();
            let first = tokens.clone().into_iter().next();
            let place = first.map_or_else(Span::call_site, |token| token.span());
            (tokens, place)
        }
        None => (quote!(()), model.function.name.span()),
    }
}

/// The functions that convert what the function returns into its output.
fn converter(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let (returns, place) = return_type(model);
    let probe = return_probe(&returns, place, private);
    if model.kind == Kind::Prompt {
        return quote_spanned!(place=> #probe::KIND.tent_prompt());
    }
    quote_spanned!(place=> #probe::KIND.tent_output(#probe::IS_UNIT))
}

/// The probe of a return type, placed entirely at the type.
fn return_probe(returns: &TokenStream, place: Span, private: &TokenStream) -> TokenStream {
    let private = relocated(private, place);
    quote_spanned!(place=> #private::ReturnProbe::<#returns>)
}
