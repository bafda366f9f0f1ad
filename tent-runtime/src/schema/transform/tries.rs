//! Counts how often a type reads the parts of a value: serde reads an untagged enum by trial, one variant after the other,
//! so a part that several variants read is read several times. Where such an enum contains itself, these numbers multiply
//! with every level, and the walk of an input bounds their product ([`keywords::TRIES`](crate::schema::keywords::TRIES)).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::refs::Definitions;

type Object = Map<String, Value>;

/// The nesting depth of references from which on a variant counts as one that reads everything.
const DEEPEST: usize = 16;

/// How many variants read each part of a value.
#[derive(Clone, Debug, Default)]
pub(super) struct Tries {
    /// The value of a property, by its name.
    keys: BTreeMap<String, u64>,
    /// The value of any other property.
    rest: u64,
    /// The items of an array.
    items: u64,
}

impl Tries {
    /// The parts that one variant reads once. `alternatives` are its shapes.
    pub(super) fn of_variant(alternatives: &[Object], definitions: &Definitions) -> Self {
        let mut tries = Tries::default();
        for one in alternatives {
            tries.note(one, definitions, 0);
        }
        tries
    }

    fn note(&mut self, schema: &Object, definitions: &Definitions, depth: usize) {
        if depth > DEEPEST {
            (self.rest, self.items) = (1, 1);
            return;
        }
        if let Some(Value::String(reference)) = schema.get("$ref") {
            match definitions.find(reference) {
                Some((_, Value::Object(definition))) => {
                    self.note(definition, definitions, depth + 1);
                }
                _ => (self.rest, self.items) = (1, 1),
            }
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            for part in schema
                .get(keyword)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                match part {
                    Value::Object(part) => self.note(part, definitions, depth + 1),
                    _ => (self.rest, self.items) = (1, 1),
                }
            }
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            for name in properties.keys() {
                self.keys.insert(name.clone(), 1);
            }
            // A struct is read from an array too.
            self.items = 1;
        }
        let is_map = [
            "additionalProperties",
            "patternProperties",
            "unevaluatedProperties",
        ]
        .iter()
        .any(|keyword| {
            schema
                .get(*keyword)
                .is_some_and(|rest| *rest != Value::Bool(false))
        });
        if is_map {
            self.rest = 1;
        }
        if schema.contains_key("items") || schema.contains_key("prefixItems") {
            self.items = 1;
        }
    }

    /// Adds the tries of another variant.
    pub(super) fn add(&mut self, other: Tries) {
        for (key, count) in other.keys {
            *self.keys.entry(key).or_default() += count;
        }
        self.rest += other.rest;
        self.items += other.items;
    }

    pub(super) fn into_value(self) -> Value {
        json!({ "keys": self.keys, "rest": self.rest, "items": self.items })
    }
}
