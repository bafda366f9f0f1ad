//! What tent keeps of a client: the session token, what was negotiated, log levels, and requests in flight.
//! Must not send anything to a client.

pub(crate) mod token;
pub(crate) mod negotiated;
pub(crate) mod in_flight;
pub(crate) mod log_levels;
pub(crate) mod state;
