//! Schemas: generates the published schema of a function's types, and validates inputs, outputs and forms against it.
//! Must not know functions, or any format but JSON.
//!
//! ```text
//! types ──schemars──► raw schema ──transform, rules──► document ──► published schema (what clients get)
//!                                                          └──────► CompiledSchema   (what values are validated with)
//! ```
//!
//! Both come from the same document, once, at start, so every published rule is enforced.

use tent_core::codes::{self, Code};

mod check;
mod field;
#[cfg(feature = "schema")]
mod full_validator;
mod input;
mod keywords;
mod header_parameters;
mod output;
mod pattern;
mod rules;
mod transform;

#[cfg(test)]
mod tests;

pub use field::{Bound, Field, Rules};
pub(crate) use input::InputSchema;
pub(crate) use output::OutputSchema;
pub use transform::Flattened;

use crate::bounded;
use crate::error::Error;

/// Whether `text` is a URI (RFC 3986).
pub(crate) fn is_uri(text: &str) -> bool {
    check::Format::Uri.matches(text)
}

/// Whether a form may have this string format: `email`, `uri`, `date` or `date-time`.
pub(crate) fn is_known_format(name: &str) -> bool {
    check::Format::find(name).is_some_and(check::Format::is_of_forms)
}

/// A problem of a declaration's schema, found at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// T7007, T7012, T7016 or T7017.
    pub code: Code,
    /// The problem. Names the field.
    pub message: String,
}

/// Returns an author's own schema if it does not nest too deep: each step of tent that reads a schema recurses.
///
/// # Errors
/// T7017 if it does.
fn not_too_deep(schema: serde_json::Value) -> Result<serde_json::Value, Problem> {
    bounded::check(schema).map_err(|why| Problem {
        code: codes::INVALID_RULE,
        message: format!("the schema is not valid: {why}"),
    })
}

/// The encoding of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputEncoding {
    /// JSON, which has numbers and booleans.
    Json,
    /// Strings only: the query of a GET request, the arguments of a prompt. A string is converted to the declared scalar type.
    Strings,
}

/// The path of the whole input in errors. No field can have this name.
const WHOLE: &str = "(input)";
/// The error of an absent field.
pub(crate) const REQUIRED: &str = "is required";
/// The error of a secret that is not valid, which must not describe the value.
pub(crate) const INVALID: &str = "is not valid";

/// T0003 with one entry for each invalid field: its path and its problem. The path of the whole input is `(input)`.
pub(crate) fn invalid_input(fields: impl IntoIterator<Item = (String, String)>) -> Error {
    fields
        .into_iter()
        .fold(Error::new(codes::INVALID_INPUT), |error, (path, what)| {
            let path = match path.is_empty() {
                true => WHOLE.to_owned(),
                false => path,
            };
            error.with_field(path, what)
        })
}
