//! `#[derive(Failure)]`: reads the attributes into a checked [`model`] with one [`report`] for each kind of failure,
//! reads their texts with [`message`], and generates the implementations in [`expand`].

mod expand;
mod message;
mod model;
mod report;
pub(crate) mod values;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::diagnostic::Diagnostics;

/// The implementations for a failure type, after its diagnostics.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    let model = model::read(&input, &mut diagnostics);
    let mut tokens = diagnostics.into_tokens();
    tokens.extend(model.as_ref().map(expand::expand));
    tokens
}
