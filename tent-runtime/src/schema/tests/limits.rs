//! Limits: of numbers, of depth, of what one answer names, of the work that one input can ask for.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use schemars::JsonSchema;
use serde_json::{Value, json};

use super::*;

#[test]
fn every_integer_type_accepts_its_range() {
    fn range<T: JsonSchema>(least: i128, most: i128) {
        let input = fields(&[Field::new::<T>("n")]);
        let take = |n: i128| {
            let number = serde_json::Number::from_i128(n)?;
            Some(accept(&input, json!({ "n": number })).is_ok())
        };
        assert_eq!(take(least), Some(true), "{least}");
        assert_eq!(take(most), Some(true), "{most}");
        assert_ne!(take(least - 1), Some(true), "{least} - 1");
        assert_ne!(take(most + 1), Some(true), "{most} + 1");
    }
    range::<u8>(0, u8::MAX.into());
    range::<i8>(i8::MIN.into(), i8::MAX.into());
    range::<u16>(0, u16::MAX.into());
    range::<i16>(i16::MIN.into(), i16::MAX.into());
    range::<u32>(0, u32::MAX.into());
    range::<i32>(i32::MIN.into(), i32::MAX.into());
    range::<u64>(0, u64::MAX.into());
    range::<i64>(i64::MIN.into(), i64::MAX.into());
    range::<usize>(0, u64::MAX.into());
    range::<u128>(0, u64::MAX.into());
    range::<i128>(i64::MIN.into(), u64::MAX.into());
    range::<std::num::NonZeroU8>(1, u8::MAX.into());
    let input = fields(&[
        Field::new::<std::num::NonZeroI8>("n"),
        Field::new::<f32>("f"),
    ]);
    assert_eq!(
        input.published()["properties"]["n"]["description"],
        "Not 0."
    );
    assert_eq!(
        accept(&input, json!({"n": 0, "f": 1e39})),
        Err(json!({"n": "must not be 0", "f": "must be a 32-bit number"}))
    );
}

// P08
#[test]
fn a_number_beyond_the_doubles_is_an_error_of_its_field() {
    let input = fields(&[
        Field::new::<i8>("i"),
        Field::new::<f64>("f"),
        Field::new::<String>("s"),
        Field::new::<Option<Vec<u64>>>("o"),
        Field::new::<Option<serde_json::Value>>("any"),
        Field::new::<Option<std::collections::HashMap<String, u8>>>("map"),
    ]);
    let long = "9".repeat(5_000);
    let text = format!(
        r#"{{"i":-1e999,"f":{long},"s":1e999,"o":[1,{long}.0],"any":{{"a":[1e400]}},"map":{long}}}"#
    );
    let value = crate::json::object_in(&text).expect("it is JSON");
    assert_eq!(
        accept(&input, value.into()),
        Err(json!({
            "i": "must be from -128 to 127",
            "f": "must be a 64-bit number",
            "s": "expected a string, got a number out of range",
            "o[1]": "must be from 0 to 18446744073709551615",
            "any.a[0]": "is a number out of range",
            "map": "expected an object, got a number out of range",
        }))
    );
}

#[test]
fn an_integer_of_more_than_64_bits_accepts_64_bits_and_is_warned_about() {
    let input = fields(&[Field::new::<Vec<u128>>("ids"), Field::new::<i64>("id")]);
    assert_eq!(input.huge_integers(), ["ids[]"]);
    assert_eq!(
        accept(
            &input,
            json!({"ids": ["18446744073709551615", 1e30], "id": "-9223372036854775808"})
        ),
        Err(json!({"ids[1]": "must be from 0 to 18446744073709551615"}))
    );
}

#[test]
fn a_number_has_one_form() {
    let input = fields(&[Field::new::<Vec<f64>>("n")]);
    let normal = accept(&input, json!({"n": [1.0, 1, -0.0, 0.5, 1e300, -3.0]}));
    assert_eq!(normal, Ok(json!({"n": [1, 1, -0.0, 0.5, 1e300, -3]})));
}

#[derive(JsonSchema)]
struct Chain {
    next: Option<Box<Chain>>,
}

#[test]
fn a_value_without_end_is_refused_before_the_stack_ends() {
    let mut deep = json!({});
    for _ in 0..1_000 {
        deep = json!({ "next": deep });
    }
    let input = whole::<Chain>();
    let wrong = accept(&input, deep).expect_err("too deep");
    let told: Vec<&Value> = wrong.as_object().expect("fields").values().collect();
    assert_eq!(told, ["is nested too deeply"]);
}

#[test]
fn a_hundred_fields_are_named_at_most() {
    let input = fields(&[Field::new::<Vec<u8>>("bytes")]);
    let wrong = accept(&input, json!({"bytes": vec!["x"; 100_000]})).expect_err("no bytes");
    assert_eq!(wrong.as_object().expect("fields").len(), 100);
}

#[derive(JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
enum Ambiguous {
    Left {
        a: Box<Ambiguous>,
        left: Option<u8>,
    },
    Right {
        a: Box<Ambiguous>,
        right: Option<u8>,
    },
    End(Vec<u8>),
    Other(Vec<bool>),
}

#[test]
fn unions_in_unions_end_in_bounded_time() {
    let input = fields(&[Field::new::<Ambiguous>("f")]);
    let nest = |mut value: Value| {
        for _ in 0..100 {
            value = json!({ "a": value });
        }
        json!({ "f": value })
    };
    // Each level could be either: without a bound, the check tries 2^100 ways, and so does serde. (S01)
    let deep = accept(&input, nest(json!([true]))).expect_err("serde would not end");
    assert_eq!(deep.as_object().map(|fields| fields.len()), Some(1));
    let wrong = accept(&input, nest(json!(["neither"]))).expect_err("no shape");
    assert_eq!(wrong.as_object().map(|fields| fields.len()), Some(1));
}

/// As [`Ambiguous`], but what tells the branches apart stands beside the nest, so that each level is known
/// to be of the last branch only after the two before it were tried to their ends.
#[derive(JsonSchema)]
#[serde(untagged)]
enum Deep {
    A { n: Box<Deep>, x: u8 },
    B { n: Box<Deep>, y: u8 },
    C { n: Box<Deep>, z: Option<u8> },
    Text(#[schemars(regex(pattern = "^x*$"))] String),
}

#[test]
fn unions_in_unions_cost_no_more_than_a_multiple_of_the_input() {
    let input = fields(&[Field::new::<Deep>("d")]);
    let text = "x".repeat(64_000);
    let steps = |depth: usize, last: Value| {
        let mut value = json!(text);
        for _ in 0..depth {
            value = json!({"n": value, "x": true, "y": true, "z": 1});
        }
        value["z"] = last;
        let mut given = Map::from_iter([("d".to_owned(), value)]);
        input.steps(&mut given)
    };
    for last in [json!(1), json!(null), json!("no")] {
        let (few, many) = (steps(4, last.clone()), steps(64, last));
        // The text alone is a thousand steps.
        assert!((1_000..20_000).contains(&few), "{few}");
        assert!(many < 20_000, "{many}");
    }
}

#[test]
fn refuses_a_value_that_would_take_too_long_to_check() {
    // Each level is looked at by both of its parts, and each of these by both of the next.
    let twice = json!({"allOf": [{"$ref": "#/$defs/N"}, {"$ref": "#/$defs/N"}]});
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"d": {"$ref": "#/$defs/N"}, "not": {"not": twice}},
        "$defs": {"N": {"type": "object", "properties": {"n": twice, "end": {"type": "integer"}}}}
    }))
    .expect("a schema that can be enforced");
    let nest = |depth: usize| {
        let mut value = json!({"end": "no"});
        for _ in 0..depth {
            value = json!({ "n": value });
        }
        value
    };
    let refused = "matches too many alternatives to be checked";
    let mut short = nest(3).as_object().cloned().expect("an object");
    assert!(input.steps(&mut short) < 1_000);
    let told = |given: Value| {
        accept(&input, given)
            .expect_err("it is refused")
            .to_string()
    };
    let mut fits = nest(100);
    let mut end = &mut fits;
    while end.get("n").is_some() {
        end = &mut end["n"];
    }
    *end = json!({"end": 1});
    assert!(told(json!({ "d": fits })).contains(refused));
    // To be tried, a value is looked at once, however often it is asked for.
    assert!(accept(&input, json!({ "not": nest(100) })).is_ok());
    assert!(told(json!({ "not": fits })).contains("must not have this value"));
}

#[test]
fn a_name_that_serde_json_keeps_is_refused_wherever_it_stands() {
    let anything = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {
            "any": {},
            "not": {"not": {"type": "string"}},
            "map": {"type": "object"},
            "either": {"anyOf": [{"type": "object"}, {"type": "string"}, {"properties": {"x": {}}}]},
            "list": {"type": "array", "prefixItems": [{"type": "integer"}]}
        }
    }))
    .expect("a schema that can be enforced");
    let kept = json!({"$serde_json::private::RawValue": "[1]"});
    for given in [
        kept.clone(),
        json!({ "any": [{ "a": kept }] }),
        json!({ "not": kept }),
        json!({ "not": [kept] }),
        json!({ "map": kept }),
        json!({ "map": { "a": { "b": kept } } }),
        json!({ "either": kept }),
        json!({ "either": { "x": [kept] } }),
        json!({ "list": [1, kept] }),
        json!({ "more": kept }),
        json!({ "any": { "$serde_json::private::Number": "1" } }),
    ] {
        for wire in [InputEncoding::Json, InputEncoding::Strings] {
            assert!(
                accept_over(&anything, given.clone(), wire).is_err(),
                "{given}"
            );
        }
    }
    assert_eq!(
        accept(&anything, json!({ "any": [kept] })),
        Err(json!({
            "any[0][\"$serde_json::private::RawValue\"]": "is a reserved name"
        }))
    );
}

// S11
#[test]
fn a_declared_schema_that_nests_too_deep_is_a_problem() {
    let deep = |depth: usize| {
        let schema = json!({"type": "object", "additionalProperties": false});
        (0..depth).fold(schema, |inner, _| {
            let properties = Map::from_iter([("a".to_owned(), inner)]);
            Value::Object(Map::from_iter([
                ("type".to_owned(), "object".into()),
                ("additionalProperties".to_owned(), false.into()),
                ("properties".to_owned(), properties.into()),
            ]))
        })
    };
    InputSchema::from_declared(deep(40)).expect("it is within bounds");
    let problem = "the schema is not valid: the value nests deeper than 100 levels";
    let found = problems(InputSchema::from_declared(deep(40_000)));
    assert_eq!(found, [format!("T7017 {problem}")]);
    let found = OutputSchema::from_declared(deep(40_000)).expect_err("it is too deep");
    assert_eq!(found.message, problem);
}
