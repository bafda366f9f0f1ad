//! Runs a function whose call was let in: under its deadline, with a panic caught. What it broke of is
//! logged here under a reference, and the caller gets the reference alone.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use serde_json::{Map, Value};
use tokio::time::timeout_at;

use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::function::{Answer, Body};
use crate::registry::Function;

/// Runs it. What it gives may have `most` bytes.
pub(super) async fn run(
    function: &Function,
    cx: Cx,
    input: Map<String, Value>,
    most: usize,
) -> Result<Answer> {
    let running = AssertUnwindSafe(started(function, &cx, input)).catch_unwind();
    let ended = match cx.deadline() {
        Some(deadline) => match timeout_at(deadline, running).await {
            Ok(ended) => ended,
            Err(_) => return Err(too_long(function)),
        },
        None => running.await,
    };
    let answer = ended.unwrap_or_else(|panic| Err(panicked(panic.as_ref())));
    match answer {
        Ok(answer) if answer.bytes() > most => Err(too_large(function, answer.bytes(), most)),
        Ok(answer) => Ok(answer),
        Err(error) => Err(referenced(error, function, &cx)),
    }
}

async fn started(function: &Function, cx: &Cx, input: Map<String, Value>) -> Result<Answer> {
    match function.declaration.body {
        Body::Async(body) => body(cx, input).await,
        Body::Sync(body) if function.declaration.blocking => {
            let cx = cx.clone();
            let span = tracing::Span::current();
            let running = tokio::task::spawn_blocking(move || span.in_scope(|| body(&cx, input)));
            match running.await {
                Ok(ended) => ended,
                Err(lost) if lost.is_panic() => Err(panicked(lost.into_panic().as_ref())),
                Err(lost) => Err(Error::unexpected(lost)),
            }
        }
        Body::Sync(body) => body(cx, input),
    }
}

fn too_long(function: &Function) -> Error {
    tracing::warn!(function = %function.name, "took too long and was ended");
    Error::of("T0010")
}

/// Each envelope would write it once more, or several times.
fn too_large(function: &Function, bytes: usize, most: usize) -> Error {
    tracing::warn!(function = %function.name, bytes, most, "gave more than limits.answer");
    Error::of("T0019")
        .with_message(format!(
            "{} ran to its end, and what it gave is over the {most} bytes that this server sends.",
            function.title
        ))
        .with_field("limit", most as u64)
}

fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&'static str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned());
    Error::unexpected(format!("it panicked: {text}"))
}

/// Logs what lies under an unexpected failure, and gives the caller the reference that the log has.
fn referenced(error: Error, function: &Function, cx: &Cx) -> Error {
    if error.code() != "T0012" && error.code() != "T7011" {
        return error;
    }
    let reference = reference();
    tracing::error!(
        reference,
        function = %function.name,
        caller = %cx.caller(),
        trace = cx.trace(),
        chain = ?error.chain(),
        "a function broke",
    );
    Error::of("T0012")
        .with_message(format!("The function broke. Reference: {reference}."))
        .with_field("reference", reference)
}

fn reference() -> String {
    let mut bytes = [0; 8];
    // Without the system's randomness a reference is still a text to look for, only no unique one.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
