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
        self.has_secrets() && self.follow(path).is_err()
    }

    /// How much of `path` may be told where what stands there is secret, lies in a secret or has one in it;
    /// `None` where it has nothing to do with one.
    pub(in crate::schema) fn hidden<'p>(&self, path: &'p str) -> Option<&'p str> {
        if !self.has_secrets() {
            return None;
        }
        match self.follow(path) {
            Ok(at) => self.reach_secret(at).then_some(path),
            Err(told) => Some(told),
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

    /// The nodes at `path`, or the part of it before a secret or before it leads nowhere.
    fn follow<'p>(&self, path: &'p str) -> Result<Vec<Id>, &'p str> {
        let (mut at, mut told) = (vec![0], 0);
        for (step, end) in steps(path) {
            if self.any_secret(&mut at) {
                return Err(&path[..told]);
            }
            at = at.iter().flat_map(|id| self.below(*id, step)).collect();
            if at.is_empty() {
                // The step may be a key of something secret.
                return Err(&path[..told]);
            }
            told = end;
        }
        match self.any_secret(&mut at) {
            true => Err(&path[..told]),
            false => Ok(at),
        }
    }

    /// Whether any of these nodes is secret or leads to a secret.
    fn reach_secret(&self, mut open: Vec<Id>) -> bool {
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
                Kind::Same(other) => open.push(*other),
                Kind::Union(union) => open.extend(&union.branches),
                Kind::Every(parts) => open.extend(parts),
                Kind::List(rule) => open.extend(rule.members.iter().chain([&rule.items])),
                Kind::Object(rule) => {
                    open.extend(rule.properties.iter().map(|property| property.node));
                    if let Rest::Each(id) = rule.rest {
                        open.push(id);
                    }
                }
                _ => {}
            }
        }
        false
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

/// The steps of a path, each with the place in the text where it ends.
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
