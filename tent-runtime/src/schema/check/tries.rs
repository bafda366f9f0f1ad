//! Whether a value fits, without changing it: how the walk finds out which branch of a union is meant.
//!
//! Agrees with the walk itself in all but what it leaves behind. Copies no text, list or object (but a
//! list whose items must differ, which is paid for), and looks at no list and no object twice for the
//! same node, however unions lie in unions. Says nothing of what is wrong.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::path::Path;
use super::plan::{By, Id, Kind, List, Object, Rest, Union};
use super::walk::{DEEPEST, Mode, Walk};
use super::work::{Fit, size};

impl Walk<'_> {
    /// How `value` fits the node at `id`, taken as `mode` says.
    pub(super) fn tries_as(&mut self, mode: Mode, id: Id, value: &Value, path: &Path<'_>) -> Fit {
        let own = std::mem::replace(&mut self.mode, mode);
        let fit = self.tries(id, value, path);
        self.mode = own;
        fit
    }

    pub(super) fn tries(&mut self, id: Id, value: &Value, path: &Path<'_>) -> Fit {
        let node = self.plan.node(id);
        if node.null && value.is_null() && self.mode != Mode::Exact {
            return Fit::Yes;
        }
        if path.depth > DEEPEST || !self.work.take(value) {
            return Fit::No;
        }
        let holds = value.is_array() || value.is_object();
        if holds && let Some(known) = self.work.known(id, value, self.mode) {
            return known;
        }
        let fit = match (&node.kind, value) {
            (Kind::Any, value) => self.silently(|walk| walk.anything(value, path)),
            (Kind::Null, Value::Null) => Fit::Yes,
            (Kind::Same(other), value) => self.tries(*other, value, path),
            (Kind::Integer(_) | Kind::Number(_) | Kind::Bool(_), value) if !holds => {
                let mut copy = value.clone();
                self.silently(|walk| walk.visit(id, &mut copy, path))
            }
            (Kind::Text(rule), Value::String(text)) => {
                self.silently(|walk| walk.text(rule, text, path))
            }
            (Kind::Object(rule), Value::Object(object)) => self.tries_object(rule, object, path),
            (Kind::List(rule), Value::Array(items)) => self.tries_list(rule, items, path),
            (Kind::List(rule), Value::String(_)) if self.mode == Mode::Strings => {
                self.tries_list(rule, std::slice::from_ref(value), path)
            }
            (Kind::Union(union), value) => self.tries_union(union, value, path),
            (Kind::Every(parts), value) => {
                self.all(parts.iter(), |walk, part| walk.tries(*part, value, path))
            }
            (Kind::Not(other), value) => match self.tries_as(Mode::Exact, *other, value, path) {
                Fit::No if !self.work.is_spent() => {
                    self.silently(|walk| walk.anything(value, path))
                }
                _ => Fit::No,
            },
            (Kind::Values(values), value) => values.contains(value).into(),
            _ => Fit::No,
        };
        if holds {
            self.work.note(id, value, self.mode, fit);
        }
        fit
    }

    /// The branch that `value` means, and how it fits that.
    pub(super) fn choose(
        &mut self,
        candidates: &[Id],
        value: &Value,
        path: &Path<'_>,
    ) -> Option<(Id, Fit)> {
        // A string is only taken for a number where no branch takes it as it is; where the wire has
        // nothing but strings, the order that the branches are declared in decides.
        let mut chosen = None;
        for branch in candidates {
            match self.tries(*branch, value, path) {
                Fit::No => {}
                fit if fit == Fit::Yes || self.mode == Mode::Strings => {
                    return Some((*branch, fit));
                }
                fit => chosen = chosen.or(Some((*branch, fit))),
            }
        }
        chosen
    }

    /// Whether `value` fits another branch than the `chosen` one, without taking a string for something
    /// else; also where no work is left to find that out.
    pub(super) fn fits_another(
        &mut self,
        candidates: &[Id],
        chosen: Id,
        value: &Value,
        path: &Path<'_>,
    ) -> bool {
        let mode = match self.mode {
            Mode::Strings if value.is_string() => {
                return self.normal_fits_another(candidates, chosen, value.clone(), path);
            }
            Mode::Exact => Mode::Exact,
            Mode::Json | Mode::Strings => Mode::Json,
        };
        let mut others = candidates.iter().filter(|other| **other != chosen);
        others.any(|other| self.tries_as(mode, *other, value, path) == Fit::Yes)
            || self.work.is_spent()
    }

    /// The same of a string that came over a wire that has nothing else: what is compared is what the chosen
    /// branch takes it for.
    fn normal_fits_another(
        &mut self,
        candidates: &[Id],
        chosen: Id,
        mut value: Value,
        path: &Path<'_>,
    ) -> bool {
        // What is noted of the copy must not outlive it.
        let noted = self.work.set_aside();
        self.silently(|walk| walk.visit(chosen, &mut value, path));
        let mut others = candidates.iter().filter(|other| **other != chosen);
        let another =
            others.any(|other| self.tries_as(Mode::Json, *other, &value, path) == Fit::Yes);
        self.work.take_up(noted);
        another || self.work.is_spent()
    }

    fn tries_union(&mut self, union: &Union, value: &Value, path: &Path<'_>) -> Fit {
        if let Value::Object(object) = value {
            let branch = match &union.by {
                By::Trial => None,
                By::Tag(tag, values) => {
                    let given = object.get(&**tag).and_then(Value::as_str);
                    Some(values.iter().find(|(value, _)| Some(&**value) == given))
                }
                By::Key(keys) => Some(keys.iter().find(|(key, _)| object.contains_key(&**key))),
            };
            match branch {
                None => {}
                Some(None) => return Fit::No,
                Some(Some((_, branch))) => return self.tries(*branch, value, path),
            }
        }
        let candidates = self.candidates(union, value);
        let Some((branch, fit)) = self.choose(&candidates, value, path) else {
            return Fit::No;
        };
        if union.exactly_one && self.fits_another(&candidates, branch, value, path) {
            return Fit::No;
        }
        fit
    }

    fn tries_object(&mut self, rule: &Object, object: &Map<String, Value>, path: &Path<'_>) -> Fit {
        let size = object.len() as u64;
        if size < rule.least || size > rule.most {
            return Fit::No;
        }
        let missing =
            |one: &&super::plan::Property| one.required && !object.contains_key(&*one.name);
        if rule.required > 0 && rule.properties.iter().any(|one| missing(&one)) {
            return Fit::No;
        }
        self.all(object.iter(), |walk, (key, value)| {
            if crate::json::is_kept(key) {
                return Fit::No;
            }
            if let Some(property) = rule.property(key) {
                let absent = value.is_null() && property.null_is_absent && walk.mode != Mode::Exact;
                return match absent {
                    true => Fit::Yes,
                    false => walk.tries(property.node, value, &path.known(key)),
                };
            }
            match rule.rest {
                _ if rule.keys.as_ref().is_some_and(|keys| !keys.is_match(key)) => Fit::No,
                Rest::Each(id) => walk.tries(id, value, &path.chosen(key)),
                Rest::Closed => Fit::No,
            }
        })
    }

    fn tries_list(&mut self, rule: &List, items: &[Value], path: &Path<'_>) -> Fit {
        let count = items.len() as u64;
        if count < rule.least || count > rule.most {
            return Fit::No;
        }
        let fit = self.all(items.iter().enumerate(), |walk, (at, item)| {
            let id = rule.members.get(at).copied().unwrap_or(rule.items);
            walk.tries(id, item, &path.index(at))
        });
        if fit == Fit::No || !rule.unique || count < 2 {
            return fit;
        }
        // Whether items differ is a matter of their normal form, which only a copy can be given here.
        if !self.work.take_steps(items.iter().map(size).sum()) {
            return Fit::No;
        }
        let mut copies = items.to_vec();
        // What is noted of the copies must not outlive them.
        let noted = self.work.set_aside();
        let normal = self.silently(|walk| {
            for (at, item) in copies.iter_mut().enumerate() {
                let id = rule.members.get(at).copied().unwrap_or(rule.items);
                walk.visit(id, item, &path.index(at));
            }
        });
        self.work.take_up(noted);
        let mut seen = HashSet::with_capacity(copies.len());
        match normal != Fit::No && copies.iter().all(|item| seen.insert(item)) {
            true => fit,
            false => Fit::No,
        }
    }

    /// The worst fit of these; the first that does not fit ends it.
    fn all<T>(
        &mut self,
        mut parts: impl Iterator<Item = T>,
        mut tries: impl FnMut(&mut Self, T) -> Fit,
    ) -> Fit {
        let worst = parts.try_fold(Fit::Yes, |worst, part| match tries(self, part) {
            Fit::No => None,
            fit => Some(worst.min(fit)),
        });
        worst.unwrap_or(Fit::No)
    }

    /// How it fits what `check` looks at, of which nothing is told.
    fn silently(&mut self, check: impl FnOnce(&mut Self)) -> Fit {
        let trying = std::mem::replace(&mut self.trying, true);
        let failed = std::mem::replace(&mut self.failed, false);
        let coerced = std::mem::replace(&mut self.coerced, false);
        check(self);
        let fit = match (self.failed, self.coerced) {
            (true, _) => Fit::No,
            (false, true) => Fit::Coerced,
            (false, false) => Fit::Yes,
        };
        (self.trying, self.failed, self.coerced) = (trying, failed, coerced);
        fit
    }
}
