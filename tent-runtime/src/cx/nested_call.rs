//! [`Cx::call`]: a function that calls another function of the app, through dispatch.
//!
//! Decides nothing about the call: dispatch does, behind the trait [`NestedCalls`].

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Cx;
use crate::bounded;
use crate::error::{Error, Result};

/// Runs a function of the app for another one. Dispatch implements it, so that this module does not import dispatch.
pub(crate) trait NestedCalls: Send + Sync {
    /// Runs the function of this name for the function whose call is `outer`, and returns its value; `None` for a
    /// function that returns none.
    fn call<'a>(
        self: Arc<Self>,
        outer: &'a Cx,
        name: &'a str,
        input: Map<String, Value>,
    ) -> BoxFuture<'a, Result<Option<Box<RawValue>>>>;
}

/// The place of a call among calls that call each other.
#[derive(Debug, Default)]
pub(crate) struct Nesting {
    /// How many calls are around this one.
    pub(crate) depth: u8,
    /// Whether the call is a query, which may call only queries.
    pub(crate) only_queries: bool,
    /// Whether a person approved the outermost call.
    pub(crate) approved: bool,
    /// Comes before the names of input requests and steps, so that those of a nested call do not clash with those of
    /// the call around it. Empty for the outermost call.
    pub(crate) prefix: String,
    /// How many calls this one has made.
    pub(crate) count: AtomicU32,
}

impl Nesting {
    /// The prefix of the next nested call, of this function. A retry runs the function again from its start, so that
    /// the same call gets the same number.
    pub(crate) fn next_prefix(&self, function: &str) -> String {
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        format!("{}{function}.{number}/", self.prefix)
    }

    /// The name of an input request or a step, as the client and the journal see it.
    pub(super) fn name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        match self.prefix.is_empty() {
            true => Cow::Borrowed(name),
            false => Cow::Owned(format!("{}{name}", self.prefix)),
        }
    }
}

impl Cx {
    /// Calls another function of the app, as the same caller and within the time that is left of this call.
    ///
    /// The call passes the access rule, the scope and the validation of that function, as it would at an endpoint. It
    /// does not count against the caller's rate. A function that needs a person's approval needs it here too, unless a
    /// person approved the outer call. Call it on [`app`](Self::app) to call as the app itself, which passes every
    /// rule and needs no approval.
    ///
    /// `input` serialises to an object with the function's fields. A function without a value returns `()`, and so
    /// does one that returns only content.
    ///
    /// A query may call only queries. Calls nest at most 8 deep.
    ///
    /// # Errors
    /// The error of the function, T0001, T0003, T0004, T0005, T0010 and T7120 as for a call at an endpoint, and T0012
    /// for a call that breaks one of the rules above or whose value is not a `T`.
    ///
    /// ```
    /// # use tent::Cx;
    /// # async fn total(cx: &Cx) -> tent::Result<u64> {
    /// let count: u64 = cx.call("open_orders", serde_json::json!({"paid": false})).await?;
    /// cx.app().call::<()>("note_total", serde_json::json!({"count": count})).await?;
    /// # Ok(count)
    /// # }
    /// ```
    pub async fn call<T: DeserializeOwned>(
        &self,
        name: &str,
        input: impl Serialize + Send,
    ) -> Result<T> {
        let Some(app) = self.parts.app.as_ref().and_then(|app| app.upgrade()) else {
            return Err(Error::unexpected(format!(
                "`{name}` cannot be called: this `Cx` belongs to no running app"
            )));
        };
        let input = match bounded::into_value(input, bounded::MAX_DEPTH)?.0 {
            Value::Object(input) => input,
            Value::Null => Map::new(),
            _ => {
                return Err(Error::unexpected(format!(
                    "the input of `{name}` must be an object"
                )));
            }
        };
        let value = app.call(self, name, input).await?;
        let value = value.as_deref().map_or("null", RawValue::get);
        Ok(serde_json::from_str(value)?)
    }

    /// Returns the same call, made by the app itself: its caller is [`Caller::App`](crate::caller::Caller::App), which
    /// passes every access rule and needs no approval.
    #[must_use]
    pub fn app(&self) -> Cx {
        Cx {
            parts: self.parts.clone(),
            as_app: true,
        }
    }
}
