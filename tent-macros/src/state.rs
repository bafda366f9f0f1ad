//! `#[derive(State)]`: that a type is a state of the app.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, parse_quote};
use tent_core::codes;

use crate::fault::Faults;
use crate::options::{Known, of_attributes, root};

/// The impl of `State` for the type that `input` declares, after all that is wrong with it.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let known = Known {
        names: &["crate"],
        on: "a state",
        example: "#[state(crate = the_path)]",
    };
    let stated = of_attributes(&input.attrs, "state", &known, &mut faults);
    let root = root(&stated, &mut faults);
    let ident = &input.ident;
    let borrows = input.generics.lifetimes().next();
    if let Some(one) = borrows {
        faults.add(
            codes::UNSUPPORTED_ITEM,
            &one.lifetime,
            &format!(
                "`{ident}` borrows for `{}`, and the app keeps its states for as long as it runs",
                one.lifetime
            ),
            "own what it holds: String for &str, Arc<T> for &T",
        );
    }
    let mut generics = input.generics.clone();
    if generics.type_params().next().is_some() {
        let bounds = &mut generics.make_where_clause().predicates;
        bounds.push(parse_quote! {
            Self: #root::core::marker::Send + #root::core::marker::Sync + 'static
        });
    }
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let faults = faults.tokens();
    // No impl for a type that borrows: each could only give a second error.
    let implementation = borrows.is_none().then(|| {
        quote! {
            #[automatically_derived]
            #[allow(deprecated)]
            impl #parameters #root::State for #ident #arguments #bounds {}
        }
    });
    quote!(#faults #implementation)
}
