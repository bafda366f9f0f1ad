//! The runtime of tent: the registry of functions, the door that calls them, and the two envelopes
//! (`/api` and `/mcp`) that bring calls to it. Apps name the crate `tent`, which re-exports what is
//! public here.
//!
//! Each module imports only those above it in this list.

pub mod error;
mod random;
pub mod clock;
mod json;
pub mod schema;
pub mod caller;
pub mod settings;
pub mod seal;
pub mod store;
pub mod cx;
pub mod function;
pub mod registry;
pub mod door;
mod web;
mod mcp;
