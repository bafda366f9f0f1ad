//! Header parameters: the rules of MCP for `x-mcp-header`, which makes clients send a field as a header too (2026-07-28,
//! basic/transports/streamable-http, "Schema Extension"). Clients ignore a tool that breaks a rule, so each violation is a
//! [`Problem`] at start. Must not change a schema or read a header.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use tent_core::codes;

use super::Problem;
use super::check::Path;
use super::transform::problem;

/// The keyword that names the header.
pub(super) const KEYWORD: &str = "x-mcp-header";

/// Every violation in the schema with this root. `definitions` are its definitions, unless they are inside of it.
pub(super) fn problems(
    root: &Map<String, Value>,
    definitions: Option<&Map<String, Value>>,
) -> Vec<Problem> {
    let mut walk = Walk::default();
    walk.object(root, Some(&Path::ROOT), "");
    for (name, definition) in definitions.into_iter().flatten() {
        walk.visit(definition, None, &pointer("", "$defs", Some(name)));
    }
    walk.problems
}

/// The state of the walk through a schema.
#[derive(Default)]
struct Walk {
    /// The header names so far, in lower case.
    headers: BTreeSet<String>,
    problems: Vec<Problem>,
}

impl Walk {
    /// Visits a schema and everything in it. `path` is its field, if only `properties` lead to it; `at` is its JSON Pointer.
    fn visit(&mut self, schema: &Value, path: Option<&Path<'_>>, at: &str) {
        if let Value::Object(schema) = schema {
            self.object(schema, path, at);
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, path: Option<&Path<'_>>, at: &str) {
        if let Some(header) = schema.get(KEYWORD) {
            let place = path.map(ToString::to_string).unwrap_or_default();
            if let Err(message) = self.check(header, schema, &place) {
                self.problems.push(match place.is_empty() {
                    true => Problem {
                        code: codes::INVALID_HEADER,
                        message: format!("the schema at `#{at}`: {message}"),
                    },
                    false => problem(codes::INVALID_HEADER, &place, message),
                });
            }
        }
        for (keyword, value) in schema {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(fields)) => {
                    for (name, field) in fields {
                        let path = path.map(|path| path.known(name));
                        self.visit(field, path.as_ref(), &pointer(at, keyword, Some(name)));
                    }
                }
                (
                    "patternProperties" | "dependentSchemas" | "dependencies" | "$defs"
                    | "definitions",
                    Value::Object(named),
                ) => {
                    for (name, schema) in named {
                        self.visit(schema, None, &pointer(at, keyword, Some(name)));
                    }
                }
                ("items" | "allOf" | "anyOf" | "oneOf" | "prefixItems", Value::Array(each)) => {
                    for (number, schema) in each.iter().enumerate() {
                        let number = number.to_string();
                        self.visit(schema, None, &pointer(at, keyword, Some(&number)));
                    }
                }
                (
                    "items"
                    | "additionalItems"
                    | "unevaluatedItems"
                    | "contains"
                    | "additionalProperties"
                    | "unevaluatedProperties"
                    | "propertyNames"
                    | "not"
                    | "if"
                    | "then"
                    | "else"
                    | "contentSchema",
                    schema,
                ) => self.visit(schema, None, &pointer(at, keyword, None)),
                // Other keywords contain values, not schemas.
                _ => {}
            }
        }
    }

    /// Checks a header of this schema. `place` is the path of its field, empty if not only `properties` lead to it.
    fn check(
        &mut self,
        header: &Value,
        schema: &Map<String, Value>,
        place: &str,
    ) -> Result<(), String> {
        let Some(header) = header.as_str() else {
            return Err(format!(
                "`{KEYWORD}` must be a string: the end of a header's name"
            ));
        };
        if header.is_empty() || !header.chars().all(is_token) {
            return Err(format!(
                "`{KEYWORD}` is {header:?}, which is not valid in a header name: use letters, digits and hyphens"
            ));
        }
        if place.is_empty() {
            return Err(format!(
                "`{KEYWORD}` is allowed only where `properties` alone lead: move it to a field of the root or of an object in it, or remove it"
            ));
        }
        if !self.headers.insert(header.to_ascii_lowercase()) {
            return Err(format!("the header `{header}` is used by another field"));
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("string" | "integer" | "boolean") => Ok(()),
            _ => Err(format!(
                "`{KEYWORD}` needs the type \"string\", \"integer\" or \"boolean\": remove it, or set such a `type`"
            )),
        }
    }
}

/// Whether `c` is a token character (RFC 9110, section 5.6.2).
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// The JSON Pointer to the schema under `keyword`.
fn pointer(at: &str, keyword: &str, name: Option<&str>) -> String {
    match name {
        None => format!("{at}/{keyword}"),
        Some(name) => {
            let name = name.replace('~', "~0").replace('/', "~1");
            format!("{at}/{keyword}/{name}")
        }
    }
}
