//! From a checked model to code. The function itself is not touched here; beside it stands one hidden
//! constant that holds its declaration, and the entry in the link-time inventory.
//!
//! Rules of the generated code: every name goes through `tent::__private`; every item of its own
//! begins with `__tent`; what asks the compiler about a type stands once and is spanned at that
//! type, what asks about the function's future at the function's name.

mod call;
mod declaration;
mod field;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Meta, Token};

use crate::model::{Kind, Model, Parameter, Taken};

/// The code beside the function.
pub(crate) fn expand(model: &Model<'_>) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let constant = format_ident!(
        "__tent_function_{}",
        model.function.name.unraw(),
        span = Span::call_site()
    );
    let visibility = &model.function.visibility;
    let conditions = conditions(&model.function.attributes);
    let lints = lints(&model.function.attributes);
    let fields = field::fields(model, &private);
    let run = call::run(model, &private);
    let declaration = declaration::declaration(model, &private);
    quote! {
        #(#conditions)*
        #(#lints)*
        #[doc(hidden)]
        #visibility const #constant: &#private::Declaration = {
            use #private::{Otherwise as _, Unshown as _};
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

/// The conditions of the function, for what stands beside it. Of a `cfg_attr` only the `cfg` in it.
fn conditions(attributes: &[Attribute]) -> Vec<TokenStream> {
    attributes
        .iter()
        .filter_map(|attribute| kept(attribute, "cfg"))
        .collect()
}

/// The lints that the author allowed for the function, for the code that calls it; and a deprecated
/// function is called without a warning.
fn lints(attributes: &[Attribute]) -> Vec<TokenStream> {
    let mut lints: Vec<TokenStream> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            // An expectation would be missed here, where the lint may have nothing to find.
            Meta::List(list) if list.path.is_ident("expect") => {
                let tokens = &list.tokens;
                Some(quote!(#[allow(#tokens)]))
            }
            _ => kept(attribute, "allow"),
        })
        .collect();
    let deprecated = |attribute: &Attribute| {
        attribute.path().is_ident("deprecated") || kept(attribute, "deprecated").is_some()
    };
    if attributes.iter().any(deprecated) {
        lints.push(quote!(#[allow(deprecated)]));
    }
    lints
}

/// The attribute, if it is of this name; of a `cfg_attr` what it holds of this name.
fn kept(attribute: &Attribute, name: &str) -> Option<TokenStream> {
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
    let held: Vec<&Meta> = parts
        .iter()
        .skip(1)
        .filter(|one| one.path().is_ident(name))
        .collect();
    (!held.is_empty()).then(|| quote!(#[cfg_attr(#condition, #(#held),*)]))
}

/// The [`Part`](Taken::Part) of a parameter, asked of the compiler at its type.
fn part(parameter: &Parameter<'_>, private: &TokenStream) -> TokenStream {
    let Taken::Part(kind) = &parameter.taken else {
        return TokenStream::new();
    };
    quote_spanned!(parameter.place()=> #private::part::<#kind, _>())
}

/// The type that the function gives, and where it stands.
fn returns(model: &Model<'_>) -> (TokenStream, Span) {
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

/// How what the function gives becomes its answer, asked of the compiler at the return type. It stands
/// twice in the expansion, the same token for token: the compiler then reports what is wrong once.
fn giver(model: &Model<'_>, private: &TokenStream) -> TokenStream {
    let (returns, place) = returns(model);
    let probe = probe(&returns, place, private);
    if model.kind == Kind::Prompt {
        return quote_spanned!(place=> #probe::KIND.tent_speaker());
    }
    quote_spanned!(place=> #probe::KIND.tent_giver(#probe::NOTHING))
}

/// What asks the compiler about a return type. All of it stands at the type, so that an error does.
fn probe(returns: &TokenStream, place: Span, private: &TokenStream) -> TokenStream {
    let private = placed(private, place);
    quote_spanned!(place=> #private::Probe::<#returns>)
}

/// A path at another place, that means the same.
fn placed(path: &TokenStream, place: Span) -> TokenStream {
    path.clone()
        .into_iter()
        .map(|mut token| {
            // The crate of a `macro_rules!` is found by where the word comes from.
            if token.to_string() != "$crate" {
                token.set_span(place);
            }
            token
        })
        .collect()
}
