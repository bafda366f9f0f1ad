//! The walk through a value along a [`CompiledSchema`]: reports every invalid field, and normalizes valid ones in place.
//!
//! Normalized means: an integer has no fraction (`30.0` becomes 30, and `"30"` where strings are accepted), a `null` of an
//! optional field is removed, and an absent field gets its constant default.

use serde_json::{Map, Value};

use super::budget::{Budget, Match, own_size, size_of};
use super::compiled::{CompiledSchema, Node, NodeId, NodeKind, Tries};
use super::messages;
use super::path::Path;
use crate::json;

/// The maximum number of fields in one error.
pub(super) const MAX_ERRORS: usize = 100;
/// The maximum nesting depth of a value.
pub(super) const MAX_DEPTH: u16 = 192;

/// The number of reads and copies by serde that every input may need, a few milliseconds of work.
const MIN_READS: u64 = 200_000;
/// The number of reads and copies for each unit of the input's size.
const READS_PER_UNIT: u64 = 16;

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
    /// Whether formats are enforced.
    pub(super) formats: bool,
    /// Whether a string was converted although the encoding has other types.
    pub(super) coerced: bool,
    pub(super) budget: Budget,
    /// The number of unions around the current value.
    pub(super) unions: u32,
    /// Whether this is a dry run, which ends at the first error.
    pub(super) is_dry_run: bool,
    pub(super) failed: bool,
    /// How often the type reads the current value by trial.
    pub(super) reads: u64,
    /// How often serde copies the current value: before each trial, it copies all of the value.
    pub(super) copies: u64,
    /// The tries of the unions at the current value.
    pub(super) tries: Vec<&'p Tries>,
    /// The number of reads and copies that are left.
    reads_left: u64,
    pub(super) found: Vec<(String, String)>,
}

impl<'p> Validation<'p> {
    pub(in crate::schema) fn new(compiled: &'p CompiledSchema, mode: Mode) -> Self {
        Validation {
            compiled,
            mode,
            formats: compiled.formats,
            coerced: false,
            budget: Budget::plain(),
            unions: 0,
            is_dry_run: false,
            failed: false,
            reads: 1,
            copies: 0,
            tries: Vec::new(),
            reads_left: MIN_READS,
            found: Vec::new(),
        }
    }

    /// The same with formats enforced.
    pub(in crate::schema) fn with_formats(mut self) -> Self {
        self.formats = true;
        self
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
            let size = size_of(input);
            self.budget = Budget::of(size);
            self.reads_left = MIN_READS.max(size.saturating_mul(READS_PER_UNIT));
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
        if let Some(tries) = &node.tries
            && !self.is_dry_run
        {
            let (copies, open) = (self.copies, self.tries.len());
            self.copies = copies.saturating_add(self.reads);
            self.tries.push(tries);
            self.visit_kind(id, node, value, path);
            self.tries.truncate(open);
            self.copies = copies;
        } else {
            self.visit_kind(id, node, value, path);
        }
    }

    fn visit_kind(&mut self, id: NodeId, node: &'p Node, value: &mut Value, path: &Path<'_>) {
        match (&node.kind, &mut *value) {
            (NodeKind::Any, value) => self.anything(value, path),
            (NodeKind::Null, Value::Null) => {}
            (NodeKind::Ref(other), value) => self.visit(*other, value, path),
            (NodeKind::Integer(rule), value) => self.integer(id, rule, value, path),
            (NodeKind::Number(rule), value) => self.number(id, rule, value, path),
            (NodeKind::String(rule), Value::String(text)) => self.text(rule, text, path),
            (NodeKind::Bool(only), value) => self.boolean(id, *only, value, path),
            (NodeKind::Object(_), value) if json::is_out_of_range(value) => {
                self.expected(id, value, path);
            }
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
        if self.copies > 0 && !self.is_dry_run {
            let before = self.reads_left;
            let reads = self.copies.saturating_add(self.reads);
            self.reads_left = before.saturating_sub(reads.saturating_mul(own_size(value)));
            if self.reads_left == 0 {
                self.failed = true;
                if before > 0 {
                    self.fail(path, || {
                        "nests too many values that are read by trial: use fewer levels".to_owned()
                    });
                }
                return false;
            }
        }
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
            value if json::is_out_of_range(value) => {
                self.fail(path, || "is a number out of range".to_owned());
            }
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

pub(super) fn reserved_name() -> String {
    "is a reserved name".to_owned()
}
