//! [`CompiledSchema`]: the nodes of a schema, in a list. A node refers to another by its index, so a type can contain
//! itself.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::format::Format;
use crate::schema::pattern::Pattern;

/// The index of a node in its schema.
pub(in crate::schema) type NodeId = usize;

/// A schema that values are validated against. The first node is the root.
#[derive(Debug)]
pub(in crate::schema) struct CompiledSchema {
    pub(super) nodes: Vec<Node>,
    /// Whether a walk may visit a value more than once: the schema has a union, `allOf` or `not`.
    pub(super) may_revisit: bool,
    /// Whether formats are enforced.
    pub(super) formats: bool,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// Whether `null` is valid too.
    pub(super) null: bool,
    /// Whether the value is secret: errors and logs must not show it.
    pub(super) secret: bool,
    /// How often the type reads the parts of the value, if it contains itself and is read by trial.
    pub(super) tries: Option<Box<Tries>>,
}

/// How often a type reads the parts of a value.
#[derive(Debug)]
pub(super) struct Tries {
    pub(super) keys: Vec<(Box<str>, u64)>,
    pub(super) rest: u64,
    pub(super) items: u64,
}

impl Tries {
    pub(super) fn key(&self, name: &str) -> u64 {
        let found = self.keys.binary_search_by(|(key, _)| (**key).cmp(name));
        let declared = found.ok().and_then(|at| self.keys.get(at));
        (declared.map_or(0, |(_, count)| *count) + self.rest).max(1)
    }
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Any,
    Never,
    Null,
    /// The node of a `$ref`.
    Ref(NodeId),
    Bool(Option<bool>),
    Integer(IntegerRule),
    Number(NumberRule),
    String(Box<StringRule>),
    Array(Box<ArrayRule>),
    Object(Box<ObjectRule>),
    Union(Box<UnionRule>),
    /// Valid for each of these nodes.
    AllOf(Vec<NodeId>),
    /// Not valid for this node.
    Not(NodeId),
    /// One of these values.
    Enum(Vec<Value>),
}

#[derive(Debug)]
pub(super) struct IntegerRule {
    pub(super) min: i128,
    pub(super) max: i128,
    /// The type has more than 64 bits.
    pub(super) over_64_bits: bool,
    /// A string of digits is valid, in every encoding: JavaScript numbers cannot hold the type.
    pub(super) accepts_digits: bool,
    /// The allowed values, sorted.
    pub(super) allowed: Option<Box<[i128]>>,
    pub(super) not: Box<[i128]>,
    pub(super) multiple_of: Option<i128>,
}

#[derive(Debug)]
pub(super) struct NumberRule {
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) exclusive_min: Option<f64>,
    pub(super) exclusive_max: Option<f64>,
    pub(super) is_f32: bool,
    pub(super) allowed: Option<Box<[f64]>>,
    pub(super) not: Box<[f64]>,
    pub(super) multiple_of: Option<f64>,
}

#[derive(Debug)]
pub(super) struct StringRule {
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
    pub(super) allowed: Option<Choices>,
    pub(super) not: Vec<Box<str>>,
}

/// The strings of an `enum`, in the declared order.
#[derive(Debug)]
pub(super) struct Choices {
    pub(super) values: Vec<Box<str>>,
    /// Other strings that the type reads as one of them.
    pub(super) aliases: Vec<Box<str>>,
    /// The same strings, if the list is long enough for a set to be faster.
    pub(super) set: Option<HashSet<Box<str>>>,
}

impl Choices {
    pub(super) fn new(values: Vec<Box<str>>, aliases: Vec<Box<str>>) -> Self {
        let set = (values.len() > 12).then(|| values.iter().chain(&aliases).cloned().collect());
        Choices {
            values,
            aliases,
            set,
        }
    }

    pub(super) fn has(&self, text: &str) -> bool {
        match &self.set {
            Some(set) => set.contains(text),
            None => self
                .values
                .iter()
                .chain(&self.aliases)
                .any(|one| &**one == text),
        }
    }
}

#[derive(Debug)]
pub(super) struct ArrayRule {
    /// The nodes of the first items.
    pub(super) prefix_items: Vec<NodeId>,
    /// The node of the other items.
    pub(super) items: NodeId,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) unique: bool,
}

#[derive(Debug)]
pub(super) struct ObjectRule {
    /// The declared properties, sorted by name.
    pub(super) properties: Vec<Property>,
    /// The number of required properties.
    pub(super) required: usize,
    /// Whether a property has a default.
    pub(super) defaults: bool,
    /// Whether a property has other names.
    pub(super) aliases: bool,
    pub(super) rest: Additional,
    pub(super) key_pattern: Option<Pattern>,
    pub(super) min: u64,
    pub(super) max: u64,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) node: NodeId,
    pub(super) required: bool,
    /// The default, normalized.
    pub(super) default: Option<Value>,
    /// Whether `null` counts as absent.
    pub(super) null_is_absent: bool,
    /// Its other names.
    pub(super) aliases: Vec<Box<str>>,
}

impl Property {
    /// The names under which an object has it. serde accepts one.
    pub(super) fn given<'a>(
        &'a self,
        object: &'a Map<String, Value>,
    ) -> impl Iterator<Item = &'a str> {
        let names = std::iter::once(&self.name).chain(&self.aliases);
        names
            .map(|name| &**name)
            .filter(|name| object.contains_key(*name))
    }

    pub(super) fn is_in(&self, object: &Map<String, Value>) -> bool {
        self.given(object).next().is_some()
    }
}

impl ObjectRule {
    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        self.properties
            .binary_search_by(|property| (*property.name).cmp(name))
            .ok()
            .and_then(|at| self.properties.get(at))
            .or_else(|| match self.aliases {
                true => self.with_alias(name),
                false => None,
            })
    }

    #[cold]
    fn with_alias(&self, name: &str) -> Option<&Property> {
        let mut properties = self.properties.iter();
        properties.find(|property| property.aliases.iter().any(|alias| &**alias == name))
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.properties.iter().map(|property| &*property.name)
    }
}

/// Which properties are valid besides the declared ones.
#[derive(Clone, Copy, Debug)]
pub(super) enum Additional {
    /// None.
    Forbidden,
    /// Any, if its value is valid for this node.
    Allowed(NodeId),
}

#[derive(Debug)]
pub(super) struct UnionRule {
    pub(super) branches: Vec<NodeId>,
    /// Whether a value that matches two branches is invalid (`oneOf`).
    pub(super) exactly_one: bool,
    /// How the branch of an object is selected.
    pub(super) by: Selector,
}

#[derive(Debug)]
pub(super) enum Selector {
    /// Each branch is tried.
    Trial,
    /// By the value of this property.
    Tag(Box<str>, Vec<(Box<str>, NodeId)>),
    /// By the name of the only property.
    Key(Vec<(Box<str>, NodeId)>),
}

impl CompiledSchema {
    pub(super) fn node(&self, id: NodeId) -> &Node {
        // Every `NodeId` was made by the compiler for a node of this plan.
        &self.nodes[id]
    }

    /// The node at `id`, behind any `$ref`.
    pub(super) fn resolve(&self, mut id: NodeId) -> &Node {
        while let NodeKind::Ref(other) = self.node(id).kind {
            id = other;
        }
        self.node(id)
    }

    /// The node of the root's property `name`.
    pub(in crate::schema) fn property(&self, name: &str) -> Option<NodeId> {
        match &self.resolve(0).kind {
            NodeKind::Object(object) => object.property(name).map(|property| property.node),
            _ => None,
        }
    }

    /// Whether a node is of texts, or has the empty text among its values.
    pub(super) fn takes_empty_text(&self, id: NodeId) -> bool {
        // A type that contains itself, without a text on the way, has none.
        self.has_empty_text(id, 16)
    }

    fn has_empty_text(&self, id: NodeId, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let has = |id: &NodeId| self.has_empty_text(*id, depth);
        match &self.resolve(id).kind {
            NodeKind::Any | NodeKind::Not(_) => true,
            NodeKind::String(rule) => rule.allowed.as_ref().is_none_or(|values| values.has("")),
            NodeKind::Enum(values) => values.iter().any(|value| value == ""),
            NodeKind::Union(union) => union.branches.iter().any(has),
            NodeKind::AllOf(parts) => parts.iter().all(has),
            // Where the encoding has only strings, a text is a list of one.
            NodeKind::Array(rule) => has(rule.prefix_items.first().unwrap_or(&rule.items)),
            NodeKind::Ref(_)
            | NodeKind::Never
            | NodeKind::Null
            | NodeKind::Bool(_)
            | NodeKind::Integer(_)
            | NodeKind::Number(_)
            | NodeKind::Object(_) => false,
        }
    }

    /// Whether a text inside of a field of the root has a format. An error of its type may name the field alone.
    pub(in crate::schema) fn has_inner_formats(&self) -> bool {
        let of_root: Vec<NodeId> = match &self.resolve(0).kind {
            NodeKind::Object(root) => root.properties.iter().map(|one| one.node).collect(),
            _ => Vec::new(),
        };
        let has_format = |(id, node): (NodeId, &Node)| {
            matches!(&node.kind, NodeKind::String(rule) if rule.format.is_some())
                && !of_root.contains(&id)
        };
        self.nodes.iter().enumerate().any(has_format)
    }

    /// Whether the schema has a secret.
    pub(in crate::schema) fn has_secrets(&self) -> bool {
        self.nodes.iter().any(|node| node.secret)
    }

    /// Sets or removes the default of a property. `value` must be normalized.
    pub(in crate::schema) fn set_default(
        &mut self,
        node: NodeId,
        name: &str,
        value: Option<Value>,
    ) {
        if let NodeKind::Object(object) = &mut self.nodes[node].kind {
            if let Some(property) = object
                .properties
                .iter_mut()
                .find(|property| &*property.name == name)
            {
                property.default = value;
            }
            object.defaults = object.properties.iter().any(|one| one.default.is_some());
        }
    }
}
