//! The macros of tent. Apps name them through the crate `tent`, where they are documented.
//!
//! The steps of a declaration:
//!
//! ```text
//! tokens ──► syntax ──► options ──► model ──► expand
//!            the head   one table   the       the item, then the declaration
//!            of the fn  per         rules     or all diagnostics and a stub
//!                       attribute
//! ```
//!
//! The author's item is always emitted first, also where the declaration has errors, and all errors are reported
//! together. This crate and the runtime never import each other; what both must agree on is in `tent-core`.

mod data;
mod diagnostic;
mod docs;
mod expand;
mod failure;
mod function;
mod functions;
mod model;
mod options;
mod state;
mod syntax;

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

/// A function that reaches outside, or is neither a query nor a change. Documented at `tent::action`.
#[proc_macro_attribute]
pub fn action(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Action, options.into(), item.into()).into()
}

/// A resource that MCP clients read. Documented at `tent::resource`.
#[proc_macro_attribute]
pub fn resource(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Resource, options.into(), item.into()).into()
}

/// A prompt that MCP clients get. Documented at `tent::prompt`.
#[proc_macro_attribute]
pub fn prompt(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Prompt, options.into(), item.into()).into()
}

/// A type of an input or an output. Documented at `tent::data`.
#[proc_macro_attribute]
pub fn data(options: TokenStream, item: TokenStream) -> TokenStream {
    data::expand(options.into(), item.into()).into()
}

/// App state that functions take by reference. Documented at `tent::State`.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(item: TokenStream) -> TokenStream {
    state::derive(item.into()).into()
}

/// A failure with a declared code, status and message. Documented at `tent::Failure`.
#[proc_macro_derive(Failure, attributes(failure, from, source))]
pub fn derive_failure(item: TokenStream) -> TokenStream {
    failure::derive(item.into()).into()
}

/// The declarations of named functions. Documented at `tent::functions`.
#[proc_macro]
pub fn functions(paths: TokenStream) -> TokenStream {
    functions::expand(paths.into()).into()
}
