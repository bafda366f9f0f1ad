//! [`Cx`]: the call that a function serves, with its caller, its client and the state of the app.
//!
//! Knows no wire format. An endpoint offers a call what its transport can do, through three optional interfaces:
//!
//! | interface | does | used by |
//! |---|---|---|
//! | [`Reporter`] | sends progress and log messages | [`Cx::progress`], [`Cx::log`] |
//! | [`Elicitor`] | sends input requests and returns the responses | [`Cx::input`] |
//! | [`Journal`] | keeps the results of steps between runs of the same call | [`Cx::once`] |

mod cancellation;
mod client;
mod elicitor;
pub mod input;
mod journal;
mod nested_call;
mod paused_time;
mod reporter;
mod state;
mod trace_id;

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::Either;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::Instant;

pub(crate) use cancellation::Cancellation;
pub use client::{Capabilities, Client, Era};
pub(crate) use elicitor::{Elicitor, unanswered};
pub(crate) use input::{InputRequest, InputResponse, Kind as InputKind};
pub(crate) use journal::Journal;
pub use reporter::Level;
pub(crate) use reporter::{Progress, Reporter};
pub use state::{Shared, State, States};
pub(crate) use trace_id::TraceId;

pub(crate) use cancellation::CancelOnDrop;
pub(crate) use client::{Extensions, REQUIRED};
pub(crate) use nested_call::{NestedCalls, Nesting};
pub(crate) use paused_time::PausedTime;

use crate::bounded;
use crate::caller::{Caller, User};
use crate::error::{Error, Result};
use crate::race::race;
use tent_core::codes;

/// One call, as its function sees it. Cheap to clone.
#[derive(Clone)]
pub struct Cx {
    parts: Arc<CxParts>,
    /// Whether the app itself is the caller, in place of the caller of the request ([`Cx::app`]).
    as_app: bool,
}

/// The parts that dispatch makes a [`Cx`] from.
#[derive(Default)]
pub(crate) struct CxParts {
    pub(crate) caller: Caller,
    pub(crate) states: Arc<States>,
    pub(crate) client: Client,
    pub(crate) meta: Map<String, Value>,
    pub(crate) trace: TraceId,
    pub(crate) deadline: Option<Instant>,
    pub(crate) cancellation: Cancellation,
    pub(crate) reporter: Option<Arc<dyn Reporter>>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    /// The time that the call waited for its client, which does not count against its deadline. `None` for a call
    /// that never waits: it has no client to ask, or is dropped while the client answers.
    pub(crate) paused: Option<PausedTime>,
    /// Runs the calls that this one makes. Weak, since the app owns the tasks that hold a `Cx`.
    pub(crate) app: Option<Weak<dyn NestedCalls>>,
    pub(crate) nesting: Nesting,
    /// The call around this one, of a function that called this one's.
    pub(crate) outer: Option<Cx>,
}

impl Cx {
    pub(crate) fn new(parts: CxParts) -> Self {
        Cx {
            parts: Arc::new(parts),
            as_app: false,
        }
    }

    /// Makes a call by `caller` to an app with these states, without dispatch: for tests that call a function as
    /// plain Rust.
    #[doc(hidden)]
    pub fn for_test(caller: Caller, states: States) -> Self {
        Cx::new(CxParts {
            caller,
            states: Arc::new(states),
            ..CxParts::default()
        })
    }

    /// Returns the identity that makes the call.
    pub fn caller(&self) -> &Caller {
        static APP: Caller = Caller::App;
        match self.as_app {
            true => &APP,
            false => &self.parts.caller,
        }
    }

    /// Returns the user who makes the call, or who owns the key that makes it.
    ///
    /// # Errors
    /// T0004 for an anonymous caller, T0005 for a caller that is not a user.
    pub fn user(&self) -> Result<&User> {
        self.caller().user().ok_or_else(|| match self.caller() {
            Caller::Anonymous => Error::new(codes::SIGN_IN),
            _ => Error::new(codes::NOT_ALLOWED)
                .with_message("This caller is not a user.")
                .with_fix("Call with the key of a user, or sign in."),
        })
    }

    /// Continues if `allowed` is true.
    ///
    /// # Errors
    /// T0005 if it is false.
    ///
    /// ```
    /// # fn serve(cx: &tent::Cx, owner: &str) -> tent::Result<()> {
    /// cx.require(cx.user()?.id == owner)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn require(&self, allowed: bool) -> Result<()> {
        if allowed {
            return Ok(());
        }
        Err(Error::new(codes::NOT_ALLOWED)
            .with_message("The caller may not do this.")
            .with_fix("Call as a user who may do it."))
    }

    /// Returns a state of the app.
    ///
    /// # Errors
    /// T7011 if the app has no state of this type.
    pub fn state<T: State>(&self) -> Result<&T> {
        self.parts.states.find().ok_or_else(|| {
            Error::new(codes::MISSING_STATE).with_source(format!(
                "the app has no state of type {}",
                std::any::type_name::<T>()
            ))
        })
    }

    /// Returns what the client says about itself: its era, name, version and capabilities. Nothing of it is verified.
    pub fn client(&self) -> &Client {
        &self.parts.client
    }

    /// Returns the members of the request's `_meta` that neither MCP nor tent reads: those of an extension, or of the
    /// client. Empty at `/api` and for a call that no client made. Nothing of it is verified, and no schema
    /// applies to it.
    ///
    /// ```
    /// # fn serve(cx: &tent::Cx) {
    /// let place = cx.meta().get("openai/userLocation");
    /// # let _ = place;
    /// # }
    /// ```
    ///
    /// It is empty when a list asks an access rule, so do not decide access by it.
    pub fn meta(&self) -> &Map<String, Value> {
        &self.parts.meta
    }

    /// Returns when the call ends with T0010; `None` for a call without a time limit. It moves later while the call
    /// waits for an answer of its client.
    pub fn deadline(&self) -> Option<Instant> {
        let waited = self.paused().map_or(Duration::ZERO, PausedTime::total);
        self.parts.deadline?.checked_add(waited)
    }

    /// Completes at the deadline.
    pub(crate) async fn deadline_passed(&self) {
        match (self.parts.deadline, self.paused()) {
            (Some(deadline), Some(paused)) => paused.deadline_passed(deadline).await,
            (Some(deadline), None) => tokio::time::sleep_until(deadline).await,
            (None, _) => std::future::pending().await,
        }
    }

    /// The time that the outermost call waited for its client.
    pub(crate) fn paused(&self) -> Option<&PausedTime> {
        match &self.parts.outer {
            Some(outer) => outer.paused(),
            None => self.parts.paused.as_ref(),
        }
    }

    /// Returns the time that is left until [`deadline`](Self::deadline).
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Reports progress to the client: `done` of `total`, and what the function is doing. A client that did not ask for
    /// progress gets none. Call it as often as you like: tent sends ten reports at once, then the newest ten times a
    /// second, and the last one before the response. A call that another function makes ([`call`](Self::call))
    /// reports none: the outer function does.
    ///
    /// ```
    /// # fn serve(cx: &tent::Cx) {
    /// cx.progress(3.0, 10.0, "Reading the books");
    /// cx.progress(4.0, None, None);
    /// # }
    /// ```
    pub fn progress<'a>(
        &self,
        done: f64,
        total: impl Into<Option<f64>>,
        message: impl Into<Option<&'a str>>,
    ) {
        if let Some(reporter) = &self.parts.reporter
            && self.parts.nesting.depth == 0
        {
            reporter.progress(&Progress {
                done,
                total: total.into(),
                message: message.into().map(str::to_owned),
            });
        }
    }

    /// Sends a log message to the client, if it asked for this level. The log of the server is `tracing`'s. Of one call
    /// tent sends a hundred messages at once, then fifty a second; one message counts those that it left out. A message
    /// that nests deeper than 100 levels is left out, with a line in the log of the server.
    pub fn log(&self, level: Level, data: impl Into<Value>) {
        let data = match bounded::check(data.into()) {
            Ok(data) => data,
            Err(why) => {
                tracing::error!(trace = self.trace(), "a log message is left out: {why}");
                return;
            }
        };
        if let Some(reporter) = &self.parts.reporter {
            reporter.log(level, None, &data);
        }
    }

    /// Sends an input request to the client: a form or a URL for its user ([`input::form`], [`input::url`]), a prompt for
    /// its model ([`input::sampling`]), or a request for its roots ([`input::roots`]). `name` tells the input requests of
    /// one call apart.
    ///
    /// **A modern client responds with a second call, for which the function runs again from its start.** Input
    /// requests that have a response then return at once, in the order in which they were made. Code before an
    /// input request therefore runs again, unless it is in [`once`](Self::once). Input requests that are made together,
    /// as by `join!`, go to the client together. An older client gets the request while the function waits.
    ///
    /// If a response is invalid, a modern client gets the input request again. tent never sends a request for a
    /// capability that the client did not declare.
    ///
    /// # Errors
    /// - T0021 if the client did not declare the capability, or cannot be asked (as at `/api`).
    /// - T0022 if the client disconnected, did not respond in time, or sent an invalid response.
    /// - T0006 if an older client has too many open input requests of this caller.
    /// - T0012 if the input request itself is invalid.
    ///
    /// A user who declines is not an error.
    ///
    /// ```
    /// use tent::{Cx, input};
    /// # async fn send(cx: &Cx) -> tent::Result<String> {
    /// let form = input::Form::new("Send it now?").field("sure", input::Field::boolean());
    /// Ok(match cx.input("sure", form).await? {
    ///     input::Reply::Accepted(filled) if filled["sure"] == true => "Sent.".to_owned(),
    ///     _ => "Not sent.".to_owned(),
    /// })
    /// # }
    /// ```
    pub async fn input<R: input::IntoInputRequest>(
        &self,
        name: &str,
        request: R,
    ) -> Result<R::Response> {
        let prepared = request.into_input_request()?;
        let request = prepared.request();
        self.parts.client.require(&request.needs())?;
        let Some(elicitor) = &self.parts.elicitor else {
            return Err(Error::new(codes::MISSING_CAPABILITY)
                .with_message("The client of this call cannot be asked."));
        };
        let name = self.parts.nesting.name(name);
        // The time that a person takes does not count against the deadline.
        let waiting = self.paused().map(PausedTime::pause);
        // A task that outlives a cancelled call would wait for ever: a modern client responds in another request.
        let response = elicitor.request(&name, request);
        let response = match race(response, self.cancelled()).await {
            Either::Left(response) => response?,
            Either::Right(()) => return Err(Error::unexpected("the call was cancelled")),
        };
        drop(waiting);
        prepared
            .read(response)
            .map_err(|problem| unanswered(&name, &problem))
    }

    /// Runs a step once, however often the input requests of a call make its function run again: the first run records
    /// the result, and later runs get it. Use it for a step before an input request that must not happen twice,
    /// such as adding a row. A step that fails is not recorded.
    ///
    /// The result travels with the input request, sealed, so keep it small: an id rather than a document.
    ///
    /// # Errors
    /// The error of the step; T0012 if its result cannot be recorded.
    ///
    /// ```
    /// # use tent::{Cx, input};
    /// # use tent::Result;
    /// # async fn add_order() -> Result<u32> { Ok(7) }
    /// # async fn serve(cx: &Cx) -> Result<()> {
    /// let order: u32 = cx.once("order", async { add_order().await }).await?;
    /// let sure = cx.input("pay", input::url("Pay it", format!("https://shop.example/pay/{order}"))).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn once<T, F>(&self, name: &str, step: F) -> Result<T>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T>> + Send,
    {
        let Some(journal) = &self.parts.journal else {
            return step.await;
        };
        let name = self.parts.nesting.name(name);
        if let Some(recorded) = journal.recorded(&name).await? {
            return Ok(serde_json::from_value(recorded)?);
        }
        let result = step.await?;
        let (recorded, result) = bounded::into_value(result, bounded::MAX_INNER_DEPTH)?;
        journal.record(&name, recorded).await?;
        Ok(result)
    }

    /// Returns the id of the request, as the log shows it.
    pub fn trace(&self) -> &str {
        self.parts.trace.as_str()
    }

    /// The parts that dispatch made it from.
    pub(crate) fn parts(&self) -> &CxParts {
        &self.parts
    }

    pub(crate) fn cancellation(&self) -> &Cancellation {
        &self.parts.cancellation
    }
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("caller", self.caller())
            .field("client", &self.parts.client)
            .field("trace", &self.parts.trace)
            .finish_non_exhaustive()
    }
}
