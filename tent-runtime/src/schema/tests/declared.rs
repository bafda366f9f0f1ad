//! Schemas of an author's own.

use serde_json::json;

use super::*;
use crate::schema::check::{Purpose, compile};

#[test]
fn it_is_published_untouched_and_enforced() {
    let declared = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Tree",
        "type": "object",
        "properties": {
            "kind": {"const": "tree"},
            "size": {"type": ["integer", "null"], "exclusiveMinimum": 0, "multipleOf": 2},
            "either": {"oneOf": [{"type": "integer", "maximum": 10}, {"type": "number", "minimum": 5}]},
            "not_x": {"type": "string", "not": {"enum": ["x"]}},
            "child": {"$ref": "#"},
            "leaf": {"$ref": "#/$defs/leaf~1a"},
            "any_of": {"enum": [1, "a", null, [2], {"b": 1}]}
        },
        "required": ["kind", "more"],
        "minProperties": 2,
        "$defs": {"leaf/a": {"type": "array", "uniqueItems": true, "items": {"type": "boolean"}}}
    });
    let input = InputSchema::from_declared(declared.clone()).expect("a schema");
    assert_eq!(*input.published(), declared);
    let fits = json!({
        "kind": "tree", "more": [], "size": null, "either": 11, "not_x": "y",
        "child": {"kind": "tree", "more": 1}, "leaf": [true, false], "any_of": [2], "other": 1
    });
    assert_eq!(accept(&input, fits.clone()), Ok(fits));
    let misfits = json!({
        "kind": "bush", "size": 3, "either": 7, "not_x": "x",
        "child": {"kind": "tree"}, "leaf": [true, true], "any_of": [3]
    });
    assert_eq!(
        accept(&input, misfits),
        Err(json!({
            "kind": "must be `tree`",
            "more": "is required: expected a value",
            "size": "must be a multiple of 2",
            "either": "matches more than one of the alternatives",
            "not_x": "must not have this value",
            "child": "must have at least 2 properties",
            "child.more": "is required: expected a value",
            "leaf[1]": "is a duplicate of another item",
            "any_of": "must be one of [2]"
        }))
    );
}

#[test]
fn another_dialect_is_not_read_as_this_one() {
    let of = |dialect: Value| {
        let made = InputSchema::from_declared(json!({"$schema": dialect, "type": "object"}));
        made.map(|_| ())
            .map_err(|problems| problems.iter().map(|one| one.code).collect::<Vec<_>>())
    };
    for ours in ["", "#"] {
        let name = format!("https://json-schema.org/draft/2020-12/schema{ours}");
        assert_eq!(of(name.into()), Ok(()));
    }
    // The validator of the feature reads those that it knows, by their own rules.
    let older = match cfg!(feature = "schema") {
        true => Ok(()),
        false => Err(vec![codes::INVALID_RULE]),
    };
    for name in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ] {
        assert_eq!(of(name.into()), older, "{name}");
    }
    for strange in [json!("https://schemas.example/mine"), json!(""), json!(7)] {
        assert_eq!(
            of(strange.clone()),
            Err(vec![codes::INVALID_RULE]),
            "{strange}"
        );
    }
}

#[test]
fn a_keyword_that_is_not_enforced_is_a_problem() {
    // The check alone, whether or not a validator takes what it does not.
    let declared = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "contains": 1},
            "b": {"$ref": "#/$defs/nowhere"},
            "c": {"type": "string", "pattern": "(?=x)"},
            "d": {"type": "integer", "multipleOf": 0.5},
            "e": {"type": "text"},
            "f": 7,
            "g[0]": {}
        },
        "dependentRequired": {"a": ["b"]}
    });
    let mut problems = problems(compile(&declared, Purpose::Input));
    let pattern = problems.iter().position(|problem| {
        problem.starts_with("T7017 the schema at `#/properties/c`: the pattern is not supported: ")
    });
    problems.remove(pattern.expect("the pattern's problem"));
    assert_eq!(
        problems,
        [
            "T7017 the schema at `#/properties/a`: `contains` is not supported here",
            "T7017 the schema at `#/properties/b`: `#/$defs/nowhere` does not exist in the schema",
            "T7017 the schema at `#/properties/d`: `multipleOf` of an integer must be an integer above 0",
            "T7017 the schema at `#/properties/e`: `text` is not a valid type",
            "T7017 the schema at `#/properties/f`: a schema must be an object or a boolean",
            "T7016 field `g[0]`: model interfaces reject this name: use 1 to 64 of A-Z a-z 0-9 _ . -",
            "T7017 the schema at `#`: `dependentRequired` is not supported here",
        ]
    );
}

#[test]
fn a_schema_that_refers_to_itself_without_a_value_in_between_is_a_problem() {
    let made = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}},
        "$defs": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/a"}]}}
    }));
    assert_eq!(
        problems(made),
        ["T7017 the schema at `#`: the schema refers to itself without end"]
    );
}

#[test]
fn its_root_is_an_object() {
    for declared in [
        json!(true),
        json!({}),
        json!({"type": "array"}),
        json!({"type": ["object", "null"]}),
    ] {
        let problems = problems(InputSchema::from_declared(declared));
        assert_eq!(
            problems,
            ["T7012 the whole type: the schema must have `\"type\": \"object\"` at its root"]
        );
    }
}
