//! The walk at a text, a number, an integer or a boolean.

use serde_json::{Number as JsonNumber, Value};

use super::path::Path;
use super::plan::{Id, Integer, Number, Text};
use super::walk::{Mode, Walk, range};
use super::words;

/// Up to here every whole number is exact as an `f64`.
const SAFE: f64 = 9_007_199_254_740_991.0;

impl Walk<'_> {
    pub(super) fn text(&mut self, rule: &Text, text: &str, path: &Path<'_>) {
        let bytes = text.len() as u64;
        // A text has at most as many characters as bytes, and at least a quarter.
        if bytes > rule.most || bytes < rule.least.saturating_mul(4) {
            let characters = text.chars().count() as u64;
            if characters < rule.least || characters > rule.most {
                self.fail(path, || {
                    let range = range(rule.least, rule.most, ["character", "characters"]);
                    format!("must have {range}, has {characters}")
                });
            }
        }
        if let Some(only) = &rule.only
            && !only.has(text)
        {
            self.none_of(text, only.stated.iter().map(|one| &**one), path);
        }
        if let Some(pattern) = &rule.pattern
            && !pattern.is_match(text)
        {
            self.fail(path, || format!("must match `{}`", pattern.as_str()));
        }
        if let Some(format) = rule.format
            && !format.matches(text)
        {
            self.fail(path, || format!("must be {}", format.description()));
        }
        if rule.not.iter().any(|not| **not == *text) {
            self.fail(path, || "may not have this value".to_owned());
        }
    }

    pub(super) fn boolean(
        &mut self,
        id: Id,
        only: Option<bool>,
        value: &mut Value,
        path: &Path<'_>,
    ) {
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

    pub(super) fn integer(&mut self, id: Id, rule: &Integer, value: &mut Value, path: &Path<'_>) {
        let strings = self.mode == Mode::Strings || (rule.wide && self.mode == Mode::Json);
        let (given, folded) = match &*value {
            Value::Number(number) => match integer_of(number) {
                Some(given) => (given, !number.is_f64()),
                None if is_wider(number, rule) => return,
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
        self.coerced |= self.mode == Mode::Json && value.is_string();
        if !folded && let Some(number) = JsonNumber::from_i128(given) {
            *value = Value::Number(number);
        }
    }

    pub(super) fn number(&mut self, id: Id, rule: &Number, value: &mut Value, path: &Path<'_>) {
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
        // 2.0 and 2 are the same number, and have one form. Only -0.0 is none of the integers.
        let whole = given.fract() == 0.0
            && given.abs() <= SAFE
            && !(given == 0.0 && given.is_sign_negative());
        if whole && value.as_number().is_some_and(JsonNumber::is_f64) {
            *value = Value::from(given as i64);
        }
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

/// Whether it is an integer of more than 64 bits, where the rule has room for it.
fn is_wider(number: &JsonNumber, rule: &Integer) -> bool {
    let Some(number) = number.as_f64().filter(|number| number.fract() == 0.0) else {
        return false;
    };
    (number > 0.0 && rule.most == i128::MAX) || (number < 0.0 && rule.least == i128::MIN)
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
