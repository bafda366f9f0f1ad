//! How much work it is to list the errors of a value.
//!
//! Whether a value is valid costs little, since the crate `jsonschema` remembers the result of each recursive schema for
//! each value. It does not when it lists errors: there a branch of `anyOf` reports every error inside it. If two branches
//! recurse into the same field, a value that nests 20 deep takes a million visits. [`FanOut`] is an upper bound of the
//! branches at each level, so that the errors are listed only where that is quick.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// The most visits of values that a list of errors may take.
const MAX_VISITS: u64 = 50_000;

/// How many recursive references apply to one field at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FanOut(u64);

/// The part of a value that a subschema applies to.
#[derive(Clone, Copy, PartialEq)]
enum Place<'a> {
    /// The same value as the definition around it.
    Itself,
    /// The field of this name.
    Field(&'a str),
    /// Any field or item.
    Any,
}

struct Reference<'a> {
    /// The JSON Pointer to the schema that has the reference.
    at: String,
    place: Place<'a>,
    target: &'a str,
}

#[derive(Default)]
struct References<'a> {
    all: Vec<Reference<'a>>,
    /// The pointer of each anchor.
    anchors: HashMap<&'a str, String>,
}

impl FanOut {
    pub(super) fn of(document: &Value) -> Self {
        let mut references = References::default();
        references.collect(document, String::new(), Place::Itself);
        let recursive = |reference: &&Reference<'_>| references.is_recursive(reference);
        let (mut fields, mut any) = (HashMap::<_, u64>::new(), 0);
        let mut itself = HashMap::<_, u64>::new();
        for reference in references.all.iter().filter(recursive) {
            match reference.place {
                Place::Field(name) => *fields.entry(name).or_default() += 1,
                Place::Any => any += 1,
                Place::Itself => *itself.entry(reference.target).or_default() += 1,
            }
        }
        let most = |counts: Option<u64>| counts.unwrap_or(0);
        let inner = most(fields.into_values().max()) + any;
        FanOut((inner * most(itself.into_values().max()).max(1)).max(1))
    }

    /// Whether a list of the errors of `value` is quick.
    pub(super) fn is_quick(self, value: &Value) -> bool {
        self.0 == 1 || self.visits(value, 1) <= MAX_VISITS
    }

    fn visits(self, value: &Value, each: u64) -> u64 {
        let inner = each.saturating_mul(self.0);
        let add = |sum: u64, one: &Value| match sum > MAX_VISITS {
            true => sum,
            false => sum.saturating_add(self.visits(one, inner)),
        };
        match value {
            Value::Array(items) => items.iter().fold(each, add),
            Value::Object(fields) => fields.values().fold(each, add),
            _ => each,
        }
    }
}

impl<'a> References<'a> {
    /// Collects the references of a schema and of the schemas inside it.
    fn collect(&mut self, schema: &'a Value, at: String, place: Place<'a>) {
        let Value::Object(schema) = schema else {
            return;
        };
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            if let Some(Value::String(target)) = schema.get(keyword) {
                self.all.push(Reference {
                    at: at.clone(),
                    place,
                    target,
                });
            }
        }
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(Value::String(anchor)) = schema.get(keyword) {
                self.anchors.insert(anchor, at.clone());
            }
        }
        for (keyword, value) in schema {
            let at = format!("{at}/{}", escaped(keyword));
            match (keyword.as_str(), value) {
                ("enum" | "const" | "default" | "examples", _) => {}
                ("properties", Value::Object(fields)) => {
                    for (name, field) in fields {
                        let at = format!("{at}/{}", escaped(name));
                        self.collect(field, at, Place::Field(name));
                    }
                }
                ("patternProperties", Value::Object(fields)) => {
                    self.collect_each(fields, &at, Place::Any);
                }
                ("dependentSchemas" | "dependencies", Value::Object(schemas)) => {
                    self.collect_each(schemas, &at, place);
                }
                ("$defs" | "definitions", Value::Object(schemas)) => {
                    self.collect_each(schemas, &at, Place::Itself);
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    self.collect_list(schemas, &at, place);
                }
                ("not" | "if" | "then" | "else", schema) => self.collect(schema, at, place),
                (_, Value::Array(schemas)) => self.collect_list(schemas, &at, Place::Any),
                (_, schema) => self.collect(schema, at, Place::Any),
            }
        }
    }

    fn collect_each(&mut self, schemas: &'a Map<String, Value>, at: &str, place: Place<'a>) {
        for (name, schema) in schemas {
            self.collect(schema, format!("{at}/{}", escaped(name)), place);
        }
    }

    fn collect_list(&mut self, schemas: &'a [Value], at: &str, place: Place<'a>) {
        for (index, schema) in schemas.iter().enumerate() {
            self.collect(schema, format!("{at}/{index}"), place);
        }
    }

    /// The pointer that a reference leads to. One that is not understood counts as one to the root, which is an upper bound.
    fn pointer(&self, target: &str) -> String {
        let fragment = target.split_once('#').map_or("", |(_, fragment)| fragment);
        let decoded = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
        match self.anchors.get(&*decoded) {
            Some(pointer) => pointer.clone(),
            None if decoded.starts_with('/') => decoded.into_owned(),
            None => String::new(),
        }
    }

    /// Whether the target of a reference leads to itself again.
    fn is_recursive(&self, reference: &Reference<'_>) -> bool {
        let target = self.pointer(reference.target);
        let mut seen = HashSet::new();
        let mut open = vec![target.clone()];
        while let Some(at) = open.pop() {
            let inside = self.all.iter().filter(|one| is_inside(&one.at, &at));
            for pointer in inside.map(|one| self.pointer(one.target)) {
                if pointer == target {
                    return true;
                }
                if seen.insert(pointer.clone()) {
                    open.push(pointer);
                }
            }
        }
        false
    }
}

/// Whether the pointer `at` leads to `around` or into it.
fn is_inside(at: &str, around: &str) -> bool {
    let rest = at.strip_prefix(around);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A key as a step of a JSON Pointer (RFC 6901).
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fan_out(document: Value) -> u64 {
        FanOut::of(&document).0
    }

    // S06
    #[test]
    fn counts_the_recursive_references_of_one_field() {
        let node = |branches: Value| json!({"$defs": {"node": branches}, "$ref": "#/$defs/node"});
        let next = json!({"properties": {"next": {"$ref": "#/$defs/node"}}});
        assert_eq!(fan_out(node(next.clone())), 1);
        assert_eq!(fan_out(node(json!({"anyOf": [next, next]}))), 2);
        let two = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
        assert_eq!(fan_out(two), 1, "each field has one");
        let items = json!({"$anchor": "n", "items": {"$ref": "#n"}, "contains": {"$ref": "#n"}});
        assert_eq!(fan_out(items), 2);
        let shared = json!({
            "$defs": {"text": {"type": "string"}},
            "properties": {"a": {"$ref": "#/$defs/text"}},
            "anyOf": [{"properties": {"a": {"$ref": "#/$defs/text"}}}],
        });
        assert_eq!(fan_out(shared), 1, "they do not recurse");
    }
}
