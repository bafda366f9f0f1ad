//! Records how a call ended.
//!
//! This is the place of the app's audit hook among the steps of dispatch. Today the log gets the record, at level
//! `debug`.

use super::Outcome;
use crate::function::Function;

/// Records the end of a call, whether its function ran or a step before it refused.
pub(super) fn record(function: &Function, outcome: &Outcome) {
    let code = match outcome {
        Outcome::Ended(Ok(_)) => None,
        Outcome::Ended(Err(error)) => Some(error.code()),
        Outcome::InputRequired => Some("input required"),
        Outcome::Answered => Some("replayed"),
    };
    tracing::debug!(function = %function.name, code, "the call ended");
}
