//! [`OutputSchema`]: the schema of the value that a function returns.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use tent_core::codes;

use super::check::{CompiledSchema, Mode, Path, Purpose, Validation, compile};
use super::pattern::translate_schema;
use super::transform::{Shaper, Side, Source, problem};
use super::{Problem, keywords};

/// The schema of the value that a function returns.
#[derive(Debug)]
pub(crate) struct OutputSchema {
    published: Value,
    /// `None` if the type's own `JsonSchema` has a cycle that the validator cannot follow.
    compiled: Option<CompiledSchema>,
    huge: bool,
    problems: Vec<Problem>,
}

impl OutputSchema {
    /// The schema of a type, by its serialize contract. `None` for a type with any value (`serde_json::Value`), since clients
    /// reject a schema without a type.
    pub(crate) fn from_type(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<Self> {
        let mut source = Source::of(Side::Output, &[schema]);
        let raw = source.roots.pop()?;
        let mut shaper = Shaper::new(Side::Output, source.definitions);
        let root = shaper.shape_root(raw);
        let says_something = ["type", "enum", "anyOf", "oneOf"]
            .iter()
            .any(|keyword| root.contains_key(*keyword));
        // Rules that cannot be enforced are left out, which is correct for outputs: they promise less.
        let shaped = shaper.finish_open(root);
        let huge = keywords::any_huge(&shaped);
        let published = keywords::published(&shaped);
        let compiled = compile(&published, Purpose::Output)
            .ok()
            .map(|(compiled, _)| compiled);
        says_something.then(|| OutputSchema {
            problems: pattern_problems(&published),
            published,
            compiled,
            huge,
        })
    }

    /// From a schema that the author wrote, which is published unchanged.
    ///
    /// # Errors
    /// T7017 where the schema says nothing of the value: it is not an object with `type`, `enum`, `anyOf` or `oneOf`.
    pub(crate) fn from_declared(schema: Value) -> Result<Self, Problem> {
        let schema = super::not_too_deep(schema)?;
        let says_something = ["type", "enum", "anyOf", "oneOf"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some());
        if !says_something {
            let message = "the output schema has no `type` at its root";
            return Err(problem(codes::INVALID_RULE, "", message));
        }
        Ok(OutputSchema {
            problems: pattern_problems(&schema),
            compiled: compile(&schema, Purpose::Output)
                .ok()
                .map(|(compiled, _)| compiled),
            published: schema,
            huge: false,
        })
    }

    /// T7017 for each pattern that clients cannot compile, or read differently. A client that cannot compile one loses every
    /// tool.
    pub(crate) fn take_problems(&mut self) -> Vec<Problem> {
        std::mem::take(&mut self.problems)
    }

    /// The published schema of the value.
    pub(crate) fn published(&self) -> &Value {
        &self.published
    }

    /// Whether the value is always a JSON object. MCP wraps every other value.
    pub(crate) fn is_object(&self) -> bool {
        let union = ["anyOf", "oneOf", "$ref"]
            .iter()
            .any(|keyword| self.published.get(keyword).is_some());
        self.published.get("type").and_then(Value::as_str) == Some("object") && !union
    }

    /// The schema of `{"value": …}`, the form of a value that is not an object in MCP.
    pub(crate) fn wrapped(&self) -> Value {
        let mut value = self.published.clone();
        let definitions = value
            .as_object_mut()
            .and_then(|value| value.remove("$defs"));
        let mut wrapped = Map::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), json!({ "value": value })),
            ("required".to_owned(), json!(["value"])),
        ]);
        if let Some(definitions) = definitions {
            wrapped.insert("$defs".to_owned(), definitions);
        }
        wrapped.into()
    }

    /// Whether it has an integer whose type has more than 64 bits. Such a value is sent with all digits, and most JSON parsers
    /// round it.
    pub(crate) fn has_huge_integers(&self) -> bool {
        self.huge
    }

    /// Validates `value`, for tests and debug builds: an invalid output is an error of the function's types, not of its caller.
    ///
    /// # Errors
    /// Each invalid path with its problem.
    pub(crate) fn fits(&self, value: &Value) -> Result<(), Vec<(String, String)>> {
        let Some(compiled) = &self.compiled else {
            return Ok(());
        };
        let mut walk = Validation::new(compiled, Mode::Exact);
        walk.visit(0, &mut value.clone(), &Path::ROOT);
        match walk.found() {
            found if found.is_empty() => Ok(()),
            found => Err(found),
        }
    }
}

fn pattern_problems(schema: &Value) -> Vec<Problem> {
    let mut problems = translate_schema(&mut schema.clone(), "", &mut |_, _| {})
        .err()
        .unwrap_or_default();
    for problem in &mut problems {
        problem.message.insert_str("the ".len(), "output ");
    }
    problems
}
