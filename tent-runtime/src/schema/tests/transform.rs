//! The transform, beyond the reported cases.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;

#[derive(JsonSchema, Serialize, Deserialize)]
struct Base {
    /// Who.
    name: String,
    #[serde(flatten)]
    others: HashMap<String, u8>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Opened {
    #[serde(flatten)]
    base: Extra,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Extra {
    #[deprecated]
    old: Option<u8>,
}

#[test]
fn a_flattened_map_accepts_its_members() {
    assert_eq!(
        *whole::<Base>().published(),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string", "description": "Who."}},
            "required": ["name"],
            "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255}
        })
    );
    assert_eq!(
        accept(&whole::<Base>(), json!({"name": "a", "x": 1, "y": 256})),
        Err(json!({"y": "must be from 0 to 255"}))
    );
    assert_eq!(
        *whole::<Opened>().published(),
        json!({
            "type": "object",
            "properties": {
                "old": {"type": "integer", "minimum": 0, "maximum": 255, "deprecated": true}
            },
            "additionalProperties": {}
        })
    );
}

#[derive(JsonSchema)]
enum Key {
    Left,
    Right,
}

#[derive(JsonSchema)]
struct Both {
    #[serde(flatten)]
    one: Option<One>,
    #[serde(flatten)]
    two: Two,
    always: bool,
}

#[derive(JsonSchema)]
#[serde(tag = "one")]
enum One {
    A { a: u8 },
    B,
}

#[derive(JsonSchema)]
enum Two {
    X(u8),
    Y { y: u8 },
}

#[test]
fn flattened_unions_are_multiplied_out() {
    let input = fields(&[
        Field::new::<Both>("both"),
        Field::new::<Option<BTreeMap<Key, u8>>>("keys"),
    ]);
    let union = &input.published()["properties"]["both"];
    let count = |keyword: &str| union[keyword].as_array().map(Vec::len);
    assert_eq!((count("anyOf"), count("oneOf")), (None, Some(6)));
    for fits in [
        json!({"always": true, "one": "A", "a": 1, "X": 1}),
        json!({"always": true, "one": "B", "Y": {"y": 1}}),
        json!({"always": true, "X": 1}),
    ] {
        let call = json!({"both": fits});
        assert_eq!(accept(&input, call.clone()), Ok(call));
    }
    for misfits in [
        json!({"always": true, "one": "A", "X": 1}),
        json!({"always": true, "one": "B"}),
        json!({"always": true, "X": 1, "Y": {"y": 1}}),
        json!({"always": true, "X": 1, "z": 1}),
        json!({"X": 1}),
    ] {
        assert!(
            accept(&input, json!({"both": misfits})).is_err(),
            "{misfits}"
        );
    }
    assert_eq!(
        accept(
            &input,
            json!({"both": {"always": true, "X": 1}, "keys": {"Left": 1, "Up": 2}})
        ),
        Err(json!({"keys.Up": "unknown field; known fields: `Left`, `Right`"}))
    );
}

#[derive(JsonSchema)]
#[serde(tag = "op")]
enum Expr {
    Number { value: f64 },
    Add { left: Box<Expr>, right: Box<Expr> },
    Wrapped(Inner),
}

/// What is inside.
#[derive(JsonSchema)]
struct Inner {
    inside: Vec<Expr>,
}

#[test]
fn a_union_may_contain_itself() {
    let input = fields(&[Field::new::<Expr>("expr")]);
    assert_eq!(
        input.published()["properties"]["expr"],
        json!({"$ref": "#/$defs/Expr"})
    );
    let number = json!({"op": "Number", "value": 1});
    let call = json!({"expr": {"op": "Add", "left": number, "right": {"op": "Wrapped", "inside": [number]}}});
    assert_eq!(accept(&input, call.clone()), Ok(call));
    let wrong = json!({"expr": {"op": "Add", "left": {"op": "Number"}, "right": {"op": "Wrapped", "inside": [{"op": "Sub"}]}}});
    assert_eq!(
        accept(&input, wrong),
        Err(json!({
            "expr.left.value": "is required: expected a number",
            "expr.right.inside[0].op": "must be one of `Number`, `Add`, `Wrapped`"
        }))
    );
}

/// How to ship.
#[derive(JsonSchema)]
enum Shipping {
    /// By post.
    Post {
        zip: String,
    },
    Pickup,
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Perhaps {
    Ship(Shipping),
    /// How many days to wait.
    Wait(u8),
}

#[test]
fn a_description_stands_where_it_is_true() {
    let post = json!({
        "type": "object",
        "description": "By post.",
        "properties": {
            "Post": {
                "type": "object",
                "properties": {"zip": {"type": "string"}},
                "required": ["zip"],
                "additionalProperties": false
            }
        },
        "required": ["Post"],
        "additionalProperties": false
    });
    let pickup = json!({"type": "string", "enum": ["Pickup"]});
    assert_eq!(
        field::<Option<Shipping>>(),
        json!({"oneOf": [pickup, post], "description": "How to ship."})
    );
    let wait = json!({
        "type": "integer", "minimum": 0, "maximum": 255, "description": "How many days to wait."
    });
    assert_eq!(field::<Perhaps>(), json!({"oneOf": [pickup, post, wait]}));
}

#[derive(JsonSchema)]
#[schemars(rename = "Ä/b~c d")]
struct Odd {
    next: Option<Box<Odd>>,
    other: Option<Box<Odd2>>,
}

#[derive(JsonSchema)]
#[schemars(rename = "_/b~c d")]
struct Odd2 {
    odd: Vec<Odd>,
}

#[test]
fn a_reference_needs_no_escapes_and_names_stay_apart() {
    let input = fields(&[Field::new::<Odd>("odd")]);
    let second = input.published()["$defs"]["__b_c_d2"].clone();
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {"odd": {"$ref": "#/$defs/__b_c_d2"}},
            "required": ["odd"],
            "additionalProperties": false,
            "$defs": {
                "__b_c_d": {
                    "type": "object",
                    "properties": {"odd": {"type": "array", "items": {"$ref": "#/$defs/__b_c_d2"}}},
                    "required": ["odd"],
                    "additionalProperties": false
                },
                "__b_c_d2": second
            }
        })
    );
    let call = json!({"odd": {"other": {"odd": [{"next": {}}]}}});
    assert_eq!(accept(&input, call.clone()), Ok(call));
    assert!(accept(&input, json!({"odd": {"other": {"odd": [{"nxt": {}}]}}})).is_err());
}

macro_rules! doubling {
    ($($name:ident of $inner:ty),*) => {$(
        #[derive(JsonSchema)]
        struct $name {
            left: $inner,
            right: $inner,
        }
    )*};
}

doubling!(
    D1 of u8, D2 of D1, D3 of D2, D4 of D3, D5 of D4, D6 of D5, D7 of D6, D8 of D7, D9 of D8,
    D10 of D9, D11 of D10, D12 of D11, D13 of D12, D14 of D13, D15 of D14, D16 of D15, D17 of D16,
    D18 of D17, D19 of D18, D20 of D19
);

#[test]
fn a_schema_that_doubles_with_every_level_is_a_problem_not_a_hang() {
    assert_eq!(
        problems(InputSchema::from_fields(&[Field::new::<D20>("d")])),
        [
            "T7017 the whole type: it has more than 20000 subschemas, which clients reject: split it up"
        ]
    );
}

#[derive(JsonSchema)]
struct Extended {
    #[schemars(extend("contains" = {"type": "string"}))]
    list: Vec<String>,
    #[schemars(extend("pattern" = "(?!x)"))]
    text: String,
    #[schemars(extend("type" = "strange"))]
    strange: String,
    never: Vec<Never>,
}

#[derive(JsonSchema)]
enum Never {}

#[test]
fn refuses_keywords_that_are_not_enforced_at_start() {
    let mut problems = problems(InputSchema::from_type(of::<Extended>));
    let pattern = problems.iter().position(|problem| {
        problem.starts_with("T7017 field `text`: its pattern is not supported")
    });
    problems.remove(pattern.expect("the pattern's problem"));
    assert_eq!(
        problems,
        [
            "T7017 field `list`: its schema has `contains`, which is not supported here: remove it, or describe the rule in the description",
            "T7017 field `never[]`: its type accepts no value",
            "T7017 field `strange`: `strange` is not a type of JSON Schema",
        ]
    );
}

#[derive(JsonSchema)]
#[schemars(title = "A thing", example = json!({"n": 1}))]
struct Annotated {
    #[schemars(title = "How many", extend("x-own" = 1, "readOnly" = true), example = 7)]
    n: u8,
    #[schemars(extend("const" = "fixed"))]
    fixed: String,
    #[schemars(extend("const" = true))]
    yes: bool,
    #[schemars(extend("multipleOf" = 0.5, "exclusiveMinimum" = 0))]
    step: f64,
}

#[test]
fn keeps_keywords_beside_a_schema() {
    let input = whole::<Annotated>();
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "title": "A thing",
            "examples": [{"n": 1}],
            "properties": {
                "n": {
                    "type": "integer", "minimum": 0, "maximum": 255, "title": "How many", "x-own": 1,
                    "readOnly": true, "examples": [7]
                },
                "fixed": {"type": "string", "enum": ["fixed"]},
                "yes": {"type": "boolean", "description": "Always true."},
                "step": {"type": "number", "multipleOf": 0.5, "exclusiveMinimum": 0}
            },
            "required": ["n", "fixed", "yes", "step"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        accept(
            &input,
            json!({"n": 1, "fixed": "other", "yes": false, "step": 0.7})
        ),
        Err(json!({
            "fixed": "must be `fixed`",
            "yes": "must be true",
            "step": "must be a multiple of 0.5"
        }))
    );
}

#[derive(JsonSchema, Serialize)]
#[serde(tag = "kind")]
enum Outcome {
    Done { at: u64 },
    Failed,
}

#[derive(JsonSchema, Serialize)]
struct Report {
    outcome: Outcome,
    maybe: Option<Outcome>,
    level: Option<Key2>,
    tree: Tree,
}

#[derive(JsonSchema, Serialize)]
enum Key2 {
    /// The left one.
    Left,
    Right,
}

#[derive(JsonSchema, Serialize)]
struct Tree {
    children: Vec<Tree>,
}

#[test]
fn an_output_schema_forbids_no_other_members() {
    let outcomes = json!([
        {
            "type": "object",
            "properties": {
                "kind": {"type": "string", "enum": ["Done"]},
                "at": {"type": "integer", "minimum": 0}
            },
            "required": ["kind", "at"]
        },
        {
            "type": "object",
            "properties": {"kind": {"type": "string", "enum": ["Failed"]}},
            "required": ["kind"]
        }
    ]);
    let mut or_null = outcomes.clone();
    or_null
        .as_array_mut()
        .expect("branches")
        .push(json!({"type": "null"}));
    assert_eq!(
        output::<Report>(),
        json!({
            "type": "object",
            "properties": {
                "outcome": {"type": "object", "oneOf": outcomes},
                "maybe": {"oneOf": or_null},
                "level": {
                    "type": ["string", "null"],
                    "enum": ["Right", "Left", null],
                    "description": "- `Left`: The left one."
                },
                "tree": {"$ref": "#/$defs/Tree"}
            },
            "required": ["outcome", "maybe", "level", "tree"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
                    },
                    "required": ["children"]
                }
            }
        })
    );
    let schema = OutputSchema::from_type(of::<Report>).expect("a schema");
    let report = Report {
        outcome: Outcome::Done { at: u64::MAX },
        maybe: None,
        level: Some(Key2::Left),
        tree: Tree {
            children: vec![Tree { children: vec![] }],
        },
    };
    let value = serde_json::to_value(report).expect("a value");
    assert_eq!(schema.fits(&value), Ok(()));
}

#[test]
fn wraps_every_output_that_is_not_always_an_object() {
    fn bare<T: JsonSchema>() -> bool {
        OutputSchema::from_type(of::<T>)
            .expect("a schema")
            .is_object()
    }
    assert!(bare::<Report>() && bare::<HashMap<String, u8>>() && bare::<Tree>());
    assert!(
        !bare::<Outcome>() && !bare::<Option<Report>>() && !bare::<Vec<Report>>() && !bare::<u8>()
    );
    let trees = OutputSchema::from_type(of::<Vec<Tree>>).expect("a schema");
    assert_eq!(
        trees.wrapped(),
        json!({
            "type": "object",
            "properties": {
                "value": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
            },
            "required": ["value"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {
                        "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}
                    },
                    "required": ["children"]
                }
            }
        })
    );
}
