//! `call`, the third step of dispatch: validates the input of a resolved function, runs it, and returns the outcome.
//!
//! It knows no wire format: an endpoint hands it a [`Call`] and writes the [`Outcome`].

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::approval::{self, Approval};
use super::guard::{unavailable, under_deadline, until};
use super::validate::validate;
use super::{Admitted, CallClaim, ClaimedCall, Dispatcher, Entered, Resolved, audit, run, span};
use crate::cx::{
    CancelOnDrop, Cancellation, Client, Cx, CxParts, Elicitor, Era, Journal, NestedCalls, Nesting,
    PausedTime, Reporter,
};
use crate::error::{Error, Result};
use crate::function::{Kind, Output};
use crate::in_flight::Reservation;
use crate::json;
use crate::schema::InputEncoding;
use tent_core::codes;

/// How long the outcome of a call may take to be recorded, also after its deadline. The lease of its claim lasts as long.
const RECORD_GRACE: Duration = Duration::from_secs(5);

/// The content of a call, as an endpoint read it from its request.
#[derive(Debug)]
pub(crate) struct Call {
    /// The input, as the client sent it.
    pub input: Map<String, Value>,
    /// How the endpoint encodes the values of the input.
    pub encoding: InputEncoding,
    /// What the client says about itself.
    pub client: Client,
    /// The members of the request's `_meta` that the function may read.
    pub meta: Map<String, Value>,
    /// Sends progress and log messages to the client.
    pub reporter: Option<Arc<dyn Reporter>>,
    /// Sends input requests to the client.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// Keeps the results of steps for a retry.
    pub journal: Option<Arc<dyn Journal>>,
    /// Makes the call run once, if it can arrive more than once.
    pub claim: Option<Arc<dyn CallClaim>>,
}

/// A call without input, by a client that offers nothing.
impl Default for Call {
    fn default() -> Self {
        Call {
            input: Map::new(),
            encoding: InputEncoding::Json,
            client: Client::default(),
            meta: Map::new(),
            reporter: None,
            elicitor: None,
            journal: None,
            claim: None,
        }
    }
}

/// How a call ended, before any wire format.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The function returned or failed, or a step before it refused the call.
    Ended(Result<Output>),
    /// The function is pending with input requests, and runs again with the client's responses.
    InputRequired,
    /// The call arrived before. Its [`CallClaim`] holds the response of the first one.
    Answered,
}

impl Outcome {
    /// The result of a call that cannot require input, since no endpoint is behind it.
    pub(super) fn into_result(self) -> Result<Output> {
        match self {
            Outcome::Ended(result) => result,
            Outcome::InputRequired | Outcome::Answered => Err(Error::unexpected(
                "a call without a client required input from it",
            )),
        }
    }
}

impl From<Error> for Outcome {
    fn from(error: Error) -> Self {
        Outcome::Ended(Err(error))
    }
}

/// A call with its [`Cx`].
struct PreparedCall {
    cx: Cx,
    resolved: Resolved,
    input: Map<String, Value>,
    encoding: InputEncoding,
    claim: Option<Arc<dyn CallClaim>>,
}

impl Dispatcher {
    /// Calls a resolved function.
    ///
    /// Dropping the future cancels the call, with two exceptions, which run to the end in a separate task: the
    /// calls of a legacy MCP client, whose revisions say that a disconnect cancels nothing, and a claimed retry of a
    /// change or an action, which runs once.
    pub(crate) async fn call(self: &Arc<Self>, resolved: Resolved, call: Call) -> Outcome {
        if call.client.era != Era::Legacy && !runs_to_its_end(&resolved, &call) {
            let span = span::of(&resolved);
            return self
                .run_prepared(self.prepare(resolved, call))
                .instrument(span)
                .await;
        }
        // The sender lives until the end, so that nothing cancels the call.
        let (_never, cancelled) = watch::channel(false);
        let outcome = self.call_until(resolved, call, cancelled).await;
        outcome.unwrap_or_else(|| {
            Error::unexpected("a call was cancelled that nothing can cancel").into()
        })
    }

    /// Calls a resolved function in a separate task, which goes on when its caller disconnects, within the bounds of
    /// [`detached`](super::detached). When `cancelled`
    /// turns true, the call ends and the result is `None`; without its sender, nothing cancels the call.
    ///
    /// A claimed call is cancelled before its claim alone. From then on it runs to its end, and a cancellation only
    /// drops its response. The caller of a modern client disconnects by dropping this future, which cancels the call
    /// in the same way.
    pub(crate) async fn call_until(
        self: &Arc<Self>,
        resolved: Resolved,
        call: Call,
        cancelled: watch::Receiver<bool>,
    ) -> Option<Outcome> {
        // The disconnect of a legacy client cancels nothing.
        let disconnect_cancels = call.client.era != Era::Legacy;
        let span = span::of(&resolved);
        let prepared = self.prepare(resolved, call);
        let cx = prepared.cx.clone();
        let _disconnect = disconnect_cancels.then(|| RequestOnDrop(cx.clone()));
        let (detachable, client) = (!disconnect_cancels)
            .then(|| self.detached.connected(&cx))
            .unzip();
        let task = {
            let (dispatcher, cx, cancelled) = (self.clone(), cx.clone(), cancelled.clone());
            async move {
                let _detachable = detachable;
                tokio::select! {
                    biased;
                    // Before the function is polled, so that it sees the cancellation at its next step.
                    () = forward(&cx, cancelled) => None,
                    outcome = dispatcher.run_prepared(prepared) => {
                        (!cx.cancellation().is_requested()).then_some(outcome)
                    }
                    () = cx.cancellation().takes_effect() => None,
                }
            }
        };
        let task = self.tasks.spawn(task.instrument(span));
        let outcome = tokio::select! {
            biased;
            // Forwarded here too: from the cancellation on there is no response, however late the task sees it.
            () = forward(&cx, cancelled) => None,
            () = cx.cancellation().is_held_off() => None,
            outcome = task => {
                outcome.unwrap_or_else(|lost| Some(Error::unexpected(lost).into()))
            }
        };
        if let Some(client) = client {
            client.finish();
        }
        outcome
    }

    /// Makes the [`Cx`] of a call that an endpoint made.
    fn prepare(&self, resolved: Resolved, call: Call) -> PreparedCall {
        let Call {
            input,
            encoding,
            client,
            meta,
            reporter,
            elicitor,
            journal,
            claim,
        } = call;
        let app: Weak<dyn NestedCalls> = self.weak.clone();
        // A modern call is dropped while its client answers; only a legacy call waits.
        let waits = elicitor.is_some() && client.era == Era::Legacy;
        let admitted = resolved.admitted();
        let cx = Cx::new(CxParts {
            caller: admitted.caller().clone(),
            client_address: admitted.client_address(),
            states: self.states.clone(),
            client,
            meta,
            trace: admitted.trace(),
            deadline: resolved.deadline(),
            cancellation: Cancellation::default(),
            reporter,
            elicitor,
            journal,
            paused: waits.then(PausedTime::new),
            app: Some(app),
            nesting: Nesting {
                only_queries: resolved.function().kind == Kind::Query,
                ..Nesting::default()
            },
            outer: None,
        });
        PreparedCall {
            cx,
            resolved,
            input,
            encoding,
            claim,
        }
    }

    /// Runs a call for the function whose call is `outer`.
    pub(super) async fn run_nested(
        &self,
        cx: Cx,
        resolved: Resolved,
        input: Map<String, Value>,
    ) -> Outcome {
        let span = span::of(&resolved);
        self.run_prepared(PreparedCall {
            cx,
            resolved,
            input,
            encoding: InputEncoding::Json,
            claim: None,
        })
        .instrument(span)
        .await
    }

    /// Runs a call. If this future is dropped before its end, the call is cancelled.
    async fn run_prepared(&self, prepared: PreparedCall) -> Outcome {
        let cx = prepared.cx.clone();
        let running = CancelOnDrop::new(cx.cancellation());
        let outcome = self.run_steps(prepared).await;
        running.finish();
        outcome
    }

    /// The steps of a call, in the order of the table of [`dispatch`](super).
    async fn run_steps(&self, prepared: PreparedCall) -> Outcome {
        let PreparedCall {
            cx,
            resolved,
            mut input,
            encoding,
            claim,
        } = prepared;
        let function = resolved.function();
        // Held to the end of the call, also of one whose client is gone.
        let reserved = self.reserve_input(&cx, resolved.admitted(), &input);
        let checked = reserved.and_then(|reservation| {
            validate(function, cx.client(), &mut input, encoding)?;
            approval::check(function, approval_of(&cx))?;
            Ok(reservation)
        });
        let outcome = match checked {
            Ok(_reservation) => self.claim_and_run(&cx, &resolved, input, claim).await,
            Err(error) => error.into(),
        };
        audit::record(function, &outcome);
        outcome
    }

    /// Counts the memory of the input in the budget of the process, beyond the bytes of the body, which counts as long.
    /// That of a nested call is the app's.
    ///
    /// # Errors
    /// T0013 or T0006 if the budget has no room for it.
    fn reserve_input(
        &self,
        cx: &Cx,
        admitted: &Admitted,
        input: &Map<String, Value>,
    ) -> Result<Option<Reservation>> {
        if cx.parts().outer.is_some() {
            return Ok(None);
        }
        let more = json::size_in_memory(input).saturating_sub(admitted.body_bytes());
        self.in_flight.reserve(more, admitted.client_address())
    }

    /// Claims the call, runs its function and records the outcome. From the claim on, every outcome is final.
    async fn claim_and_run(
        &self,
        cx: &Cx,
        resolved: &Resolved,
        input: Map<String, Value>,
        claim: Option<Arc<dyn CallClaim>>,
    ) -> Outcome {
        let function = resolved.function();
        if let Some(reporter) = &cx.parts().reporter
            && cx.parts().outer.is_none()
        {
            reporter.started();
        }
        if let Some(claim) = &claim {
            let entered = claim.enter(ClaimedCall {
                name: &function.name,
                kind: function.kind,
                caller: cx.caller(),
                input: &input,
                deadline: cx.deadline(),
                cancellation: cx.cancellation(),
            });
            let entered = under_deadline(cx.deadline_passed(), entered).await;
            match entered.unwrap_or_else(|| Err(Error::new(codes::TIMEOUT))) {
                Ok(Entered::Run) => {}
                Ok(Entered::Answered) => return Outcome::Answered,
                Err(error) => {
                    let caller = cx.caller().to_string();
                    return unavailable(error, "the store of claims", &caller, cx.trace()).into();
                }
            }
        }
        let runner = run::Runner {
            threads: &self.threads,
            in_flight: &self.in_flight,
            max_response: self.settings.limits.max_response,
        };
        let outcome = run::run(function, cx, input, &runner).await;
        if let Some(claim) = &claim {
            let recorded = under_deadline(until(record_deadline(cx)), claim.ended(&outcome)).await;
            if recorded.is_none() {
                // A repeat of the call gets T0011. This one gets its outcome all the same.
                tracing::error!(function = %function.name, "the outcome of a claimed call was not recorded in time");
            }
        }
        outcome
    }
}

/// Whether a call runs to its end after its caller disconnected: a retry of a function that does more than read.
fn runs_to_its_end(resolved: &Resolved, call: &Call) -> bool {
    call.claim.as_ref().is_some_and(|claim| claim.is_retry())
        && resolved.function().kind != Kind::Query
}

/// Until when an outcome may be recorded: until the deadline of the call, but for at least [`RECORD_GRACE`], so that a
/// timeout is recorded too, and the outcome of a call that ended just before its deadline.
fn record_deadline(cx: &Cx) -> Option<Instant> {
    let earliest = Instant::now() + RECORD_GRACE;
    cx.deadline().map(|deadline| deadline.max(earliest))
}

fn approval_of(cx: &Cx) -> Approval {
    match cx.parts().nesting.approved {
        true => Approval::NotNeeded,
        false => Approval::Missing,
    }
}

/// Requests the cancellation of a call when it is dropped.
struct RequestOnDrop(Cx);

impl Drop for RequestOnDrop {
    fn drop(&mut self) {
        self.0.cancellation().request();
    }
}

/// Requests the cancellation of a call when `cancelled` turns true. Never completes.
async fn forward(cx: &Cx, mut cancelled: watch::Receiver<bool>) {
    if cancelled.wait_for(|&cancelled| cancelled).await.is_ok() {
        cx.cancellation().request();
    }
    std::future::pending().await
}

impl fmt::Debug for PreparedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedCall")
            .field("function", &self.resolved.function().name)
            .finish_non_exhaustive()
    }
}
