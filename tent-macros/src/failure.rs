//! `#[derive(Failure)]`: attributes → [`model`] and [`says`] (checked) → [`expand`], with the
//! texts read by [`message`].

mod expand;
mod message;
mod model;
mod says;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::fault::Faults;

/// The impls of the failure that `input` declares, after all that is wrong with it.
pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let model = model::read(&input, &mut faults);
    let mut tokens = faults.tokens();
    tokens.extend(model.as_ref().map(expand::expand));
    tokens
}
