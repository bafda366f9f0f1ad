//! Masks the secrets of an input for logs and audit records, and finds the secrets of a schema.

use serde_json::{Map, Value};

use super::compiled::{Additional, CompiledSchema, Node, NodeId, NodeKind};

/// The text that replaces a secret.
const MASK: &str = "[secret]";
/// The nesting depth from which values are masked whole.
const MAX_DEPTH: usize = 192;

impl CompiledSchema {
    /// Masks every secret of `input`, which may be invalid.
    pub(in crate::schema) fn mask(&self, input: &mut Map<String, Value>) {
        if !self.has_secrets() {
            return;
        }
        let mut value = Value::Object(std::mem::take(input));
        self.mask_node(0, &mut value, 0);
        if let Value::Object(masked) = value {
            *input = masked;
        }
    }

    /// Whether `value`, a value of the node `id`, contains a secret.
    pub(in crate::schema) fn holds_secret(&self, id: NodeId, value: &Value) -> bool {
        let mut masked = value.clone();
        if self.has_secrets() {
            self.mask_node(id, &mut masked, 0);
        }
        masked != *value
    }

    fn mask_node(&self, id: NodeId, value: &mut Value, depth: usize) {
        let node = self.node(id);
        if node.secret || depth > MAX_DEPTH {
            if !value.is_null() {
                *value = Value::String(MASK.to_owned());
            }
            return;
        }
        match (&node.kind, value) {
            (NodeKind::Ref(other), value) => self.mask_node(*other, value, depth + 1),
            (NodeKind::Object(rule), Value::Object(object)) => {
                for (key, value) in object {
                    match (rule.property(key), rule.rest) {
                        (Some(property), _) => self.mask_node(property.node, value, depth + 1),
                        (None, Additional::Allowed(id)) => self.mask_node(id, value, depth + 1),
                        (None, Additional::Forbidden) => {}
                    }
                }
            }
            (NodeKind::Array(rule), Value::Array(items)) => {
                for (at, item) in items.iter_mut().enumerate() {
                    let id = rule.prefix_items.get(at).copied().unwrap_or(rule.items);
                    self.mask_node(id, item, depth + 1);
                }
            }
            // The branch of an invalid value is unknown, so a secret of any branch is masked.
            (NodeKind::Union(union), value) => {
                for branch in &union.branches {
                    self.mask_node(*branch, value, depth + 1);
                }
            }
            (NodeKind::AllOf(parts), value) => {
                for part in parts {
                    self.mask_node(*part, value, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// The paths of the secrets; sorted.
    pub(in crate::schema) fn secrets(&self) -> Vec<String> {
        self.paths(&|node| node.secret)
    }

    /// The paths of the integers whose type is wider than 64 bits; sorted.
    pub(in crate::schema) fn huge(&self) -> Vec<String> {
        self.paths(&|node| matches!(&node.kind, NodeKind::Integer(rule) if rule.over_64_bits))
    }

    /// The paths of the nodes that `fits` selects: `cards[].number` for a field of each item, `keys.*` for each value of a
    /// map. A recursive type is searched once.
    fn paths(&self, fits: &dyn Fn(&Node) -> bool) -> Vec<String> {
        let mut found = Vec::new();
        if self.nodes.iter().any(fits) {
            self.paths_below(0, "", fits, &mut Vec::new(), &mut found);
            found.sort();
            found.dedup();
        }
        found
    }

    fn paths_below(
        &self,
        id: NodeId,
        path: &str,
        fits: &dyn Fn(&Node) -> bool,
        open: &mut Vec<NodeId>,
        found: &mut Vec<String>,
    ) {
        let node = self.node(id);
        if fits(node) {
            found.push(path.to_owned());
            return;
        }
        if open.contains(&id) {
            return;
        }
        open.push(id);
        let below = |name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}.{name}"),
        };
        match &node.kind {
            NodeKind::Ref(other) => self.paths_below(*other, path, fits, open, found),
            NodeKind::Object(rule) => {
                for property in &rule.properties {
                    self.paths_below(property.node, &below(&property.name), fits, open, found);
                }
                if let Additional::Allowed(id) = rule.rest {
                    self.paths_below(id, &below("*"), fits, open, found);
                }
            }
            NodeKind::Array(rule) => {
                for id in rule.prefix_items.iter().chain([&rule.items]) {
                    self.paths_below(*id, &format!("{path}[]"), fits, open, found);
                }
            }
            NodeKind::Union(union) => {
                for branch in &union.branches {
                    self.paths_below(*branch, path, fits, open, found);
                }
            }
            NodeKind::AllOf(parts) => {
                for part in parts {
                    self.paths_below(*part, path, fits, open, found);
                }
            }
            _ => {}
        }
        open.pop();
    }

    /// Whether the value at `path`, such as `cards[0].number`, is secret or inside a secret. A path that leads nowhere, such as
    /// one with a key that contains a dot, counts as secret.
    pub(in crate::schema) fn is_secret(&self, path: &str) -> bool {
        self.has_secrets() && self.follow(path).is_err()
    }

    /// The part of `path` that an error may show if the value there is secret, is inside a secret or contains one. `None` if
    /// none of these is true.
    pub(in crate::schema) fn hidden<'p>(&self, path: &'p str) -> Option<&'p str> {
        if !self.has_secrets() {
            return None;
        }
        match self.follow(path) {
            Ok(at) => self.reach_secret(at).then_some(path),
            Err(prefix) => Some(prefix),
        }
    }

    /// Whether the property `name` of the root is secret or has a secret in it.
    pub(in crate::schema) fn has_secret_in(&self, name: &str) -> bool {
        let mut at = vec![0];
        self.has_secrets()
            && (self.any_secret(&mut at) || {
                let below = at.iter().flat_map(|id| self.below(*id, name)).collect();
                self.reach_secret(below)
            })
    }

    /// The nodes at `path`. The error is the part of the path before a secret, or before it leads nowhere.
    fn follow<'p>(&self, path: &'p str) -> Result<Vec<NodeId>, &'p str> {
        let (mut at, mut visible) = (vec![0], 0);
        for (step, end) in steps(path) {
            if self.any_secret(&mut at) {
                return Err(&path[..visible]);
            }
            at = at.iter().flat_map(|id| self.below(*id, step)).collect();
            if at.is_empty() {
                // The step may be a key inside a secret.
                return Err(&path[..visible]);
            }
            visible = end;
        }
        match self.any_secret(&mut at) {
            true => Err(&path[..visible]),
            false => Ok(at),
        }
    }

    /// Whether any of these nodes is secret or leads to a secret.
    fn reach_secret(&self, mut open: Vec<NodeId>) -> bool {
        let mut seen = vec![false; self.nodes.len()];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            let node = self.node(id);
            if node.secret {
                return true;
            }
            match &node.kind {
                NodeKind::Ref(other) => open.push(*other),
                NodeKind::Union(union) => open.extend(&union.branches),
                NodeKind::AllOf(parts) => open.extend(parts),
                NodeKind::Array(rule) => open.extend(rule.prefix_items.iter().chain([&rule.items])),
                NodeKind::Object(rule) => {
                    open.extend(rule.properties.iter().map(|property| property.node));
                    if let Additional::Allowed(id) = rule.rest {
                        open.push(id);
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// Adds the nodes that the nodes of `at` refer to without a value in between. Returns whether one is secret.
    fn any_secret(&self, at: &mut Vec<NodeId>) -> bool {
        let mut next = 0;
        while let Some(&id) = at.get(next) {
            next += 1;
            let node = self.node(id);
            if node.secret {
                return true;
            }
            let more: &[NodeId] = match &node.kind {
                NodeKind::Ref(other) => std::slice::from_ref(other),
                NodeKind::Union(union) => &union.branches,
                NodeKind::AllOf(parts) => parts,
                _ => &[],
            };
            for id in more {
                if !at.contains(id) {
                    at.push(*id);
                }
            }
        }
        false
    }

    fn below(&self, id: NodeId, step: &str) -> Vec<NodeId> {
        match &self.node(id).kind {
            NodeKind::Object(rule) => match (rule.property(step), rule.rest) {
                (Some(property), _) => vec![property.node],
                (None, Additional::Allowed(id)) => vec![id],
                (None, Additional::Forbidden) => Vec::new(),
            },
            NodeKind::Array(rule) => rule
                .prefix_items
                .iter()
                .copied()
                .chain([rule.items])
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// The steps of a path, each with its end in the text.
fn steps(path: &str) -> impl Iterator<Item = (&str, usize)> {
    let ends = path.match_indices(['.', '[']).map(|(at, _)| at);
    let mut from = 0;
    ends.chain([path.len()]).filter_map(move |end| {
        let step = path[from..end]
            .trim_start_matches(['.', '['])
            .trim_end_matches(']')
            .trim_matches('"');
        from = end;
        (!step.is_empty()).then_some((step, end))
    })
}
