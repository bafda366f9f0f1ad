//! The client of a call: its notifications, and the input requests that a function sends it.
//! Must not know how messages travel.

pub(crate) mod elicitor;
pub(crate) mod in_session;
pub(crate) mod mrtr;
pub(crate) mod notifications;
pub(crate) mod outbox;
pub(crate) mod pending_requests;
pub(crate) mod throttle;
