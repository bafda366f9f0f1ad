//! The macros of tent. Apps name them through the crate `tent`, where they are documented.
//!
//! The way of a declaration: tokens → `syntax` → `options` → `model` (the rules) → `expand`. The
//! author's item always comes first in what is emitted, also where something is wrong with it, and all
//! that is wrong is reported at once.
//!
//! This crate and the runtime never import each other; what both must agree on is in `tent-core`.

mod data;
mod docs;
mod expand;
mod failure;
mod fault;
mod function;
mod functions;
mod model;
mod options;
mod state;
mod syntax;
mod values;

use proc_macro::TokenStream;

use model::Kind;

/// A function that only reads. Documented at `tent::query`.
#[proc_macro_attribute]
pub fn query(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Query, options.into(), item.into()).into()
}

/// A function that writes the app's own data. Documented at `tent::change`.
#[proc_macro_attribute]
pub fn change(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Change, options.into(), item.into()).into()
}

/// A function that reaches outside, or is neither of the others. Documented at `tent::action`.
#[proc_macro_attribute]
pub fn action(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Action, options.into(), item.into()).into()
}

/// Something that clients read. Documented at `tent::resource`.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Resource, options.into(), item.into()).into()
}

/// The beginning of a conversation. Documented at `tent::prompt`.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Prompt, options.into(), item.into()).into()
}

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
