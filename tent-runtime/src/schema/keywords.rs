//! The internal keywords `x-tent-…`: facts about a schema that the validator needs and that are not published.
//! `transform` and `rules` write them; the validator's compiler reads them; [`published`] removes them.

use serde_json::{Map, Value};

/// Accepts `null` too, which is not published: an `Option`.
pub(super) const NULL: &str = "x-tent-null";
/// The value is secret: it must not be shown or logged. An author's own schema may have this keyword.
pub(super) const SECRET: &str = "x-tent-secret";
/// An integer type that JavaScript numbers cannot hold, so a string of digits is accepted.
pub(super) const WIDE: &str = "x-tent-wide";
/// An integer type with more than 64 bits.
pub(super) const HUGE: &str = "x-tent-huge";
/// The minimum as a string, if JavaScript numbers cannot hold it.
pub(super) const LEAST: &str = "x-tent-least";
/// The maximum as a string.
pub(super) const MOST: &str = "x-tent-most";
/// A number of type `f32`.
pub(super) const SINGLE: &str = "x-tent-single";
/// The allowed values, for types whose `enum` is not published.
pub(super) const ONLY: &str = "x-tent-only";
/// The excluded values.
pub(super) const NOT: &str = "x-tent-not";
/// The pattern that the keys of a map match.
pub(super) const KEYS: &str = "x-tent-keys";
/// How often a type reads the parts of a value by trial: an untagged enum.
pub(super) const TRIES: &str = "x-tent-tries";
/// On a property: its other names (serde's `alias`), which are not published.
pub(super) const ALIASES: &str = "x-tent-aliases";
/// On a variant, as `#[data]` writes it: its other names.
pub(super) const VARIANT_ALIASES: &str = "x-tent-variant-aliases";
/// On a constant text: other texts that are read as it.
pub(super) const VALUE_ALIASES: &str = "x-tent-value-aliases";
/// `null` is a value of a field that may also be absent.
pub(super) const NULL_VALUE: &str = "x-tent-null-value";
/// serde buffers the value before it reads it.
pub(super) const BUFFERED: &str = "x-tent-buffered";
/// Lines for the end of the description.
pub(super) const WORDS: &str = "x-tent-words";

const ALL: [&str; 17] = [
    NULL,
    SECRET,
    WIDE,
    HUGE,
    LEAST,
    MOST,
    SINGLE,
    ONLY,
    NOT,
    KEYS,
    TRIES,
    WORDS,
    ALIASES,
    VARIANT_ALIASES,
    VALUE_ALIASES,
    NULL_VALUE,
    BUFFERED,
];

/// Adds a line to the end of the description.
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

/// The texts of a keyword that lists some.
pub(super) fn texts(schema: &Map<String, Value>, keyword: &str) -> Vec<Box<str>> {
    let texts = schema.get(keyword).and_then(Value::as_array);
    let texts = texts.into_iter().flatten().filter_map(Value::as_str);
    texts.map(Box::from).collect()
}

/// Whether the schema has an integer with [`HUGE`].
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

/// The published schema: without internal keywords, and without the defaults and examples of secrets.
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
