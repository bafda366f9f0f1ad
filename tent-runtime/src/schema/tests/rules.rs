//! What `#[arg(…)]` states.

use serde_json::json;

use super::*;

fn ruled<T: JsonSchema>(name: &'static str, rules: Rules) -> Field {
    Field {
        rules,
        ..Field::new::<T>(name)
    }
}

const NONE: Rules = Rules {
    min: None,
    max: None,
    min_len: None,
    max_len: None,
    pattern: None,
    example: None,
};

#[test]
fn rules_are_published_and_enforced() {
    let input = fields(&[
        ruled::<Option<u32>>(
            "limit",
            Rules {
                min: Some(Bound::Integer(1)),
                max: Some(Bound::Integer(100)),
                example: Some(|| Some(json!(10))),
                ..NONE
            },
        ),
        ruled::<f64>(
            "ratio",
            Rules {
                min: Some(Bound::Integer(0)),
                max: Some(Bound::Number(0.5)),
                ..NONE
            },
        ),
        ruled::<Vec<String>>(
            "tags",
            Rules {
                min_len: Some(1),
                max_len: Some(2),
                ..NONE
            },
        ),
        Field {
            default: Some(|| Some(json!("EU1"))),
            header: Some("Region"),
            about: "Where.",
            ..ruled::<String>(
                "region",
                Rules {
                    max_len: Some(3),
                    pattern: Some("^EU"),
                    ..NONE
                },
            )
        },
        ruled::<u64>(
            "big",
            Rules {
                min: Some(Bound::Integer(5)),
                max: Some(Bound::Integer(9_007_199_254_740_993)),
                ..NONE
            },
        ),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "examples": [10]},
                "ratio": {"type": "number", "minimum": 0, "maximum": 0.5},
                "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 2},
                "region": {
                    "type": "string", "maxLength": 3, "pattern": "^EU", "default": "EU1",
                    "x-mcp-header": "Region", "description": "Where."
                },
                "big": {"type": "integer", "minimum": 5}
            },
            "required": ["ratio", "tags", "big"],
            "additionalProperties": false
        })
    );
    let call = |limit, ratio, tags, big: u64| {
        accept(
            &input,
            json!({"limit": limit, "ratio": ratio, "tags": tags, "big": big}),
        )
    };
    assert_eq!(
        call(json!(100), json!(0.5), json!(["a"]), 9_007_199_254_740_993),
        Ok(json!({
            "limit": 100, "ratio": 0.5, "tags": ["a"], "big": 9_007_199_254_740_993u64, "region": "EU1"
        }))
    );
    assert_eq!(
        call(json!(101), json!(0.51), json!([]), 9_007_199_254_740_994),
        Err(json!({
            "limit": "must be from 1 to 100",
            "ratio": "must be at least 0 and at most 0.5",
            "tags": "must have 1 to 2 items, has 0",
            "big": "must be from 5 to 9007199254740993"
        }))
    );
}

#[test]
fn a_rule_that_does_not_go_with_its_field_is_a_problem() {
    let made = InputSchema::from_fields(&[
        ruled::<String>(
            "text",
            Rules {
                min: Some(Bound::Integer(1)),
                ..NONE
            },
        ),
        ruled::<u8>(
            "whole",
            Rules {
                max: Some(Bound::Number(1.5)),
                ..NONE
            },
        ),
        ruled::<u8>(
            "empty",
            Rules {
                min: Some(Bound::Integer(300)),
                ..NONE
            },
        ),
        ruled::<bool>(
            "flag",
            Rules {
                max_len: Some(1),
                pattern: Some("a"),
                ..NONE
            },
        ),
        ruled::<String>(
            "lengths",
            Rules {
                min_len: Some(2),
                max_len: Some(1),
                ..NONE
            },
        ),
        ruled::<String>(
            "pattern",
            Rules {
                pattern: Some("a("),
                ..NONE
            },
        ),
        Field {
            header: Some("A"),
            ..Field::new::<Vec<u8>>("list")
        },
        Field {
            header: Some("X-One"),
            ..Field::new::<u8>("one")
        },
        Field {
            header: Some("x-one"),
            ..Field::new::<u8>("two")
        },
        Field::new::<u8>("two"),
    ]);
    let problems = problems(made);
    let pattern = problems
        .iter()
        .position(|problem| problem.contains("`pattern`:"));
    let mut others = problems.clone();
    let pattern = others.remove(pattern.expect("the pattern's problem"));
    assert!(
        pattern.starts_with("T7017 field `pattern`: its pattern is not supported: "),
        "{pattern}"
    );
    assert_eq!(
        others,
        [
            "T7017 field `text`: `min` is for numbers, and this is a text",
            "T7017 field `whole`: `max = 1.5` on an integer: use an integer",
            "T7017 field `empty`: `min` is greater than `max`",
            "T7017 field `flag`: `max_len` is for texts and lists, and this is a boolean",
            "T7017 field `flag`: `pattern` is for texts, and this is a boolean",
            "T7017 field `lengths`: `min_len` is greater than `max_len`",
            "T7007 field `list`: `header` is for texts, integers and booleans, and this is a list",
            "T7007 field `two`: the header `x-one` is used by another field",
            "T7016 field `two`: two fields have this name",
        ]
    );
}

#[test]
fn a_default_or_an_example_that_does_not_fit_is_a_problem() {
    let made = InputSchema::from_fields(&[
        Field {
            default: Some(|| Some(json!(0))),
            ..ruled::<u32>(
                "limit",
                Rules {
                    min: Some(Bound::Integer(1)),
                    ..NONE
                },
            )
        },
        ruled::<Vec<u8>>(
            "bytes",
            Rules {
                example: Some(|| Some(json!([1, "a"]))),
                ..NONE
            },
        ),
    ]);
    assert_eq!(
        problems(made),
        [
            "T7017 field `limit`: its default is not valid: `limit` must be from 1 to 4294967295",
            "T7017 field `bytes`: its example is not valid: `bytes[1]` expected an integer, got a string",
        ]
    );
}

#[test]
fn a_default_that_json_cannot_show_makes_a_field_optional_all_the_same() {
    let input = fields(&[Field {
        default: Some(|| None),
        ..Field::new::<u8>("n")
    }]);
    assert_eq!(input.published().get("required"), None);
    assert_eq!(accept(&input, json!({})), Ok(json!({})));
}

#[test]
fn a_field_is_optional_where_its_type_takes_null() {
    let input = fields(&[
        Field::new::<Option<Vec<Option<u8>>>>("list"),
        Field::new::<Box<Option<u8>>>("boxed"),
        Field::new::<serde_json::Value>("any"),
        Field::new::<Option<serde_json::Value>>("perhaps"),
    ]);
    assert_eq!(input.published()["required"], json!(["any"]));
    assert_eq!(
        input.published()["properties"]["list"]["items"],
        json!({"type": "integer", "minimum": 0, "maximum": 255, "description": "May be null."})
    );
    assert_eq!(
        accept(
            &input,
            json!({"list": [1, null], "boxed": null, "any": null, "perhaps": null})
        ),
        Ok(json!({"list": [1, null], "any": null}))
    );
}

#[test]
fn an_integer_that_is_mirrored_into_a_header_is_one_that_a_double_holds() {
    let mirrored = |header| Field {
        header: Some(header),
        ..Field::new::<u64>("id")
    };
    let input = fields(&[mirrored("Id")]);
    assert_eq!(
        input.published()["properties"]["id"],
        json!({
            "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991u64, "x-mcp-header": "Id"
        })
    );
    assert!(accept(&input, json!({"id": 9_007_199_254_740_991u64})).is_ok());
    assert!(accept(&input, json!({"id": 9_007_199_254_740_992u64})).is_err());
}
