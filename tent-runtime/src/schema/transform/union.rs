//! Joins alternatives: one `enum` for all unit variants, no `null` for inputs, and a union of the others.

use serde_json::{Map, Value};
use tent_core::codes;

use super::object::typed;
use super::{Shaper, Side};
use crate::schema::keywords;

type Object = Map<String, Value>;

impl Shaper {
    /// A schema that accepts what any of `branches` accepts.
    pub(super) fn join(&mut self, branches: Vec<Object>, at: &str) -> Object {
        let nothing_fits = branches.is_empty();
        let mut null = false;
        let mut each: Vec<Object> = Vec::new();
        let several = branches.len() > 1;
        for mut branch in branches {
            if several && self.side == Side::Input {
                null |= branch.remove(keywords::NULL).is_some();
                if branch.get("type").and_then(Value::as_str) == Some("null") {
                    null = true;
                    continue;
                }
            }
            if each.contains(&branch) {
                continue;
            }
            match each
                .iter_mut()
                .find(|one| is_values_of_one_type(one, &branch))
            {
                Some(one) => add_values(one, branch),
                None => each.push(branch),
            }
        }
        for branch in &mut each {
            name_values(branch);
            self.say_values(branch);
        }
        let mut schema = match (each.pop(), each.is_empty()) {
            (None, _) if nothing_fits => {
                if self.side == Side::Input {
                    self.problem(codes::INVALID_RULE, at, "its type accepts no value");
                }
                Object::from_iter([("not".to_owned(), Value::Object(Object::new()))])
            }
            (None, _) => {
                null = false;
                typed("null")
            }
            (Some(only), true) => only,
            (Some(last), false) => {
                each.push(last);
                or_null(self.side, &each).unwrap_or_else(|| union(each))
            }
        };
        if null {
            schema.insert(keywords::NULL.to_owned(), true.into());
        }
        schema
    }
}

/// The keyword that holds the descriptions of a branch's values until all branches are joined.
const TEXTS: &str = "x-tent-texts";

/// Whether both only list values of the same scalar type.
fn is_values_of_one_type(one: &Object, other: &Object) -> bool {
    let only_values = |schema: &Object| {
        schema.contains_key("enum")
            && schema.keys().all(|keyword| {
                matches!(
                    keyword.as_str(),
                    "type"
                        | "enum"
                        | "description"
                        | "title"
                        | "minimum"
                        | "maximum"
                        | "deprecated"
                        | keywords::LEAST
                        | keywords::MOST
                        | keywords::VALUE_ALIASES
                        | TEXTS
                )
            })
    };
    one.get("type") == other.get("type") && only_values(one) && only_values(other)
}

fn add_values(one: &mut Object, mut other: Object) {
    remember_texts(one);
    remember_texts(&mut other);
    let mut texts = match other.remove(TEXTS) {
        Some(Value::Array(texts)) => texts,
        _ => Vec::new(),
    };
    if let Some(Value::Array(before)) = one.get_mut(TEXTS) {
        before.append(&mut texts);
    }
    match (
        one.get_mut(keywords::VALUE_ALIASES),
        other.remove(keywords::VALUE_ALIASES),
    ) {
        (Some(Value::Array(before)), Some(Value::Array(mut more))) => before.append(&mut more),
        (None, Some(more)) => {
            one.insert(keywords::VALUE_ALIASES.to_owned(), more);
        }
        _ => {}
    }
    if let (Some(Value::Array(before)), Some(Value::Array(more))) =
        (one.get_mut("enum"), other.remove("enum"))
    {
        for value in more {
            if !before.contains(&value) {
                before.push(value);
            }
        }
    }
}

/// Converts the description of a branch into lines about its values.
fn remember_texts(branch: &mut Object) {
    if branch.contains_key(TEXTS) {
        return;
    }
    branch.remove("title");
    let mut texts = Vec::new();
    if let Some(Value::String(text)) = branch.remove("description") {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match branch
            .get("enum")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            Some([Value::String(value)]) => texts.push(format!("- `{value}`: {text}").into()),
            Some([value]) => texts.push(format!("- {value}: {text}").into()),
            _ => texts.push(text.into()),
        }
    }
    branch.insert(TEXTS.to_owned(), Value::Array(texts));
}

fn name_values(branch: &mut Object) {
    if let Some(Value::Array(texts)) = branch.remove(TEXTS) {
        for text in texts.iter().filter_map(Value::as_str) {
            keywords::add_words(branch, text);
        }
    }
}

/// For outputs, joins `null` and one plain type into a list of two types, which more clients support than a union.
fn or_null(side: Side, branches: &[Object]) -> Option<Object> {
    let [one, null] = branches else { return None };
    let kind = one.get("type").and_then(Value::as_str)?;
    let union = ["anyOf", "oneOf"].iter().any(|key| one.contains_key(*key));
    if side == Side::Input || union || *null != typed("null") {
        return None;
    }
    let mut schema = one.clone();
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
    }
    schema.insert("type".to_owned(), Value::from(vec![kind, "null"]));
    Some(schema)
}

/// The schema, or `null`, with the annotations beside both.
pub(super) fn with_null(mut schema: Object) -> Object {
    schema.remove(keywords::NULL);
    union(vec![schema, typed("null")])
}

/// `oneOf` if the branches exclude each other, else `anyOf`, beside the type that all branches have.
fn union(branches: Vec<Object>) -> Object {
    let mut schema = Object::new();
    let kind = branches
        .first()
        .and_then(|branch| branch.get("type"))
        .cloned();
    if let Some(kind) = kind
        && branches
            .iter()
            .all(|branch| branch.get("type") == Some(&kind))
    {
        schema.insert("type".to_owned(), kind);
    }
    let exclusive = branches.iter().enumerate().all(|(at, one)| {
        branches[at + 1..]
            .iter()
            .all(|other| exclude_each_other(one, other))
    });
    let keyword = if exclusive { "oneOf" } else { "anyOf" };
    let branches = branches.into_iter().map(Value::Object).collect::<Vec<_>>();
    schema.insert(keyword.to_owned(), branches.into());
    schema
}

/// Whether no value can match both.
fn exclude_each_other(one: &Object, other: &Object) -> bool {
    let kind = |schema: &Object| {
        schema
            .get("type")
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let (Some(first), Some(second)) = (kind(one), kind(other)) else {
        return false;
    };
    let numbers = |kind: &str| matches!(kind, "integer" | "number");
    if first != second {
        return !(numbers(&first) && numbers(&second));
    }
    first == "object" && (tags_differ(one, other) || lacks(one, other) || lacks(other, one))
}

fn required(schema: &Object) -> impl Iterator<Item = &str> {
    let required = schema.get("required").and_then(Value::as_array);
    required.into_iter().flatten().filter_map(Value::as_str)
}

fn property<'a>(schema: &'a Object, name: &str) -> Option<&'a Value> {
    schema.get("properties").and_then(|all| all.get(name))
}

/// Whether both require a field whose values differ.
fn tags_differ(one: &Object, other: &Object) -> bool {
    required(one)
        .filter(|name| required(other).any(|same| same == *name))
        .any(|name| {
            let values = |schema| property(schema, name)?.get("enum")?.as_array();
            match (values(one), values(other)) {
                (Some(first), Some(second)) => first.iter().all(|value| !second.contains(value)),
                _ => false,
            }
        })
}

/// Whether `one` requires a field that the closed `other` does not have.
fn lacks(one: &Object, other: &Object) -> bool {
    other.get("additionalProperties") == Some(&Value::Bool(false))
        && required(one).any(|name| property(other, name).is_none())
}
