//! Names the text that made a type reject a valid input.

use serde_json::{Map, Value};

use super::InputSchema;
use crate::schema::check::{Mode, Validation};

impl InputSchema {
    /// Whether an error of reading a valid input may name a field where a text inside of it is the cause: serde buffers
    /// enums and flattened structs, and then does not know where it is.
    pub(crate) fn explains(&self) -> bool {
        self.explains
    }

    /// The invalid texts inside of the field at `path`, each with its path, of an input that a type rejected.
    pub(crate) fn explain(&self, path: &str, input: &Map<String, Value>) -> Vec<(String, String)> {
        let mut walk = Validation::new(&self.compiled, Mode::Json).with_formats();
        walk.root(&mut input.clone());
        let mut found = walk.found();
        found.retain(|(inner, _)| {
            let rest = inner.strip_prefix(path);
            rest.is_some_and(|rest| rest.starts_with(['.', '[']))
        });
        found
    }
}
