//! The text of validation errors: what the schema expects. Must never contain the value.

use serde_json::Value;

use super::compiled::{
    CompiledSchema, IntegerRule, NodeId, NodeKind, NumberRule, Selector, UnionRule,
};

/// The maximum number of names in one message.
const MOST: usize = 30;

/// The names, each in backticks, separated by commas.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let mut listed: Vec<String> = names.by_ref().take(MOST).collect();
    match names.count() {
        0 => {}
        more => listed.push(format!("and {more} more")),
    }
    listed.join(", ")
}

/// The JSON type of a value.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The range of an integer, as the end of "must be".
pub(super) fn integer_range(rule: &IntegerRule) -> String {
    match (rule.min, rule.max) {
        (min, i128::MAX) => format!("at least {min}"),
        (i128::MIN, max) => format!("at most {max}"),
        (min, max) => format!("from {min} to {max}"),
    }
}

/// The problem of a double that stands for an integer beyond 2^53, and for others near it.
pub(super) fn inexact_integer(number: &serde_json::Number, rule: &IntegerRule) -> String {
    let range = integer_range(rule);
    match number.as_f64() {
        // As an integer it can be within the range.
        Some(number) if number >= rule.min as f64 && number <= rule.max as f64 => format!(
            "must be {range}, and an integer above 2^53 is written without a fraction or an exponent"
        ),
        _ => format!("must be {range}"),
    }
}

/// The range of a number, as the end of "must be".
pub(super) fn number_range(rule: &NumberRule) -> String {
    let mut parts = Vec::new();
    if rule.min > f64::MIN {
        parts.push(format!("at least {}", rule.min));
    }
    if let Some(exclusive_min) = rule.exclusive_min {
        parts.push(format!("above {exclusive_min}"));
    }
    if rule.max < f64::MAX {
        parts.push(format!("at most {}", rule.max));
    }
    if let Some(exclusive_max) = rule.exclusive_max {
        parts.push(format!("below {exclusive_max}"));
    }
    if parts.is_empty() {
        parts.push("a 32-bit number".to_owned());
    }
    parts.join(" and ")
}

impl CompiledSchema {
    /// What the node at `id` accepts, as the end of "expected …".
    pub(super) fn expected_value(&self, id: NodeId) -> String {
        self.expected_value_within(id, 4)
    }

    fn expected_value_within(&self, id: NodeId, depth: usize) -> String {
        match &self.resolve(id).kind {
            NodeKind::Any => "a value".to_owned(),
            NodeKind::Never => "nothing".to_owned(),
            NodeKind::Null => "null".to_owned(),
            NodeKind::Ref(_) | NodeKind::Not(_) => "another value".to_owned(),
            NodeKind::Bool(None) => "true or false".to_owned(),
            NodeKind::Bool(Some(allowed)) => allowed.to_string(),
            NodeKind::Integer(rule) => match &rule.allowed {
                Some(allowed) => format!("one of {}", numbers(allowed)),
                None => "an integer".to_owned(),
            },
            NodeKind::Number(rule) => match &rule.allowed {
                Some(allowed) => format!("one of {}", numbers(allowed)),
                None => "a number".to_owned(),
            },
            NodeKind::String(rule) => match &rule.allowed {
                Some(allowed) => one_of(allowed.values.iter().map(|one| &**one)),
                None => "a string".to_owned(),
            },
            NodeKind::Array(rule) if depth > 0 && rule.prefix_items.is_empty() => {
                match &self.resolve(rule.items).kind {
                    NodeKind::Any => "an array".to_owned(),
                    _ => format!(
                        "an array of which each is {}",
                        self.expected_value_within(rule.items, depth - 1)
                    ),
                }
            }
            NodeKind::Array(_) => "an array".to_owned(),
            NodeKind::Object(object) => {
                let required: Vec<&str> = object
                    .properties
                    .iter()
                    .filter(|property| property.required)
                    .map(|property| &*property.name)
                    .collect();
                match required.as_slice() {
                    [] => "an object".to_owned(),
                    names => format!("an object with {}", list(names.iter().copied())),
                }
            }
            NodeKind::Union(union) if depth > 0 => self.shapes(union, depth - 1),
            NodeKind::Union(_) => "one of several alternatives".to_owned(),
            NodeKind::AllOf(parts) => match parts.first() {
                Some(first) if depth > 0 => self.expected_value_within(*first, depth - 1),
                _ => "a value".to_owned(),
            },
            NodeKind::Enum(values) => {
                let texts: Vec<String> = values.iter().take(MOST).map(Value::to_string).collect();
                format!("one of {}", texts.join(", "))
            }
        }
    }

    /// The alternatives of a union.
    fn shapes(&self, union: &UnionRule, depth: usize) -> String {
        if let Selector::Tag(tag, values) = &union.by
            && values.len() == union.branches.len()
        {
            let values = list(values.iter().map(|(value, _)| &**value));
            return format!("an object whose `{tag}` is one of {values}");
        }
        let mut shapes: Vec<String> = Vec::new();
        for branch in &union.branches {
            let shape = self.expected_value_within(*branch, depth);
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        shapes.join(", or ")
    }
}

pub(super) fn one_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    match names.len() {
        1 => list(names),
        _ => format!("one of {}", list(names)),
    }
}

pub(super) fn numbers<T: ToString>(allowed: &[T]) -> String {
    let texts: Vec<String> = allowed.iter().take(MOST).map(T::to_string).collect();
    texts.join(", ")
}

/// The name that is most similar to `word`. `None` for a long word or a long list, where the search would take longer than
/// the validation.
pub(super) fn near<'a>(
    word: &str,
    names: impl ExactSizeIterator<Item = &'a str>,
) -> Option<&'a str> {
    if names.len() > 200 || word.len() > 64 {
        return None;
    }
    tent_core::names::nearest(word, names)
}
