//! Runs the function of a call that passed every check: under its deadline, with panics caught, and its output within
//! the limits.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use futures_util::future::Either;
use serde_json::{Map, Value};
use tokio::runtime::Handle;

use super::Outcome;
use super::blocking::BlockingThreads;
use super::guard::{Guarded, guarded, with_reference};
use crate::content::UNWRITABLE;
use crate::cx::{Cx, Elicitor};
use crate::error::{Error, Result};
use crate::function::{Content, Execution, Function, HandlerCall, Misread, Output, OutputShape};
use crate::in_flight::{InFlight, Reservation};
use crate::race::race;
use crate::schema::{INVALID, invalid_input};
use tent_core::codes;
use tent_core::count::counted;

/// What runs of functions share.
pub(super) struct Runner<'a> {
    pub threads: &'a BlockingThreads,
    pub in_flight: &'a Arc<InFlight>,
    /// The most bytes of an output.
    pub max_response: usize,
}

/// Runs the function.
pub(super) async fn run(
    function: &Function,
    cx: &Cx,
    input: Map<String, Value>,
    runner: &Runner<'_>,
) -> Outcome {
    let max_response = runner.max_response;
    let copy = function.input.explains().then(|| input.clone());
    // The input requests of a nested call suspend the call around it, which runs it again.
    let elicitor = cx.parts().elicitor.as_deref();
    let elicitor = elicitor.filter(|_| cx.parts().outer.is_none());
    let running = race(start(function, cx, input, runner), suspended(elicitor));
    let result = match guarded(cx.deadline_passed(), running).await {
        Guarded::Returned(Either::Left(result)) => result
            .and_then(|output| check_size(function, output, max_response))
            .and_then(|output| check_schema(function, output)),
        Guarded::Returned(Either::Right(())) => return Outcome::InputRequired,
        Guarded::TimedOut => {
            // Tasks that the function spawned see it.
            cx.cancellation().expire();
            tracing::warn!(function = %function.name, "the function was stopped at its deadline");
            Err(Error::new(codes::TIMEOUT))
        }
        Guarded::Panicked(error) => Err(error),
    };
    Outcome::Ended(result.map_err(|error| {
        let error = redact(error, function, copy.as_ref());
        let error = without_large_content(function, error, max_response);
        with_reference(error, &function.name, &cx.caller().to_string(), cx.trace())
    }))
}

/// Completes when the function is pending with an input request that only a retry can answer. Polled after the
/// function each time: the function is dropped then, and runs again from its start with the response.
fn suspended(elicitor: Option<&dyn Elicitor>) -> impl Future<Output = ()> {
    poll_fn(move |cx| {
        if elicitor.is_some_and(|one| one.is_waiting_for_retry(cx.waker())) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
}

/// Removes the values of secrets from an error of reading the input, and names the texts that caused it.
fn redact(error: Error, function: &Function, input: Option<&Map<String, Value>>) -> Error {
    if !error.source().is_some_and(|source| source.is::<Misread>()) {
        return error;
    }
    let explained = |path: &str| {
        let explained = input.map(|input| function.input.explain(path, input));
        explained.filter(|found| !found.is_empty())
    };
    let fields = error.fields().iter().flat_map(|(path, what)| {
        let what = what.as_str().unwrap_or(INVALID).to_owned();
        explained(path).unwrap_or_else(|| vec![(path.clone(), what)])
    });
    invalid_input(fields.map(|(path, what)| function.input.redact(&path, &what)))
}

/// Runs the body of the function. Waiting for a thread counts against the deadline of the call.
async fn start(
    function: &Function,
    cx: &Cx,
    input: Map<String, Value>,
    runner: &Runner<'_>,
) -> Result<Output> {
    match function.handler.execution() {
        Execution::Blocking => {
            let handler = function.handler.clone();
            let counted = CountedOutput::of(function, cx, runner)?;
            let work = move |cx: &Cx| {
                let output = match handler.call(cx, input) {
                    HandlerCall::Ready(result) => result,
                    HandlerCall::Future(future) => Handle::current().block_on(future),
                };
                // On this thread: others make outputs faster than the workers of the runtime write them.
                counted.count(output?)
            };
            // Boxed, so that the future of a call that runs in place has no room for it.
            Box::pin(runner.threads.run(cx, work)).await.flatten()
        }
        Execution::Async | Execution::InPlace => match function.handler.call(cx, input) {
            HandlerCall::Ready(result) => result,
            HandlerCall::Future(future) => future.await,
        },
    }
}

/// Counts the output of a plain function in the budget of the process, from its end to that of the response.
///
/// As many bytes as its last output had are reserved before the function runs: with no room for them, the call is refused
/// before it does anything.
struct CountedOutput {
    last_output: Arc<AtomicUsize>,
    /// `None` for a nested call, whose output stays in the app.
    reservation: Option<Reservation>,
    max_response: usize,
}

impl CountedOutput {
    fn of(function: &Function, cx: &Cx, runner: &Runner<'_>) -> Result<Self> {
        let mut counted = CountedOutput {
            last_output: function.last_output.clone(),
            reservation: None,
            max_response: runner.max_response,
        };
        if cx.parts().outer.is_none() {
            let mut reservation = runner.in_flight.reservation(cx.parts().client_address);
            reservation.cover(counted.last_output.load(Ordering::Relaxed))?;
            counted.reservation = Some(reservation);
        }
        Ok(counted)
    }

    fn count(self, mut output: Output) -> Result<Output> {
        let bytes = output.bytes();
        self.last_output
            .store(bytes.min(self.max_response), Ordering::Relaxed);
        // One that is too large is refused next.
        if let Some(mut reservation) = self.reservation
            && bytes <= self.max_response
        {
            reservation.cover_output(bytes)?;
            output.reservation = reservation.if_any().map(Arc::new);
        }
        Ok(output)
    }
}

/// Rejects an output that is too large or nests too deep, before an endpoint copies it.
fn check_size(function: &Function, output: Output, limit: usize) -> Result<Output> {
    let bytes = output.bytes();
    if bytes <= limit {
        return Ok(output);
    }
    if bytes == UNWRITABLE {
        return Err(Error::unexpected("a member of `_meta` nests too deep"));
    }
    tracing::warn!(function = %function.name, bytes, limit, "the output is over limits.max_response");
    Err(Error::new(codes::RESPONSE_TOO_LARGE)
        .with_message(format!(
            "{} returned, but its output is over the {} that this server sends.",
            function.title,
            counted(limit, "byte")
        ))
        .with_field("limit", limit as u64))
}

/// Removes the content of an error if it is too large. The error itself is always sent.
fn without_large_content(function: &Function, error: Error, limit: usize) -> Error {
    let bytes = error.content().iter().map(Content::bytes);
    let bytes = bytes.fold(0, usize::saturating_add);
    if bytes <= limit {
        return error;
    }
    if bytes == UNWRITABLE {
        return Error::unexpected("a member of `_meta` nests too deep");
    }
    tracing::warn!(function = %function.name, bytes, limit, "the content of an error is over limits.max_response, and was removed");
    error.without_content()
}

/// Validates an output against the published output schema, in debug builds only.
///
/// A client that validates outputs drops an invalid one, and the author of the function never sees that. The cause is a
/// type whose `Serialize` and `JsonSchema` disagree. The author's own tests find it: as an unexpected error (T0012),
/// with every invalid path in the log.
fn check_schema(function: &Function, output: Output) -> Result<Output> {
    let (true, OutputShape::Value(Some(schema))) = (cfg!(debug_assertions), &function.output)
    else {
        return Ok(output);
    };
    let Some(value) = &output.value else {
        return Err(Error::unexpected(
            "it returned no value, but its output schema describes one",
        ));
    };
    // serde_json reads every value that it may write.
    let Ok(value) = serde_json::from_str::<Value>(value.get()) else {
        return Ok(output);
    };
    match schema.fits(&value) {
        Ok(()) => Ok(output),
        Err(problems) => {
            let problems = problems
                .into_iter()
                .map(|(path, what)| match path.is_empty() {
                    true => what,
                    false => format!("{path} {what}"),
                });
            let problems = problems.collect::<Vec<_>>().join("; ");
            Err(Error::unexpected(format!(
                "its output does not match its output schema, which clients validate: {problems}"
            )))
        }
    }
}
