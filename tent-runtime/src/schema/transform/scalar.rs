//! Converts strings, numbers, booleans and null.

use serde_json::{Map, Number, Value};
use tent_core::codes;

use super::object::{take, typed};
use super::{Shaper, Side};
use crate::schema::{keywords, pattern};

type Object = Map<String, Value>;

/// The greatest integer that a JavaScript number holds exactly. A bound beyond it is not published.
pub(in crate::schema) const SAFE: i128 = (1 << 53) - 1;

/// The string formats that JSON Schema defines. Others are not published.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

impl Shaper {
    pub(super) fn text(&mut self, raw: &mut Object, at: &str) -> Object {
        let mut schema = typed("string");
        if let Some(Value::String(pattern)) = raw.get("pattern").cloned() {
            self.check_pattern(&pattern, at);
        }
        take(
            raw,
            &mut schema,
            &["minLength", "maxLength", "pattern", "enum"],
        );
        if let Some(Value::String(format)) = raw.remove("format")
            && FORMATS.contains(&format.as_str())
        {
            schema.insert("format".to_owned(), format.into());
        }
        self.excluded(raw, &mut schema);
        schema
    }

    pub(super) fn check_pattern(&mut self, pattern: &str, at: &str) {
        if self.side == Side::Input
            && let Err(why) = pattern::compile(pattern)
        {
            let message = format!("its pattern is not supported: {why}");
            self.problem(codes::INVALID_RULE, at, message);
        }
    }

    /// An integer. The bounds of its Rust type apply, and are published if JSON numbers hold them.
    pub(super) fn integer(&mut self, raw: &mut Object, at: &str) -> Object {
        let mut schema = typed("integer");
        let format = match raw.remove("format") {
            Some(Value::String(format)) => format,
            _ => String::new(),
        };
        let (least, most, wide) = match format.as_str() {
            "int8" => (i128::from(i8::MIN), i128::from(i8::MAX), false),
            "int16" => (i128::from(i16::MIN), i128::from(i16::MAX), false),
            "int32" => (i128::from(i32::MIN), i128::from(i32::MAX), false),
            "uint8" => (0, i128::from(u8::MAX), false),
            "uint16" => (0, i128::from(u16::MAX), false),
            "uint32" => (0, i128::from(u32::MAX), false),
            "int64" | "int" => (i128::from(i64::MIN), i128::from(i64::MAX), true),
            "uint64" | "uint" => (0, i128::from(u64::MAX), true),
            // JSON integers are read into 64 bits, so a wider type accepts no more.
            "uint128" => (0, i128::from(u64::MAX), true),
            "int128" => (i128::from(i64::MIN), i128::from(u64::MAX), true),
            _ => (i128::from(i64::MIN), i128::from(u64::MAX), false),
        };
        let mut bound = |keyword: &str, up: bool, more: i128| {
            let value = raw.remove(keyword)?;
            whole(&value, up).map(|bound| bound + more)
        };
        let least = [
            bound("minimum", true, 0),
            bound("exclusiveMinimum", false, 1),
        ]
        .into_iter()
        .flatten()
        .fold(least, i128::max);
        let most = [
            bound("maximum", false, 0),
            bound("exclusiveMaximum", true, -1),
        ]
        .into_iter()
        .flatten()
        .fold(most, i128::min);
        if least > most {
            self.problem(
                codes::INVALID_RULE,
                at,
                "its minimum is greater than its maximum",
            );
        }
        set_bounds(&mut schema, Some(least), Some(most));
        if self.side == Side::Input && wide {
            schema.insert(keywords::WIDE.to_owned(), true.into());
        }
        if format.ends_with("128") {
            schema.insert(keywords::HUGE.to_owned(), true.into());
        }
        if let Some(step) = raw.get("multipleOf") {
            match whole(step, true).filter(|&step| step > 0) {
                Some(_) => take(raw, &mut schema, &["multipleOf"]),
                None => self.problem(
                    codes::INVALID_RULE,
                    at,
                    "`multipleOf` of an integer must be an integer",
                ),
            }
        }
        take(raw, &mut schema, &["enum"]);
        self.excluded(raw, &mut schema);
        schema
    }

    pub(super) fn number(&mut self, raw: &mut Object, at: &str) -> Object {
        let mut schema = typed("number");
        if raw.remove("format") == Some("float".into()) && self.side == Side::Input {
            schema.insert(keywords::SINGLE.to_owned(), true.into());
        }
        let of = |keyword: &str| raw.get(keyword).and_then(Value::as_f64);
        let least = of("minimum").or(of("exclusiveMinimum"));
        let most = of("maximum").or(of("exclusiveMaximum"));
        if matches!((least, most), (Some(least), Some(most)) if least > most) {
            self.problem(
                codes::INVALID_RULE,
                at,
                "its minimum is greater than its maximum",
            );
        }
        take(
            raw,
            &mut schema,
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
                "enum",
            ],
        );
        self.excluded(raw, &mut schema);
        schema
    }

    pub(super) fn plain(&mut self, kind: &str, raw: &mut Object) -> Object {
        let mut schema = typed(kind);
        take(raw, &mut schema, &["enum"]);
        raw.remove("format");
        schema
    }

    /// The excluded values of a scalar, such as the 0 of a `NonZeroI32`. They go into the description, because clients reject
    /// `not`.
    fn excluded(&mut self, raw: &mut Object, schema: &mut Object) {
        let Some(Value::Object(not)) = raw.get("not") else {
            return;
        };
        let values = match (not.len(), not.get("const"), not.get("enum")) {
            (1, Some(value), _) => vec![value.clone()],
            (1, _, Some(Value::Array(values))) => values.clone(),
            _ => return,
        };
        raw.remove("not");
        keywords::add_words(schema, format!("Not {}.", listed(&values, "or")));
        if self.side == Side::Input {
            schema.insert(keywords::NOT.to_owned(), values.into());
        }
    }

    /// On an input only texts keep an `enum`: other values are named in words, since model interfaces
    /// refuse an `enum` of numbers. The check takes exactly these all the same.
    pub(super) fn say_values(&self, schema: &mut Object) {
        let kind = schema.get("type").and_then(Value::as_str);
        if self.side == Side::Output || kind == Some("string") {
            return;
        }
        let integer = kind == Some("integer");
        let Some(Value::Array(values)) = schema.remove("enum") else {
            return;
        };
        keywords::add_words(
            schema,
            match values.as_slice() {
                [one] => format!("Always {one}."),
                several => format!("One of {}.", listed(several, "or")),
            },
        );
        if integer {
            let whole = |value| whole(value, true);
            set_bounds(
                schema,
                values.iter().filter_map(whole).min(),
                values.iter().filter_map(whole).max(),
            );
        }
        schema.insert(keywords::ONLY.to_owned(), values.into());
    }
}

fn listed(values: &[Value], and: &str) -> String {
    let texts: Vec<String> = values.iter().map(Value::to_string).collect();
    match texts.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} {and} {last}", most.join(", ")),
    }
}

/// A bound as a whole number, rounded inwards.
pub(in crate::schema) fn whole(value: &Value, up: bool) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(number) = number.as_i64() {
        return Some(number.into());
    }
    if let Some(number) = number.as_u64() {
        return Some(number.into());
    }
    let number = number.as_f64()?;
    let number = if up { number.ceil() } else { number.floor() };
    // Saturates, which is right for a bound: there is no integer beyond.
    Some(number.clamp(-1e30, 1e30) as i128)
}

/// States bounds of an integer: published where JSON carries them exactly, else as marks.
pub(in crate::schema) fn set_bounds(schema: &mut Object, least: Option<i128>, most: Option<i128>) {
    for (bound, keyword, mark) in [
        (least, "minimum", keywords::LEAST),
        (most, "maximum", keywords::MOST),
    ] {
        let Some(bound) = bound else { continue };
        schema.remove(keyword);
        schema.remove(mark);
        match i64::try_from(bound) {
            Ok(safe) if bound.abs() <= SAFE => {
                schema.insert(keyword.to_owned(), Number::from(safe).into());
            }
            _ => {
                schema.insert(mark.to_owned(), bound.to_string().into());
            }
        }
    }
}
