//! [`Journal`]: keeps the results of the steps of one call ([`Cx::once`](super::Cx::once)), so that a later run of
//! the same call does not repeat them.
//!
//! Knows neither where the results are stored nor how they travel.

use std::fmt;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::error::Result;

/// The results of the steps of one call, over all of its runs.
pub(crate) trait Journal: fmt::Debug + Send + Sync {
    /// Returns the result that an earlier run recorded for the step of this name.
    ///
    /// # Errors
    /// T0012 if the journal cannot be read.
    fn recorded<'a>(&'a self, step: &'a str) -> BoxFuture<'a, Result<Option<Value>>>;

    /// Records the result of the step of this name, for later runs.
    ///
    /// # Errors
    /// T0012 if the result cannot be stored, for example because it is too large.
    fn record<'a>(&'a self, step: &'a str, result: Value) -> BoxFuture<'a, Result<()>>;
}
