//! Runs the function of a call that passed every check: under its deadline, with panics caught, and its output within
//! the limits.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::Poll;

use futures_util::future::Either;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::Outcome;
use super::guard::{Guarded, guarded, panicked, with_reference};
use crate::content::UNWRITABLE;
use crate::cx::{Cx, Elicitor};
use crate::error::{Error, Result};
use crate::function::{Content, Execution, Function, HandlerCall, Misread, Output, OutputShape};
use crate::race::race;
use crate::schema::{INVALID, invalid_input};
use tent_core::codes;

/// How many blocking functions run at once: half of the threads of tokio's blocking pool by default. The store works on
/// the same pool, and always has a thread, whatever the functions hold.
const MAX_BLOCKING: usize = 256;

/// The permits of blocking functions.
pub(super) struct BlockingPermits(Arc<Semaphore>);

impl Default for BlockingPermits {
    fn default() -> Self {
        BlockingPermits(Arc::new(Semaphore::new(MAX_BLOCKING)))
    }
}

/// Runs the function. Its output may have `max_response` bytes.
pub(super) async fn run(
    function: &Function,
    cx: &Cx,
    input: Map<String, Value>,
    max_response: usize,
    permits: &BlockingPermits,
) -> Outcome {
    // The input requests of a nested call suspend the call around it, which runs it again.
    let elicitor = cx.parts().elicitor.as_deref();
    let elicitor = elicitor.filter(|_| cx.parts().outer.is_none());
    let running = race(start(function, cx, input, permits), suspended(elicitor));
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
        let error = redact(error, function);
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

/// Removes the values of secrets from an error of reading the input.
fn redact(error: Error, function: &Function) -> Error {
    if !error.source().is_some_and(|source| source.is::<Misread>()) {
        return error;
    }
    invalid_input(error.fields().iter().map(|(path, what)| {
        let what = what.as_str().unwrap_or(INVALID);
        function.input.redact(path, what)
    }))
}

/// Runs the body of the function. Waiting for a permit counts against the deadline of the call.
async fn start(
    function: &Function,
    cx: &Cx,
    input: Map<String, Value>,
    permits: &BlockingPermits,
) -> Result<Output> {
    match function.handler.execution() {
        Execution::Blocking => {
            let handler = function.handler.clone();
            let permit = Arc::clone(&permits.0).acquire_owned().await;
            let permit = permit.map_err(Error::unexpected)?;
            let cx = cx.clone();
            let span = tracing::Span::current();
            let running = tokio::task::spawn_blocking(move || {
                // Held to the end of the body, also after the call was dropped: the thread is in use until then.
                let _permit = permit;
                span.in_scope(|| match handler.call(&cx, input) {
                    HandlerCall::Ready(result) => result,
                    HandlerCall::Future(future) => Handle::current().block_on(future),
                })
            });
            match running.await {
                Ok(result) => result,
                Err(lost) if lost.is_panic() => Err(panicked(lost.into_panic())),
                Err(lost) => Err(Error::unexpected(lost)),
            }
        }
        Execution::Async | Execution::InPlace => match function.handler.call(cx, input) {
            HandlerCall::Ready(result) => result,
            HandlerCall::Future(future) => future.await,
        },
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
            "{} returned, but its output is over the {limit} bytes that this server sends.",
            function.title
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
