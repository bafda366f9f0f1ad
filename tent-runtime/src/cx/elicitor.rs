//! [`Elicitor`]: sends the input requests of a function to the client of its call, and returns the responses.
//!
//! Knows no wire format. An endpoint whose client cannot answer requests offers none.

use std::fmt;
use std::task::Waker;

use futures_util::future::BoxFuture;

use tent_core::codes;

use super::{InputRequest, InputResponse};
use crate::error::{Error, Result};

/// Sends the input requests of one call.
///
/// There are two kinds. In a session, the request goes down the response stream and the function waits for the
/// response. In a multi round-trip request (MRTR), the response arrives with a later request: the future of
/// [`request`](Self::request) then stays pending, dispatch drops the function
/// ([`is_waiting_for_retry`](Self::is_waiting_for_retry)), and the retry runs it again from its start.
pub(crate) trait Elicitor: fmt::Debug + Send + Sync {
    /// Sends an input request and returns the client's response, which is valid for the request.
    ///
    /// # Errors
    /// T0021 for a client that cannot answer this request, T0022 for a response that is missing or invalid.
    fn request<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<InputResponse>>;

    /// Whether an input request is open that only a later request can answer.
    ///
    /// Dispatch asks this each time the function is pending. If it is `true`, dispatch drops the function and the
    /// endpoint answers with all open input requests. If it is `false`, `waker` is woken by the next input request.
    fn is_waiting_for_retry(&self, waker: &Waker) -> bool;
}

/// T0022 for a response that is missing or invalid.
pub(crate) fn unanswered(name: &str, problem: &str) -> Error {
    Error::new(codes::CLIENT_DID_NOT_ANSWER)
        .with_message(format!("The client's response to {name:?} {problem}."))
}
