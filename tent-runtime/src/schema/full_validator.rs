//! The full validator of the feature `schema`: enforces the keywords of an author's own schema that
//! [`check`](super::check) does not support.
//!
//! `check` still walks an *outline* of the schema, its types and fields, so that numbers and strings are normalized as
//! everywhere else. The outline must accept every value that the schema accepts. No message contains a value.

mod fan_out;

use std::collections::HashMap;

use jsonschema::error::{ValidationError, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value, json};
use tent_core::codes;

use self::fan_out::FanOut;
use super::Problem;
use super::check::{CompiledSchema, Path};
use super::{keywords, pattern};

/// The maximum number of fields in one error.
const MOST: usize = 100;

/// How often a pattern with look-around or back-references may backtrack. A text that needs more is invalid. The other
/// patterns run in linear time.
const MAX_BACKTRACKS: usize = 100_000;

/// A schema that the crate `jsonschema` validates.
#[derive(Debug)]
pub(super) struct FullValidator {
    validator: Validator,
    fan_out: FanOut,
    /// The declared pattern of each translated one, for messages.
    patterns: HashMap<String, String>,
}

impl FullValidator {
    /// The validator for `document`, and the outline that the check walks.
    ///
    /// # Errors
    /// T7017 if the document is not a valid schema, has an unknown dialect, refers to something outside of it, or has a secret
    /// that is not in the outline.
    pub(super) fn of(document: &Value) -> Result<(Self, Value), Vec<Problem>> {
        let refused = |at: &str, message: &dyn std::fmt::Display| {
            vec![Problem {
                code: codes::INVALID_RULE,
                message: format!("the schema at `#{at}`: {message}"),
            }]
        };
        // The crate ignores a `$schema` that is not a name, and rejects an unknown name.
        let names = |dialect: &Value| dialect.as_str().is_some_and(|name| !name.is_empty());
        if document
            .get("$schema")
            .is_some_and(|dialect| !names(dialect))
        {
            return Err(refused("", &"`$schema` must be the name of a dialect"));
        }
        let outline = outline(document);
        if secrets(document) != secrets(&outline) {
            let message = "a secret behind a reference or a condition cannot be masked: declare it under `properties`";
            return Err(refused("", &message));
        }
        let mut patterns = HashMap::new();
        let mut translated = document.clone();
        pattern::translate_schema(&mut translated, "", &mut |text, declared| {
            patterns.insert(text.to_owned(), declared.to_owned());
        })?;
        let fancy = PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS);
        let options = jsonschema::options().offline();
        match options.with_pattern_options(fancy).build(&translated) {
            Ok(validator) => {
                let full = FullValidator {
                    validator,
                    fan_out: FanOut::of(document),
                    patterns,
                };
                Ok((full, outline))
            }
            Err(error) => Err(refused(error.instance_path().as_str(), &error)),
        }
    }

    /// Adds the errors of paths that are not in `found` yet.
    pub(super) fn check(
        &self,
        compiled: &CompiledSchema,
        input: &Value,
        found: &mut Vec<(String, String)>,
    ) {
        if self.validator.is_valid(input) {
            return;
        }
        if !self.fan_out.is_quick(input) {
            if found.is_empty() {
                let what = "does not match the schema, and nests too deep to list its problems";
                found.push((String::new(), what.to_owned()));
            }
            return;
        }
        for error in self.validator.iter_errors(input) {
            for (path, what) in self.describe(compiled, input, &error) {
                if found.len() >= MOST {
                    return;
                }
                if found.iter().all(|(known, _)| *known != path) {
                    found.push((path, what));
                }
            }
        }
    }

    /// The fields of an error, each with its problem.
    fn describe(
        &self,
        compiled: &CompiledSchema,
        input: &Value,
        error: &ValidationError<'_>,
    ) -> Vec<(String, String)> {
        let steps: Vec<_> = error.instance_path().segments().collect();
        let each = |names: &[String], what: &str| {
            let names = names.iter().map(|name| {
                place(compiled, input, &steps, Some(name), |path| {
                    (path, what.to_owned())
                })
            });
            names.collect()
        };
        let alone = |what: &str| {
            let tell = |path| (path, what.to_owned());
            vec![place(compiled, input, &steps, None, tell)]
        };
        match error.kind() {
            ValidationErrorKind::Required {
                property: Value::String(name),
            } => each(std::slice::from_ref(name), "is required: expected a value"),
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                each(unexpected, "unknown field")
            }
            ValidationErrorKind::Pattern { pattern } if self.patterns.contains_key(pattern) => {
                alone(&format!("does not match \"{}\"", self.patterns[pattern]))
            }
            ValidationErrorKind::Contains => alone("has no matching item"),
            ValidationErrorKind::FalseSchema => alone("must be absent"),
            _ => {
                let what = error.masked_with("it").to_string();
                alone(what.strip_prefix("it ").unwrap_or(&what))
            }
        }
    }
}

/// The path that the steps lead to, plus `name`. It ends at a secret, with a message that does not describe the value.
fn place(
    compiled: &CompiledSchema,
    input: &Value,
    steps: &[LocationSegment<'_>],
    name: Option<&str>,
    tell: impl FnOnce(String) -> (String, String),
) -> (String, String) {
    let mut at = Some(input);
    let mut path = String::new();
    let hidden = |path: &str| {
        let secret = compiled.has_secrets() && !path.is_empty() && compiled.is_secret(path);
        secret.then(|| (path.to_owned(), "is not valid".to_owned()))
    };
    for step in steps {
        path = match (step, at) {
            (LocationSegment::Index(index), Some(Value::Array(_))) => format!("{path}[{index}]"),
            _ => then(&path, &step.to_string()),
        };
        at = match (step, at) {
            (LocationSegment::Index(index), Some(Value::Array(items))) => items.get(*index),
            (step, Some(Value::Object(fields))) => fields.get(&step.to_string()),
            _ => None,
        };
        if let Some(hidden) = hidden(&path) {
            return hidden;
        }
    }
    if let Some(name) = name {
        path = then(&path, name);
        if let Some(hidden) = hidden(&path) {
            return hidden;
        }
    }
    tell(path)
}

/// Appends a step to a path, as [`Path`] writes it.
fn then(path: &str, name: &str) -> String {
    let step = Path::ROOT.known(name).to_string();
    match path.is_empty() || step.starts_with('[') {
        true => format!("{path}{step}"),
        false => format!("{path}.{step}"),
    }
}

/// The number of secrets in a schema.
fn secrets(schema: &Value) -> usize {
    match schema {
        Value::Object(parts) => {
            let own = parts.get(keywords::SECRET) == Some(&Value::Bool(true));
            parts.values().map(secrets).sum::<usize>() + usize::from(own)
        }
        Value::Array(parts) => parts.iter().map(secrets).sum(),
        _ => 0,
    }
}

/// The types, fields and items of a schema. Every value that matches the schema matches its outline.
fn outline(schema: &Value) -> Value {
    let Value::Object(schema) = schema else {
        // `false` accepts nothing, which the full validator reports.
        return json!(true);
    };
    // Before 2019-09, the keywords beside a reference are ignored.
    if schema.contains_key("$ref") {
        return json!(true);
    }
    let mut outline = Map::new();
    for keyword in ["type", keywords::SECRET] {
        if let Some(value) = schema.get(keyword) {
            outline.insert(keyword.to_owned(), value.clone());
        }
    }
    let is = |kind: &str| schema.get("type").and_then(Value::as_str) == Some(kind);
    if let Some(Value::Object(fields)) = schema.get("properties")
        && is("object")
    {
        let fields = fields
            .iter()
            .map(|(name, field)| (name.clone(), self::outline(field)));
        outline.insert(
            "properties".to_owned(),
            fields.collect::<Map<_, _>>().into(),
        );
        if schema.get("additionalProperties") == Some(&Value::Bool(false))
            && !schema.contains_key("patternProperties")
        {
            outline.insert("additionalProperties".to_owned(), json!(false));
        }
    }
    if let Some(items @ Value::Object(_)) = schema.get("items")
        && is("array")
        && !schema.contains_key("prefixItems")
    {
        outline.insert("items".to_owned(), self::outline(items));
    }
    outline.into()
}
