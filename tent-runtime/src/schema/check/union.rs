//! The walk at a union: the branch that a tag chooses, else the first that the value fits.

use serde_json::{Map, Value};

use super::path::Path;
use super::plan::{By, Id, Kind, Union};
use super::walk::{Mode, Walk};
use super::words;

impl Walk<'_> {
    pub(super) fn union(&mut self, id: Id, union: &Union, value: &mut Value, path: &Path<'_>) {
        if let Value::Object(object) = &*value {
            let branch = match &union.by {
                By::Trial => None,
                By::Tag(tag, values) => Some(self.tagged(tag, values, object, path)),
                By::Key(keys) => {
                    let found = keys.iter().find(|(key, _)| object.contains_key(&**key));
                    if found.is_none() {
                        self.fail(path, || {
                            let keys = words::list(keys.iter().map(|(key, _)| &**key));
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
            self.work.forget();
        }
    }

    /// The branches that take values of this type at all.
    pub(super) fn candidates(&self, union: &Union, value: &Value) -> Vec<Id> {
        let may = |branch: &&Id| self.may_take(**branch, value, 0);
        union.branches.iter().filter(may).copied().collect()
    }

    /// The walk on from the branch that is meant.
    fn chosen(
        &mut self,
        id: Id,
        union: &Union,
        candidates: &[Id],
        value: &mut Value,
        path: &Path<'_>,
    ) {
        let chosen = self.choose(candidates, value, path);
        let several = match chosen {
            Some((branch, _)) if union.exactly_one => {
                self.fits_another(candidates, branch, value, path)
            }
            _ => false,
        };
        match chosen {
            _ if self.work.is_spent() => self.gives_up(path),
            None => {
                let plan = self.plan;
                self.fail(path, || format!("fits none of these: {}", plan.wanted(id)));
            }
            Some(_) if several => self.fail(path, || {
                "fits several of the shapes that exclude each other".to_owned()
            }),
            Some((branch, _)) => self.visit(branch, value, path),
        }
    }

    /// The branch that the value of `tag` chooses, or what is wrong with it.
    fn tagged(
        &mut self,
        tag: &str,
        values: &[(Box<str>, Id)],
        object: &Map<String, Value>,
        path: &Path<'_>,
    ) -> Option<Id> {
        let path = path.known(tag);
        let names = || values.iter().map(|(value, _)| &**value);
        match object.get(tag) {
            Some(Value::String(given)) => {
                let found = values.iter().find(|(value, _)| **value == **given);
                if found.is_none() {
                    self.none_of(given, names(), &path);
                }
                return found.map(|(_, branch)| *branch);
            }
            Some(other) => self.fail(&path, || {
                let kind = words::kind_of(other);
                format!("expected {}, got {kind}", words::one_of(names()))
            }),
            None => self.fail(&path, || {
                format!("is required: expected {}", words::one_of(names()))
            }),
        }
        None
    }

    /// Whether the node at `id` takes values of this type at all.
    fn may_take(&self, id: Id, value: &Value, depth: usize) -> bool {
        let node = self.plan.node(id);
        let strings = self.mode == Mode::Strings && value.is_string();
        if depth > 16 || (node.null && value.is_null()) {
            return true;
        }
        match &node.kind {
            Kind::Any | Kind::Not(_) | Kind::Values(_) => true,
            Kind::Never => false,
            Kind::Same(other) => self.may_take(*other, value, depth + 1),
            Kind::Null => value.is_null(),
            Kind::Bool(_) => value.is_boolean() || strings,
            Kind::Integer(rule) => {
                value.is_number()
                    || strings
                    || (rule.wide && self.mode == Mode::Json && value.is_string())
            }
            Kind::Number(_) => value.is_number() || strings,
            Kind::Text(_) => value.is_string(),
            Kind::List(_) => value.is_array() || strings,
            Kind::Object(_) => value.is_object(),
            Kind::Union(union) => union
                .branches
                .iter()
                .any(|branch| self.may_take(*branch, value, depth + 1)),
            Kind::Every(parts) => parts
                .iter()
                .all(|part| self.may_take(*part, value, depth + 1)),
        }
    }
}
