//! [`OutputSchema`]: what a function's answer is said to be.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use tent_core::codes;

use super::check::{Mode, Path, Plan, Purpose, Walk, compile};
use super::transform::{Shaper, Side, Source, problem};
use super::{Problem, keywords};

/// A function's answer, where it is a value.
#[derive(Debug)]
pub struct OutputSchema {
    published: Value,
    /// `None` where its author's own `JsonSchema` says what no check can follow.
    plan: Option<Plan>,
    huge: bool,
}

impl OutputSchema {
    /// From the type of the value, by its serialize contract; `None` where nothing can be said of it
    /// (`serde_json::Value`), since clients refuse a schema without a type.
    ///
    /// ```
    /// use tent_runtime::schema::OutputSchema;
    /// let count = OutputSchema::from_type(|generator| generator.subschema_for::<u8>()).unwrap();
    /// assert_eq!(
    ///     *count.published(),
    ///     serde_json::json!({"type": "integer", "minimum": 0, "maximum": 255})
    /// );
    /// assert!(!count.is_object());
    /// let anything = |generator: &mut schemars::SchemaGenerator| {
    ///     generator.subschema_for::<serde_json::Value>()
    /// };
    /// assert!(OutputSchema::from_type(anything).is_none());
    /// ```
    pub fn from_type(schema: fn(&mut SchemaGenerator) -> Schema) -> Option<Self> {
        let mut source = Source::of(Side::Output, &[schema]);
        let raw = source.roots.pop()?;
        let mut shaper = Shaper::new(Side::Output, source.definitions);
        let root = shaper.shape_root(raw);
        let says_something = ["type", "enum", "anyOf", "oneOf"]
            .iter()
            .any(|keyword| root.contains_key(*keyword));
        // What could not be enforced was left out; nothing is enforced of an answer's caller.
        let shaped = shaper.finish_open(root);
        let huge = keywords::any_huge(&shaped);
        let published = keywords::published(&shaped);
        let plan = compile(&published, Purpose::Output)
            .ok()
            .map(|(plan, _)| plan);
        says_something.then_some(OutputSchema {
            published,
            plan,
            huge,
        })
    }

    /// From a schema that the author wrote, which is published unchanged.
    ///
    /// # Errors
    /// T7017 where the schema says nothing of the value: it is not an object with `type`, `enum`, `anyOf` or `oneOf`.
    pub fn from_declared(schema: Value) -> Result<Self, Problem> {
        let says_something = ["type", "enum", "anyOf", "oneOf"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some());
        if !says_something {
            let message = "the output schema has no `type` at its root";
            return Err(problem(codes::INVALID_RULE, "", message));
        }
        Ok(OutputSchema {
            plan: compile(&schema, Purpose::Output).ok().map(|(plan, _)| plan),
            published: schema,
            huge: false,
        })
    }

    /// What clients are shown, of the value as it is.
    pub fn published(&self) -> &Value {
        &self.published
    }

    /// Whether the value is always a JSON object; everything else is wrapped for MCP.
    pub fn is_object(&self) -> bool {
        let union = ["anyOf", "oneOf", "$ref"]
            .iter()
            .any(|keyword| self.published.get(keyword).is_some());
        self.published.get("type").and_then(Value::as_str) == Some("object") && !union
    }

    /// The schema of `{"value": …}`, which is what MCP is given of a value that is no object.
    pub fn wrapped(&self) -> Value {
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

    /// Whether there is an integer in it whose type is wider than 64 bits. It is sent with all its digits, and
    /// most JSON readers round it.
    pub fn has_huge_integers(&self) -> bool {
        self.huge
    }

    /// Whether `value` is what the schema says, for tests and for debug builds: an answer that does not
    /// fit is a fault of the function's types, never of its caller.
    ///
    /// # Errors
    /// Each path that does not fit, and what is wrong there.
    pub fn fits(&self, value: &Value) -> Result<(), Vec<(String, String)>> {
        let Some(plan) = &self.plan else {
            return Ok(());
        };
        let mut walk = Walk::new(plan, Mode::Exact);
        walk.visit(0, &mut value.clone(), &Path::ROOT);
        match walk.found() {
            found if found.is_empty() => Ok(()),
            found => Err(found),
        }
    }
}
