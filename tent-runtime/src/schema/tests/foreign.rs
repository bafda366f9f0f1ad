//! Schemas that types of other crates state by hand, in the forms they have there.

use std::borrow::Cow;

use schemars::json_schema;
use serde_json::json;

use super::*;

macro_rules! stated {
    ($($name:ident $schema:tt)*) => {$(
        struct $name;
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

stated! {
    Decimal {"type": ["string", "number"], "pattern": r"^-?\d+(\.\d+)?$"}
    TimeDelta {
        "type": "array",
        "prefixItems": [
            {"type": "integer", "format": "int64"},
            {"type": "integer", "minimum": 0, "exclusiveMaximum": 1_000_000_000}
        ],
        "minItems": 2,
        "maxItems": 2
    }
    Mixed {"enum": ["auto", 1, 2.5, true, null]}
    Open {"type": "object", "additionalProperties": true}
    Untyped {"properties": {"a": {"minLength": 1}}, "required": ["a", "b"]}
    AllOf {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            {"properties": {"a": {"type": "integer", "minimum": 5}, "b": {"type": "string"}}}
        ]
    }
    Nowhere {"$ref": "https://example.com/schema.json"}
    Keyed {"type": "object", "patternProperties": {"^a": {"type": "string"}, "^b": {"type": "integer"}}}
    Conditional {"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}
}

#[test]
fn they_are_brought_into_the_same_form() {
    assert_eq!(
        field::<Decimal>(),
        json!({"oneOf": [{"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}, {"type": "number"}]})
    );
    let (seconds, nanos) = (
        json!({"type": "integer"}),
        json!({"type": "integer", "minimum": 0, "maximum": 999_999_999}),
    );
    assert_eq!(
        field::<TimeDelta>(),
        json!({
            "type": "array",
            "prefixItems": [seconds, nanos],
            "items": {"anyOf": [seconds, nanos], "type": "integer"},
            "minItems": 2,
            "maxItems": 2
        })
    );
    assert_eq!(
        field::<Mixed>(),
        json!({
            "oneOf": [
                {"type": "string", "enum": ["auto"]},
                {"type": "number", "description": "One of 1 or 2.5."},
                {"type": "boolean", "description": "Always true."}
            ]
        })
    );
    assert_eq!(
        field::<Open>(),
        json!({"type": "object", "additionalProperties": {}})
    );
    assert_eq!(
        field::<Untyped>(),
        json!({
            "type": "object",
            "properties": {"a": {"type": "string", "minLength": 1}, "b": {}},
            "required": ["a", "b"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        field::<AllOf>(),
        json!({
            "type": "object",
            "properties": {"a": {"type": "integer", "minimum": 5}, "b": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": false
        })
    );
}

#[test]
fn each_takes_exactly_its_values() {
    let input = fields(&[
        Field::new::<Decimal>("d"),
        Field::new::<Mixed>("m"),
        Field::new::<TimeDelta>("t"),
    ]);
    for (decimal, mixed) in [
        (json!("1.5"), json!("auto")),
        (json!(1.5), json!(1)),
        (json!("7"), json!(2.5)),
        (json!(7), json!(true)),
    ] {
        let call = json!({"d": decimal, "m": mixed, "t": [-1, 999_999_999]});
        assert_eq!(accept(&input, call.clone()), Ok(call));
    }
    for (decimal, mixed) in [
        (json!("x"), json!("manual")),
        (json!(true), json!(2)),
        (json!([]), json!(false)),
    ] {
        let wrong = accept(
            &input,
            json!({"d": decimal, "m": mixed, "t": [0, 1_000_000_000]}),
        );
        let wrong = wrong.expect_err("three misfits");
        let paths: Vec<&String> = wrong.as_object().expect("fields").keys().collect();
        assert_eq!(paths, ["d", "m", "t[1]"]);
    }
}

#[test]
fn a_foreign_schema_that_cannot_be_published_and_enforced_is_a_problem() {
    let made = InputSchema::from_fields(&[
        Field::new::<Nowhere>("nowhere"),
        Field::new::<Keyed>("keyed"),
        Field::new::<Conditional>("conditional"),
    ]);
    assert_eq!(
        problems(made),
        [
            "T7017 field `nowhere`: its schema refers to `https://example.com/schema.json`, which is nowhere",
            "T7017 field `keyed.*`: the type of its values depends on their keys, which clients do not support: use a struct or a list",
            "T7017 field `conditional`: its schema has `if`, which is not supported here: remove it, or describe the rule in the description",
            "T7017 field `conditional`: its schema has `then`, which is not supported here: remove it, or describe the rule in the description",
        ]
    );
}
