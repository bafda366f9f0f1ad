//! The walk at objects and arrays.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::compiled::{Additional, ArrayRule, ObjectRule, Property};
use super::messages;
use super::path::Path;
use super::walk::{MAX_ERRORS, Mode, Validation, reserved_name};
use crate::json;

impl Validation<'_> {
    pub(super) fn object(
        &mut self,
        rule: &ObjectRule,
        object: &mut Map<String, Value>,
        path: &Path<'_>,
    ) {
        let (reads, tries) = (self.reads, std::mem::take(&mut self.tries));
        let (mut seen, mut required, mut absent) = (0, 0, false);
        let size = object.len() as u64;
        for (key, value) in &mut *object {
            if json::is_reserved(key) {
                self.fail(&path.chosen(key), reserved_name);
                continue;
            }
            if !tries.is_empty() {
                let tries = tries.iter().map(|tries| tries.key(key));
                self.reads = tries.fold(reads, u64::saturating_mul);
            }
            if let Some(property) = rule.property(key) {
                if self.is_absent(property, value) {
                    absent = true;
                    continue;
                }
                seen += 1;
                required += usize::from(property.required);
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
        (self.reads, self.tries) = (reads, tries);
        if required < rule.required {
            let missing = rule.properties.iter().filter(|property| property.required);
            for property in missing {
                if !property.is_in(object) {
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
        if rule.aliases {
            for property in &rule.properties {
                let mut names = property.given(object);
                if let (Some(first), Some(second)) = (names.next(), names.next()) {
                    self.fail(&path.known(second), || {
                        format!("is the same field as `{first}`: give one of them")
                    });
                }
            }
        }
        if absent {
            object.retain(|key, value| {
                let property = rule.property(key);
                !property.is_some_and(|property| self.is_absent(property, value))
            });
        }
        if rule.defaults && seen < rule.properties.len() && self.mode != Mode::Exact {
            for property in &rule.properties {
                if let Some(default) = &property.default
                    && !property.is_in(object)
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

    /// Whether a value of a property counts as absent: `null` for one that has no other use for it, and the empty text for
    /// one that takes no text, where the encoding has only strings.
    fn is_absent(&self, property: &Property, value: &Value) -> bool {
        match value {
            Value::Null => property.null_is_absent && self.mode != Mode::Exact,
            Value::String(text) => {
                text.is_empty()
                    && self.mode == Mode::Strings
                    && !property.required
                    && !self.compiled.takes_empty_text(property.node)
            }
            _ => false,
        }
    }

    pub(super) fn list(&mut self, rule: &ArrayRule, items: &mut [Value], path: &Path<'_>) {
        let size = items.len() as u64;
        if size < rule.min || size > rule.max {
            self.fail(path, || {
                let range = range(rule.min, rule.max, ["item", "items"]);
                format!("must have {range}, has {size}")
            });
        }
        let (reads, tries) = (self.reads, std::mem::take(&mut self.tries));
        let each = tries.iter().map(|tries| tries.items.max(1));
        self.reads = each.fold(reads, u64::saturating_mul);
        for (at, item) in items.iter_mut().enumerate() {
            let id = rule.prefix_items.get(at).copied().unwrap_or(rule.items);
            self.visit(id, item, &path.index(at));
            if self.found.len() >= MAX_ERRORS {
                break;
            }
        }
        (self.reads, self.tries) = (reads, tries);
        if self.found.len() >= MAX_ERRORS {
            return;
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
