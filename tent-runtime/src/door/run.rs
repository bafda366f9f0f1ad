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
use crate::registry::{Function, Shape};

pub(super) async fn run(function: &Function, cx: Cx, input: Map<String, Value>) -> Result<Answer> {
    // A function that is ended at its deadline is dropped, which can panic too, so that is done inside.
    let running = async {
        match cx.deadline() {
            Some(deadline) => match timeout_at(deadline, started(function, &cx, input)).await {
                Ok(ended) => ended,
                Err(_) => Err(too_long(function)),
            },
            None => started(function, &cx, input).await,
        }
    };
    let answer = AssertUnwindSafe(running)
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
        .and_then(|answer| as_published(function, answer));
    answer.map_err(|error| {
        referenced(error, "The function", |reference, chain| {
            tracing::error!(
                reference,
                function = %function.name,
                caller = %cx.caller(),
                trace = cx.trace(),
                ?chain,
                "a function broke",
            );
        })
    })
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

/// Holds an answer against the schema that was published of it, in debug builds alone.
///
/// A client that checks answers drops one that does not fit, and its author never hears of it. The cause is a type
/// that serialises in another way than its `JsonSchema` says, so it is met by the author's own tests: as an
/// unexpected failure (T0012), with every path that does not fit in the log.
fn as_published(function: &Function, answer: Answer) -> Result<Answer> {
    let (true, Shape::Value(Some(schema))) = (cfg!(debug_assertions), &function.output) else {
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

fn too_long(function: &Function) -> Error {
    tracing::warn!(function = %function.name, "took too long and was ended");
    Error::of("T0010")
}

pub(super) fn panicked(panic: &(dyn Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&'static str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned());
    Error::unexpected(format!("it panicked: {text}"))
}

/// What a caller is told of an unexpected failure: a reference, under which `log` puts what lies under it into
/// the log. Stated failures, and those that have their reference, are left as they are.
pub(super) fn referenced(error: Error, what: &str, log: impl FnOnce(&str, &[String])) -> Error {
    let unexpected = matches!(error.code(), "T0012" | "T7011");
    if !unexpected || error.fields().contains_key(REFERENCE) {
        return error;
    }
    let reference = reference();
    log(&reference, &error.chain());
    Error::of("T0012")
        .with_message(format!("{what} broke. Reference: {reference}."))
        .with_field(REFERENCE, reference)
}

/// The field that holds the reference.
const REFERENCE: &str = "reference";

fn reference() -> String {
    let mut bytes = [0; 8];
    // Without the system's randomness a reference is still a text to look for, only no unique one.
    let _ = getrandom::fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
