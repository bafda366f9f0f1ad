//! The walk through a value: finds every field that does not fit, and brings what fits into its normal
//! form, in place.
//!
//! Normal form: an integer is an integer (`30.0` is 30, and so is `"30"` where it is taken), `null` of
//! an optional field is absent, and an absent field has its default where that is constant.

use std::collections::HashSet;

use serde_json::{Map, Number as JsonNumber, Value};

use super::path::Path;
use super::plan::{By, Id, Integer, Kind, List, Number, Object, Plan, Rest, Text, Union};
use super::words;

/// The most fields that one answer names.
const MOST: usize = 100;
/// How deep a value may nest.
const DEEPEST: u16 = 192;

/// What is taken for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    plan: &'p Plan,
    mode: Mode,
    found: Vec<(String, String)>,
}

impl<'p> Walk<'p> {
    pub(in crate::schema) fn new(plan: &'p Plan, mode: Mode) -> Self {
        Walk {
            plan,
            mode,
            found: Vec::new(),
        }
    }

    /// The paths that did not fit, and what is wrong with each.
    pub(in crate::schema) fn found(self) -> Vec<(String, String)> {
        self.found
    }

    /// Walks the root, which is known to be an object.
    pub(in crate::schema) fn root(&mut self, input: &mut Map<String, Value>) {
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

    fn fail(&mut self, path: &Path<'_>, what: impl FnOnce() -> String) {
        if self.found.len() < MOST {
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

    fn expected(&mut self, id: Id, value: &Value, path: &Path<'_>) {
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
        let path = &path.hidden(node.secret);
        match (&node.kind, &mut *value) {
            (Kind::Any, _) | (Kind::Null, Value::Null) => {}
            (Kind::Same(other), value) => self.visit(*other, value, path),
            (Kind::Integer(rule), value) => self.integer(id, rule, value, path),
            (Kind::Number(rule), value) => self.number(id, rule, value, path),
            (Kind::Text(rule), Value::String(text)) => self.text(rule, text, path),
            (Kind::Bool(only), value) => self.boolean(id, *only, value, path),
            (Kind::Object(rule), Value::Object(object)) => self.object(rule, object, path),
            (Kind::List(rule), Value::Array(items)) => self.list(rule, items, path),
            (Kind::List(rule), Value::String(_)) if self.mode == Mode::Strings => {
                let mut items = vec![value.take()];
                self.list(rule, &mut items, path);
                *value = Value::Array(items);
            }
            (Kind::Union(union), value) => self.union(id, union, value, path),
            (Kind::Every(parts), value) => {
                for part in parts {
                    self.visit(*part, value, path);
                }
            }
            (Kind::Not(other), value) => {
                if self.trial(*other, value, path, Mode::Exact).is_ok() {
                    self.fail(path, || "may not have this value".to_owned());
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

    fn object(&mut self, rule: &Object, object: &mut Map<String, Value>, path: &Path<'_>) {
        let (mut seen, mut required, mut nulls) = (0, 0, false);
        let size = object.len() as u64;
        for (key, value) in &mut *object {
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
                format!("must have {} properties", range(rule.least, rule.most))
            });
        }
    }

    fn list(&mut self, rule: &List, items: &mut [Value], path: &Path<'_>) {
        let size = items.len() as u64;
        if size < rule.least || size > rule.most {
            self.fail(path, || {
                let range = range(rule.least, rule.most);
                format!("must have {range} items, has {size}")
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

    fn text(&mut self, rule: &Text, text: &str, path: &Path<'_>) {
        let bytes = text.len() as u64;
        // A text has at most as many characters as bytes, and at least a quarter.
        if bytes > rule.most || bytes < rule.least.saturating_mul(4) {
            let characters = text.chars().count() as u64;
            if characters < rule.least || characters > rule.most {
                self.fail(path, || {
                    let range = range(rule.least, rule.most);
                    format!("must have {range} characters, has {characters}")
                });
            }
        }
        if let Some(only) = &rule.only
            && !only.has(text)
        {
            let secret = path.secret;
            self.fail(path, || {
                let stated = only.stated.iter().map(|one| &**one);
                let near = tent_core::names::nearest(short(text), stated.clone());
                match near.filter(|_| !secret) {
                    Some(near) => {
                        format!("must be {}; did you mean `{near}`?", words::one_of(stated))
                    }
                    None => format!("must be {}", words::one_of(stated)),
                }
            });
        }
        if let Some(pattern) = &rule.pattern
            && !pattern.is_match(text)
        {
            self.fail(path, || format!("must match `{}`", pattern.as_str()));
        }
        if rule.not.iter().any(|not| **not == *text) {
            self.fail(path, || "may not have this value".to_owned());
        }
    }

    fn boolean(&mut self, id: Id, only: Option<bool>, value: &mut Value, path: &Path<'_>) {
        let given = match &*value {
            Value::Bool(given) => *given,
            Value::String(text) if self.mode == Mode::Strings && text == "true" => true,
            Value::String(text) if self.mode == Mode::Strings && text == "false" => false,
            other => return self.expected(id, other, path),
        };
        *value = Value::Bool(given);
        if only.is_some_and(|only| only != given) {
            self.fail(path, || format!("must be {}", !given));
        }
    }

    fn integer(&mut self, id: Id, rule: &Integer, value: &mut Value, path: &Path<'_>) {
        let strings = self.mode == Mode::Strings || (rule.wide && self.mode == Mode::Json);
        let (given, folded) = match &*value {
            Value::Number(number) => match integer_of(number) {
                Some(given) => (given, !number.is_f64()),
                None if number.as_f64().is_some_and(|given| given.fract() == 0.0) => {
                    return self.fail(path, || format!("must be {}", words::integer_range(rule)));
                }
                None => {
                    return self.fail(path, || {
                        "expected an integer, got a number with a fraction".to_owned()
                    });
                }
            },
            Value::String(text) if strings => match integer_in(text, self.mode == Mode::Strings) {
                Some(given) => (given, false),
                None => {
                    return self.fail(path, || "expected an integer, got another text".to_owned());
                }
            },
            other => return self.expected(id, other, path),
        };
        if given < rule.least || given > rule.most {
            return self.fail(path, || format!("must be {}", words::integer_range(rule)));
        }
        if let Some(only) = &rule.only
            && only.binary_search(&given).is_err()
        {
            self.fail(path, || format!("must be one of {}", words::numbers(only)));
        }
        if rule.not.contains(&given) {
            self.fail(path, || format!("may not be {}", words::numbers(&rule.not)));
        }
        if let Some(step) = rule.step
            && given % step != 0
        {
            self.fail(path, || format!("must be a multiple of {step}"));
        }
        if !folded && let Some(number) = JsonNumber::from_i128(given) {
            *value = Value::Number(number);
        }
    }

    fn number(&mut self, id: Id, rule: &Number, value: &mut Value, path: &Path<'_>) {
        let parsed = match &*value {
            Value::Number(_) => None,
            Value::String(text) if self.mode == Mode::Strings => match number_in(text) {
                Some(number) => Some(number),
                None => {
                    return self.fail(path, || "expected a number, got another text".to_owned());
                }
            },
            other => return self.expected(id, other, path),
        };
        if let Some(number) = parsed {
            *value = Value::Number(number);
        }
        let Some(given) = value.as_f64() else { return };
        if given < rule.least
            || given > rule.most
            || rule.above.is_some_and(|above| given <= above)
            || rule.below.is_some_and(|below| given >= below)
            || (rule.single && given.abs() > f64::from(f32::MAX))
        {
            return self.fail(path, || format!("must be {}", words::number_range(rule)));
        }
        if let Some(only) = &rule.only
            && !only.contains(&given)
        {
            self.fail(path, || format!("must be one of {}", words::numbers(only)));
        }
        if rule.not.contains(&given) {
            self.fail(path, || format!("may not be {}", words::numbers(&rule.not)));
        }
        if let Some(step) = rule.step
            && !is_multiple(given, step)
        {
            self.fail(path, || format!("must be a multiple of {step}"));
        }
    }

    fn union(&mut self, id: Id, union: &Union, value: &mut Value, path: &Path<'_>) {
        let plan = self.plan;
        if let Value::Object(object) = &*value {
            let branch = match &union.by {
                By::Trial => None,
                By::Tag(tag, values) => {
                    let path = path.known(tag);
                    let names = || values.iter().map(|(value, _)| &**value);
                    match object.get(&**tag) {
                        Some(Value::String(given)) => {
                            let found = values.iter().find(|(value, _)| **value == **given);
                            if found.is_none() {
                                let near = tent_core::names::nearest(short(given), names());
                                let near = near.filter(|_| !path.secret);
                                return self.fail(&path, || match near {
                                    Some(near) => format!(
                                        "must be {}; did you mean `{near}`?",
                                        words::one_of(values.iter().map(|(value, _)| &**value))
                                    ),
                                    None => format!("must be one of {}", words::list(names())),
                                });
                            }
                            found
                        }
                        Some(other) => {
                            let kind = words::kind_of(other);
                            return self.fail(&path, || {
                                format!("expected one of {}, got {kind}", words::list(names()))
                            });
                        }
                        None => {
                            return self.fail(&path, || {
                                format!("is required: expected one of {}", words::list(names()))
                            });
                        }
                    }
                }
                By::Key(keys) => {
                    let found = keys.iter().find(|(key, _)| object.contains_key(&**key));
                    if found.is_none() {
                        return self.fail(path, || {
                            let keys = words::list(keys.iter().map(|(key, _)| &**key));
                            format!("expected an object with exactly one of {keys}")
                        });
                    }
                    found
                }
            };
            if let Some((_, branch)) = branch {
                return self.visit(*branch, value, path);
            }
        }

        let may = |branch: &&Id| self.may_take(**branch, value, 0);
        let candidates: Vec<Id> = union.branches.iter().filter(may).copied().collect();
        match candidates.as_slice() {
            [] => return self.expected(id, value, path),
            [only] => return self.visit(*only, value, path),
            _ => {}
        }
        // To the letter first: a string is only taken for a number where no branch takes a string.
        let modes: &[Mode] = match self.mode {
            Mode::Exact => &[Mode::Exact],
            Mode::Json => &[Mode::Exact, Mode::Json],
            Mode::Strings => &[Mode::Strings],
        };
        for mode in modes {
            let mut fitting = candidates
                .iter()
                .filter(|branch| self.trial(**branch, value, path, *mode).is_ok());
            match (
                fitting.next(),
                union.exactly_one.then(|| fitting.next()).flatten(),
            ) {
                (None, _) => {}
                (Some(_), Some(_)) => {
                    return self.fail(path, || {
                        "fits several of the shapes that exclude each other".to_owned()
                    });
                }
                (Some(branch), None) => {
                    // With what is filled in on the way, which the letter leaves as it is.
                    let mode = if *mode == Mode::Exact {
                        self.mode
                    } else {
                        *mode
                    };
                    if let Ok(walked) = self.trial(*branch, value, path, mode) {
                        *value = walked;
                    }
                    return;
                }
            }
        }
        self.fail(path, || format!("fits none of these: {}", plan.wanted(id)));
    }

    /// `value` as the node at `id` takes it.
    fn trial(&self, id: Id, value: &Value, path: &Path<'_>, mode: Mode) -> Result<Value, ()> {
        let mut walk = Walk::new(self.plan, mode);
        let mut value = value.clone();
        walk.visit(id, &mut value, path);
        if walk.found.is_empty() {
            Ok(value)
        } else {
            Err(())
        }
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

fn unknown(rule: &Object, key: &str, secret: bool) -> String {
    let near = tent_core::names::nearest(short(key), rule.names()).filter(|_| !secret);
    match (near, rule.properties.is_empty()) {
        (_, true) => "is unknown: there are no fields here".to_owned(),
        (Some(near), _) => format!(
            "is unknown; did you mean `{near}`? Known are {}",
            words::list(rule.names())
        ),
        (None, _) => format!("is unknown; known are {}", words::list(rule.names())),
    }
}

/// The start of a text that a caller chose: what is near to it is not looked for beyond that.
fn short(text: &str) -> &str {
    match text.char_indices().nth(64) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

fn range(least: u64, most: u64) -> String {
    match (least, most) {
        (least, u64::MAX) => format!("at least {least}"),
        (0, most) => format!("at most {most}"),
        (least, most) if least == most => format!("exactly {least}"),
        (least, most) => format!("{least} to {most}"),
    }
}

/// The integer that a number is, `30.0` as well as `30`.
fn integer_of(number: &JsonNumber) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    // Beyond 2^64 no type that is served has room, and 1e300 would not fit the integer here.
    (number.fract() == 0.0 && number.abs() < 2e19).then_some(number as i128)
}

/// The integer that a text is: digits, a sign before them; where the wire has only strings, as JSON
/// may write one, too.
fn integer_in(text: &str, json: bool) -> Option<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if (1..=30).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().ok();
    }
    json.then(|| number_in(text))
        .flatten()
        .as_ref()
        .and_then(integer_of)
}

/// The number that a text is, as JSON writes it.
fn number_in(text: &str) -> Option<JsonNumber> {
    let starts = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let ends = text.ends_with(|c: char| c.is_ascii_digit());
    (starts && ends).then(|| serde_json::from_str(text).ok())?
}

/// Whether `number` is a multiple of `step`, as far as binary fractions can tell.
fn is_multiple(number: f64, step: f64) -> bool {
    let times = number / step;
    (times - times.round()).abs() <= times.abs().max(1.0) * f64::EPSILON * 4.0
}
