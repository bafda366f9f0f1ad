//! The macros of tent. Apps name them through the crate `tent`, where they are documented.
//!
//! This crate and the runtime never import each other; what both must agree on is in `tent-core`.

mod data;
mod failure;

mod functions;
mod settings;
mod state;

use proc_macro::TokenStream;

/// A type that goes over the wire. Documented at `tent::data`.
#[proc_macro_attribute]
pub fn data(options: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(options.into(), item.into()).into()
}

/// A state of the app. Documented at `tent::State`.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(item: TokenStream) -> TokenStream {
    state::derive(item.into()).into()
}

/// A failure of the app's own. Documented at `tent::Failure`.
#[proc_macro_derive(Failure, attributes(failure, from, source))]
pub fn derive_failure(item: TokenStream) -> TokenStream {
    failure::derive(item.into()).into()
}

/// Functions that are named. Documented at `tent::functions`.
#[proc_macro]
pub fn functions(paths: TokenStream) -> TokenStream {
    functions::expand(paths.into()).into()
}
