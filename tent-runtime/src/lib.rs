//! The runtime of tent: the registry of functions, the dispatch that calls them, and the two endpoints
//! (`/api` and `/mcp`) that translate requests into calls. Apps name the crate `tent`, which re-exports what is
//! public here.
//!
//! Each module imports only modules above it in this list, which a test enforces.

/// The types of HTTP requests, in the version that `identify` receives.
pub use http;

pub mod clock;
mod content;
pub mod error;
mod json;
mod race;
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
