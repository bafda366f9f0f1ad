//! The part of the compiler that knows texts and numbers.

use serde_json::{Map, Value};

use super::compile::{Compiler, values};
use super::format::Format;
use super::plan::{Choices, Integer, Kind, Number, Text};
use crate::schema::rules::integer_bounds;
use crate::schema::transform::whole;
use crate::schema::{keywords, pattern};

impl Compiler<'_> {
    pub(super) fn text(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        let pattern = match schema.remove("pattern") {
            Some(Value::String(stated)) => match pattern::compile(&stated) {
                Ok(compiled) => Some(compiled),
                Err(why) => {
                    self.problem(
                        pointer,
                        format_args!("the pattern cannot be checked: {why}"),
                    );
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
        Kind::Text(Box::new(Text {
            format: format.filter(|_| self.formats).and_then(Format::find),
            least: self.size(schema, "minLength", pointer).unwrap_or(0),
            most: self.size(schema, "maxLength", pointer).unwrap_or(u64::MAX),
            pattern,
            only: values(schema).map(|values| Choices::new(texts(values))),
            not: excluded(schema).map(texts).unwrap_or_default(),
        }))
    }

    pub(super) fn integer(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        let (mut least, mut most) = integer_bounds(schema);
        self.check_bounds(schema, pointer);
        let mut tighter = |keyword: &str, up: bool| {
            let bound = schema.remove(keyword)?;
            whole(&bound, up)
        };
        if let Some(above) = tighter("exclusiveMinimum", false) {
            least = least.max(Some(above + 1));
        }
        if let Some(below) = tighter("exclusiveMaximum", true) {
            most = Some(most.map_or(below - 1, |most| most.min(below - 1)));
        }
        schema.remove("minimum");
        schema.remove("maximum");
        let integers = |values: Vec<Value>| -> Box<[i128]> {
            let mut all: Vec<i128> = values.iter().filter_map(|one| whole(one, true)).collect();
            all.sort_unstable();
            all.into()
        };
        let step = schema.remove("multipleOf").and_then(|step| {
            let exact = whole(&step, true).filter(|&up| up > 0 && whole(&step, false) == Some(up));
            if exact.is_none() {
                self.problem(
                    pointer,
                    "`multipleOf` of an integer is a whole number above 0",
                );
            }
            exact
        });
        let wide = matches!(
            schema.get("format").and_then(Value::as_str),
            Some("int64" | "uint64")
        );
        // What is read has room for 64 bits. What is written may be wider.
        let (lowest, highest) = match self.strict {
            true => (i64::MIN.into(), u64::MAX.into()),
            false => (i128::MIN, i128::MAX),
        };
        Kind::Integer(Integer {
            least: least.unwrap_or(lowest).max(lowest),
            most: most.unwrap_or(highest).min(highest),
            huge: schema.get(keywords::HUGE) == Some(&Value::Bool(true)),
            wide: wide || schema.get(keywords::WIDE) == Some(&Value::Bool(true)),
            only: values(schema).map(integers),
            not: excluded(schema).map(integers).unwrap_or_default(),
            step,
        })
    }

    pub(super) fn number(&mut self, schema: &mut Map<String, Value>, pointer: &str) -> Kind {
        self.check_bounds(schema, pointer);
        let mut bound = |keyword: &str| schema.remove(keyword).and_then(|bound| bound.as_f64());
        let (least, most) = (bound("minimum"), bound("maximum"));
        let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
        let step = bound("multipleOf").filter(|&step| step > 0.0);
        let floats = |values: Vec<Value>| values.iter().filter_map(Value::as_f64).collect();
        Kind::Number(Number {
            least: least.unwrap_or(f64::MIN),
            most: most.unwrap_or(f64::MAX),
            above,
            below,
            single: schema.get(keywords::SINGLE) == Some(&Value::Bool(true)),
            only: values(schema).map(floats),
            not: excluded(schema).map(floats).unwrap_or_default(),
            step,
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
