//! `functions![a, m::b]`: the declarations of the named functions.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Path, Token};

use crate::diagnostic::Diagnostics;
use tent_core::codes;

/// A slice of the declarations of the functions whose paths `input` lists.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let paths = match Punctuated::<Path, Token![,]>::parse_terminated.parse2(input) {
        Ok(paths) => paths,
        Err(error) => return error.to_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    let declarations: Vec<TokenStream> = paths
        .iter()
        .filter_map(|path| declaration(path, &mut diagnostics))
        .collect();
    let errors = diagnostics.into_tokens();
    quote! {{
        #errors
        const FUNCTIONS: &[&::tent::__private::Declaration] = &[#(#declarations),*];
        FUNCTIONS
    }}
}

/// The path of the hidden constant beside the function, which holds its declaration.
fn declaration(path: &Path, diagnostics: &mut Diagnostics) -> Option<TokenStream> {
    let mut path = path.clone();
    if let Some(generic) = path.segments.iter().find(|one| !one.arguments.is_empty()) {
        let problem = "the path of a function has type arguments here";
        let help = "write the path without them, for example `shop::open_orders`";
        diagnostics.add(codes::INVALID_OPTION, &generic.arguments, problem, help);
        return None;
    }
    let last = path.segments.last_mut()?;
    let span = last.ident.span();
    last.ident = format_ident!("__tent_function_{}", last.ident.unraw(), span = span);
    Some(quote!(#path))
}
