//! The runtime of tent: the registry of functions, the door that calls them, and the two envelopes
//! (`/api` and `/mcp`) that bring calls to it. Apps name the crate `tent`, which re-exports what is
//! public here.
//!
//! Each module imports only those above it in this list.

pub mod caller;
pub mod clock;
pub mod cx;
pub mod error;
pub mod function;
pub mod keys;
pub mod schema;
pub mod seal;
pub mod settings;
pub mod store;

mod random;
