//! The macros of tent. Apps name them through the crate `tent`, which documents them too.
//!
//! The way of a declaration: tokens → `syntax` → `options` → `model` (the rules) → `expand`. The
//! author's item always comes first in what is emitted, also where something is wrong with it, and all
//! that is wrong is reported at once.

mod docs;
mod expand;
mod fault;
mod function;
mod model;
mod options;
mod syntax;
mod values;

use proc_macro::TokenStream;

use model::Kind;

/// Declares a function that only reads.
#[proc_macro_attribute]
pub fn query(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Query, options.into(), item.into()).into()
}

/// Declares a function that writes the app's own data.
#[proc_macro_attribute]
pub fn change(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Change, options.into(), item.into()).into()
}

/// Declares a function that reaches outside, or is neither a query nor a change.
#[proc_macro_attribute]
pub fn action(options: TokenStream, item: TokenStream) -> TokenStream {
    function::declare(Kind::Action, options.into(), item.into()).into()
}
