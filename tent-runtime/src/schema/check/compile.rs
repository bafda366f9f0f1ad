//! Compiles a JSON Schema document into a [`CompiledSchema`]. A keyword that the walk does not enforce is a problem, so
//! that every published rule holds.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tent_core::codes;

use super::compiled::{CompiledSchema, Node, NodeId, NodeKind, Selector, Tries, UnionRule};
use super::selectors::{add_selectors, has_cycle, keep_recursive_tries};
use crate::schema::transform::{is_annotation, split};
use crate::schema::{Problem, keywords};

/// The problem of a schema that refers to itself without a value in between: its walk would not end.
pub(in crate::schema) const CYCLE: &str = "the schema refers to itself without end";

/// A declared default of the property `name` of the object `node`.
#[derive(Debug)]
pub(in crate::schema) struct DeclaredDefault {
    pub(in crate::schema) node: NodeId,
    pub(in crate::schema) name: String,
    pub(in crate::schema) property: NodeId,
    pub(in crate::schema) value: Value,
    /// The JSON Pointer to the property's schema (RFC 6901).
    pub(in crate::schema) pointer: String,
}

/// The values that a document is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schema) enum Purpose {
    /// Inputs: a keyword that is not enforced is a problem.
    Input,
    /// Forms: as for inputs, and formats are enforced.
    Form,
    /// Outputs: a keyword that is not enforced is ignored.
    Output,
}

/// Compiles `document`.
///
/// # Errors
/// Every keyword that is not enforced or not valid.
pub(in crate::schema) fn compile(
    document: &Value,
    purpose: Purpose,
) -> Result<(CompiledSchema, Vec<DeclaredDefault>), Vec<Problem>> {
    let mut compiler = Compiler {
        document,
        strict: purpose != Purpose::Output,
        nodes: Vec::new(),
        references: HashMap::new(),
        defaults: Vec::new(),
        problems: Vec::new(),
    };
    compiler.node(document.clone(), "");
    compiler.reject_cycles();
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }
    let may_revisit = compiler.nodes.iter().any(|node| {
        matches!(
            node.kind,
            NodeKind::Union(_) | NodeKind::AllOf(_) | NodeKind::Not(_)
        )
    });
    keep_recursive_tries(&mut compiler.nodes);
    let mut compiled = CompiledSchema {
        nodes: compiler.nodes,
        may_revisit,
        formats: purpose == Purpose::Form,
    };
    add_selectors(&mut compiled);
    Ok((compiled, compiler.defaults))
}

pub(super) struct Compiler<'d> {
    document: &'d Value,
    pub(super) strict: bool,
    pub(super) nodes: Vec<Node>,
    references: HashMap<String, NodeId>,
    pub(super) defaults: Vec<DeclaredDefault>,
    pub(super) problems: Vec<Problem>,
}

impl Compiler<'_> {
    pub(super) fn problem(&mut self, pointer: &str, message: impl std::fmt::Display) {
        let problem = Problem {
            code: codes::INVALID_RULE,
            message: format!("the schema at `#{pointer}`: {message}"),
        };
        if self.strict {
            self.problems.push(problem);
        }
    }

    pub(super) fn add(&mut self, kind: NodeKind) -> NodeId {
        self.nodes.push(Node {
            kind,
            null: false,
            secret: false,
            tries: None,
        });
        self.nodes.len() - 1
    }

    pub(super) fn node(&mut self, schema: Value, pointer: &str) -> NodeId {
        let id = self.add(NodeKind::Any);
        self.fill(id, schema, pointer);
        id
    }

    fn fill(&mut self, id: NodeId, schema: Value, pointer: &str) {
        let kind = match schema {
            Value::Bool(true) => NodeKind::Any,
            Value::Bool(false) => NodeKind::Never,
            Value::Object(schema) => {
                let marked = |mark: &str| schema.get(mark) == Some(&Value::Bool(true));
                self.nodes[id].null = marked(keywords::NULL);
                self.nodes[id].secret = marked(keywords::SECRET);
                self.nodes[id].tries = tries(&schema);
                self.parts(id, schema, pointer)
            }
            _ => {
                self.problem(pointer, "a schema must be an object or a boolean");
                NodeKind::Never
            }
        };
        self.nodes[id].kind = kind;
    }

    fn parts(&mut self, id: NodeId, mut rest: Map<String, Value>, pointer: &str) -> NodeKind {
        rest.retain(|keyword, _| !is_annotation(keyword) || keyword.starts_with("x-tent-"));
        let dialect = rest.remove("$schema");
        if let Some(dialect) = dialect.filter(|dialect| !is_supported_dialect(dialect)) {
            self.problem(
                pointer,
                format_args!(
                    "the dialect {dialect} is not supported: use 2020-12, which is the default"
                ),
            );
        }
        for keyword in ["$id", "$comment", "$defs", "definitions"] {
            rest.remove(keyword);
        }
        let mut parts = Vec::new();
        if let Some(reference) = rest.remove("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            parts.push(NodeKind::Ref(self.reference(reference, pointer)));
        }
        let mut branch_types = Vec::new();
        for (keyword, exactly_one) in [("oneOf", true), ("anyOf", false)] {
            if let Some(Value::Array(branches)) = rest.remove(keyword) {
                branch_types = branches
                    .iter()
                    .map(|branch| branch.get("type").cloned())
                    .collect();
                let branches = self.each(branches, pointer, keyword);
                parts.push(NodeKind::Union(Box::new(UnionRule {
                    branches,
                    exactly_one,
                    by: Selector::Trial,
                })));
            }
        }
        if let Some(Value::Array(prefix_items)) = rest.remove("allOf") {
            let prefix_items = self.each(prefix_items, pointer, "allOf");
            parts.extend(prefix_items.into_iter().map(NodeKind::Ref));
        }
        if let Some(not) = rest.remove("not") {
            parts.push(NodeKind::Not(self.node(not, &format!("{pointer}/not"))));
        }
        // A `type` beside a union whose branches all have that type adds no rule.
        let keywords = || {
            rest.keys()
                .filter(|keyword| !keyword.starts_with("x-tent-"))
        };
        let is_repeated = !branch_types.is_empty()
            && keywords().eq(["type"])
            && branch_types
                .iter()
                .all(|kind| kind.as_ref() == rest.get("type"));
        if !is_repeated && keywords().next().is_some() {
            let mut typed: Vec<NodeKind> = split(rest)
                .into_iter()
                .map(|mut one| self.typed(id, &mut one, pointer))
                .collect();
            parts.extend(match typed.len() {
                1 => typed.pop(),
                _ => {
                    let branches = typed.into_iter().map(|kind| self.add(kind)).collect();
                    Some(NodeKind::Union(Box::new(UnionRule {
                        branches,
                        exactly_one: false,
                        by: Selector::Trial,
                    })))
                }
            });
        }
        match parts.len() {
            0 => NodeKind::Any,
            1 => parts.pop().unwrap_or(NodeKind::Any),
            _ => NodeKind::AllOf(parts.into_iter().map(|kind| self.add(kind)).collect()),
        }
    }

    pub(super) fn each(
        &mut self,
        schemas: Vec<Value>,
        pointer: &str,
        keyword: &str,
    ) -> Vec<NodeId> {
        let schemas = schemas.into_iter().enumerate();
        schemas
            .map(|(at, schema)| self.node(schema, &format!("{pointer}/{keyword}/{at}")))
            .collect()
    }

    fn reference(&mut self, reference: &str, pointer: &str) -> NodeId {
        if let Some(id) = self.references.get(reference) {
            return *id;
        }
        let id = match reference {
            "#" => 0,
            _ => self.add(NodeKind::Never),
        };
        self.references.insert(reference.to_owned(), id);
        let target = reference.strip_prefix('#');
        match target.and_then(|target| self.document.pointer(target)) {
            _ if reference == "#" => {}
            Some(schema) => self.fill(id, schema.clone(), target.unwrap_or_default()),
            None => self.problem(
                pointer,
                format_args!("`{reference}` does not exist in the schema"),
            ),
        }
        id
    }

    /// Compiles a schema with at most one type and without unions.
    fn typed(&mut self, id: NodeId, schema: &mut Map<String, Value>, pointer: &str) -> NodeKind {
        let kind = schema.remove("type");
        let kind = match kind.as_ref().and_then(Value::as_str) {
            Some("object") => self.object(id, schema, pointer),
            Some("array") => self.list(schema, pointer),
            Some("string") => self.text(schema, pointer),
            Some("integer") => self.integer(schema, pointer),
            Some("number") => self.number(schema, pointer),
            Some("boolean") => NodeKind::Bool(match values(schema).as_deref() {
                Some([Value::Bool(only)]) => Some(*only),
                _ => None,
            }),
            Some("null") => NodeKind::Null,
            Some(other) => {
                self.problem(pointer, format_args!("`{other}` is not a valid type"));
                NodeKind::Never
            }
            None => NodeKind::Any,
        };
        schema.remove("format");
        for keyword in schema
            .keys()
            .filter(|keyword| !keyword.starts_with("x-tent-"))
        {
            let message = format!("`{keyword}` is not supported here");
            self.problem(pointer, message);
        }
        kind
    }

    /// Reports a schema that refers to itself without a value in between.
    fn reject_cycles(&mut self) {
        let mut open = vec![false; self.nodes.len()];
        let mut done = vec![false; self.nodes.len()];
        let has_cycle =
            (0..self.nodes.len()).any(|id| has_cycle(&self.nodes, id, &mut open, &mut done));
        if has_cycle {
            self.strict = true;
            self.problem("", CYCLE);
        }
    }
}

/// Whether the dialect is 2020-12, MCP's default (basic/index, JSON Schema Usage).
fn is_supported_dialect(dialect: &Value) -> bool {
    let name = dialect.as_str().unwrap_or_default();
    name.strip_suffix('#').unwrap_or(name) == "https://json-schema.org/draft/2020-12/schema"
}

/// The [`Tries`] of a schema.
fn tries(schema: &Map<String, Value>) -> Option<Box<Tries>> {
    let tries = schema.get(keywords::TRIES)?;
    let count = |name: &str| tries.get(name).and_then(Value::as_u64).unwrap_or_default();
    let keys = tries.get("keys").and_then(Value::as_object)?;
    let mut keys: Vec<(Box<str>, u64)> = keys
        .iter()
        .map(|(key, count)| (key.as_str().into(), count.as_u64().unwrap_or(1)))
        .collect();
    keys.sort_unstable();
    Some(Box::new(Tries {
        keys,
        rest: count("rest"),
        items: count("items"),
    }))
}

pub(super) fn values(schema: &mut Map<String, Value>) -> Option<Vec<Value>> {
    match schema
        .remove("enum")
        .or_else(|| schema.remove(keywords::ONLY))
    {
        Some(Value::Array(values)) => Some(values),
        _ => None,
    }
}
