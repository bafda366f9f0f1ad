//! Streams that stay open for messages outside a call: who subscribed to what, and the `Notifier` of the app.
//! Must not answer a call.

mod quota;
pub(crate) mod filter;
pub(crate) mod listeners;
pub(crate) mod notifier;
pub(crate) mod streams;
