//! [`Peer`]: what an envelope offers a call beyond its answer. An envelope that offers nothing (`/api`, the
//! command line) hands over none, and what a function says or asks then goes nowhere.
//!
//! Knows no wire: a peer turns what it is told into its envelope's own form.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::Waker;

use serde_json::Value;

use super::input::{InputRequest, InputResponse};
use crate::error::Result;

/// What a peer gives later.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The client at the other end of one call.
pub trait Peer: fmt::Debug + Send + Sync {
    /// Told once the call was let in and its input fits, before its function runs: what comes of it from then on
    /// is the call's own answer, and no refusal.
    fn begins(&self);

    /// Tells how far the call is. Nothing is sent where the client did not ask for it, and what does not go
    /// beyond the last progress is left out.
    fn progress(&self, progress: &Progress);

    /// Sends a line of a log, where the client asked for its level.
    fn log(&self, level: Level, logger: Option<&str>, data: &Value);

    /// Sends an input request to the client and returns the response, which is valid for the request. A peer whose client answers with a request of its
    /// own gives a future that does not end: see [`is_asking`](Self::is_asking).
    ///
    /// # Errors
    /// Where the client cannot be asked this.
    fn ask<'a>(&'a self, name: &'a str, request: InputRequest) -> Later<'a, Result<InputResponse>>;

    /// Whether a question was put that only a later request can answer. The door then ends the call as it
    /// stands, and the envelope answers what is asked by then. Where there is none, `waker` is woken when one
    /// is put.
    fn is_asking(&self, waker: &Waker) -> bool;

    /// What a step of this name gave in an earlier round of this call.
    fn kept<'a>(&'a self, name: &'a str) -> Later<'a, Result<Option<Value>>>;

    /// Keeps what a step of this name gave, for later rounds of this call.
    fn keep<'a>(&'a self, name: &'a str, value: Value) -> Later<'a, Result<()>>;
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done; it only grows.
    pub done: f64,
    /// How much there is, where that is known.
    pub total: Option<f64>,
    /// What is being done, for people.
    pub message: Option<String>,
}

/// How grave a line of a log is: the levels of RFC 5424, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the standard's own word")]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl Level {
    /// All of them, the gravest last.
    pub const ALL: [Level; 8] = [
        Level::Debug,
        Level::Info,
        Level::Notice,
        Level::Warning,
        Level::Error,
        Level::Critical,
        Level::Alert,
        Level::Emergency,
    ];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Notice => "notice",
            Level::Warning => "warning",
            Level::Error => "error",
            Level::Critical => "critical",
            Level::Alert => "alert",
            Level::Emergency => "emergency",
        }
    }

    /// The level of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}
