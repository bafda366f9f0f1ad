//! Takes the values of secret fields out of a copy of an input, for whatever shows or logs it.

use serde_json::{Map, Value};

use super::plan::{Id, Kind, Node, Plan, Rest};

/// What stands in the place of a secret.
const MASK: &str = "[secret]";
/// How deep a value is looked into; what lies deeper is masked whole.
const DEEPEST: usize = 192;

impl Plan {
    /// Masks every secret of `input`, which need not fit.
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

    /// Whether there is a secret in `value`, which stands at the node `id`.
    pub(in crate::schema) fn holds_secret(&self, id: Id, value: &Value) -> bool {
        let mut masked = value.clone();
        if self.has_secrets() {
            self.mask_node(id, &mut masked, 0);
        }
        masked != *value
    }

    fn mask_node(&self, id: Id, value: &mut Value, depth: usize) {
        let node = self.node(id);
        if node.secret || depth > DEEPEST {
            if !value.is_null() {
                *value = Value::String(MASK.to_owned());
            }
            return;
        }
        match (&node.kind, value) {
            (Kind::Same(other), value) => self.mask_node(*other, value, depth + 1),
            (Kind::Object(rule), Value::Object(object)) => {
                for (key, value) in object {
                    match (rule.property(key), rule.rest) {
                        (Some(property), _) => self.mask_node(property.node, value, depth + 1),
                        (None, Rest::Each(id)) => self.mask_node(id, value, depth + 1),
                        (None, Rest::Closed) => {}
                    }
                }
            }
            (Kind::List(rule), Value::Array(items)) => {
                for (at, item) in items.iter_mut().enumerate() {
                    let id = rule.members.get(at).copied().unwrap_or(rule.items);
                    self.mask_node(id, item, depth + 1);
                }
            }
            // Which branch it is meant to be is not known of what does not fit: what any of them
            // hides is hidden.
            (Kind::Union(union), value) => {
                for branch in &union.branches {
                    self.mask_node(*branch, value, depth + 1);
                }
            }
            (Kind::Every(parts), value) => {
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
        self.paths(&|node| matches!(&node.kind, Kind::Integer(rule) if rule.huge))
    }

    /// The paths of the nodes that `fits` picks, `cards[].number` for a field of each item and `keys.*`
    /// for each value of a map. A type that contains itself is looked into once.
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
        id: Id,
        path: &str,
        fits: &dyn Fn(&Node) -> bool,
        open: &mut Vec<Id>,
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
            Kind::Same(other) => self.paths_below(*other, path, fits, open, found),
            Kind::Object(rule) => {
                for property in &rule.properties {
                    self.paths_below(property.node, &below(&property.name), fits, open, found);
                }
                if let Rest::Each(id) = rule.rest {
                    self.paths_below(id, &below("*"), fits, open, found);
                }
            }
            Kind::List(rule) => {
                for id in rule.members.iter().chain([&rule.items]) {
                    self.paths_below(*id, &format!("{path}[]"), fits, open, found);
                }
            }
            Kind::Union(union) => {
                for branch in &union.branches {
                    self.paths_below(*branch, path, fits, open, found);
                }
            }
            Kind::Every(parts) => {
                for part in parts {
                    self.paths_below(*part, path, fits, open, found);
                }
            }
            _ => {}
        }
        open.pop();
    }

    /// Whether what stands at `path`, written like `cards[0].number`, is secret or lies in a secret. Where
    /// a path leads is not known once a key has a dot in it, and then it counts as one.
    pub(in crate::schema) fn is_secret(&self, path: &str) -> bool {
        if !self.has_secrets() {
            return false;
        }
        let mut at = vec![0];
        let mut steps = path
            .split(['.', '['])
            .map(|step| step.trim_end_matches(']').trim_matches('"'))
            .filter(|step| !step.is_empty());
        loop {
            if self.any_secret(&mut at) || at.is_empty() {
                return true;
            }
            let Some(step) = steps.next() else {
                return false;
            };
            at = at.iter().flat_map(|id| self.below(*id, step)).collect();
        }
    }

    /// Adds to `at` what its nodes stand for; tells whether any is secret.
    fn any_secret(&self, at: &mut Vec<Id>) -> bool {
        let mut next = 0;
        while let Some(&id) = at.get(next) {
            next += 1;
            let node = self.node(id);
            if node.secret {
                return true;
            }
            let more: &[Id] = match &node.kind {
                Kind::Same(other) => std::slice::from_ref(other),
                Kind::Union(union) => &union.branches,
                Kind::Every(parts) => parts,
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

    fn below(&self, id: Id, step: &str) -> Vec<Id> {
        match &self.node(id).kind {
            Kind::Object(rule) => match (rule.property(step), rule.rest) {
                (Some(property), _) => vec![property.node],
                (None, Rest::Each(id)) => vec![id],
                (None, Rest::Closed) => Vec::new(),
            },
            Kind::List(rule) => rule.members.iter().copied().chain([rule.items]).collect(),
            _ => Vec::new(),
        }
    }
}
