//! Helpers of the tests: they find a linked function and run it without dispatch.

pub mod rustc;

use serde_json::{Map, Value};
use tent_runtime::__private::{Body, Entry, States, inventory};
use tent_runtime::{Caller, Cx, Declaration, Output, Result};

/// The one linked function of this name.
///
/// # Panics
/// Where there is none, or more than one.
pub fn linked(name: &str) -> &'static Declaration {
    let found: Vec<_> = inventory::iter::<Entry>
        .into_iter()
        .filter(|entry| entry.0.name == name)
        .collect();
    assert_eq!(found.len(), 1, "functions of the name {name}");
    found[0].0
}

/// Runs what the macro wrote for a function, as an anonymous caller, with these states.
///
/// # Errors
/// Those of the function.
///
/// # Panics
/// Where the input is no object, or no runtime can be started.
pub fn run_with(function: &Declaration, input: Value, states: States) -> Result<Output> {
    let Value::Object(input) = input else {
        panic!("an input is an object, not {input}");
    };
    let cx = Cx::for_test(Caller::Anonymous, states);
    block_on(async {
        match function.body {
            Body::Async(body) => body(&cx, input).await,
            Body::Sync(body) => body(&cx, input),
        }
    })
}

/// Runs the linked function of this name, and gives the value of its answer (null where it gives none).
///
/// # Errors
/// Those of the function.
///
/// # Panics
/// As [`linked`] and [`run_with`].
pub fn run(name: &str, input: Value) -> Result<Value> {
    let answer = run_with(linked(name), input, States::default())?;
    Ok(answer.value.map_or(Value::Null, |value| {
        serde_json::from_str(value.get()).expect("an answer is JSON")
    }))
}

/// The fields of a failure.
pub fn fields(failure: &tent_runtime::Error) -> Value {
    Value::Object(failure.fields().clone() as Map<String, Value>)
}

/// Runs a future to its end.
///
/// # Panics
/// Where no runtime can be started.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime of one thread starts")
        .block_on(future)
}
