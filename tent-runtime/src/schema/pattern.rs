//! Regular expressions with the meaning of ECMAScript, which JSON Schema demands. A client and the server must agree on what
//! a pattern matches, so the server compiles the translation of [`tent_core::pattern`].

use std::fmt;

use regex::Regex;
use serde_json::Value;
use tent_core::codes;
use tent_core::pattern::{Engine, InvalidPattern, translate};

use super::Problem;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    source: Box<str>,
}

impl Pattern {
    /// Whether it matches anywhere in `text`, in time linear in its length.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The pattern as declared.
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }
}

/// Why a pattern cannot be compiled.
#[derive(Debug)]
pub(super) enum PatternError {
    /// It has a construct that clients read differently, or not at all.
    Invalid(InvalidPattern),
    /// The compiler of `regex` rejects it: it is too large, for example.
    Compiler(regex::Error),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatternError::Invalid(error) => error.fmt(f),
            PatternError::Compiler(error) => error.fmt(f),
        }
    }
}

/// Compiles a pattern that matches anywhere in a text.
///
/// # Errors
/// A construct that is not portable. Look-around and back-references are errors too: they prevent a search in linear time.
pub(super) fn compile(pattern: &str) -> Result<Pattern, PatternError> {
    let translated = translate(pattern, Engine::Linear).map_err(PatternError::Invalid)?;
    Ok(Pattern {
        regex: Regex::new(&translated).map_err(PatternError::Compiler)?,
        source: pattern.into(),
    })
}

/// Replaces the patterns of a schema by their translations for an engine that backtracks, and calls `translated` with both.
///
/// # Errors
/// T7017 for each pattern that is not portable.
pub(super) fn translate_schema(
    schema: &mut Value,
    at: &str,
    translated: &mut dyn FnMut(&str, &str),
) -> Result<(), Vec<Problem>> {
    let mut walk = Walk {
        translated,
        problems: Vec::new(),
    };
    walk.schema(schema, at);
    match walk.problems.is_empty() {
        true => Ok(()),
        false => Err(walk.problems),
    }
}

struct Walk<'w> {
    translated: &'w mut dyn FnMut(&str, &str),
    problems: Vec<Problem>,
}

impl Walk<'_> {
    fn schema(&mut self, schema: &mut Value, at: &str) {
        let keywords = match schema {
            Value::Object(keywords) => keywords,
            Value::Array(schemas) => {
                for (index, schema) in schemas.iter_mut().enumerate() {
                    self.schema(schema, &format!("{at}/{index}"));
                }
                return;
            }
            _ => return,
        };
        for (keyword, value) in keywords {
            let at = format!("{at}/{keyword}");
            match (keyword.as_str(), value) {
                // Values, which may look like schemas.
                ("const" | "enum" | "default" | "examples" | "example", _) => {}
                ("pattern", Value::String(pattern)) => {
                    if let Some(text) = self.pattern(pattern, &at) {
                        *pattern = text;
                    }
                }
                ("patternProperties", Value::Object(schemas)) => {
                    let all = std::mem::take(schemas);
                    for (pattern, mut schema) in all {
                        self.schema(&mut schema, &format!("{at}/{pattern}"));
                        let text = self.pattern(&pattern, &at).unwrap_or(pattern);
                        schemas.insert(text, schema);
                    }
                }
                (
                    "properties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies",
                    Value::Object(schemas),
                ) => {
                    for (name, schema) in schemas {
                        self.schema(schema, &format!("{at}/{name}"));
                    }
                }
                (_, value) => self.schema(value, &at),
            }
        }
    }

    fn pattern(&mut self, pattern: &str, at: &str) -> Option<String> {
        match translate(pattern, Engine::Backtracking) {
            Ok(text) => {
                (self.translated)(&text, pattern);
                Some(text)
            }
            Err(why) => {
                self.problems.push(Problem {
                    code: codes::INVALID_RULE,
                    message: format!("the schema at `#{at}`: the pattern is not supported: {why}"),
                });
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
