//! What tent keeps of a legacy session: its token, its log level, and its calls in flight.
//! Must not send anything to a client.

pub(crate) mod in_flight;
pub(crate) mod log_levels;
pub(crate) mod token;
