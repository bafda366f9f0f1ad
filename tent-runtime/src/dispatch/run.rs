//! Runs a function whose call was let in: under its deadline, with a panic caught.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use serde_json::{Map, Value};
use tent_core::codes;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::guard::{Guarded, guarded_until, panicked, with_reference};
use crate::cx::{Cx, Peer};
use crate::error::{Error, Result};
use crate::function::{Content, Execution, Function, HandlerCall, Misread, Output, OutputShape};
use crate::schema::{INVALID, invalid_input};

/// How many `blocking` functions run at once: half of the threads that tokio's pool has unless it is told
/// otherwise. The store works on the same pool, and is never without a thread for all that functions hold.
const PLACES: usize = 256;

/// The places of `blocking` functions.
pub(super) struct BlockingPermits(Arc<Semaphore>);

impl Default for BlockingPermits {
    fn default() -> Self {
        BlockingPermits(Arc::new(Semaphore::new(PLACES)))
    }
}

/// Runs it. What it gives may have `most` bytes.
pub(super) async fn run(
    function: &Function,
    cx: Cx,
    input: Map<String, Value>,
    most: usize,
    places: &BlockingPermits,
) -> Result<Output> {
    let running = until_it_asks(cx.peer(), started(function, &cx, input, places));
    let answer = match guarded_until(cx.late(), running).await {
        Guarded::Returned(Some(answer)) => answer
            .and_then(|answer| in_bounds(function, answer, most))
            .and_then(|answer| as_published(function, answer)),
        Guarded::Returned(None) => Ok(Output::incomplete()),
        Guarded::TimedOut => {
            // What it left running hears of it.
            cx.stop().end();
            tracing::warn!(function = %function.name, "took too long and was ended");
            Err(Error::new(codes::TIMEOUT))
        }
        Guarded::Panicked(error) => Err(error),
    };
    let answer = answer.map_err(|error| redact(error, function));
    let answer = answer.map_err(|error| shown_in_bounds(function, error, most));
    answer.map_err(|error| {
        with_reference(error, &function.name, &cx.caller().to_string(), cx.trace())
    })
}

/// Runs to the end, or to the point where nothing goes on and a question stands that only a later request
/// can answer: `None`. What was begun is dropped, and begins anew with the answer.
async fn until_it_asks<T>(
    peer: Option<&Arc<dyn Peer>>,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(ended) => Poll::Ready(Some(ended)),
        Poll::Pending if peer.is_some_and(|peer| peer.is_asking(cx.waker())) => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    })
    .await
}

/// A failure to read the input, without the values of secrets.
fn redact(error: Error, function: &Function) -> Error {
    if !error.source().is_some_and(|source| source.is::<Misread>()) {
        return error;
    }
    invalid_input(error.fields().iter().map(|(path, what)| {
        let what = what.as_str().unwrap_or(INVALID);
        function.input.redact(path, what)
    }))
}

/// Runs its body. Who waits for a place does so within the time of the call.
async fn started(
    function: &Function,
    cx: &Cx,
    input: Map<String, Value>,
    places: &BlockingPermits,
) -> Result<Output> {
    match function.handler.execution() {
        Execution::Blocking => {
            let handler = function.handler.clone();
            let place = Arc::clone(&places.0).acquire_owned().await;
            let place = place.map_err(Error::unexpected)?;
            let cx = cx.clone();
            let span = tracing::Span::current();
            let running = tokio::task::spawn_blocking(move || {
                // Kept to the end of the body, also where nobody waits for it any more: its thread is held until then.
                let _place = place;
                span.in_scope(|| match handler.call(&cx, input) {
                    HandlerCall::Ready(ended) => ended,
                    HandlerCall::Future(future) => Handle::current().block_on(future),
                })
            });
            match running.await {
                Ok(ended) => ended,
                Err(lost) if lost.is_panic() => Err(panicked(lost.into_panic())),
                Err(lost) => Err(Error::unexpected(lost)),
            }
        }
        Execution::Async | Execution::InPlace => match function.handler.call(cx, input) {
            HandlerCall::Ready(ended) => ended,
            HandlerCall::Future(future) => future.await,
        },
    }
}

/// Refuses an answer that is too large here, before an envelope writes it once more, or several times.
fn in_bounds(function: &Function, answer: Output, most: usize) -> Result<Output> {
    let bytes = answer.bytes();
    if bytes <= most {
        return Ok(answer);
    }
    tracing::warn!(function = %function.name, bytes, most, "gave more than limits.max_response");
    Err(Error::new(codes::RESPONSE_TOO_LARGE)
        .with_message(format!(
            "{} ran to its end, and what it gave is over the {most} bytes that this server sends.",
            function.title
        ))
        .with_field("limit", most as u64))
}

/// A failure is told in any case; what is too large to show beside it is not.
fn shown_in_bounds(function: &Function, error: Error, most: usize) -> Error {
    let bytes = error.content().iter().map(Content::bytes);
    let bytes = bytes.fold(0, usize::saturating_add);
    if bytes <= most {
        return error;
    }
    tracing::warn!(function = %function.name, bytes, most, "failed with content over limits.max_response, which is left out");
    error.without_content()
}

/// Holds an answer against the schema that was published of it, in debug builds alone.
///
/// A client that checks answers drops one that does not fit, and its author never hears of it. The cause is a type
/// that serialises in another way than its `JsonSchema` says, so it is met by the author's own tests: as an
/// unexpected failure (T0012), with every path that does not fit in the log.
fn as_published(function: &Function, answer: Output) -> Result<Output> {
    let (true, OutputShape::Value(Some(schema))) = (cfg!(debug_assertions), &function.output)
    else {
        return Ok(answer);
    };
    let Some(value) = &answer.value else {
        return Err(Error::unexpected(
            "it gave no value, and its schema has one",
        ));
    };
    // What nests deeper than can be read back is not looked at.
    let Ok(value) = serde_json::from_str::<Value>(value.get()) else {
        return Ok(answer);
    };
    match schema.fits(&value) {
        Ok(()) => Ok(answer),
        Err(misfits) => {
            let misfits = misfits
                .into_iter()
                .map(|(path, what)| match path.is_empty() {
                    true => what,
                    false => format!("{path} {what}"),
                });
            let misfits = misfits.collect::<Vec<_>>().join("; ");
            Err(Error::unexpected(format!(
                "its answer does not fit its output schema, which clients hold it against: {misfits}"
            )))
        }
    }
}
