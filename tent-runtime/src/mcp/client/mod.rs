//! The client of a call: its notifications, and the input requests that a function sends it.
//! Must not know how messages travel.

pub(crate) mod outbox;
pub(crate) mod response_stream;
pub(crate) mod connection;
pub(crate) mod context;
pub(crate) mod throttle;
pub(crate) mod notifications;
pub(crate) mod pending_requests;
pub(crate) mod in_session;
pub(crate) mod mrtr;
pub(crate) mod call_client;
