//! Converts objects and arrays.

use serde_json::{Map, Value, json};
use tent_core::codes;

use super::{Shaper, Side};
use crate::schema::keywords;

type Object = Map<String, Value>;

/// The maximum length of a field's name in characters.
const LONGEST_NAME: usize = 64;

impl Shaper {
    /// A struct or a map. A struct is closed for inputs; a map has a schema for its values.
    pub(super) fn object(&mut self, raw: &mut Object, at: &str) -> Object {
        let mut schema = typed("object");
        let mut required: Vec<String> = Vec::new();
        if let Some(Value::Array(names)) = raw.remove("required") {
            for name in names.iter().filter_map(Value::as_str) {
                if !required.iter().any(|known| known == name) {
                    required.push(name.to_owned());
                }
            }
        }
        let mut properties = Object::new();
        let declared = match raw.remove("properties") {
            Some(Value::Object(declared)) => declared,
            _ => Object::new(),
        };
        let undescribed = required
            .iter()
            .filter(|name| !declared.contains_key(*name))
            .map(|name| (name.clone(), Value::Bool(true)))
            .collect::<Vec<_>>();
        for (name, property) in declared.into_iter().chain(undescribed) {
            let at = join(at, &name);
            if self.side == Side::Input && !is_name(&name) {
                let message = format!(
                    "model interfaces reject the name `{}`: use 1 to {LONGEST_NAME} of A-Z a-z 0-9 _ . -",
                    name.escape_debug()
                );
                self.problem(codes::INVALID_FIELD_NAME, &at, message);
            }
            let mut property = self.shape(property, &at);
            if required.contains(&name) {
                say_null(&mut property);
            }
            properties.insert(name, property.into());
        }

        let rest = self.rest(raw, &mut schema, at);
        match (self.side, rest) {
            (_, Some(rest)) => {
                schema.insert("additionalProperties".to_owned(), rest.into());
            }
            (Side::Input, None) => {
                schema.insert("additionalProperties".to_owned(), false.into());
                schema.insert("properties".to_owned(), json!({}));
            }
            (Side::Output, None) => {}
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), properties.into());
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), required.into());
        }
        take(raw, &mut schema, &["minProperties", "maxProperties"]);
        schema
    }

    /// The schema of undeclared properties; `None` if none are allowed.
    fn rest(&mut self, raw: &mut Object, schema: &mut Object, at: &str) -> Option<Object> {
        let at = format!("{at}.*");
        let declared = raw.remove("additionalProperties");
        let unevaluated = raw.remove("unevaluatedProperties");
        let declared = match declared.or(unevaluated) {
            None | Some(Value::Bool(false)) => None,
            Some(declared) => Some(declared),
        };
        let patterns: Vec<(String, Value)> = match raw.remove("patternProperties") {
            Some(Value::Object(patterns)) => patterns.into_iter().collect(),
            _ => Vec::new(),
        };
        let mut rest = match (declared, patterns.as_slice()) {
            (None, []) => return None,
            (Some(declared), []) => self.shape(declared, &at),
            // Keys that match no pattern have another schema. Only one schema for all keys can be published.
            (Some(declared), each) if each.iter().all(|(_, schema)| *schema == declared) => {
                self.shape(declared, &at)
            }
            (None, [(_, first), others @ ..]) if others.iter().all(|(_, one)| one == first) => {
                let pattern = patterns
                    .iter()
                    .map(|(pattern, _)| pattern.as_str())
                    .collect::<Vec<_>>()
                    .join("|");
                self.keys(&pattern, schema, &at);
                self.check_keys(&pattern, first, &at);
                self.shape(first.clone(), &at)
            }
            _ => {
                let message = "the type of its values depends on their keys, which clients do not support: use a struct or a list";
                self.problem(codes::INVALID_RULE, &at, message);
                return None;
            }
        };
        match raw.remove("propertyNames") {
            None | Some(Value::Bool(true)) => {}
            Some(Value::Object(names)) => {
                let only_a_pattern = names.keys().all(|key| key == "pattern" || key == "type");
                match names.get("pattern").and_then(Value::as_str) {
                    Some(pattern) if only_a_pattern && !schema.contains_key(keywords::KEYS) => {
                        self.keys(pattern, schema, &at);
                    }
                    None if only_a_pattern => {}
                    _ => self.problem(
                        codes::INVALID_RULE,
                        &at,
                        "`propertyNames` may have one pattern only",
                    ),
                }
            }
            Some(_) => self.problem(
                codes::INVALID_RULE,
                &at,
                "`propertyNames` may have one pattern only",
            ),
        }
        say_null(&mut rest);
        Some(rest)
    }

    /// Describes the keys of a map in the description, because clients reject the keywords for it.
    fn keys(&mut self, pattern: &str, schema: &mut Object, at: &str) {
        self.check_pattern(pattern, at);
        schema.insert(keywords::KEYS.to_owned(), pattern.into());
        keywords::add_words(
            schema,
            match pattern {
                r"^\d+$" => "Each key is an integer of at least 0.".to_owned(),
                r"^-?\d+$" => "Each key is an integer.".to_owned(),
                other => format!("Each key matches `{other}`."),
            },
        );
    }

    /// A list or a tuple. Every array gets an `items` that covers all of its members.
    pub(super) fn array(&mut self, raw: &mut Object, at: &str) -> Object {
        let mut schema = typed("array");
        let at = format!("{at}[]");
        let items = raw.remove("items");
        let mut members = Vec::new();
        if let Some(Value::Array(each)) = raw.remove("prefixItems") {
            for member in each {
                let mut member = self.shape(member, &at);
                say_null(&mut member);
                members.push(member);
            }
        }
        let ends = raw.get("maxItems").and_then(Value::as_u64) <= Some(members.len() as u64);
        let ends = ends && raw.contains_key("maxItems");
        let others = match items {
            Some(Value::Bool(false)) => {
                let most = raw.get("maxItems").and_then(Value::as_u64);
                let most = most.unwrap_or(u64::MAX).min(members.len() as u64);
                raw.insert("maxItems".to_owned(), most.into());
                None
            }
            None if ends && !members.is_empty() => None,
            Some(items) => Some(self.shape(items, &at)),
            None => Some(Object::new()),
        };
        let others = others.map(|mut others| {
            say_null(&mut others);
            others
        });
        let mut kinds: Vec<Object> = Vec::new();
        for one in members.iter().chain(&others) {
            if !kinds.contains(one) {
                kinds.push(one.clone());
            }
        }
        let alike = kinds.len() == 1;
        let covering = match kinds.pop() {
            None => Object::new(),
            Some(one) if alike => one,
            // Items of another type may follow the members.
            Some(_) if others.is_some() => others.unwrap_or_default(),
            Some(last) => {
                kinds.push(last);
                self.join(kinds, &at)
            }
        };
        if !alike && !members.is_empty() {
            let members = members.into_iter().map(Value::Object).collect::<Vec<_>>();
            schema.insert("prefixItems".to_owned(), members.into());
        }
        schema.insert("items".to_owned(), covering.into());
        take(raw, &mut schema, &["minItems", "maxItems", "uniqueItems"]);
        schema
    }
}

/// Describes that `null` is allowed, for values that cannot be left out.
fn say_null(schema: &mut Object) {
    if schema.contains_key(keywords::NULL) {
        keywords::add_words(schema, "May be null.");
    }
}

pub(super) fn typed(kind: &str) -> Object {
    Object::from_iter([("type".to_owned(), kind.into())])
}

/// Moves `keywords` from one schema to the other.
pub(super) fn take(raw: &mut Object, schema: &mut Object, keywords: &[&str]) {
    for keyword in keywords {
        if let Some(value) = raw.remove(*keyword) {
            schema.insert((*keyword).to_owned(), value);
        }
    }
}

fn join(at: &str, name: &str) -> String {
    match at {
        "" => name.to_owned(),
        at => format!("{at}.{name}"),
    }
}

/// Whether model interfaces accept a field with this name.
pub(in crate::schema) fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}
