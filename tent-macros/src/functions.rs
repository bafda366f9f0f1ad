//! `functions![a, m::b]`: the declarations of functions that are named.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Path, Token};
use tent_core::codes;

use crate::fault::Faults;

/// A slice of the declarations that stand beside the functions which `input` lists.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let paths = match Punctuated::<Path, Token![,]>::parse_terminated.parse2(input) {
        Ok(paths) => paths,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let declarations: Vec<TokenStream> = paths
        .iter()
        .filter_map(|path| declaration(path, &mut faults))
        .collect();
    let faults = faults.tokens();
    quote! {{
        #faults
        const FUNCTIONS: &[&::tent::__private::Declaration] = &[#(#declarations),*];
        FUNCTIONS
    }}
}

/// The constant that the attribute leaves beside the function.
fn declaration(path: &Path, faults: &mut Faults) -> Option<TokenStream> {
    let mut path = path.clone();
    if let Some(given) = path.segments.iter().find(|one| !one.arguments.is_empty()) {
        faults.add(
            codes::INVALID_OPTION,
            &given.arguments,
            "a function is named without type arguments",
            "write its path alone, such as shop::open_orders",
        );
        return None;
    }
    let last = path.segments.last_mut()?;
    let span = last.ident.span();
    last.ident = format_ident!("__tent_function_{}", last.ident.unraw(), span = span);
    Some(quote!(#path))
}
