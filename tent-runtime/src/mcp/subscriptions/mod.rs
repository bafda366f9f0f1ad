//! Streams that stay open for messages outside a call: who subscribed to what, and the `Notifier` of the app.
//! Must not serve a call.

pub(crate) mod filter;
pub(crate) mod listeners;
pub(crate) mod lost;
pub(crate) mod notifier;
pub(crate) mod streams;
pub(crate) mod uris;
