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

        let may = |branch: &&Id| self.may_take(**branch, value, 0);
        let candidates: Vec<Id> = union.branches.iter().filter(may).copied().collect();
        match candidates.as_slice() {
            [] => return self.expected(id, value, path),
            [only] => return self.visit(*only, value, path),
            _ => {}
        }
        // A string is only taken for a number where no branch takes it as it is; where the wire has
        // nothing but strings, the order that the branches are declared in decides.
        let mut chosen: Option<(Id, Value)> = None;
        for branch in &candidates {
            match self.trial(*branch, value, path, self.mode) {
                Some((walked, coerced)) if !coerced || self.mode == Mode::Strings => {
                    chosen = Some((*branch, walked));
                    break;
                }
                Some((walked, _)) if chosen.is_none() => chosen = Some((*branch, walked)),
                _ => {}
            }
        }
        let Some((branch, walked)) = chosen else {
            let (plan, given_up) = (self.plan, self.left == 0);
            return self.fail(path, || match given_up {
                true => "could be so many shapes that it is not checked".to_owned(),
                false => format!("fits none of these: {}", plan.wanted(id)),
            });
        };
        if union.exactly_one {
            let mut others = candidates.iter().filter(|other| **other != branch);
            if others.any(|other| self.trial(*other, &walked, path, Mode::Exact).is_some()) {
                return self.fail(path, || {
                    "fits several of the shapes that exclude each other".to_owned()
                });
            }
        }
        self.coerced |= self.mode == Mode::Json && *value != walked && value.is_string();
        *value = walked;
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

    /// `value` as the node at `id` takes it, and whether a string was taken for something else; `None`
    /// where it does not fit.
    pub(super) fn trial(
        &mut self,
        id: Id,
        value: &Value,
        path: &Path<'_>,
        mode: Mode,
    ) -> Option<(Value, bool)> {
        let mut walk = self.trying(mode);
        let mut value = value.clone();
        walk.visit(id, &mut value, path);
        let (fits, coerced, left) = (walk.fits(), walk.coerced, walk.left);
        self.left = left;
        fits.then_some((value, coerced))
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
