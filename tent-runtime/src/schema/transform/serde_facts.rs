//! Facts about how serde reads a type that its schema does not say: names that a variant has beside its own, parts that serde
//! buffers, and variants that read the values of others.
//!
//! serde reads an untagged enum, a tagged enum and a flattened field from a buffer. There, a map with integer keys cannot be
//! read: the buffer keeps the keys as texts. An untagged enum is read by trial, and the first variant that can be read is
//! taken, whatever fields it leaves out. Both are problems at start.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};
use tent_core::codes;

use super::{Shaper, Side};
use crate::schema::keywords;

type Object = Map<String, Value>;

impl Shaper {
    /// Reports each variant of an untagged enum that also reads all values of a later one, without a field of it.
    pub(super) fn check_variants(&mut self, variants: &[(Object, Vec<Object>)], at: &str) {
        if self.side == Side::Output {
            return;
        }
        for (position, (_, first)) in variants.iter().enumerate() {
            for (later, (_, second)) in variants.iter().enumerate().skip(position + 1) {
                let lost = first
                    .iter()
                    .flat_map(|one| second.iter().filter_map(|other| lost_field(one, other)))
                    .next();
                if let Some(lost) = lost {
                    let message = format!(
                        "serde reads values of its variant {} as variant {}, without the field `{lost}`: put the variant with more \
                         fields first, or write #[serde(deny_unknown_fields)]",
                        later + 1,
                        position + 1,
                    );
                    self.problem(codes::INVALID_RULE, at, message);
                }
            }
        }
    }

    /// Reports a map with integer keys where serde buffers it.
    pub(super) fn check_keys(&mut self, pattern: &str, values: &Value, at: &str) {
        let is_buffered = self.buffered || values.get(keywords::BUFFERED).is_some();
        if self.side == Side::Input && is_buffered && matches!(pattern, r"^\d+$" | r"^-?\d+$") {
            let at = at.strip_suffix(".*").unwrap_or(at);
            let message = "serde cannot read a map with integer keys below #[serde(flatten)], or in an enum that is untagged or has a \
                           tag: use a map with text keys, or a list";
            self.problem(codes::INVALID_RULE, at, message);
        }
    }
}

/// The type of a flattened field, whose schema is marked. `#[data]` names it to schemars, in place of the type itself.
#[derive(Debug)]
pub struct Flattened<T>(PhantomData<T>);

impl<T: JsonSchema> JsonSchema for Flattened<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("flattened {}", T::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(schema) = schema.as_object_mut() {
            mark_flattened(schema);
        }
        schema
    }
}

fn mark_flattened(schema: &mut Object) {
    mark_properties(schema);
    // The schema is merged into that of the struct, so a mark beside these keywords would count for all fields.
    let patterns = schema.get_mut("patternProperties");
    mark_all(patterns.and_then(Value::as_object_mut));
    if let Some(Value::Object(rest)) = schema.get_mut("additionalProperties") {
        rest.insert(keywords::BUFFERED.to_owned(), true.into());
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let parts = schema.get_mut(keyword).and_then(Value::as_array_mut);
        let parts = parts.into_iter().flatten();
        parts
            .filter_map(Value::as_object_mut)
            .for_each(mark_flattened);
    }
}

fn mark_properties(schema: &mut Object) {
    mark_all(schema.get_mut("properties").and_then(Value::as_object_mut));
}

fn mark_all(schemas: Option<&mut Object>) {
    for schema in schemas.into_iter().flat_map(Map::values_mut) {
        if let Value::Object(schema) = schema {
            schema.insert(keywords::BUFFERED.to_owned(), true.into());
        }
    }
}

/// Marks the parts of a schema that serde buffers.
pub(super) fn mark_buffered(schema: &mut Object) {
    schema.insert(keywords::BUFFERED.to_owned(), true.into());
    mark_properties(schema);
}

/// Whether these are the variants of an enum with a tag: each is an object with a constant text.
pub(super) fn have_tags(variants: &[(Object, Vec<Object>)]) -> bool {
    let mut all = variants.iter().flat_map(|(_, found)| found).peekable();
    all.peek().is_some() && all.all(|one| constant(one).is_some())
}

/// Gives the other names of a variant to what names it: its text, its tag, or its only field.
pub(super) fn add_variant_aliases(variant: &mut Object, aliases: &Value) {
    if variant.contains_key("enum") || variant.contains_key("const") {
        variant.insert(keywords::VALUE_ALIASES.to_owned(), aliases.clone());
        return;
    }
    let tag = constant(variant).map(str::to_owned);
    let Some(Value::Object(properties)) = variant.get_mut("properties") else {
        return;
    };
    let (name, keyword) = match (tag, properties.len()) {
        (Some(tag), _) => (tag, keywords::VALUE_ALIASES),
        (None, 1) => match properties.keys().next() {
            Some(only) => (only.clone(), keywords::ALIASES),
            None => return,
        },
        (None, _) => return,
    };
    if let Some(Value::Object(property)) = properties.get_mut(&name) {
        property.insert(keyword.to_owned(), aliases.clone());
    }
}

/// The name of the required property that has one text as its value.
fn constant(variant: &Object) -> Option<&str> {
    let required = variant.get("required")?.as_array()?;
    let properties = variant.get("properties")?.as_object()?;
    let tag = properties.iter().find(|(name, property)| {
        let is_text = |value: &Value| value.is_string();
        let only = property.get("enum").and_then(Value::as_array);
        required.iter().any(|one| one == *name)
            && (property.get("const").is_some_and(is_text)
                || only.is_some_and(|only| only.len() == 1 && is_text(&only[0])))
    });
    tag.map(|(name, _)| &**name)
}

/// A field of `later` that is lost where serde reads its values as `first`.
fn lost_field<'a>(first: &Object, later: &'a Object) -> Option<&'a str> {
    let is_object = |schema: &Object| schema.get("type").is_some_and(|kind| kind == "object");
    let is_open = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
    ]
    .iter()
    .all(|keyword| !first.contains_key(*keyword));
    if !is_object(first) || !is_object(later) || !is_open {
        return None;
    }
    let none = Object::new();
    let known = first
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&none);
    let others = later.get("properties").and_then(Value::as_object)?;
    let lost = others.keys().find(|name| !known.contains_key(*name))?;
    let required = first.get("required").and_then(Value::as_array);
    let mut required = required.into_iter().flatten().filter_map(Value::as_str);
    let reads_all = required.all(|name| others.contains_key(name))
        && known.iter().all(|(name, one)| {
            others
                .get(name)
                .is_none_or(|other| !are_disjoint(one, other))
        });
    reads_all.then_some(lost.as_str())
}

/// Whether no value is valid for both, which their types and constants show.
fn are_disjoint(one: &Value, other: &Value) -> bool {
    if let (Some(one), Some(other)) = (values(one), values(other)) {
        return one.iter().all(|value| !other.contains(value));
    }
    match (kinds(one), kinds(other)) {
        (Some(one), Some(other)) => !one.iter().any(|kind| other.contains(kind)),
        _ => false,
    }
}

fn values(schema: &Value) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => Some(vec![one.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

/// The types of a schema, an integer as a number; `None` if it does not name them.
fn kinds(schema: &Value) -> Option<Vec<&str>> {
    let number = |kind| if kind == "integer" { "number" } else { kind };
    match schema.get("type")? {
        Value::String(kind) => Some(vec![number(kind.as_str())]),
        Value::Array(kinds) => Some(kinds.iter().filter_map(Value::as_str).map(number).collect()),
        _ => None,
    }
}
