//! The walk through a value: finds every field that does not fit, and brings what fits into its normal
//! form, in place.
//!
//! Normal form: an integer is an integer (`30.0` is 30, and so is `"30"` where it is taken), `null` of
//! an optional field is absent, and an absent field has its default where that is constant.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::path::Path;
use super::plan::{Id, Kind, List, Object, Plan, Rest};
use super::words;
use super::work::{Fit, Work, size_of};
use crate::json;

/// The most fields that one answer names.
const MOST: usize = 100;
/// How deep a value may nest.
pub(super) const DEEPEST: u16 = 192;

/// What is taken for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::schema) enum Mode {
    /// What the document says, to the letter.
    Exact,
    /// And `null` for an optional value, and a string of digits for a 64-bit integer.
    Json,
    /// And a string for any scalar, and one item for a list of one.
    Strings,
}

/// One walk.
pub(in crate::schema) struct Walk<'p> {
    pub(super) plan: &'p Plan,
    pub(super) mode: Mode,
    /// Whether a string was taken for something else, though the wire has more than strings.
    pub(super) coerced: bool,
    pub(super) work: Work,
    /// How many unions are open around the value that is looked at.
    pub(super) unions: u32,
    /// Whether this only finds out whether a value fits, so that the first fault ends it.
    pub(super) trying: bool,
    pub(super) failed: bool,
    found: Vec<(String, String)>,
}

impl<'p> Walk<'p> {
    pub(in crate::schema) fn new(plan: &'p Plan, mode: Mode) -> Self {
        Walk {
            plan,
            mode,
            coerced: false,
            work: Work::plain(),
            unions: 0,
            trying: false,
            failed: false,
            found: Vec::new(),
        }
    }

    /// The paths that did not fit, and what is wrong with each.
    pub(in crate::schema) fn found(mut self) -> Vec<(String, String)> {
        if self.failed && self.found.is_empty() {
            self.gives_up(&Path::ROOT);
        }
        self.found
    }

    /// How many steps of work are left.
    #[cfg(test)]
    pub(in crate::schema) fn left(&self) -> u64 {
        self.work.left()
    }

    /// Walks the root, which is known to be an object, with no more work than its size allows.
    pub(in crate::schema) fn root(&mut self, input: &mut Map<String, Value>) {
        if self.plan.looks_twice {
            self.work = Work::of(size_of(input));
        }
        if let Kind::Object(object) = &self.plan.real(0).kind {
            let secret = self.plan.node(0).secret;
            self.object(object, input, &Path::ROOT.hidden(secret));
        } else {
            // A root with more to it than an object, as an author's own schema may have.
            let mut value = Value::Object(std::mem::take(input));
            self.visit(0, &mut value, &Path::ROOT);
            if let Value::Object(walked) = value {
                *input = walked;
            }
        }
    }

    pub(super) fn fail(&mut self, path: &Path<'_>, what: impl FnOnce() -> String) {
        self.failed = true;
        if !self.trying && self.found.len() < MOST {
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

    pub(super) fn expected(&mut self, id: Id, value: &Value, path: &Path<'_>) {
        let plan = self.plan;
        self.fail(path, || {
            format!(
                "expected {}, got {}",
                plan.wanted(id),
                words::kind_of(value)
            )
        });
    }

    pub(in crate::schema) fn visit(&mut self, id: Id, value: &mut Value, path: &Path<'_>) {
        let node = self.plan.node(id);
        if node.null && value.is_null() && self.mode != Mode::Exact {
            return;
        }
        if path.depth > DEEPEST {
            return self.fail(path, || "nests too deeply".to_owned());
        }
        if (self.trying && self.failed) || !self.works(value, path) {
            return;
        }
        let path = &path.hidden(node.secret);
        match (&node.kind, &mut *value) {
            (Kind::Any, value) => self.anything(value, path),
            (Kind::Null, Value::Null) => {}
            (Kind::Same(other), value) => self.visit(*other, value, path),
            (Kind::Integer(rule), value) => self.integer(id, rule, value, path),
            (Kind::Number(rule), value) => self.number(id, rule, value, path),
            (Kind::Text(rule), Value::String(text)) => self.text(rule, text, path),
            (Kind::Bool(only), value) => self.boolean(id, *only, value, path),
            (Kind::Object(rule), Value::Object(object)) => self.object(rule, object, path),
            (Kind::List(rule), Value::Array(items)) => self.list(rule, items, path),
            (Kind::List(rule), Value::String(_)) if self.mode == Mode::Strings => {
                // Where it stands: what was found out of it is known by its place.
                self.list(rule, std::slice::from_mut(value), path);
                *value = Value::Array(vec![value.take()]);
            }
            (Kind::Union(union), value) => self.union(id, union, value, path),
            (Kind::Every(parts), value) => {
                for part in parts {
                    self.visit(*part, value, path);
                    // The next part meets it in another form.
                    self.work.forget();
                }
            }
            (Kind::Not(other), value) => {
                let fit = self.tries_as(Mode::Exact, *other, value, path);
                match fit {
                    _ if self.work.is_spent() => self.gives_up(path),
                    Fit::No => self.anything(value, path),
                    Fit::Coerced | Fit::Yes => {
                        self.fail(path, || "may not have this value".to_owned());
                    }
                }
            }
            (Kind::Values(values), value) => {
                if !values.contains(value) {
                    let plan = self.plan;
                    self.fail(path, || format!("must be {}", plan.wanted(id)));
                }
            }
            (_, value) => self.expected(id, value, path),
        }
    }

    /// Takes the work that a look at `value` costs; fails, once, where none is left.
    pub(super) fn works(&mut self, value: &Value, path: &Path<'_>) -> bool {
        let spent = self.work.is_spent();
        let works = self.work.take(value);
        if !works {
            self.failed = true;
            if !spent {
                self.gives_up(path);
            }
        }
        works
    }

    pub(super) fn gives_up(&mut self, path: &Path<'_>) {
        self.fail(path, || {
            "could be so many shapes that it is not checked".to_owned()
        });
    }

    /// Looks through a value of which nothing is stated for what is refused all the same.
    pub(super) fn anything(&mut self, value: &Value, path: &Path<'_>) {
        if path.depth > DEEPEST {
            return self.fail(path, || "nests too deeply".to_owned());
        }
        match value {
            Value::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    let path = path.index(at);
                    if self.works(item, &path) {
                        self.anything(item, &path);
                    }
                }
            }
            Value::Object(object) => {
                for (key, value) in object {
                    let path = path.chosen(key);
                    if json::is_kept(key) {
                        self.fail(&path, kept);
                    } else if self.works(value, &path) {
                        self.anything(value, &path);
                    }
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, rule: &Object, object: &mut Map<String, Value>, path: &Path<'_>) {
        let (mut seen, mut required, mut nulls) = (0, 0, false);
        let size = object.len() as u64;
        for (key, value) in &mut *object {
            if json::is_kept(key) {
                self.fail(&path.chosen(key), kept);
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
            if rule.keys.as_ref().is_some_and(|keys| !keys.is_match(key)) {
                self.fail(&path, || "is no key that this map takes".to_owned());
                continue;
            }
            match rule.rest {
                Rest::Each(id) => self.visit(id, value, &path),
                Rest::Closed => self.fail(&path, || unknown(rule, key, path.secret)),
            }
        }
        if required < rule.required {
            let missing = rule.properties.iter().filter(|property| property.required);
            for property in missing {
                if !object.contains_key(&*property.name) {
                    let plan = self.plan;
                    self.fail(&path.known(&property.name), || {
                        format!("is required: expected {}", plan.wanted(property.node))
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
        if size < rule.least || size > rule.most {
            self.fail(path, || {
                format!(
                    "must have {}",
                    range(rule.least, rule.most, ["property", "properties"])
                )
            });
        }
    }

    fn list(&mut self, rule: &List, items: &mut [Value], path: &Path<'_>) {
        let size = items.len() as u64;
        if size < rule.least || size > rule.most {
            self.fail(path, || {
                let range = range(rule.least, rule.most, ["item", "items"]);
                format!("must have {range}, has {size}")
            });
        }
        for (at, item) in items.iter_mut().enumerate() {
            let id = rule.members.get(at).copied().unwrap_or(rule.items);
            self.visit(id, item, &path.index(at));
            if self.found.len() >= MOST {
                return;
            }
        }
        if rule.unique && items.len() > 1 {
            let mut seen = HashSet::with_capacity(items.len());
            if let Some(at) = items.iter().position(|item| !seen.insert(item)) {
                self.fail(&path.index(at), || "is in the list twice".to_owned());
            }
        }
    }
}

impl Walk<'_> {
    /// Notes that `given` is none of `names`.
    pub(super) fn none_of<'n>(
        &mut self,
        given: &str,
        names: impl ExactSizeIterator<Item = &'n str> + Clone,
        path: &Path<'_>,
    ) {
        let secret = path.secret;
        self.fail(path, || {
            let wanted = words::one_of(names.clone());
            match words::near(given, names).filter(|_| !secret) {
                Some(near) => format!("must be {wanted}; did you mean `{near}`?"),
                None => format!("must be {wanted}"),
            }
        });
    }
}

fn kept() -> String {
    "is a name that no field may have".to_owned()
}

fn unknown(rule: &Object, key: &str, secret: bool) -> String {
    let near = words::near(key, rule.names()).filter(|_| !secret);
    match (near, rule.properties.is_empty()) {
        (_, true) => "is unknown: there are no fields here".to_owned(),
        (Some(near), _) => format!(
            "is unknown; did you mean `{near}`? Known are {}",
            words::list(rule.names())
        ),
        (None, _) => format!("is unknown; known are {}", words::list(rule.names())),
    }
}

pub(super) fn range(least: u64, most: u64, [one, many]: [&str; 2]) -> String {
    let (range, last) = match (least, most) {
        (least, u64::MAX) => (format!("at least {least}"), least),
        (0, most) => (format!("at most {most}"), most),
        (least, most) if least == most => (format!("exactly {least}"), most),
        (least, most) => (format!("{least} to {most}"), most),
    };
    format!("{range} {}", if last == 1 { one } else { many })
}
