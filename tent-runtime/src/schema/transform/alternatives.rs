//! Splits a schema into alternatives: inlines references, multiplies out unions and `allOf`, and splits several types, so
//! that each alternative is one plain schema.
//!
//! For example, a struct with a flattened enum becomes one object per variant, and each object can be closed.

use serde_json::{Map, Value};
use tent_core::codes;

use super::serde_facts::{add_variant_aliases, have_tags, mark_buffered};
use super::tries::Tries;
use super::{Shaper, take_annotations};
use crate::schema::keywords;

/// The maximum number of alternatives of one schema.
const MOST: usize = 1024;
/// The maximum nesting depth of references.
const DEEPEST: usize = 64;

type Object = Map<String, Value>;

impl Shaper {
    /// The annotations beside `raw`, and its alternatives. There is none if no value matches.
    pub(super) fn alternatives(
        &mut self,
        raw: Value,
        at: &str,
        depth: usize,
    ) -> (Object, Vec<Object>) {
        let mut schema = match raw {
            Value::Object(schema) => schema,
            Value::Bool(true) => Object::new(),
            _ => return (Object::new(), Vec::new()),
        };
        let mut annotations = take_annotations(&mut schema);
        if depth > DEEPEST {
            self.problem(
                codes::INVALID_RULE,
                at,
                "its type refers to itself without end",
            );
            return (annotations, vec![Object::new()]);
        }

        let mut factors = Vec::new();
        if let Some(Value::String(reference)) = schema.remove("$ref") {
            let Some((name, definition)) = self.definitions.find(&reference) else {
                let message = format!("its schema refers to `{reference}`, which is nowhere");
                self.problem(codes::INVALID_RULE, at, message);
                return (annotations, vec![Object::new()]);
            };
            if schema.is_empty() && self.definitions.kept_as(&name).is_some() {
                schema.insert("$ref".to_owned(), reference.into());
                return (annotations, vec![schema]);
            }
            let definition = definition.clone();
            let (inner, found) = self.alternatives(definition, at, depth + 1);
            fill_in(&mut annotations, inner);
            factors.push(found);
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(Value::Array(branches)) = schema.remove(keyword) {
                let untagged = keyword == "anyOf";
                let each = self.branches(branches, untagged, &mut annotations, at, depth);
                factors.push(each);
            }
        }
        if let Some(Value::Array(members)) = schema.remove("allOf") {
            for member in members {
                let (beside, found) = self.alternatives(member, at, depth + 1);
                fill_in(&mut annotations, beside);
                factors.push(found);
            }
        }

        let mut result = split(schema);
        for factor in factors {
            if matches!(result.as_slice(), [one] if one.is_empty()) {
                result = factor;
                continue;
            }
            if result.len().saturating_mul(factor.len()) > MOST {
                self.problem(
                    codes::INVALID_RULE,
                    at,
                    format!("its type has over {MOST} shapes"),
                );
                break;
            }
            let mut product = Vec::new();
            for one in &result {
                for other in &factor {
                    product.extend(self.merge(one, other, at));
                }
            }
            result = product;
        }
        if let Some(aliases) = annotations.remove(keywords::VARIANT_ALIASES) {
            for one in &mut result {
                add_variant_aliases(one, &aliases);
            }
        }
        (annotations, result)
    }

    /// The alternatives of every branch of a union. If only one branch is not `null` (the type in an `Option`), its annotations
    /// move to the union.
    ///
    /// schemars writes `anyOf` for an untagged enum, whose variants serde tries in turn, and `oneOf` for the others.
    fn branches(
        &mut self,
        branches: Vec<Value>,
        untagged: bool,
        annotations: &mut Object,
        at: &str,
        depth: usize,
    ) -> Vec<Object> {
        let is_null = |found: &[Object]| matches!(found, [one] if one.get("type").is_some_and(|kind| kind == "null"));
        let around = self.tries.take();
        let (mut tried, mut nested) = (Tries::default(), false);
        let mut each: Vec<(Object, Vec<Object>)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let found = self.alternatives(branch, at, depth + 1);
            nested |= self.tries.is_some();
            let own = self.tries.take();
            tried.add(own.unwrap_or_else(|| Tries::of_variant(&found.1, &self.definitions)));
            each.push(found);
        }
        let alone = each.iter().filter(|(_, found)| !is_null(found)).count() == 1;
        if untagged && !alone {
            self.check_variants(&each, at);
        }
        if (untagged && !alone) || have_tags(&each) {
            each.iter_mut()
                .flat_map(|(_, found)| found)
                .for_each(mark_buffered);
        }
        self.tries = around;
        if nested || (untagged && !alone) {
            self.tries.get_or_insert_default().add(tried);
        }
        let mut all = Vec::new();
        for (mut beside, found) in each {
            if alone && !is_null(&found) {
                fill_in(annotations, std::mem::take(&mut beside));
            } else if found.len() > 1 {
                // It describes all branches together, not one of them.
                for keyword in ["title", "description", "default", "examples"] {
                    beside.remove(keyword);
                }
            }
            for mut one in found {
                fill_in(&mut one, beside.clone());
                all.push(one);
            }
        }
        all
    }

    /// The conjunction of both; `None` if no value can match both.
    fn merge(&mut self, one: &Object, other: &Object, at: &str) -> Option<Object> {
        let mut merged = one.clone();
        for (keyword, value) in other {
            let Some(before) = merged.get_mut(keyword) else {
                merged.insert(keyword.clone(), value.clone());
                continue;
            };
            if before == value || super::is_annotation(keyword) {
                continue;
            }
            match (keyword.as_str(), before, value) {
                ("type", before, value) => match (before.as_str()?, value.as_str()?) {
                    ("number", "integer") => *before = value.clone(),
                    ("integer", "number") => {}
                    _ => return None,
                },
                (
                    "properties" | "patternProperties",
                    Value::Object(before),
                    Value::Object(more),
                ) => {
                    for (name, schema) in more {
                        match before.get(name) {
                            Some(same) if same != schema => {
                                let both = Object::from_iter([(
                                    "allOf".to_owned(),
                                    Value::Array(vec![same.clone(), schema.clone()]),
                                )]);
                                before.insert(name.clone(), both.into());
                            }
                            _ => {
                                before.insert(name.clone(), schema.clone());
                            }
                        }
                    }
                }
                ("required", Value::Array(before), Value::Array(more)) => {
                    before.extend(more.iter().cloned());
                }
                ("enum", Value::Array(before), Value::Array(more)) => {
                    before.retain(|value| more.contains(value));
                    if before.is_empty() {
                        return None;
                    }
                }
                (
                    "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties",
                    before,
                    value,
                ) => {
                    if value.as_f64() > before.as_f64() {
                        *before = value.clone();
                    }
                }
                (
                    "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties",
                    before,
                    value,
                ) => {
                    if value.as_f64() < before.as_f64() {
                        *before = value.clone();
                    }
                }
                // A flattened map beside a closed struct: the keys of the map are allowed.
                ("additionalProperties" | "unevaluatedProperties", before, value) => {
                    if *before == Value::Bool(false) {
                        *before = value.clone();
                    }
                }
                ("format", ..) => {}
                (keyword, ..) => {
                    let message =
                        format!("its schema has `{keyword}` twice, with different values");
                    self.problem(codes::INVALID_RULE, at, message);
                }
            }
        }
        Some(merged)
    }
}

/// Adds the keywords that are absent.
fn fill_in(annotations: &mut Object, more: Object) {
    for (keyword, value) in more {
        annotations.entry(keyword).or_insert(value);
    }
}

/// One schema for each type, with the keywords of that type. A missing type is derived from the keywords.
pub(in crate::schema) fn split(mut schema: Object) -> Vec<Object> {
    if let Some(value) = schema.remove("const") {
        schema.insert("enum".to_owned(), Value::Array(vec![value]));
    }
    let types = types(&schema);
    let values = match schema.remove("enum") {
        Some(Value::Array(values)) => Some(values),
        _ => None,
    };
    if types.is_empty() {
        if let Some(values) = values {
            schema.insert("enum".to_owned(), values.into());
        }
        return vec![schema];
    }
    let several = types.len() > 1;
    let mut each = Vec::new();
    for kind in types {
        let mut one = match several {
            true => schema.clone(),
            false => std::mem::take(&mut schema),
        };
        if several {
            one.retain(|keyword, _| belongs(keyword, &kind));
        }
        if let Some(values) = &values {
            let fitting: Vec<Value> = values
                .iter()
                .filter(|value| fits(value, &kind))
                .cloned()
                .collect();
            if fitting.is_empty() {
                continue;
            }
            // The type alone is the rule.
            if kind != "null" {
                one.insert("enum".to_owned(), fitting.into());
            }
        }
        one.insert("type".to_owned(), kind.into());
        each.push(one);
    }
    each
}

fn types(schema: &Object) -> Vec<String> {
    let mut types: Vec<String> = match schema.get("type") {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(each)) => each
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    if types.is_empty()
        && let Some(Value::Array(values)) = schema.get("enum")
    {
        for value in values {
            let kind = type_of(value).to_owned();
            if !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    if !types.is_empty() {
        // Every integer is a number.
        let number = types.iter().any(|kind| kind == "number");
        types.retain(|kind| !(number && kind == "integer"));
        return types;
    }
    let implied = ["object", "array", "string", "number"]
        .into_iter()
        .find(|kind| {
            schema
                .keys()
                .any(|keyword| keyword != "not" && keyword != "format" && only_of(keyword, kind))
        });
    implied.map(str::to_owned).into_iter().collect()
}

/// JSON Schema's name for the type of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn fits(value: &Value, kind: &str) -> bool {
    let own = type_of(value);
    own == kind || (own == "integer" && kind == "number")
}

/// Whether `keyword` restricts values of type `kind`.
fn belongs(keyword: &str, kind: &str) -> bool {
    let kind = if kind == "integer" { "number" } else { kind };
    let of_another = ["object", "array", "string", "number"]
        .iter()
        .any(|other| *other != kind && only_of(keyword, other));
    !of_another
}

fn only_of(keyword: &str, kind: &str) -> bool {
    match kind {
        "object" => matches!(
            keyword,
            "properties"
                | "required"
                | "additionalProperties"
                | "patternProperties"
                | "propertyNames"
                | "minProperties"
                | "maxProperties"
                | "unevaluatedProperties"
        ),
        "array" => matches!(
            keyword,
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems"
        ),
        "string" => matches!(keyword, "minLength" | "maxLength" | "pattern"),
        "number" => matches!(
            keyword,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf"
        ),
        _ => false,
    }
}
