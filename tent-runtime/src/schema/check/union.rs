//! The walk at a union: selects the branch by the tag, else by the first that the value matches, and walks that branch.

use serde_json::{Map, Value};

use super::compiled::{NodeId, NodeKind, Selector, UnionRule};
use super::messages;
use super::path::Path;
use super::walk::{Mode, Validation};

impl Validation<'_> {
    pub(super) fn union(
        &mut self,
        id: NodeId,
        union: &UnionRule,
        value: &mut Value,
        path: &Path<'_>,
    ) {
        if let Value::Object(object) = &*value {
            let branch = match &union.by {
                Selector::Trial => None,
                Selector::Tag(tag, values) => Some(self.branch_by_tag(tag, values, object, path)),
                Selector::Key(keys) => {
                    let found = keys.iter().find(|(key, _)| object.contains_key(&**key));
                    if found.is_none() {
                        self.fail(path, || {
                            let keys = messages::list(keys.iter().map(|(key, _)| &**key));
                            format!("expected an object with exactly one of {keys}")
                        });
                    }
                    Some(found.map(|(_, branch)| *branch))
                }
            };
            match branch {
                None => {}
                Some(None) => return,
                Some(Some(branch)) => return self.visit(branch, value, path),
            }
        }

        let candidates = self.candidates(union, value);
        match candidates.as_slice() {
            [] => return self.expected(id, value, path),
            [only] => return self.visit(*only, value, path),
            _ => {}
        }
        self.unions += 1;
        self.chosen(id, union, &candidates, value, path);
        self.unions -= 1;
        if self.unions == 0 {
            self.budget.forget();
        }
    }

    /// The branches that can match a value of this JSON type.
    pub(super) fn candidates(&self, union: &UnionRule, value: &Value) -> Vec<NodeId> {
        let may = |branch: &&NodeId| self.may_match(**branch, value, 0);
        union.branches.iter().filter(may).copied().collect()
    }

    /// Walks the branch that `value` matches.
    fn chosen(
        &mut self,
        id: NodeId,
        union: &UnionRule,
        candidates: &[NodeId],
        value: &mut Value,
        path: &Path<'_>,
    ) {
        let chosen = self.select_branch(candidates, value, path);
        let several = match chosen {
            Some((branch, _)) if union.exactly_one => {
                self.matches_another(candidates, branch, value, path)
            }
            _ => false,
        };
        match chosen {
            _ if self.budget.is_exhausted() => self.fail_exhausted(path),
            None => {
                let compiled = self.compiled;
                self.fail(path, || {
                    format!("matches none of these: {}", compiled.expected_value(id))
                });
            }
            Some(_) if several => self.fail(path, || {
                "matches more than one of the alternatives".to_owned()
            }),
            Some((branch, _)) => self.visit(branch, value, path),
        }
    }

    /// The branch that the value of `tag` selects. Records an error if it selects none.
    fn branch_by_tag(
        &mut self,
        tag: &str,
        values: &[(Box<str>, NodeId)],
        object: &Map<String, Value>,
        path: &Path<'_>,
    ) -> Option<NodeId> {
        let path = path.known(tag);
        let names = || values.iter().map(|(value, _)| &**value);
        match object.get(tag) {
            Some(Value::String(tag_value)) => {
                let found = values.iter().find(|(value, _)| **value == **tag_value);
                if found.is_none() {
                    self.fail_choice(tag_value, names(), &path);
                }
                return found.map(|(_, branch)| *branch);
            }
            Some(other) => self.fail(&path, || {
                let kind = messages::kind_of(other);
                format!("expected {}, got {kind}", messages::one_of(names()))
            }),
            None => self.fail(&path, || {
                format!("is required: expected {}", messages::one_of(names()))
            }),
        }
        None
    }

    /// Whether the node at `id` can match a value of this JSON type.
    fn may_match(&self, id: NodeId, value: &Value, depth: usize) -> bool {
        let node = self.compiled.node(id);
        let strings = self.mode == Mode::Strings && value.is_string();
        if depth > 16 || (node.null && value.is_null()) {
            return true;
        }
        match &node.kind {
            NodeKind::Any | NodeKind::Not(_) | NodeKind::Enum(_) => true,
            NodeKind::Never => false,
            NodeKind::Ref(other) => self.may_match(*other, value, depth + 1),
            NodeKind::Null => value.is_null(),
            NodeKind::Bool(_) => value.is_boolean() || strings,
            NodeKind::Integer(rule) => {
                value.is_number()
                    || strings
                    || (rule.accepts_digits && self.mode == Mode::Json && value.is_string())
            }
            NodeKind::Number(_) => value.is_number() || strings,
            NodeKind::String(_) => value.is_string(),
            NodeKind::Array(_) => value.is_array() || strings,
            NodeKind::Object(_) => value.is_object(),
            NodeKind::Union(union) => union
                .branches
                .iter()
                .any(|branch| self.may_match(*branch, value, depth + 1)),
            NodeKind::AllOf(parts) => parts
                .iter()
                .all(|part| self.may_match(*part, value, depth + 1)),
        }
    }
}
