//! `#[derive(State)]`: implements `State` for a type that the app supplies to its functions.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};

use crate::diagnostic::Diagnostics;
use crate::options::tables::StateOptions;
use crate::options::{private_path, read_attributes};
use tent_core::codes;

/// The implementation of `State` for a type, after its diagnostics.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    let options =
        read_attributes::<StateOptions>(&input.attrs, "state", "`#[state]`", &mut diagnostics);
    let private = private_path(options.table.krate.as_ref());
    let ident = &input.ident;
    let borrows = input.generics.lifetimes().next();
    if let Some(one) = borrows {
        let problem = format!(
            "`{ident}` borrows for `{}`, and app state must be `'static`",
            one.lifetime
        );
        let help = "use owned fields: `String` for `&str`, `Arc<T>` for `&T`";
        diagnostics.add(codes::UNSUPPORTED_ITEM, &one.lifetime, &problem, help);
    }
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let bounds = &mut generics.make_where_clause().predicates;
        bounds.push(parse_quote! {
            Self: #private::core::marker::Send + #private::core::marker::Sync + 'static
        });
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let errors = diagnostics.into_tokens();
    // An implementation for a type that borrows would only add a second error.
    let implementation = borrows.is_none().then(|| {
        quote! {
            #[automatically_derived]
            #[allow(deprecated)]
            impl #parameters #private::State for #ident #arguments #bounds {}
        }
    });
    quote!(#errors #implementation)
}
