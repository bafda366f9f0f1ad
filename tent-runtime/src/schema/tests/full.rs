//! Schemas of an author's own that the full validator enforces.

use serde_json::json;

use super::*;

fn person() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "place",
            "type": "object",
            "properties": {"city": {"type": "string", "minLength": 1}, "floor": {"type": "integer"}},
            "unevaluatedProperties": false
        }},
        "properties": {
            "age": {"type": "integer", "minimum": 0},
            "home": {"$ref": "#/$defs/address"},
            "work": {"$ref": "#place"},
            "by": {"type": "string", "enum": ["phone", "mail"]},
            "phone": {"type": "string", "pattern": "^(?!0)[0-9]+$"},
            "mail": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}, "contains": {"const": "new"}}
        },
        "if": {"properties": {"by": {"const": "phone"}}, "required": ["by"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["mail"]},
        "dependentRequired": {"age": ["mail"]},
        "additionalProperties": false
    })
}

#[test]
fn every_keyword_is_enforced_and_the_schema_is_published_untouched() {
    let input = InputSchema::from_declared(person()).expect("a schema");
    assert_eq!(*input.published(), person());
    let fits =
        json!({"by": "phone", "phone": "12", "home": {"city": "Oslo"}, "tags": ["old", "new"]});
    assert_eq!(accept(&input, fits.clone()), Ok(fits));
    // Numbers are folded as everywhere.
    let folded = accept(&input, json!({"mail": "a@b", "age": 30.0}));
    assert_eq!(
        folded.map(|folded| folded["age"].to_string()),
        Ok("30".to_owned())
    );
    let misfits = json!({
        "by": "phone", "phone": "012", "age": -1, "other": 1,
        "home": {"city": "", "lift": true}, "work": {"floor": "first"}, "tags": ["old", 7]
    });
    let found = accept(&input, misfits).expect_err("it does not fit");
    assert_eq!(
        found,
        json!({
            "age": "is less than the minimum of 0",
            "home.city": "is shorter than 1 character",
            "home.lift": "unknown field",
            "mail": "is required: expected a value",
            "other": "unknown field; known fields: `age`, `by`, `home`, `mail`, `phone`, `tags`, `work`",
            "phone": "does not match \"^(?!0)[0-9]+$\"",
            "tags": "has no matching item",
            "tags[1]": "expected a string, got a number",
            "work.floor": "is not of type \"integer\""
        })
    );
}

#[test]
fn reads_texts_by_their_declared_types() {
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"n": {"type": "integer"}, "yes": {"type": "boolean"}},
        "if": {"required": ["n"]},
        "then": {"required": ["yes"]}
    }))
    .expect("a schema");
    let read = accept_over(
        &input,
        json!({"n": "7", "yes": "true"}),
        InputEncoding::Strings,
    );
    assert_eq!(read, Ok(json!({"n": 7, "yes": true})));
}

#[test]
fn masks_a_secret_also_in_messages() {
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"card": {
            "type": "object",
            "x-tent-secret": true,
            "properties": {"number": {"type": "string"}},
            "propertyNames": {"minLength": 2}
        }},
        "if": {"required": ["card"]},
        "then": {"properties": {"card": {"properties": {"number": {"minLength": 4}}}}}
    }))
    .expect("a schema");
    assert_eq!(input.secrets(), ["card"]);
    let mut sent = Map::from_iter([("card".to_owned(), json!({"number": "42"}))]);
    input.mask(&mut sent);
    assert_eq!(Value::from(sent), json!({"card": "[secret]"}));
    let told = accept(&input, json!({"card": {"number": "42", "x": 1}}));
    assert_eq!(told, Err(json!({"card": "is not valid"})));
}

#[test]
fn a_schema_that_cannot_be_enforced_or_masked_is_a_problem() {
    let problem = |schema| problems(InputSchema::from_declared(schema));
    let text = |keyword: Value| json!({"type": "object", "contains": keyword});
    // No schema at all, a reference to nowhere, and one to elsewhere: nothing is ever fetched.
    for schema in [
        text(json!(7)),
        json!({"type": "object", "if": {"$ref": "#/$defs/nowhere"}, "then": {"required": ["a"]}}),
        json!({"type": "object", "propertyNames": {"$ref": "https://example.com/schema.json"}}),
    ] {
        let problems = problem(schema);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(
            problems[0].starts_with("T7017 the schema at `#"),
            "{problems:?}"
        );
    }
    let hidden =
        json!({"type": "object", "then": {"properties": {"pin": {"x-tent-secret": true}}}});
    assert_eq!(
        problem(hidden),
        [
            "T7017 the schema at `#`: a secret behind a reference or a condition cannot be masked: declare it under `properties`"
        ]
    );
}

#[test]
fn an_outline_never_refuses_what_the_schema_accepts() {
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {
            "row": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}, "contains": {"const": "a"}},
            "any": {"type": ["integer", "string"], "minLength": 1},
            "map": {"type": "object", "properties": {"a": {"type": "string"}}, "patternProperties": {"^x": {}}, "additionalProperties": false}
        }
    }))
    .expect("a schema");
    let fits = json!({"row": ["a", 1], "any": 7, "map": {"xy": 1, "a": "b"}});
    assert_eq!(accept(&input, fits.clone()), Ok(fits));
}

/// A value that nests in the field `a`, around `inner`.
fn nested(depth: usize, inner: Value) -> Value {
    (0..depth).fold(inner, |value, _| json!({"a": value}))
}

// S06
#[test]
fn a_recursive_schema_costs_little_however_deep_an_invalid_value_nests() {
    let node = json!({"$ref": "#/$defs/node"});
    let branch = json!({"type": "object", "properties": {"a": node}, "required": ["a"]});
    let of = |node: Value| json!({"type": "object", "$defs": {"node": node}, "properties": {"a": {"$ref": "#/$defs/node"}}, "if": true});
    let leaf = json!({"type": "integer"});
    let other = json!({"properties": {"a": {"$ref": "#/$defs/node"}, "b": {}}, "required": ["a"], "type": "object"});
    let anchored = json!({"type": "object", "$defs": {"node": {"$dynamicAnchor": "n", "anyOf": [
        {"type": "integer"},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#n"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#n"}}},
    ]}}, "properties": {"a": {"$dynamicRef": "#n"}}});
    for schema in [
        of(json!({"anyOf": [leaf, branch, other]})),
        of(
            json!({"oneOf": [leaf, branch, {"type": "object", "properties": {"a": node}, "required": ["a", "b"]}]}),
        ),
        of(json!({"allOf": [{"anyOf": [leaf, branch]}, {"anyOf": [leaf, other]}]})),
        of(json!({"if": branch, "then": other, "else": leaf})),
        of(json!({"not": {"not": {"anyOf": [leaf, branch, other]}}})),
        of(json!({"dependentSchemas": {"a": branch}, "anyOf": [leaf, other]})),
        of(json!({"anyOf": [leaf, branch, other], "unevaluatedProperties": false})),
        of(json!({"anyOf": [leaf, {"additionalProperties": node, "type": "object"}, other]})),
        anchored,
    ] {
        let shown = schema.to_string();
        let input = InputSchema::from_declared(schema).expect("a schema");
        for depth in [20, 100] {
            let told = accept(&input, nested(depth, json!("not an integer")));
            let told = told.expect_err(&shown);
            assert_eq!(told.as_object().map(Map::len), Some(1), "{shown}: {told}");
        }
        accept(&input, nested(2, json!("not an integer"))).expect_err(&shown);
    }
}

// S06
#[test]
fn a_schema_that_refers_to_itself_at_the_same_value_ends() {
    for schema in [
        json!({"type": "object", "if": {"$ref": "#"}, "then": {"required": ["a"]}}),
        json!({"type": "object", "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}, "if": {"$ref": "#/$defs/a"}, "then": {"required": ["a"]}}),
        json!({"type": "object", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"required": ["b"]}]}}, "dependentSchemas": {"c": {"$ref": "#/$defs/a"}}}),
    ] {
        if let Ok(input) = InputSchema::from_declared(schema) {
            let _ = accept(&input, json!({"c": 1}));
            let _ = accept(&input, json!({}));
        }
    }
}

// S06
#[test]
fn a_pattern_that_backtracks_is_bounded() {
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^(?!x)(a+)+$"}},
    }))
    .expect("a schema");
    let text = "a".repeat(60) + "!";
    accept(&input, json!({ "a": text })).expect_err("it does not match");
    accept(&input, json!({"a": "aaa"})).expect("it matches");
}

// S06
#[test]
fn a_long_list_of_unique_items_is_validated_quickly() {
    let input = InputSchema::from_declared(json!({
        "type": "object",
        "properties": {"a": {"type": "array", "uniqueItems": true, "contains": {"const": 1}}},
    }))
    .expect("a schema");
    let items: Vec<_> = (0..100_000).map(|n| json!({"n": n})).collect();
    let mut valid = items.clone();
    valid.push(json!(1));
    accept(&input, json!({ "a": valid })).expect("they are unique");
    accept(&input, json!({ "a": items })).expect_err("none is 1");
}

// P03
#[test]
fn patterns_beside_look_around_are_those_of_ecmascript_too() {
    let table: Vec<(String, Vec<String>, Vec<String>)> = vec![
        (
            r"(?!x)^\s\w\b.$".into(),
            vec!["\u{feff}aé".into()],
            vec!["\u{85}aé".into(), " aa".into(), " a\u{2028}".into()],
        ),
        (
            r"^(?!0)\d+$".into(),
            vec!["12".into()],
            vec!["012".into(), "1٣".into(), "1\n".into()],
        ),
        (
            r"(?=.)^[\S\-]\B\u{1F600}\/$".into(),
            vec!["-😀/".into()],
            vec![" 😀/".into(), "a😀/".into()],
        ),
        (
            r"^(?<n>[[\]a])\k<n>$".into(),
            vec!["]]".into(), "[[".into()],
            vec!["[]".into()],
        ),
    ];
    for (pattern, matching, others) in table {
        let schema =
            json!({"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}});
        let input = InputSchema::from_declared(schema.clone()).expect("a schema");
        assert_eq!(*input.published(), schema);
        for text in matching {
            accept(&input, json!({ "a": text })).expect(&text);
        }
        for text in others {
            let found = accept(&input, json!({ "a": text })).expect_err(&text);
            assert_eq!(found, json!({"a": format!("does not match \"{pattern}\"")}));
        }
    }
    for pattern in ["(?i)a", r"(?!a)\Ab", "(?P<n>a)"] {
        let schema = json!({"type": "object", "patternProperties": {pattern: true}, "properties": {"a": {"contains": {"pattern": pattern}}}});
        let problems = problems(InputSchema::from_declared(schema));
        assert_eq!(problems.len(), 2, "{problems:?}");
    }
}
