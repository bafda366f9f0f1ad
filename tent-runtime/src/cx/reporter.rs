//! [`Reporter`]: sends what a function reports while it runs, progress and log messages, to the client of its call.
//!
//! Knows no wire format: an endpoint implements it in its own. An endpoint whose transport cannot carry messages
//! before the response (`/api`, the command line) offers none, and reports are then dropped.

use std::fmt;

use serde_json::Value;

/// Sends the reports of one call to its client.
pub(crate) trait Reporter: fmt::Debug + Send + Sync {
    /// Notes that the call passed every check and its function is about to run.
    ///
    /// Dispatch calls this once. Until then the response is a plain error with its own HTTP status; from then on
    /// an endpoint may commit to a response stream.
    fn started(&self);

    /// Sends how far the call is, if the client asked for progress. A report that does not go beyond the last one is
    /// dropped.
    fn progress(&self, progress: &Progress);

    /// Sends a log message, if the client asked for its level.
    fn log(&self, level: Level, logger: Option<&str>, data: &Value);
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Progress {
    /// How much is done. It only grows.
    pub done: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// What the function is doing, for people.
    pub message: Option<String>,
}

/// The severity of a log message: the levels of RFC 5424, the most severe last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is a level of RFC 5424")]
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
    /// All levels, the most severe last.
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

    /// Returns the name of the level in messages.
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

    /// Finds a level by its name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}
