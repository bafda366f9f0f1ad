//! Compiles the keywords of strings, integers and numbers.

use serde_json::{Map, Value};

use super::compile::{Compiler, values};
use super::compiled::{Choices, IntegerRule, NodeKind, NumberRule, StringRule};
use super::format::Format;
use crate::schema::rules::integer_bounds;
use crate::schema::transform::whole;
use crate::schema::{keywords, pattern};

impl Compiler<'_> {
    pub(super) fn text(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> NodeKind {
        let pattern = match schema.remove("pattern") {
            Some(Value::String(pattern)) => match pattern::compile(&pattern) {
                Ok(compiled) => Some(compiled),
                Err(why) => {
                    self.problem(pointer, format_args!("the pattern is not supported: {why}"));
                    None
                }
            },
            _ => None,
        };
        let texts = |values: Vec<Value>| -> Vec<Box<str>> {
            let texts = values.iter().filter_map(Value::as_str);
            texts.map(Box::from).collect()
        };
        let format = schema.get("format").and_then(Value::as_str);
        let aliases = keywords::texts(schema, keywords::VALUE_ALIASES);
        NodeKind::String(Box::new(StringRule {
            format: format.and_then(Format::find),
            min: self.size(schema, "minLength", pointer).unwrap_or(0),
            max: self.size(schema, "maxLength", pointer).unwrap_or(u64::MAX),
            pattern,
            allowed: values(schema).map(|values| Choices::new(texts(values), aliases)),
            not: excluded(schema).map(texts).unwrap_or_default(),
        }))
    }

    pub(super) fn integer(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> NodeKind {
        let (mut min, mut max) = integer_bounds(schema);
        self.check_bounds(schema, pointer);
        let mut tighter = |keyword: &str, up: bool| {
            let bound = schema.remove(keyword)?;
            whole(&bound, up)
        };
        if let Some(exclusive_min) = tighter("exclusiveMinimum", false) {
            min = min.max(Some(exclusive_min + 1));
        }
        if let Some(exclusive_max) = tighter("exclusiveMaximum", true) {
            max = Some(max.map_or(exclusive_max - 1, |max| max.min(exclusive_max - 1)));
        }
        schema.remove("minimum");
        schema.remove("maximum");
        let integers = |values: Vec<Value>| -> Box<[i128]> {
            let mut all: Vec<i128> = values.iter().filter_map(|one| whole(one, true)).collect();
            all.sort_unstable();
            all.into()
        };
        let multiple_of = schema.remove("multipleOf").and_then(|multiple_of| {
            let exact = whole(&multiple_of, true)
                .filter(|&up| up > 0 && whole(&multiple_of, false) == Some(up));
            if exact.is_none() {
                self.problem(
                    pointer,
                    "`multipleOf` of an integer must be an integer above 0",
                );
            }
            exact
        });
        let accepts_digits = matches!(
            schema.get("format").and_then(Value::as_str),
            Some("int64" | "uint64")
        );
        // Inputs are deserialized from 64-bit numbers. Outputs may have wider ones.
        let (lowest, highest) = match self.strict {
            true => (i64::MIN.into(), u64::MAX.into()),
            false => (i128::MIN, i128::MAX),
        };
        NodeKind::Integer(IntegerRule {
            min: min.unwrap_or(lowest).max(lowest),
            max: max.unwrap_or(highest).min(highest),
            over_64_bits: schema.get(keywords::HUGE) == Some(&Value::Bool(true)),
            accepts_digits: accepts_digits
                || schema.get(keywords::WIDE) == Some(&Value::Bool(true)),
            allowed: values(schema).map(integers),
            not: excluded(schema).map(integers).unwrap_or_default(),
            multiple_of,
        })
    }

    pub(super) fn number(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> NodeKind {
        self.check_bounds(schema, pointer);
        let mut bound = |keyword: &str| schema.remove(keyword).and_then(|bound| bound.as_f64());
        let (min, max) = (bound("minimum"), bound("maximum"));
        let (exclusive_min, exclusive_max) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
        let multiple_of = bound("multipleOf").filter(|&multiple_of| multiple_of > 0.0);
        let floats = |values: Vec<Value>| values.iter().filter_map(Value::as_f64).collect();
        NodeKind::Number(NumberRule {
            min: min.unwrap_or(f64::MIN),
            max: max.unwrap_or(f64::MAX),
            exclusive_min,
            exclusive_max,
            is_f32: schema.get(keywords::SINGLE) == Some(&Value::Bool(true)),
            allowed: values(schema).map(floats),
            not: excluded(schema).map(floats).unwrap_or_default(),
            multiple_of,
        })
    }
}

impl Compiler<'_> {
    fn check_bounds(&mut self, schema: &Map<String, Value>, pointer: &str) {
        for keyword in [
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ] {
            if schema.get(keyword).is_some_and(|bound| !bound.is_number()) {
                self.problem(pointer, format_args!("`{keyword}` must be a number"));
            }
        }
    }
}

fn excluded(schema: &mut Map<String, Value>) -> Option<Vec<Value>> {
    match schema.remove(keywords::NOT) {
        Some(Value::Array(values)) => Some(values),
        _ => None,
    }
}
