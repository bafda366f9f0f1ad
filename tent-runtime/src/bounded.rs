//! Writes values of the app as JSON within bounds: how deep a value nests, and only numbers that JSON has.
//! Every value of an app that tent serializes passes here.
//!
//! serde_json alone recurses as deep as the value nests, until the stack overflows and the process ends. It also writes
//! `null` for NaN and the infinities, where the schema promises a number. [`Bounded`] stands between the value and the
//! serializer of serde_json, and fails in both cases. It counts where a value opens another one, so scalars cost nothing
//! but the check of a float.
//!
//! Recursion that calls the serializer at no level (an untagged enum whose variants hold only the enum) is not seen.

mod serializer;

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// How deep a value of the app nests at most, in arrays and objects. serde_json reads values of this depth and no deeper,
/// so an output can nest as deep as an input.
pub(crate) const MAX_DEPTH: u16 = 127;

/// How deep a value nests at most that tent writes into a document which it reads again: a member of `_meta`, a field of
/// an error, the result of a step. The document around it takes the other levels of [`MAX_DEPTH`].
pub(crate) const MAX_INNER_DEPTH: u16 = 100;

/// How many `Some` and newtype structs are around a value at most. They write nothing, so they do not count as depth,
/// but each takes as much of the stack.
const MAX_WRAPPERS: u16 = 512;

/// How many steps of a path an error shows.
const MAX_STEPS: usize = 16;

/// The stack on which a value is dropped that nests too deep: enough for about a million levels. Only its used pages take
/// memory.
const DROP_STACK: usize = 256 << 20;

/// Why a value cannot be written as JSON. Its text may hold keys of the value, so it is for the log.
#[derive(Debug)]
pub struct Unwritable {
    problem: Problem,
    path: String,
}

#[derive(Debug)]
enum Problem {
    TooDeep(u16),
    NotANumber,
    /// The `Serialize` of the value failed.
    Other(serde_json::Error),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str("the value ")?,
            path => write!(f, "`{path}` ")?,
        }
        match &self.problem {
            Problem::TooDeep(limit) => write!(f, "nests deeper than {limit} levels"),
            Problem::NotANumber => f.write_str(
                "is NaN or infinite, which JSON does not have · return an `Option` that is `None`",
            ),
            Problem::Other(error) => write!(f, "cannot be written as JSON: {error}"),
        }
    }
}

impl std::error::Error for Unwritable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Other(error) => Some(error),
            Problem::TooDeep(_) | Problem::NotANumber => None,
        }
    }
}

impl Unwritable {
    /// A value that nests deeper than this.
    fn too_deep(limit: u16) -> Self {
        Unwritable {
            problem: Problem::TooDeep(limit),
            path: String::new(),
        }
    }
}

/// Writes a value of the app, and drops it.
///
/// # Errors
/// If the value nests deeper than [`MAX_DEPTH`], has a number that JSON does not have, or its `Serialize` fails.
pub(crate) fn into_raw_value<T: Serialize>(value: T) -> Result<Box<RawValue>, Unwritable> {
    let written = write(&value, MAX_DEPTH, |value| {
        serde_json::value::to_raw_value(value)
    });
    let written = written.and_then(|(text, has_raw)| {
        // A text of the app's own is copied unread.
        if has_raw && nests_deeper(text.get(), MAX_DEPTH) {
            return Err(Unwritable::too_deep(MAX_DEPTH));
        }
        Ok(text)
    });
    finish(value, written).map(|(text, _)| text)
}

/// Converts a value of the app into a [`Value`] that nests at most `limit` levels.
///
/// # Errors
/// As [`into_raw_value`].
pub(crate) fn to_value<T: Serialize + ?Sized>(value: &T, limit: u16) -> Result<Value, Unwritable> {
    write(value, limit, |value| serde_json::to_value(value)).map(|(value, _)| value)
}

/// Converts a value of the app into a [`Value`] as [`to_value`] does, and returns both.
///
/// # Errors
/// As [`to_value`]. The value is dropped then.
pub(crate) fn into_value<T: Serialize>(value: T, limit: u16) -> Result<(Value, T), Unwritable> {
    let written = to_value(&value, limit);
    finish(value, written)
}

/// Returns a [`Value`] of the app if it does not nest too deep.
///
/// # Errors
/// If it nests deeper than [`MAX_INNER_DEPTH`].
pub(crate) fn check(value: Value) -> Result<Value, Unwritable> {
    if is_too_deep(&value) {
        drop_deep(value);
        return Err(Unwritable::too_deep(MAX_INNER_DEPTH));
    }
    Ok(value)
}

/// Whether a [`Value`] nests deeper than [`MAX_INNER_DEPTH`].
pub(crate) fn is_too_deep(value: &Value) -> bool {
    fn fits(value: &Value, left: u16) -> bool {
        match value {
            Value::Array(items) => left > 0 && items.iter().all(|item| fits(item, left - 1)),
            Value::Object(members) => object_fits(members, left),
            _ => true,
        }
    }
    fn object_fits(members: &Map<String, Value>, left: u16) -> bool {
        left > 0 && members.values().all(|value| fits(value, left - 1))
    }
    !fits(value, MAX_INNER_DEPTH)
}

/// Drops a value that nests too deep. `Drop` recurses as deep as the value nests, so the stack of a thread of the runtime
/// may not be enough.
pub(crate) fn drop_deep<T>(value: T) {
    stacker::grow(DROP_STACK, || drop(value));
}

/// Returns what was written with its value, which is dropped if it cannot be written.
fn finish<T, W>(value: T, written: Result<W, Unwritable>) -> Result<(W, T), Unwritable> {
    match written {
        Ok(written) => Ok((written, value)),
        Err(why) => {
            if matches!(why.problem, Problem::TooDeep(_)) {
                drop_deep(value);
            }
            Err(why)
        }
    }
}

/// Writes `value` with `write`, and returns whether it holds JSON text of the app's own.
fn write<T: Serialize + ?Sized, W>(
    value: &T,
    limit: u16,
    write: impl FnOnce(&Nested<'_, T>) -> serde_json::Result<W>,
) -> Result<(W, bool), Unwritable> {
    let state = State::new(limit);
    let written = write(&Nested {
        value,
        state: &state,
    });
    let problem = state.problem.take();
    match (written, problem) {
        (Ok(written), None) => Ok((written, state.has_raw.get())),
        (Err(error), None) => Err(state.unwritable(Problem::Other(error))),
        // Also if the value's `Serialize` ignored the error.
        (_, Some(problem)) => Err(state.unwritable(problem)),
    }
}

/// The text of a key, for a path.
#[cold]
fn key_text<K: Serialize + ?Sized>(key: &K) -> String {
    match to_value(key, MAX_INNER_DEPTH) {
        Ok(Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => "*".to_owned(),
    }
}

/// Whether the arrays and objects of a JSON text nest deeper than `limit`.
fn nests_deeper(text: &str, limit: u16) -> bool {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_in_string,
            b'"' => is_in_string = !is_in_string,
            _ if is_in_string => {}
            b'[' | b'{' => {
                depth += 1;
                if depth > usize::from(limit) {
                    return true;
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// A value inside the value that is written.
struct Nested<'a, T: ?Sized> {
    value: &'a T,
    state: &'a State,
}

/// The place in the value that is written.
struct State {
    limit: u16,
    depth: Cell<u16>,
    wrappers: Cell<u16>,
    /// Whether JSON text of the app's own was copied.
    has_raw: Cell<bool>,
    problem: RefCell<Option<Problem>>,
    /// The steps to the place of the error, the last one first.
    steps: RefCell<Vec<Step>>,
}

enum Step {
    Index(usize),
    Name(String),
}

impl State {
    fn new(limit: u16) -> Self {
        State {
            limit,
            depth: Cell::new(0),
            wrappers: Cell::new(0),
            has_raw: Cell::new(false),
            problem: RefCell::new(None),
            steps: RefCell::new(Vec::new()),
        }
    }

    fn unwritable(&self, problem: Problem) -> Unwritable {
        let steps = self.steps.take();
        let mut path = String::new();
        for step in steps.iter().rev().take(MAX_STEPS) {
            match step {
                Step::Index(index) => path += &format!("[{index}]"),
                Step::Name(name) if path.is_empty() => path += name,
                Step::Name(name) => path += &format!(".{name}"),
            }
        }
        if steps.len() > MAX_STEPS {
            path += "…";
        }
        Unwritable { problem, path }
    }
}

#[cfg(test)]
mod tests;
