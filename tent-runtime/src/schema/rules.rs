//! Adds the rules of `#[arg(…)]` to the schema of the parameter's type.
//! A rule must narrow the type; a rule that the type does not support is a [`Problem`].

use serde_json::{Map, Number, Value};
use tent_core::codes;

use super::field::{Bound, Field, Rules};
use super::transform::{SAFE, problem, set_bounds, whole};
use super::{Problem, header_parameters, keywords, pattern};

type Object = Map<String, Value>;

/// Adds the rules of `field` to the schema of its type.
pub(super) fn apply(field: &Field, schema: &mut Object, problems: &mut Vec<Problem>) {
    let mut report =
        |message: String| problems.push(problem(codes::INVALID_RULE, field.name, message));
    let Rules {
        min,
        max,
        min_len,
        max_len,
        pattern,
        example,
    } = field.rules;
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some(kind) if !schema.contains_key("anyOf") && !schema.contains_key("oneOf") => {
            kind.to_owned()
        }
        _ => "value of several types".to_owned(),
    };

    for (rule, bound, up) in [("min", min, true), ("max", max, false)] {
        let Some(bound) = bound else { continue };
        match (kind.as_str(), bound) {
            ("integer", Bound::Integer(bound)) => narrow_integer(schema, bound, up),
            ("integer", Bound::Number(bound)) => {
                report(format!("`{rule} = {bound}` on an integer: use an integer"));
            }
            ("number", bound) => {
                if let Err(why) = narrow_number(schema, bound, up) {
                    report(format!("`{rule}` {why}"));
                }
            }
            (kind, _) => report(format!("`{rule}` is for numbers, and this is {}", a(kind))),
        }
    }
    if is_empty_range(schema) {
        report("`min` is greater than `max`".to_owned());
    }

    let (least, most) = match kind.as_str() {
        "array" => ("minItems", "maxItems"),
        _ => ("minLength", "maxLength"),
    };
    for (rule, bound, keyword, up) in [
        ("min_len", min_len, least, true),
        ("max_len", max_len, most, false),
    ] {
        let Some(bound) = bound else { continue };
        if kind != "string" && kind != "array" {
            report(format!(
                "`{rule}` is for texts and lists, and this is {}",
                a(&kind)
            ));
            continue;
        }
        let before = schema.get(keyword).and_then(Value::as_u64);
        let bound = match before {
            Some(before) if up => before.max(bound),
            Some(before) => before.min(bound),
            None => bound,
        };
        schema.insert(keyword.to_owned(), bound.into());
    }
    let length = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    if matches!((length(least), length(most)), (Some(least), Some(most)) if least > most) {
        report("`min_len` is greater than `max_len`".to_owned());
    }

    if let Some(pattern) = pattern {
        let compiled = pattern::compile(pattern);
        if kind != "string" {
            report(format!("`pattern` is for texts, and this is {}", a(&kind)));
        } else if let Err(why) = compiled {
            report(format!("its pattern is not supported: {why}"));
        } else if schema.get("pattern").is_some_and(|other| other != pattern) {
            report("its type already has a pattern".to_owned());
        } else {
            schema.insert("pattern".to_owned(), pattern.into());
        }
    }

    if let Some(title) = field.title {
        schema.insert("title".to_owned(), title.into());
    }
    // A text that a macro made, such as `include_str!`, ends in a line break.
    let about = field.about.trim();
    if !about.is_empty() {
        schema.insert("description".to_owned(), about.into());
    }
    if field.secret {
        schema.insert(keywords::SECRET.to_owned(), true.into());
    }
    if let Some(header) = field.header {
        // Clients ignore a tool with `x-mcp-header` on any other type.
        if matches!(kind.as_str(), "string" | "integer" | "boolean") {
            schema.insert(header_parameters::KEYWORD.to_owned(), header.into());
            if kind == "integer" {
                // MCP demands that a double holds every value of the header exactly.
                narrow_integer(schema, -SAFE, true);
                narrow_integer(schema, SAFE, false);
            }
        } else {
            let message = format!(
                "`header` is for texts, integers and booleans, and this is {}",
                a(&kind)
            );
            problems.push(problem(codes::INVALID_HEADER, field.name, message));
        }
    }
    if let Some(default) = field.default {
        schema.remove("default");
        if let Some(value) = constant(default) {
            schema.insert("default".to_owned(), value);
        }
    }
    if let Some(value) = example.and_then(constant) {
        schema.insert("examples".to_owned(), vec![value].into());
    }
}

/// The value of an expression, if it is the same for each evaluation and not null.
fn constant(of: fn() -> Option<Value>) -> Option<Value> {
    let value = of()?;
    (!value.is_null() && of().as_ref() == Some(&value)).then_some(value)
}

fn a(kind: &str) -> String {
    match kind {
        "array" => "a list".to_owned(),
        "string" => "a text".to_owned(),
        "integer" | "object" => format!("an {kind}"),
        kind => format!("a {kind}"),
    }
}

/// The bounds of an integer: published, or in an internal keyword.
pub(super) fn integer_bounds(schema: &Object) -> (Option<i128>, Option<i128>) {
    let bound = |keyword: &str, mark: &str, up| {
        let marked = schema.get(mark).and_then(Value::as_str);
        let marked = marked.and_then(|bound| bound.parse().ok());
        marked.or_else(|| whole(schema.get(keyword)?, up))
    };
    (
        bound("minimum", keywords::LEAST, true),
        bound("maximum", keywords::MOST, false),
    )
}

fn narrow_integer(schema: &mut Object, bound: i128, up: bool) {
    let (least, most) = integer_bounds(schema);
    match up {
        true => set_bounds(
            schema,
            Some(least.map_or(bound, |least| least.max(bound))),
            None,
        ),
        false => set_bounds(
            schema,
            None,
            Some(most.map_or(bound, |most| most.min(bound))),
        ),
    }
}

fn narrow_number(schema: &mut Object, bound: Bound, up: bool) -> Result<(), String> {
    let keyword = if up { "minimum" } else { "maximum" };
    let (number, exact) = match bound {
        Bound::Number(bound) => (Number::from_f64(bound), bound),
        Bound::Integer(bound) => (Number::from_i128(bound), bound as f64),
    };
    let Some(number) = number else {
        return Err(format!("is {exact}, which JSON cannot represent"));
    };
    let before = schema.get(keyword).and_then(Value::as_f64);
    if before.is_none_or(|before| if up { exact > before } else { exact < before }) {
        schema.insert(keyword.to_owned(), number.into());
    }
    Ok(())
}

fn is_empty_range(schema: &Object) -> bool {
    if schema.get("type").and_then(Value::as_str) == Some("integer") {
        return matches!(integer_bounds(schema), (Some(least), Some(most)) if least > most);
    }
    let of = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    matches!((of("minimum"), of("maximum")), (Some(least), Some(most)) if least > most)
}
