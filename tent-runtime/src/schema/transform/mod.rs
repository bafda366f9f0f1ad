//! The transform: converts the schemas that schemars generates into schemas that every known client accepts, with the
//! internal [keywords](super::keywords) that the validator needs.
//! Must give the same schema for the same types, and must not drop a rule silently: a rule that cannot be both published
//! and enforced is a [`Problem`].
//!
//! The steps, each in a file:
//! 1. `source` generates the schemas of all types of a function.
//! 2. `alternatives` splits a schema into alternatives without references, unions and `allOf`.
//! 3. `object` and `scalar` convert each alternative.
//! 4. `union` joins the alternatives again.

mod alternatives;
mod object;
mod refs;
mod scalar;
mod serde_facts;
mod source;
mod tries;
mod union;

use serde_json::{Map, Value};
use tent_core::codes::{self, Code};

pub(super) use self::alternatives::split;
pub(super) use self::object::is_name;
use self::refs::Definitions;
pub(super) use self::scalar::{SAFE, set_bounds, whole};
pub use self::serde_facts::Flattened;
pub(super) use self::source::Source;
use self::tries::Tries;
use super::{Problem, keywords};

/// The maximum number of subschemas after references are inlined.
const MOST_PARTS: usize = 20_000;

/// Whether a schema is for the input or the output of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Objects are closed, `null` is not published, and only strings have an `enum`.
    Input,
    /// Objects are open, so that a later version can add properties.
    Output,
}

/// Converts the schemas of one function.
pub(super) struct Shaper {
    side: Side,
    definitions: Definitions,
    published: Map<String, Value>,
    parts: usize,
    problems: Vec<Problem>,
    /// What the type that is split into alternatives reads by trial; `None` if it has no untagged enum.
    tries: Option<Tries>,
    /// Whether serde buffers the value that is converted now.
    buffered: bool,
}

impl Shaper {
    pub(super) fn new(side: Side, definitions: Map<String, Value>) -> Self {
        Shaper {
            side,
            definitions: Definitions::new(definitions),
            published: Map::new(),
            parts: 0,
            problems: Vec::new(),
            tries: None,
            buffered: false,
        }
    }

    /// Converts `raw`. `at` is the path of its field, empty at the root.
    pub(super) fn shape(&mut self, raw: Value, at: &str) -> Map<String, Value> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            // Types that each use the next type twice double with every level that is inlined.
            let problem = problem(
                codes::INVALID_RULE,
                "",
                format!(
                    "it has more than {MOST_PARTS} subschemas, which clients reject: split it up"
                ),
            );
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
            return Map::new();
        }
        self.tries = None;
        let (mut annotations, alternatives) = self.alternatives(raw, at, 0);
        let tries = self.tries.take().filter(|_| self.side == Side::Input);
        let around = self.buffered;
        self.buffered |= annotations.remove(keywords::BUFFERED).is_some();
        let branches: Vec<_> = alternatives
            .into_iter()
            .map(|alternative| self.single(alternative, at))
            .collect();
        self.buffered = around;
        let mut schema = self.join(branches, at);
        let null_value = annotations.remove(keywords::NULL_VALUE).is_some();
        if null_value && schema.remove(keywords::NULL).is_some() {
            schema = union::with_null(schema);
        }
        if let Some(tries) = tries {
            schema.insert(keywords::TRIES.to_owned(), tries.into_value());
        }
        annotate(&mut schema, annotations);
        schema
    }

    /// Converts the schema of the root, which must not be a reference even if its type is recursive.
    pub(super) fn shape_root(&mut self, raw: Value) -> Map<String, Value> {
        let mut schema = self.shape(raw, "");
        if let Some(Value::String(reference)) = schema.remove("$ref") {
            let name = reference.rsplit('/').next().unwrap_or_default();
            if let Some(Value::Object(definition)) = self.published.get(name) {
                let annotations = std::mem::replace(&mut schema, definition.clone());
                annotate(&mut schema, annotations);
            }
        }
        schema
    }

    /// Converts one alternative, which has at most one type and no union.
    fn single(&mut self, mut raw: Map<String, Value>, at: &str) -> Map<String, Value> {
        let mut annotations = take_annotations(&mut raw);
        let around = self.buffered;
        self.buffered |= annotations.remove(keywords::BUFFERED).is_some();
        let mut schema = match raw.get("type").and_then(Value::as_str) {
            _ if raw.contains_key("$ref") => self.keep(&raw),
            Some("object") => self.object(&mut raw, at),
            Some("array") => self.array(&mut raw, at),
            Some("string") => self.text(&mut raw, at),
            Some("integer") => self.integer(&mut raw, at),
            Some("number") => self.number(&mut raw, at),
            Some("boolean") => self.plain("boolean", &mut raw),
            Some("null") => self.plain("null", &mut raw),
            Some(other) => {
                let message = format!("`{other}` is not a type of JSON Schema");
                self.problem(codes::INVALID_RULE, at, message);
                raw.clear();
                Map::new()
            }
            None => {
                raw.remove("format");
                Map::new()
            }
        };
        self.buffered = around;
        raw.remove("$ref");
        raw.remove("type");
        // The conversions above remove each keyword that they enforce. What is left must not be published.
        for keyword in raw.keys() {
            let message = format!(
                "its schema has `{keyword}`, which is not supported here: remove it, or describe the rule in the description"
            );
            self.problems
                .push(problem(codes::INVALID_RULE, at, message));
        }
        annotate(&mut schema, annotations);
        schema
    }

    /// A reference to a recursive type, whose definition is published.
    fn keep(&mut self, raw: &Map<String, Value>) -> Map<String, Value> {
        let reference = raw.get("$ref").and_then(Value::as_str).unwrap_or_default();
        let mut schema = Map::new();
        let Some((name, definition)) = self.definitions.find(reference) else {
            return schema;
        };
        let plain = self.definitions.kept_as(&name).unwrap_or(&name).to_owned();
        schema.insert("$ref".to_owned(), format!("#/$defs/{plain}").into());
        if !self.published.contains_key(&plain) {
            let definition = definition.clone();
            // A placeholder, so that references inside of the definition end the recursion.
            self.published.insert(plain.clone(), Value::Null);
            let shaped = self.shape(definition, &plain);
            self.published.insert(plain, shaped.into());
        }
        schema
    }

    /// Records a problem of the field at `at`.
    pub(super) fn problem(&mut self, code: Code, at: &str, message: impl AsRef<str>) {
        let problem = problem(code, at, message);
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The definitions that references still use.
    pub(super) fn published(&self) -> &Map<String, Value> {
        &self.published
    }

    /// The whole document: `root` with the definitions that its references use.
    ///
    /// # Errors
    /// Every recorded problem.
    pub(super) fn finish(
        self,
        root: Map<String, Value>,
    ) -> Result<Map<String, Value>, Vec<Problem>> {
        match self.problems.is_empty() {
            true => Ok(self.finish_open(root)),
            false => Err(self.problems),
        }
    }

    /// The whole document, without the rules that cannot be published.
    pub(super) fn finish_open(self, mut root: Map<String, Value>) -> Map<String, Value> {
        if !self.published.is_empty() {
            root.insert("$defs".to_owned(), self.published.into());
        }
        root
    }
}

/// A problem of the field at `at`.
pub(super) fn problem(code: Code, at: &str, message: impl AsRef<str>) -> Problem {
    let message = message.as_ref();
    let message = match at {
        "" => format!("the whole type: {message}"),
        at => format!("field `{at}`: {message}"),
    };
    Problem { code, message }
}

/// Whether a keyword only describes.
pub(super) fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "contentMediaType"
            | "contentEncoding"
    ) || keyword.starts_with("x-")
}

fn take_annotations(schema: &mut Map<String, Value>) -> Map<String, Value> {
    // None of them restricts values, and each would change how a client resolves the references.
    for keyword in ["$schema", "$id", "$anchor", "$comment"] {
        schema.remove(keyword);
    }
    let mut taken = Map::new();
    schema.retain(|keyword, value| {
        let annotation = is_annotation(keyword);
        if annotation && !(keyword == "default" && value.is_null()) {
            taken.insert(keyword.clone(), value.take());
        }
        !annotation
    });
    taken
}

/// Adds the annotations beside a schema to it. Those that are nearer to the field win.
fn annotate(schema: &mut Map<String, Value>, annotations: Map<String, Value>) {
    for (keyword, value) in annotations {
        if keyword == keywords::WORDS {
            for line in value.as_array().into_iter().flatten() {
                keywords::add_words(schema, line.as_str().unwrap_or_default());
            }
        } else {
            schema.insert(keyword, value);
        }
    }
}
