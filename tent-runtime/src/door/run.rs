//! Runs a function whose call was let in: under its deadline, with a panic caught.

use serde_json::{Map, Value};

use super::guard::{Ended, guarded, panicked, referenced};
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::function::{Answer, Body, Misread};
use crate::registry::Function;
use crate::schema::{UNFIT, misfit};

pub(super) async fn run(function: &Function, cx: Cx, input: Map<String, Value>) -> Result<Answer> {
    let answer = match guarded(cx.deadline(), started(function, &cx, input)).await {
        Ended::Returned(answer) => answer,
        Ended::TooLate => {
            tracing::warn!(function = %function.name, "took too long and was ended");
            Err(Error::of("T0010"))
        }
        Ended::Panicked(error) => Err(error),
    };
    let answer = answer.map_err(|error| discreet(error, function));
    answer.map_err(|error| referenced(error, &function.name, &cx.caller().to_string(), cx.trace()))
}

/// A failure to read the input, without the values of secrets.
fn discreet(error: Error, function: &Function) -> Error {
    if !error.source().is_some_and(|source| source.is::<Misread>()) {
        return error;
    }
    misfit(error.fields().iter().map(|(path, what)| {
        let what = what.as_str().unwrap_or(UNFIT);
        function.input.discreet(path, what)
    }))
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
                Err(lost) if lost.is_panic() => Err(panicked(lost.into_panic())),
                Err(lost) => Err(Error::unexpected(lost)),
            }
        }
        Body::Sync(body) => body(cx, input),
    }
}
