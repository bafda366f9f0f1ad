//! The walk through a value along a [`CompiledSchema`]: reports every invalid field, and normalizes valid ones in place.
//!
//! Normalized means: an integer has no fraction (`30.0` becomes 30, and `"30"` where strings are accepted), a `null` of an
//! optional field is removed, and an absent field gets its constant default.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::budget::{Budget, Match, size_of};
use super::compiled::{Additional, ArrayRule, CompiledSchema, NodeId, NodeKind, ObjectRule};
use super::messages;
use super::path::Path;
use crate::json;

/// The maximum number of fields in one error.
const MAX_ERRORS: usize = 100;
/// The maximum nesting depth of a value.
pub(super) const MAX_DEPTH: u16 = 192;

/// Which conversions are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::schema) enum Mode {
    /// None: the value must match the schema as it is.
    Exact,
    /// `null` for an optional value, and a string of digits for a 64-bit integer.
    Json,
    /// As `Json`, and a string for any scalar, and one item for an array of one item.
    Strings,
}

/// The state of one walk.
pub(in crate::schema) struct Validation<'p> {
    pub(super) compiled: &'p CompiledSchema,
    pub(super) mode: Mode,
    /// Whether a string was converted although the encoding has other types.
    pub(super) coerced: bool,
    pub(super) budget: Budget,
    /// The number of unions around the current value.
    pub(super) unions: u32,
    /// Whether this is a dry run, which ends at the first error.
    pub(super) is_dry_run: bool,
    pub(super) failed: bool,
    found: Vec<(String, String)>,
}

impl<'p> Validation<'p> {
    pub(in crate::schema) fn new(compiled: &'p CompiledSchema, mode: Mode) -> Self {
        Validation {
            compiled,
            mode,
            coerced: false,
            budget: Budget::plain(),
            unions: 0,
            is_dry_run: false,
            failed: false,
            found: Vec::new(),
        }
    }

    /// The invalid paths, each with its problems.
    pub(in crate::schema) fn found(mut self) -> Vec<(String, String)> {
        if self.failed && self.found.is_empty() {
            self.fail_exhausted(&Path::ROOT);
        }
        self.found
    }

    /// The number of steps that are left.
    #[cfg(test)]
    pub(in crate::schema) fn left(&self) -> u64 {
        self.budget.left()
    }

    /// Walks the root, an object, with the budget for its size.
    pub(in crate::schema) fn root(&mut self, input: &mut Map<String, Value>) {
        if self.compiled.may_revisit {
            self.budget = Budget::of(size_of(input));
        }
        if let NodeKind::Object(object) = &self.compiled.resolve(0).kind {
            let secret = self.compiled.node(0).secret;
            self.object(object, input, &Path::ROOT.hidden(secret));
        } else {
            // An author's own schema may combine the root object with other rules.
            let mut value = Value::Object(std::mem::take(input));
            self.visit(0, &mut value, &Path::ROOT);
            if let Value::Object(walked) = value {
                *input = walked;
            }
        }
    }

    pub(super) fn fail(&mut self, path: &Path<'_>, what: impl FnOnce() -> String) {
        self.failed = true;
        if !self.is_dry_run && self.found.len() < MAX_ERRORS {
            let path = path.to_string();
            let what = what();
            match self.found.iter_mut().find(|(known, _)| *known == path) {
                Some((_, known)) if *known == what => {}
                Some((_, known)) => {
                    known.push_str("; ");
                    known.push_str(&what);
                }
                None => self.found.push((path, what)),
            }
        }
    }

    pub(super) fn expected(&mut self, id: NodeId, value: &Value, path: &Path<'_>) {
        let compiled = self.compiled;
        self.fail(path, || {
            format!(
                "expected {}, got {}",
                compiled.expected_value(id),
                messages::kind_of(value)
            )
        });
    }

    pub(in crate::schema) fn visit(&mut self, id: NodeId, value: &mut Value, path: &Path<'_>) {
        let node = self.compiled.node(id);
        if node.null && value.is_null() && self.mode != Mode::Exact {
            return;
        }
        if path.depth > MAX_DEPTH {
            return self.fail(path, || "is nested too deeply".to_owned());
        }
        if (self.is_dry_run && self.failed) || !self.spend(value, path) {
            return;
        }
        let path = &path.hidden(node.secret);
        match (&node.kind, &mut *value) {
            (NodeKind::Any, value) => self.anything(value, path),
            (NodeKind::Null, Value::Null) => {}
            (NodeKind::Ref(other), value) => self.visit(*other, value, path),
            (NodeKind::Integer(rule), value) => self.integer(id, rule, value, path),
            (NodeKind::Number(rule), value) => self.number(id, rule, value, path),
            (NodeKind::String(rule), Value::String(text)) => self.text(rule, text, path),
            (NodeKind::Bool(only), value) => self.boolean(id, *only, value, path),
            (NodeKind::Object(rule), Value::Object(object)) => self.object(rule, object, path),
            (NodeKind::Array(rule), Value::Array(items)) => self.list(rule, items, path),
            (NodeKind::Array(rule), Value::String(_)) if self.mode == Mode::Strings => {
                // Visited in place, because cached results are keyed by its address.
                self.list(rule, std::slice::from_mut(value), path);
                *value = Value::Array(vec![value.take()]);
            }
            (NodeKind::Union(union), value) => self.union(id, union, value, path),
            (NodeKind::AllOf(parts), value) => {
                for part in parts {
                    self.visit(*part, value, path);
                    // The next part sees the normalized value.
                    self.budget.forget();
                }
            }
            (NodeKind::Not(other), value) => {
                let fit = self.matches_as(Mode::Exact, *other, value, path);
                match fit {
                    _ if self.budget.is_exhausted() => self.fail_exhausted(path),
                    Match::No => self.anything(value, path),
                    Match::Coerced | Match::Yes => {
                        self.fail(path, || "must not have this value".to_owned());
                    }
                }
            }
            (NodeKind::Enum(values), value) => {
                if !values.contains(value) {
                    let compiled = self.compiled;
                    self.fail(path, || format!("must be {}", compiled.expected_value(id)));
                }
            }
            (_, value) => self.expected(id, value, path),
        }
    }

    /// Spends the steps of a visit of `value`. Records an error the first time that no steps are left.
    pub(super) fn spend(&mut self, value: &Value, path: &Path<'_>) -> bool {
        let spent = self.budget.is_exhausted();
        let spend = self.budget.take(value);
        if !spend {
            self.failed = true;
            if !spent {
                self.fail_exhausted(path);
            }
        }
        spend
    }

    pub(super) fn fail_exhausted(&mut self, path: &Path<'_>) {
        self.fail(path, || {
            "matches too many alternatives to be checked".to_owned()
        });
    }

    /// Visits a value that any schema accepts: depth and reserved keys are checked all the same.
    pub(super) fn anything(&mut self, value: &Value, path: &Path<'_>) {
        if path.depth > MAX_DEPTH {
            return self.fail(path, || "is nested too deeply".to_owned());
        }
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let path = path.index(at);
                    if self.spend(item, &path) {
                        self.anything(item, &path);
                    }
                }
            }
            Value::Object(object) => {
                for (key, value) in object {
                    let path = path.chosen(key);
                    if json::is_reserved(key) {
                        self.fail(&path, reserved_name);
                    } else if self.spend(value, &path) {
                        self.anything(value, &path);
                    }
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, rule: &ObjectRule, object: &mut Map<String, Value>, path: &Path<'_>) {
        let (mut seen, mut required, mut nulls) = (0, 0, false);
        let size = object.len() as u64;
        for (key, value) in &mut *object {
            if json::is_reserved(key) {
                self.fail(&path.chosen(key), reserved_name);
                continue;
            }
            if let Some(property) = rule.property(key) {
                seen += 1;
                required += usize::from(property.required);
                if value.is_null() && property.null_is_absent && self.mode != Mode::Exact {
                    nulls = true;
                    continue;
                }
                self.visit(property.node, value, &path.known(key));
                continue;
            }
            let path = path.chosen(key);
            if rule
                .key_pattern
                .as_ref()
                .is_some_and(|keys| !keys.is_match(key))
            {
                self.fail(&path, || "is not a valid key of this map".to_owned());
                continue;
            }
            match rule.rest {
                Additional::Allowed(id) => self.visit(id, value, &path),
                Additional::Forbidden => self.fail(&path, || unknown_field(rule, key, path.secret)),
            }
        }
        if required < rule.required {
            let missing = rule.properties.iter().filter(|property| property.required);
            for property in missing {
                if !object.contains_key(&*property.name) {
                    let compiled = self.compiled;
                    self.fail(&path.known(&property.name), || {
                        format!(
                            "is required: expected {}",
                            compiled.expected_value(property.node)
                        )
                    });
                }
            }
        }
        if nulls {
            object.retain(|key, value| {
                !(value.is_null() && rule.property(key).is_some_and(|one| one.null_is_absent))
            });
        }
        if rule.defaults && seen < rule.properties.len() && self.mode != Mode::Exact {
            for property in &rule.properties {
                if let Some(default) = &property.default
                    && !object.contains_key(&*property.name)
                {
                    object.insert(property.name.to_string(), default.clone());
                }
            }
        }
        if size < rule.min || size > rule.max {
            self.fail(path, || {
                format!(
                    "must have {}",
                    range(rule.min, rule.max, ["property", "properties"])
                )
            });
        }
    }

    fn list(&mut self, rule: &ArrayRule, items: &mut [Value], path: &Path<'_>) {
        let size = items.len() as u64;
        if size < rule.min || size > rule.max {
            self.fail(path, || {
                let range = range(rule.min, rule.max, ["item", "items"]);
                format!("must have {range}, has {size}")
            });
        }
        for (at, item) in items.iter_mut().enumerate() {
            let id = rule.prefix_items.get(at).copied().unwrap_or(rule.items);
            self.visit(id, item, &path.index(at));
            if self.found.len() >= MAX_ERRORS {
                return;
            }
        }
        if rule.unique && items.len() > 1 {
            let mut seen = HashSet::with_capacity(items.len());
            if let Some(at) = items.iter().position(|item| !seen.insert(item)) {
                self.fail(&path.index(at), || {
                    "is a duplicate of another item".to_owned()
                });
            }
        }
    }
}

impl Validation<'_> {
    /// Records that `value` is not one of `names`.
    pub(super) fn fail_choice<'n>(
        &mut self,
        value: &str,
        names: impl ExactSizeIterator<Item = &'n str> + Clone,
        path: &Path<'_>,
    ) {
        let secret = path.secret;
        self.fail(path, || {
            let expected_value = messages::one_of(names.clone());
            match messages::near(value, names).filter(|_| !secret) {
                Some(near) => format!("must be {expected_value}; did you mean `{near}`?"),
                None => format!("must be {expected_value}"),
            }
        });
    }
}

fn reserved_name() -> String {
    "is a reserved name".to_owned()
}

fn unknown_field(rule: &ObjectRule, key: &str, secret: bool) -> String {
    let near = messages::near(key, rule.names()).filter(|_| !secret);
    match (near, rule.properties.is_empty()) {
        (_, true) => "unknown field; this object has no fields".to_owned(),
        (Some(near), _) => format!(
            "unknown field; did you mean `{near}`? Known fields: {}",
            messages::list(rule.names())
        ),
        (None, _) => format!(
            "unknown field; known fields: {}",
            messages::list(rule.names())
        ),
    }
}

pub(super) fn range(min: u64, max: u64, [one, many]: [&str; 2]) -> String {
    let (range, last) = match (min, max) {
        (min, u64::MAX) => (format!("at least {min}"), min),
        (0, max) => (format!("at most {max}"), max),
        (min, max) if min == max => (format!("exactly {min}"), max),
        (min, max) => (format!("{min} to {max}"), max),
    };
    format!("{range} {}", if last == 1 { one } else { many })
}
