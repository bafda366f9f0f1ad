//! Schemas: from the types of a function to what clients are shown, and from that to the check that
//! an input passes before its function sees it.
//!
//! What a schema states is what the check enforces; both are made from one document, once, at start.
//! This module knows no function and no wire format but JSON.

use tent_core::codes::{self, Code};

mod check;
mod field;
#[cfg(feature = "schema")]
mod full;
mod input;
mod keywords;
mod mirrors;
mod output;
mod pattern;
mod rules;
mod transform;

#[cfg(test)]
mod tests;

pub use field::{Bound, Field, Rules};
pub use input::InputSchema;
pub use output::OutputSchema;

use crate::error::Error;

/// Whether `text` is a URI (RFC 3986).
pub(crate) fn is_uri(text: &str) -> bool {
    check::Format::Uri.matches(text)
}

/// Whether a form may have this string format: `email`, `uri`, `date` or `date-time`.
pub(crate) fn is_known_format(name: &str) -> bool {
    check::Format::find(name).is_some()
}

/// What is wrong with a declaration's schema, found at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// T7007, T7012, T7016 or T7017.
    pub code: Code,
    /// What is wrong, naming the field.
    pub message: String,
}

/// The wire that an input came over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEncoding {
    /// JSON: a number is a number.
    Json,
    /// Only strings: the query of a GET, the arguments of a prompt. A string is taken for a scalar of the
    /// type that is declared.
    Strings,
}

/// What stands for the path of the input as a whole. No field can have this name.
const WHOLE: &str = "(input)";
/// What is said of a field that is not there.
pub(crate) const REQUIRED: &str = "is required";
/// All that is said of a secret that its type does not take.
pub(crate) const INVALID: &str = "does not fit its type";

/// T0003 with one entry for each field that does not fit: its path, and what is wrong with it. The input
/// as a whole, which has no path, is called `(input)`.
pub fn invalid_input(fields: impl IntoIterator<Item = (String, String)>) -> Error {
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
