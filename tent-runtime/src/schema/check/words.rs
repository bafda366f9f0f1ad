//! What is said of a value that does not fit: what was expected, never what was sent.

use serde_json::Value;

use super::plan::{By, Id, Integer, Kind, Number, Plan, Union};

/// The most names that one message lists.
const MOST: usize = 30;

/// `names` in a row, each in backquotes.
pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let mut shown: Vec<String> = names.by_ref().take(MOST).collect();
    match names.count() {
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    shown.join(", ")
}

/// What kind of value was sent.
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

/// The values that an integer may have, as the end of a sentence.
pub(super) fn integer_range(rule: &Integer) -> String {
    match (rule.least, rule.most) {
        (least, i128::MAX) => format!("at least {least}"),
        (i128::MIN, most) => format!("at most {most}"),
        (least, most) => format!("from {least} to {most}"),
    }
}

/// The values that a number may have, as the end of a sentence.
pub(super) fn number_range(rule: &Number) -> String {
    let mut parts = Vec::new();
    if rule.least > f64::MIN {
        parts.push(format!("at least {}", rule.least));
    }
    if let Some(above) = rule.above {
        parts.push(format!("above {above}"));
    }
    if rule.most < f64::MAX {
        parts.push(format!("at most {}", rule.most));
    }
    if let Some(below) = rule.below {
        parts.push(format!("below {below}"));
    }
    if parts.is_empty() {
        parts.push("a number that 32 bits hold".to_owned());
    }
    parts.join(" and ")
}

impl Plan {
    /// What the node at `id` takes, as the end of "expected …".
    pub(super) fn wanted(&self, id: Id) -> String {
        self.wanted_within(id, 4)
    }

    fn wanted_within(&self, id: Id, depth: usize) -> String {
        match &self.real(id).kind {
            Kind::Any => "a value".to_owned(),
            Kind::Never => "nothing".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Same(_) | Kind::Not(_) => "another value".to_owned(),
            Kind::Bool(None) => "true or false".to_owned(),
            Kind::Bool(Some(only)) => only.to_string(),
            Kind::Integer(rule) => match &rule.only {
                Some(only) => format!("one of {}", numbers(only)),
                None => "an integer".to_owned(),
            },
            Kind::Number(rule) => match &rule.only {
                Some(only) => format!("one of {}", numbers(only)),
                None => "a number".to_owned(),
            },
            Kind::Text(rule) => match &rule.only {
                Some(only) => one_of(only.stated.iter().map(|one| &**one)),
                None => "a string".to_owned(),
            },
            Kind::List(rule) if depth > 0 && rule.members.is_empty() => {
                match &self.real(rule.items).kind {
                    Kind::Any => "an array".to_owned(),
                    _ => format!(
                        "an array of which each is {}",
                        self.wanted_within(rule.items, depth - 1)
                    ),
                }
            }
            Kind::List(_) => "an array".to_owned(),
            Kind::Object(object) => {
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
            Kind::Union(union) if depth > 0 => self.shapes(union, depth - 1),
            Kind::Union(_) => "one of several shapes".to_owned(),
            Kind::Every(parts) => match parts.first() {
                Some(first) if depth > 0 => self.wanted_within(*first, depth - 1),
                _ => "a value".to_owned(),
            },
            Kind::Values(values) => {
                let texts: Vec<String> = values.iter().take(MOST).map(Value::to_string).collect();
                format!("one of {}", texts.join(", "))
            }
        }
    }

    /// The shapes that a union has.
    fn shapes(&self, union: &Union, depth: usize) -> String {
        if let By::Tag(tag, values) = &union.by
            && values.len() == union.branches.len()
        {
            let values = list(values.iter().map(|(value, _)| &**value));
            return format!("an object whose `{tag}` is one of {values}");
        }
        let mut shapes: Vec<String> = Vec::new();
        for branch in &union.branches {
            let shape = self.wanted_within(*branch, depth);
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

pub(super) fn numbers<T: ToString>(only: &[T]) -> String {
    let texts: Vec<String> = only.iter().take(MOST).map(T::to_string).collect();
    texts.join(", ")
}

/// The one of `names` that was most likely meant. Of a long list, or by a long word, none is looked for:
/// that would take longer than the whole check.
pub(super) fn near<'a>(
    word: &str,
    names: impl ExactSizeIterator<Item = &'a str>,
) -> Option<&'a str> {
    if names.len() > 200 || word.len() > 64 {
        return None;
    }
    tent_core::names::nearest(word, names)
}
