//! [`CallClaim`]: the hook by which a call that may arrive more than once runs once.
//!
//! Dispatch asks it just before the function runs, and tells it the outcome. It knows neither what identifies a
//! repeated call nor where claims are stored.

use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::cx::Cancellation;
use crate::dispatch::Outcome;
use crate::error::Result;
use crate::function::Kind;

/// The claim of one call, such as a multi round-trip request that carries a `requestState`.
pub(crate) trait CallClaim: fmt::Debug + Send + Sync {
    /// Whether the call is a retry with the responses to its input requests. A retry of a change or an action runs to
    /// its end when its caller disconnects, since it runs once.
    fn is_retry(&self) -> bool;

    /// Claims the call, after every check and just before its function runs.
    ///
    /// # Errors
    /// T0015 for a claim that was made for another call, T0006, T0009 and T0011 for a call that arrived before and has
    /// no outcome to return, and the error of the first call if that is its outcome.
    fn enter<'a>(&'a self, call: ClaimedCall<'a>) -> BoxFuture<'a, Result<Entered>>;

    /// Records the outcome of a call that [`enter`](Self::enter) let run.
    fn ended<'a>(&'a self, outcome: &'a Outcome) -> BoxFuture<'a, ()>;
}

/// What a claim decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entered {
    /// The function runs.
    Run,
    /// The function does not run: the call arrived before, and the endpoint holds its response.
    Answered,
}

/// A call whose function is about to run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaimedCall<'a> {
    /// The name of the function.
    pub name: &'a str,
    /// The kind of the function.
    pub kind: Kind,
    /// The caller.
    pub caller: &'a Caller,
    /// The input, validated and in its normal form.
    pub input: &'a Map<String, Value>,
    /// When the call must be answered.
    pub deadline: Option<Instant>,
    /// Holds cancellation off from the claim on, since a claimed call runs to its end.
    pub cancellation: &'a Cancellation,
}
