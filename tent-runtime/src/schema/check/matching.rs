//! The dry run: whether a value matches a node, without changing the value and without an error message. The walk uses it
//! to select the branch of a union.
//!
//! A dry run must agree with the walk: it matches exactly what the walk accepts. It copies no string, array or object,
//! except an array with `uniqueItems`, whose copy the budget pays for. It visits an array or object once per node
//! (see [`budget`](super::budget)).

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::budget::{Match, size};
use super::compiled::{Additional, ArrayRule, NodeId, NodeKind, ObjectRule, Selector, UnionRule};
use super::path::Path;
use super::walk::{MAX_DEPTH, Mode, Validation};

impl Validation<'_> {
    /// Whether `value` matches the node at `id` in this mode.
    pub(super) fn matches_as(
        &mut self,
        mode: Mode,
        id: NodeId,
        value: &Value,
        path: &Path<'_>,
    ) -> Match {
        let own = std::mem::replace(&mut self.mode, mode);
        let fit = self.matches(id, value, path);
        self.mode = own;
        fit
    }

    pub(super) fn matches(&mut self, id: NodeId, value: &Value, path: &Path<'_>) -> Match {
        let node = self.compiled.node(id);
        if node.null && value.is_null() && self.mode != Mode::Exact {
            return Match::Yes;
        }
        if path.depth > MAX_DEPTH || !self.budget.take(value) {
            return Match::No;
        }
        let holds = value.is_array() || value.is_object();
        if holds && let Some(known) = self.budget.known(id, value, self.mode) {
            return known;
        }
        let fit = match (&node.kind, value) {
            (NodeKind::Any, value) => self.dry_run(|walk| walk.anything(value, path)),
            (NodeKind::Null, Value::Null) => Match::Yes,
            (NodeKind::Ref(other), value) => self.matches(*other, value, path),
            (NodeKind::Integer(_) | NodeKind::Number(_) | NodeKind::Bool(_), value) if !holds => {
                let mut copy = value.clone();
                self.dry_run(|walk| walk.visit(id, &mut copy, path))
            }
            (NodeKind::String(rule), Value::String(text)) => {
                self.dry_run(|walk| walk.text(rule, text, path))
            }
            (NodeKind::Object(rule), Value::Object(object)) => {
                self.matches_object(rule, object, path)
            }
            (NodeKind::Array(rule), Value::Array(items)) => self.matches_array(rule, items, path),
            (NodeKind::Array(rule), Value::String(_)) if self.mode == Mode::Strings => {
                self.matches_array(rule, std::slice::from_ref(value), path)
            }
            (NodeKind::Union(union), value) => self.matches_union(union, value, path),
            (NodeKind::AllOf(parts), value) => {
                self.all(parts.iter(), |walk, part| walk.matches(*part, value, path))
            }
            (NodeKind::Not(other), value) => {
                match self.matches_as(Mode::Exact, *other, value, path) {
                    Match::No if !self.budget.is_exhausted() => {
                        self.dry_run(|walk| walk.anything(value, path))
                    }
                    _ => Match::No,
                }
            }
            (NodeKind::Enum(values), value) => values.contains(value).into(),
            _ => Match::No,
        };
        if holds {
            self.budget.remember(id, value, self.mode, fit);
        }
        fit
    }

    /// The branch that `value` matches, and how well.
    pub(super) fn select_branch(
        &mut self,
        candidates: &[NodeId],
        value: &Value,
        path: &Path<'_>,
    ) -> Option<(NodeId, Match)> {
        // In JSON, a branch that matches without conversion wins over one that converts a string. Where every value is a
        // string, the first branch in the declared order wins.
        let mut chosen = None;
        for branch in candidates {
            match self.matches(*branch, value, path) {
                Match::No => {}
                fit if fit == Match::Yes || self.mode == Mode::Strings => {
                    return Some((*branch, fit));
                }
                fit => chosen = chosen.or(Some((*branch, fit))),
            }
        }
        chosen
    }

    /// Whether `value` matches another branch than `chosen` without conversion, or the budget is exhausted.
    pub(super) fn matches_another(
        &mut self,
        candidates: &[NodeId],
        chosen: NodeId,
        value: &Value,
        path: &Path<'_>,
    ) -> bool {
        let mode = match self.mode {
            Mode::Strings if value.is_string() => {
                return self.normalized_matches_another(candidates, chosen, value.clone(), path);
            }
            Mode::Exact => Mode::Exact,
            Mode::Json | Mode::Strings => Mode::Json,
        };
        let mut others = candidates.iter().filter(|other| **other != chosen);
        others.any(|other| self.matches_as(mode, *other, value, path) == Match::Yes)
            || self.budget.is_exhausted()
    }

    /// The same for a string in an encoding of strings: compares the value that the chosen branch converts it to.
    fn normalized_matches_another(
        &mut self,
        candidates: &[NodeId],
        chosen: NodeId,
        mut value: Value,
        path: &Path<'_>,
    ) -> bool {
        // The cache must not keep results for the copy, whose address may be used again.
        let noted = self.budget.take_cache();
        self.dry_run(|walk| walk.visit(chosen, &mut value, path));
        let mut others = candidates.iter().filter(|other| **other != chosen);
        let another =
            others.any(|other| self.matches_as(Mode::Json, *other, &value, path) == Match::Yes);
        self.budget.restore_cache(noted);
        another || self.budget.is_exhausted()
    }

    fn matches_union(&mut self, union: &UnionRule, value: &Value, path: &Path<'_>) -> Match {
        if let Value::Object(object) = value {
            let branch = match &union.by {
                Selector::Trial => None,
                Selector::Tag(tag, values) => {
                    let tag_value = object.get(&**tag).and_then(Value::as_str);
                    Some(values.iter().find(|(value, _)| Some(&**value) == tag_value))
                }
                Selector::Key(keys) => {
                    Some(keys.iter().find(|(key, _)| object.contains_key(&**key)))
                }
            };
            match branch {
                None => {}
                Some(None) => return Match::No,
                Some(Some((_, branch))) => return self.matches(*branch, value, path),
            }
        }
        let candidates = self.candidates(union, value);
        let Some((branch, fit)) = self.select_branch(&candidates, value, path) else {
            return Match::No;
        };
        if union.exactly_one && self.matches_another(&candidates, branch, value, path) {
            return Match::No;
        }
        fit
    }

    fn matches_object(
        &mut self,
        rule: &ObjectRule,
        object: &Map<String, Value>,
        path: &Path<'_>,
    ) -> Match {
        let size = object.len() as u64;
        if size < rule.min || size > rule.max {
            return Match::No;
        }
        let mut properties = rule.properties.iter();
        if rule.required > 0 && properties.any(|one| one.required && !one.is_in(object)) {
            return Match::No;
        }
        let mut properties = rule.properties.iter();
        if rule.aliases && properties.any(|one| one.given(object).count() > 1) {
            return Match::No;
        }
        self.all(object.iter(), |walk, (key, value)| {
            if crate::json::is_reserved(key) {
                return Match::No;
            }
            if let Some(property) = rule.property(key) {
                let absent = value.is_null() && property.null_is_absent && walk.mode != Mode::Exact;
                return match absent {
                    true => Match::Yes,
                    false => walk.matches(property.node, value, &path.known(key)),
                };
            }
            match rule.rest {
                _ if rule
                    .key_pattern
                    .as_ref()
                    .is_some_and(|keys| !keys.is_match(key)) =>
                {
                    Match::No
                }
                Additional::Allowed(id) => walk.matches(id, value, &path.chosen(key)),
                Additional::Forbidden => Match::No,
            }
        })
    }

    fn matches_array(&mut self, rule: &ArrayRule, items: &[Value], path: &Path<'_>) -> Match {
        let count = items.len() as u64;
        if count < rule.min || count > rule.max {
            return Match::No;
        }
        let fit = self.all(items.iter().enumerate(), |walk, (at, item)| {
            let id = rule.prefix_items.get(at).copied().unwrap_or(rule.items);
            walk.matches(id, item, &path.index(at))
        });
        if fit == Match::No || !rule.unique || count < 2 {
            return fit;
        }
        // Items are compared in their normalized form, which needs a copy.
        if !self.budget.spend_steps(items.iter().map(size).sum()) {
            return Match::No;
        }
        let mut copies = items.to_vec();
        // The cache must not keep results for the copies, whose addresses may be used again.
        let noted = self.budget.take_cache();
        let normal = self.dry_run(|walk| {
            for (at, item) in copies.iter_mut().enumerate() {
                let id = rule.prefix_items.get(at).copied().unwrap_or(rule.items);
                walk.visit(id, item, &path.index(at));
            }
        });
        self.budget.restore_cache(noted);
        let mut seen = HashSet::with_capacity(copies.len());
        match normal != Match::No && copies.iter().all(|item| seen.insert(item)) {
            true => fit,
            false => Match::No,
        }
    }

    /// The worst match of `parts`. Stops at the first part that does not match.
    fn all<T>(
        &mut self,
        mut parts: impl Iterator<Item = T>,
        mut matches: impl FnMut(&mut Self, T) -> Match,
    ) -> Match {
        let worst = parts.try_fold(Match::Yes, |worst, part| match matches(self, part) {
            Match::No => None,
            fit => Some(worst.min(fit)),
        });
        worst.unwrap_or(Match::No)
    }

    /// Runs `check` without recording errors, and returns how well the value matched.
    fn dry_run(&mut self, check: impl FnOnce(&mut Self)) -> Match {
        let is_dry_run = std::mem::replace(&mut self.is_dry_run, true);
        let failed = std::mem::replace(&mut self.failed, false);
        let coerced = std::mem::replace(&mut self.coerced, false);
        check(self);
        let fit = match (self.failed, self.coerced) {
            (true, _) => Match::No,
            (false, true) => Match::Coerced,
            (false, false) => Match::Yes,
        };
        (self.is_dry_run, self.failed, self.coerced) = (is_dry_run, failed, coerced);
        fit
    }
}
