//! From a document to a [`Plan`]. A keyword that is not enforced here is a problem, so that nothing is
//! published in vain.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};
use tent_core::codes;

use super::branches::{circles, tell_branches};
use super::plan::{By, Id, Kind, List, Node, Object, Plan, Property, Rest, Union};
use crate::schema::transform::{is_annotation, is_name, problem, split, whole};
use crate::schema::{Problem, keywords, pattern};

/// What is wrong with a document whose check would never end.
pub(in crate::schema) const ENDLESS: &str = "it refers to itself without end";

/// A default as a document states it: of the property `name` of the object `node`.
#[derive(Debug)]
pub(in crate::schema) struct Stated {
    pub(in crate::schema) node: Id,
    pub(in crate::schema) name: String,
    pub(in crate::schema) property: Id,
    pub(in crate::schema) value: Value,
    /// Where the property's schema stands in the document (RFC 6901).
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
/// Everything that cannot be enforced.
pub(in crate::schema) fn compile(
    document: &Value,
    purpose: Purpose,
) -> Result<(Plan, Vec<Stated>), Vec<Problem>> {
    let mut compiler = Compiler {
        document,
        strict: purpose != Purpose::Output,
        formats: purpose == Purpose::Form,
        nodes: Vec::new(),
        references: HashMap::new(),
        defaults: Vec::new(),
        problems: Vec::new(),
    };
    compiler.node(document.clone(), "");
    compiler.refuse_circles();
    if !compiler.problems.is_empty() {
        return Err(compiler.problems);
    }
    let looks_twice = compiler
        .nodes
        .iter()
        .any(|node| matches!(node.kind, Kind::Union(_) | Kind::Every(_) | Kind::Not(_)));
    let mut plan = Plan {
        nodes: compiler.nodes,
        looks_twice,
    };
    tell_branches(&mut plan);
    Ok((plan, compiler.defaults))
}

pub(super) struct Compiler<'d> {
    document: &'d Value,
    pub(super) strict: bool,
    pub(super) formats: bool,
    nodes: Vec<Node>,
    references: HashMap<String, Id>,
    defaults: Vec<Stated>,
    problems: Vec<Problem>,
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

    fn add(&mut self, kind: Kind) -> Id {
        self.nodes.push(Node {
            kind,
            null: false,
            secret: false,
        });
        self.nodes.len() - 1
    }

    fn node(&mut self, schema: Value, pointer: &str) -> Id {
        let id = self.add(Kind::Any);
        self.fill(id, schema, pointer);
        id
    }

    fn fill(&mut self, id: Id, schema: Value, pointer: &str) {
        let kind = match schema {
            Value::Bool(true) => Kind::Any,
            Value::Bool(false) => Kind::Never,
            Value::Object(schema) => {
                let marked = |mark: &str| schema.get(mark) == Some(&Value::Bool(true));
                self.nodes[id].null = marked(keywords::NULL);
                self.nodes[id].secret = marked(keywords::SECRET);
                self.parts(id, schema, pointer)
            }
            _ => {
                self.problem(pointer, "a schema is an object or a boolean");
                Kind::Never
            }
        };
        self.nodes[id].kind = kind;
    }

    fn parts(&mut self, id: Id, mut rest: Map<String, Value>, pointer: &str) -> Kind {
        rest.retain(|keyword, _| !is_annotation(keyword) || keyword.starts_with("x-tent-"));
        let dialect = rest.remove("$schema");
        if let Some(dialect) = dialect.filter(|dialect| !is_ours(dialect)) {
            self.problem(
                pointer,
                format_args!("{dialect} is a dialect that is not read; take 2020-12, which needs no `$schema`"),
            );
        }
        for keyword in ["$id", "$comment", "$defs", "definitions"] {
            rest.remove(keyword);
        }
        let mut parts = Vec::new();
        if let Some(reference) = rest.remove("$ref") {
            let reference = reference.as_str().unwrap_or_default();
            parts.push(Kind::Same(self.reference(reference, pointer)));
        }
        let mut branch_types = Vec::new();
        for (keyword, exactly_one) in [("oneOf", true), ("anyOf", false)] {
            if let Some(Value::Array(branches)) = rest.remove(keyword) {
                branch_types = branches
                    .iter()
                    .map(|branch| branch.get("type").cloned())
                    .collect();
                let branches = self.each(branches, pointer, keyword);
                parts.push(Kind::Union(Box::new(Union {
                    branches,
                    exactly_one,
                    by: By::Trial,
                })));
            }
        }
        if let Some(Value::Array(members)) = rest.remove("allOf") {
            let members = self.each(members, pointer, "allOf");
            parts.extend(members.into_iter().map(Kind::Same));
        }
        if let Some(not) = rest.remove("not") {
            parts.push(Kind::Not(self.node(not, &format!("{pointer}/not"))));
        }
        // The type that stands beside a union of that type says nothing more.
        let keywords = || {
            rest.keys()
                .filter(|keyword| !keyword.starts_with("x-tent-"))
        };
        let said = !branch_types.is_empty()
            && keywords().eq(["type"])
            && branch_types
                .iter()
                .all(|kind| kind.as_ref() == rest.get("type"));
        if !said && keywords().next().is_some() {
            let mut typed: Vec<Kind> = split(rest)
                .into_iter()
                .map(|mut one| self.typed(id, &mut one, pointer))
                .collect();
            parts.extend(match typed.len() {
                1 => typed.pop(),
                _ => {
                    let branches = typed.into_iter().map(|kind| self.add(kind)).collect();
                    Some(Kind::Union(Box::new(Union {
                        branches,
                        exactly_one: false,
                        by: By::Trial,
                    })))
                }
            });
        }
        match parts.len() {
            0 => Kind::Any,
            1 => parts.pop().unwrap_or(Kind::Any),
            _ => Kind::Every(parts.into_iter().map(|kind| self.add(kind)).collect()),
        }
    }

    fn each(&mut self, schemas: Vec<Value>, pointer: &str, keyword: &str) -> Vec<Id> {
        let schemas = schemas.into_iter().enumerate();
        schemas
            .map(|(at, schema)| self.node(schema, &format!("{pointer}/{keyword}/{at}")))
            .collect()
    }

    fn reference(&mut self, reference: &str, pointer: &str) -> Id {
        if let Some(id) = self.references.get(reference) {
            return *id;
        }
        let id = match reference {
            "#" => 0,
            _ => self.add(Kind::Never),
        };
        self.references.insert(reference.to_owned(), id);
        let target = reference.strip_prefix('#');
        match target.and_then(|target| self.document.pointer(target)) {
            _ if reference == "#" => {}
            Some(schema) => self.fill(id, schema.clone(), target.unwrap_or_default()),
            None => self.problem(
                pointer,
                format_args!("`{reference}` is nowhere in the schema"),
            ),
        }
        id
    }

    /// The kind of a schema that has one type at most and no union.
    fn typed(&mut self, id: Id, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        let kind = schema.remove("type");
        let kind = match kind.as_ref().and_then(Value::as_str) {
            Some("object") => self.object(id, schema, pointer),
            Some("array") => self.list(schema, pointer),
            Some("string") => self.text(schema, pointer),
            Some("integer") => self.integer(schema, pointer),
            Some("number") => self.number(schema, pointer),
            Some("boolean") => Kind::Bool(match values(schema).as_deref() {
                Some([Value::Bool(only)]) => Some(*only),
                _ => None,
            }),
            Some("null") => Kind::Null,
            Some(other) => {
                self.problem(pointer, format_args!("`{other}` is no type"));
                Kind::Never
            }
            None => Kind::Any,
        };
        schema.remove("format");
        for keyword in schema
            .keys()
            .filter(|keyword| !keyword.starts_with("x-tent-"))
        {
            let message = format!("`{keyword}` is not enforced there");
            self.problem(pointer, message);
        }
        kind
    }

    fn object(&mut self, id: Id, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        let values = values(schema);
        let required = match schema.remove("required") {
            Some(Value::Array(names)) => names,
            _ => Vec::new(),
        };
        let is_required = |name: &str| required.iter().any(|one| one == name);
        let mut properties: BTreeMap<Box<str>, Property> = BTreeMap::new();
        if let Some(Value::Object(stated)) = schema.remove("properties") {
            for (name, property) in stated {
                if self.strict && !is_name(&name) {
                    let message =
                        "model interfaces refuse this name; take 1 to 64 of A-Z a-z 0-9 _ . -";
                    self.problems
                        .push(problem(codes::INVALID_FIELD_NAME, &name, message));
                }
                let escaped = name.replace('~', "~0").replace('/', "~1");
                let pointer = format!("{pointer}/properties/{escaped}");
                let required = is_required(&name);
                let default = property.get("default").filter(|_| !required).cloned();
                let node = self.node(property, &pointer);
                let null_is_absent = self.nodes[node].null && !required && default.is_none();
                if let Some(value) = &default {
                    self.defaults.push(Stated {
                        node: id,
                        name: name.clone(),
                        property: node,
                        value: value.clone(),
                        pointer,
                    });
                }
                let property = Property {
                    name: name.as_str().into(),
                    node,
                    required,
                    // Filled in once it was checked itself.
                    default: None,
                    null_is_absent,
                };
                properties.insert(name.into(), property);
            }
        }
        for name in required.iter().filter_map(Value::as_str) {
            if !properties.contains_key(name) {
                let node = self.add(Kind::Any);
                let property = Property {
                    name: name.into(),
                    node,
                    required: true,
                    default: None,
                    null_is_absent: false,
                };
                properties.insert(name.into(), property);
            }
        }
        let rest = match schema.remove("additionalProperties") {
            Some(Value::Bool(false)) => Rest::Closed,
            None => Rest::Each(self.add(Kind::Any)),
            Some(rest) => Rest::Each(self.node(rest, &format!("{pointer}/additionalProperties"))),
        };
        let keys = match schema.get(keywords::KEYS).and_then(Value::as_str) {
            Some(keys) => pattern::compile(keys).ok(),
            None => None,
        };
        let kind = Kind::Object(Box::new(Object {
            required: properties.values().filter(|one| one.required).count(),
            properties: properties.into_values().collect(),
            defaults: false,
            rest,
            keys,
            least: self.size(schema, "minProperties", pointer).unwrap_or(0),
            most: self
                .size(schema, "maxProperties", pointer)
                .unwrap_or(u64::MAX),
        }));
        self.among(kind, values)
    }

    fn list(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        let values = values(schema);
        let members = match schema.remove("prefixItems") {
            Some(Value::Array(members)) => self.each(members, pointer, "prefixItems"),
            _ => Vec::new(),
        };
        let items = schema.remove("items").unwrap_or(Value::Bool(true));
        let items = self.node(items, &format!("{pointer}/items"));
        let kind = Kind::List(Box::new(List {
            members,
            items,
            least: self.size(schema, "minItems", pointer).unwrap_or(0),
            most: self.size(schema, "maxItems", pointer).unwrap_or(u64::MAX),
            unique: schema.remove("uniqueItems") == Some(Value::Bool(true)),
        }));
        self.among(kind, values)
    }

    /// Removes a keyword that counts characters, items or properties.
    pub(super) fn size(
        &mut self,
        schema: &mut Map<String, Value>,
        keyword: &str,
        pointer: &str,
    ) -> Option<u64> {
        let size = schema.remove(keyword)?;
        let exact = whole(&size, true).filter(|up| whole(&size, false) == Some(*up));
        let exact = exact.and_then(|size| u64::try_from(size).ok());
        if exact.is_none() {
            let message = format_args!("`{keyword}` must be an integer of at least 0");
            self.problem(pointer, message);
        }
        exact
    }

    /// Narrows objects and arrays to the values that an `enum` states.
    fn among(&mut self, kind: Kind, values: Option<Vec<Value>>) -> Kind {
        match values {
            None => kind,
            Some(values) => {
                let parts = vec![self.add(Kind::Values(values)), self.add(kind)];
                Kind::Every(parts)
            }
        }
    }

    /// Refuses what refers to itself without a value in between: no check of it would end.
    fn refuse_circles(&mut self) {
        let mut open = vec![false; self.nodes.len()];
        let mut done = vec![false; self.nodes.len()];
        let circles =
            (0..self.nodes.len()).any(|id| circles(&self.nodes, id, &mut open, &mut done));
        if circles {
            self.strict = true;
            self.problem("", ENDLESS);
        }
    }
}

/// Whether this names JSON Schema 2020-12, the dialect of what names none (basic/index, JSON Schema Usage).
fn is_ours(dialect: &Value) -> bool {
    let name = dialect.as_str().unwrap_or_default();
    name.strip_suffix('#').unwrap_or(name) == "https://json-schema.org/draft/2020-12/schema"
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
