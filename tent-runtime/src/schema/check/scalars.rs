//! The walk at strings, numbers, integers and booleans.

use serde_json::{Number as JsonNumber, Value};

use super::compiled::{IntegerRule, NodeId, NumberRule, StringRule};
use super::containers::range;
use super::messages;
use super::path::Path;
use super::walk::{Mode, Validation};
use crate::json;

/// The greatest integer up to which every integer is exact as an `f64`.
const SAFE: f64 = 9_007_199_254_740_991.0;

impl Validation<'_> {
    pub(super) fn text(&mut self, rule: &StringRule, text: &str, path: &Path<'_>) {
        let bytes = text.len() as u64;
        // A string has at most as many characters as bytes and at least a quarter as many, so most need no count.
        if bytes > rule.max || bytes < rule.min.saturating_mul(4) {
            let characters = text.chars().count() as u64;
            if characters < rule.min || characters > rule.max {
                self.fail(path, || {
                    let range = range(rule.min, rule.max, ["character", "characters"]);
                    format!("must have {range}, has {characters}")
                });
            }
        }
        if let Some(allowed) = &rule.allowed
            && !allowed.has(text)
        {
            self.fail_choice(text, allowed.values.iter().map(|one| &**one), path);
        }
        if let Some(pattern) = &rule.pattern
            && !pattern.is_match(text)
        {
            self.fail(path, || format!("must match `{}`", pattern.as_str()));
        }
        if let Some(format) = rule.format.filter(|_| self.formats)
            && !format.matches(text)
        {
            self.fail(path, || format!("must be {}", format.description()));
        }
        if rule.not.iter().any(|not| **not == *text) {
            self.fail(path, || "must not have this value".to_owned());
        }
    }

    pub(super) fn boolean(
        &mut self,
        id: NodeId,
        allowed: Option<bool>,
        value: &mut Value,
        path: &Path<'_>,
    ) {
        let read = match &*value {
            Value::Bool(read) => *read,
            Value::String(text) if self.mode == Mode::Strings && text == "true" => true,
            Value::String(text) if self.mode == Mode::Strings && text == "false" => false,
            other => return self.expected(id, other, path),
        };
        *value = Value::Bool(read);
        if allowed.is_some_and(|allowed| allowed != read) {
            self.fail(path, || format!("must be {}", !read));
        }
    }

    pub(super) fn integer(
        &mut self,
        id: NodeId,
        rule: &IntegerRule,
        value: &mut Value,
        path: &Path<'_>,
    ) {
        let strings =
            self.mode == Mode::Strings || (rule.accepts_digits && self.mode == Mode::Json);
        let (read, folded) = match &*value {
            Value::Number(number) => match integer_of(number) {
                Some(read) => (read, !number.is_f64()),
                None if is_wider(number, rule) => return,
                None if number.as_f64().is_some_and(|read| read.fract() == 0.0) => {
                    return self.fail(path, || messages::inexact_integer(number, rule));
                }
                None => {
                    return self.fail(path, || {
                        "expected an integer, got a number with a fraction".to_owned()
                    });
                }
            },
            Value::String(text) if strings => match integer_in(text, self.mode == Mode::Strings) {
                Some(read) => (read, false),
                None => {
                    return self.fail(path, || {
                        "expected an integer, got a string that is not one".to_owned()
                    });
                }
            },
            other if json::is_out_of_range(other) => {
                return self.fail(path, || {
                    format!("must be {}", messages::integer_range(rule))
                });
            }
            other => return self.expected(id, other, path),
        };
        if read < rule.min || read > rule.max {
            return self.fail(path, || {
                format!("must be {}", messages::integer_range(rule))
            });
        }
        if let Some(allowed) = &rule.allowed
            && allowed.binary_search(&read).is_err()
        {
            self.fail(path, || {
                format!("must be one of {}", messages::numbers(allowed))
            });
        }
        if rule.not.contains(&read) {
            self.fail(path, || {
                format!("must not be {}", messages::numbers(&rule.not))
            });
        }
        if let Some(multiple_of) = rule.multiple_of
            && read % multiple_of != 0
        {
            self.fail(path, || format!("must be a multiple of {multiple_of}"));
        }
        self.coerced |= self.mode == Mode::Json && value.is_string();
        if !folded && let Some(number) = JsonNumber::from_i128(read) {
            *value = Value::Number(number);
        }
    }

    pub(super) fn number(
        &mut self,
        id: NodeId,
        rule: &NumberRule,
        value: &mut Value,
        path: &Path<'_>,
    ) {
        let parsed = match &*value {
            Value::Number(_) => None,
            Value::String(text) if self.mode == Mode::Strings => match number_in(text) {
                Some(number) => Some(number),
                None => {
                    return self.fail(path, || {
                        "expected a number, got a string that is not one".to_owned()
                    });
                }
            },
            other if json::is_out_of_range(other) => {
                return self.fail(path, || format!("must be {}", messages::number_range(rule)));
            }
            other => return self.expected(id, other, path),
        };
        if let Some(number) = parsed {
            *value = Value::Number(number);
        }
        let Some(read) = value.as_f64() else { return };
        // 2.0 and 2 are the same number and get the same form. -0.0 stays: no integer equals it.
        let whole =
            read.fract() == 0.0 && read.abs() <= SAFE && !(read == 0.0 && read.is_sign_negative());
        if whole && value.as_number().is_some_and(JsonNumber::is_f64) {
            *value = Value::from(read as i64);
        }
        if read < rule.min
            || read > rule.max
            || rule
                .exclusive_min
                .is_some_and(|exclusive_min| read <= exclusive_min)
            || rule
                .exclusive_max
                .is_some_and(|exclusive_max| read >= exclusive_max)
            || (rule.is_f32 && (read as f32).is_infinite())
        {
            return self.fail(path, || format!("must be {}", messages::number_range(rule)));
        }
        if let Some(allowed) = &rule.allowed
            && !allowed.contains(&read)
        {
            self.fail(path, || {
                format!("must be one of {}", messages::numbers(allowed))
            });
        }
        if rule.not.contains(&read) {
            self.fail(path, || {
                format!("must not be {}", messages::numbers(&rule.not))
            });
        }
        if let Some(multiple_of) = rule.multiple_of
            && !is_multiple(read, multiple_of)
        {
            self.fail(path, || format!("must be a multiple of {multiple_of}"));
        }
    }
}

/// The integer value of a number, of `30.0` as well as of `30`.
fn integer_of(number: &JsonNumber) -> Option<i128> {
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    // A double above 2^53 stands for every number near it: for one below `i64::MIN`, or for one with a fraction.
    (number.fract() == 0.0 && number.abs() <= SAFE).then_some(number as i128)
}

/// Whether `number` is an integer of more than 64 bits that the rule allows.
fn is_wider(number: &JsonNumber, rule: &IntegerRule) -> bool {
    let Some(number) = number.as_f64().filter(|number| number.fract() == 0.0) else {
        return false;
    };
    (number > 0.0 && rule.max == i128::MAX) || (number < 0.0 && rule.min == i128::MIN)
}

/// The integer that a string contains: digits, with an optional sign. With `json`, any JSON number without a fraction.
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

/// The JSON number that a string contains.
fn number_in(text: &str) -> Option<JsonNumber> {
    let starts = text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    let ends = text.ends_with(|c: char| c.is_ascii_digit());
    if !(starts && ends) {
        return None;
    }
    match json::read(text, json::Strict) {
        Ok(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// Whether `number` is a multiple of `multiple_of`, within the precision of an `f64`.
fn is_multiple(number: f64, multiple_of: f64) -> bool {
    let times = number / multiple_of;
    (times - times.round()).abs() <= times.abs().max(1.0) * f64::EPSILON * 4.0
}
