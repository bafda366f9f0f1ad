//! [`Rounds`]: what an envelope keeps of a call that comes in several rounds, since its function asks the client.
//!
//! Knows neither what is asked nor how it is written.

use std::fmt;

use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::caller::Caller;
use crate::cx::Cancellation;
use crate::error::Result;
use crate::function::{BoxFuture, Kind, Output};

/// The round that a call is.
pub trait Rounds: fmt::Debug + Send + Sync {
    /// Whether it answers what was asked in an earlier round. Such a round of what does more than read runs to
    /// its end when its caller goes away, since it runs once.
    fn is_later(&self) -> bool;

    /// Asked once the call was let in and its input fits, just before its function runs. `false`: it does not
    /// run, since this round came before, and the envelope knows what it was answered.
    ///
    /// # Errors
    /// T0015 where what it carries was not made for this call; T0006, T0009 and T0011 where it came before and
    /// there is no answer; what it was answered, if that was a failure.
    fn enter<'a>(&'a self, entering: Entering<'a>) -> BoxFuture<'a, Result<bool>>;

    /// Told what came of it, where its function ran.
    fn ended<'a>(&'a self, outcome: &'a Result<Output>) -> BoxFuture<'a, ()>;
}

/// A call whose function is about to run.
#[derive(Clone, Copy, Debug)]
pub struct Entering<'a> {
    /// The function's name.
    pub name: &'a str,
    /// What it does.
    pub kind: Kind,
    /// Who calls.
    pub caller: &'a Caller,
    /// Its input, in its normal form.
    pub input: &'a Map<String, Value>,
    /// When the call is ended.
    pub deadline: Option<Instant>,
    /// To be held from where the round is claimed, which must run to its end then.
    pub stop: &'a Cancellation,
}
