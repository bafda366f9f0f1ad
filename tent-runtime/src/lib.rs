//! The runtime of tent: the registry of functions, the door that calls them, and the two envelopes
//! (`/api` and `/mcp`) that bring calls to it. Apps name the crate `tent`, which re-exports what is
//! public here.
//!
//! Each module imports only those above it in this list; a test holds it to that.

/// The types of HTTP requests, in the version that `identify` is handed.
pub use http;

pub mod clock;
mod content;
pub mod error;
mod json;
mod random;
pub mod schema;
pub mod caller;
pub mod settings;
pub mod seal;
pub mod store;
pub mod keys;
pub mod cx;
pub mod function;
pub mod registry;
pub mod dispatch;
mod web;
mod api;
mod mcp;
pub mod server;
mod cli;
