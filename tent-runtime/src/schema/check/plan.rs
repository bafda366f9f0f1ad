//! A document made ready for checking: nodes in a list that name one another by their place in it, so
//! that a type may contain itself.

use std::collections::HashSet;

use serde_json::Value;

use super::format::Format;
use crate::schema::pattern::Pattern;

/// The place of a node in its plan.
pub(in crate::schema) type Id = usize;

/// The nodes of a document. The first is the root.
#[derive(Debug)]
pub(in crate::schema) struct Plan {
    pub(super) nodes: Vec<Node>,
    /// Whether a check may look at one value more than once.
    pub(super) looks_twice: bool,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Takes `null` too.
    pub(super) null: bool,
    /// Its value may not be shown.
    pub(super) secret: bool,
}

#[derive(Debug)]
pub(super) enum Kind {
    Any,
    Never,
    Null,
    /// What the other one takes.
    Same(Id),
    Bool(Option<bool>),
    Integer(Integer),
    Number(Number),
    Text(Box<Text>),
    List(Box<List>),
    Object(Box<Object>),
    Union(Box<Union>),
    /// What each of these takes.
    Every(Vec<Id>),
    /// What this does not take.
    Not(Id),
    /// Exactly these.
    Values(Vec<Value>),
}

#[derive(Debug)]
pub(super) struct Integer {
    pub(super) least: i128,
    pub(super) most: i128,
    /// Of a type wider than 64 bits.
    pub(super) huge: bool,
    /// Taken from a string of digits on every wire.
    pub(super) wide: bool,
    /// Sorted.
    pub(super) only: Option<Box<[i128]>>,
    pub(super) not: Box<[i128]>,
    pub(super) step: Option<i128>,
}

#[derive(Debug)]
pub(super) struct Number {
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) above: Option<f64>,
    pub(super) below: Option<f64>,
    pub(super) single: bool,
    pub(super) only: Option<Box<[f64]>>,
    pub(super) not: Box<[f64]>,
    pub(super) step: Option<f64>,
}

#[derive(Debug)]
pub(super) struct Text {
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) pattern: Option<Pattern>,
    pub(super) format: Option<Format>,
    pub(super) only: Option<Choices>,
    pub(super) not: Vec<Box<str>>,
}

/// The texts of an `enum`, in the order they are stated.
#[derive(Debug)]
pub(super) struct Choices {
    pub(super) stated: Vec<Box<str>>,
    /// The same once more, where going through the list takes longer.
    pub(super) set: Option<HashSet<Box<str>>>,
}

impl Choices {
    pub(super) fn new(stated: Vec<Box<str>>) -> Self {
        let set = (stated.len() > 12).then(|| stated.iter().cloned().collect());
        Choices { stated, set }
    }

    pub(super) fn has(&self, text: &str) -> bool {
        match &self.set {
            Some(set) => set.contains(text),
            None => self.stated.iter().any(|one| &**one == text),
        }
    }
}

#[derive(Debug)]
pub(super) struct List {
    /// The first items, each with a node of its own.
    pub(super) members: Vec<Id>,
    /// The others.
    pub(super) items: Id,
    pub(super) least: u64,
    pub(super) most: u64,
    pub(super) unique: bool,
}

#[derive(Debug)]
pub(super) struct Object {
    /// Sorted by name.
    pub(super) properties: Vec<Property>,
    /// How many of them are required.
    pub(super) required: usize,
    /// Whether any of them has a default to fill in.
    pub(super) defaults: bool,
    pub(super) rest: Rest,
    pub(super) keys: Option<Pattern>,
    pub(super) least: u64,
    pub(super) most: u64,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) node: Id,
    pub(super) required: bool,
    /// What it is where it is absent, in normal form.
    pub(super) default: Option<Value>,
    /// Whether `null` says the same as leaving it out.
    pub(super) null_is_absent: bool,
}

impl Object {
    pub(super) fn property(&self, name: &str) -> Option<&Property> {
        self.properties
            .binary_search_by(|property| (*property.name).cmp(name))
            .ok()
            .and_then(|at| self.properties.get(at))
    }

    pub(super) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.properties.iter().map(|property| &*property.name)
    }
}

/// The properties that have no name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rest {
    /// There are none.
    Closed,
    /// Each fits this.
    Each(Id),
}

#[derive(Debug)]
pub(super) struct Union {
    pub(super) branches: Vec<Id>,
    /// Whether a value that fits two of them fits none.
    pub(super) exactly_one: bool,
    /// How an object tells which branch it means.
    pub(super) by: By,
}

#[derive(Debug)]
pub(super) enum By {
    /// It does not: each is tried.
    Trial,
    /// By the value of this property.
    Tag(Box<str>, Vec<(Box<str>, Id)>),
    /// By the one property that it has.
    Key(Vec<(Box<str>, Id)>),
}

impl Plan {
    pub(super) fn node(&self, id: Id) -> &Node {
        // Every `Id` was made by the compiler for a node of this plan.
        &self.nodes[id]
    }

    /// The node that `id` stands for.
    pub(super) fn real(&self, mut id: Id) -> &Node {
        while let Kind::Same(other) = self.node(id).kind {
            id = other;
        }
        self.node(id)
    }

    /// Follows the property `name` of the root.
    pub(in crate::schema) fn property(&self, name: &str) -> Option<Id> {
        match &self.real(0).kind {
            Kind::Object(object) => object.property(name).map(|property| property.node),
            _ => None,
        }
    }

    /// Whether any value is secret.
    pub(in crate::schema) fn has_secrets(&self) -> bool {
        self.nodes.iter().any(|node| node.secret)
    }

    /// Gives a default in normal form to a property, or takes it away.
    pub(in crate::schema) fn set_default(&mut self, node: Id, name: &str, value: Option<Value>) {
        if let Kind::Object(object) = &mut self.nodes[node].kind {
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
