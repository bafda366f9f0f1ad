//! The marks: facts about a schema that its check needs and that no client is shown. While a schema is
//! being made they stand in it as keywords of tent's own; publishing takes them out.
//!
//! Only `transform` and `rules` write them, only `check::compile` and this file read them.

use serde_json::{Map, Value};

/// Takes `null` too, though it is not said: an `Option`.
pub(super) const NULL: &str = "x-tent-null";
/// Its value may not be shown or logged. An author may write this one, too.
pub(super) const SECRET: &str = "x-tent-secret";
/// An integer that JavaScript cannot carry, so it is taken from a string of digits.
pub(super) const WIDE: &str = "x-tent-wide";
/// An integer of a type that is wider than 64 bits.
pub(super) const HUGE: &str = "x-tent-huge";
/// The least value, as a text, where JSON's safe numbers cannot hold it.
pub(super) const LEAST: &str = "x-tent-least";
/// The greatest value, as a text.
pub(super) const MOST: &str = "x-tent-most";
/// A number that must fit into 32 bits.
pub(super) const SINGLE: &str = "x-tent-single";
/// The only values it may have; `enum` is published for strings alone.
pub(super) const ONLY: &str = "x-tent-only";
/// Values that it may not have.
pub(super) const NOT: &str = "x-tent-not";
/// The pattern that the keys of a map match.
pub(super) const KEYS: &str = "x-tent-keys";
/// Lines that belong at the end of the description.
pub(super) const WORDS: &str = "x-tent-words";

const ALL: [&str; 11] = [
    NULL, SECRET, WIDE, HUGE, LEAST, MOST, SINGLE, ONLY, NOT, KEYS, WORDS,
];

/// Adds a line to what the description will end with.
pub(super) fn add_words(schema: &mut Map<String, Value>, line: impl Into<String>) {
    let line = Value::String(line.into());
    match schema.get_mut(WORDS) {
        Some(Value::Array(lines)) if lines.contains(&line) => {}
        Some(Value::Array(lines)) => lines.push(line),
        _ => {
            schema.insert(WORDS.to_owned(), Value::Array(vec![line]));
        }
    }
}

/// Whether an integer anywhere in the schema is marked as [`HUGE`].
pub(super) fn any_huge(schema: &Map<String, Value>) -> bool {
    fn within(value: &Value) -> bool {
        match value {
            Value::Object(schema) => any_huge(schema),
            Value::Array(parts) => parts.iter().any(within),
            _ => false,
        }
    }
    schema.get(HUGE) == Some(&Value::Bool(true)) || schema.values().any(within)
}

/// The schema without its marks: what is published. Of a secret neither default nor example is.
pub(super) fn published(schema: &Map<String, Value>) -> Value {
    let mut out = Map::new();
    for (key, value) in schema {
        let secret = matches!(key.as_str(), "default" | "examples")
            && schema.get(SECRET) == Some(&Value::Bool(true));
        if secret || ALL.contains(&key.as_str()) {
            continue;
        }
        let value = match (key.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => named
                .iter()
                .map(|(name, schema)| (name.clone(), one(schema)))
                .collect::<Map<_, _>>()
                .into(),
            ("items" | "additionalProperties" | "not", schema) => one(schema),
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(each)) => {
                each.iter().map(one).collect::<Vec<_>>().into()
            }
            (_, value) => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    if let Some(Value::Array(lines)) = schema.get(WORDS) {
        let lines = lines
            .iter()
            .filter_map(Value::as_str)
            .collect::<Vec<_>>()
            .join("\n");
        let text = match out.get("description").and_then(Value::as_str) {
            Some(text) => format!("{text}\n\n{lines}"),
            None => lines,
        };
        out.insert("description".to_owned(), text.into());
    }
    Value::Object(out)
}

fn one(schema: &Value) -> Value {
    match schema {
        Value::Object(schema) => published(schema),
        other => other.clone(),
    }
}
