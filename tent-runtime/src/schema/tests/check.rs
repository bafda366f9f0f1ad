//! The check: its messages, its normal form, and what it never shows.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::collections::{BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;

#[derive(JsonSchema)]
struct Line {
    #[schemars(length(min = 2, max = 8), regex(pattern = r"^[A-Z]\d+$"))]
    sku: String,
    #[schemars(range(min = 1, max = 99))]
    count: u8,
    #[schemars(inner(length(max = 3)))]
    tags: Option<Vec<String>>,
}

#[derive(JsonSchema)]
struct Order {
    lines: Vec<Line>,
    notes: HashMap<String, Line>,
    colours: BTreeSet<String>,
}

#[test]
fn all_failing_fields_are_named_at_once_with_their_paths() {
    let input = whole::<Order>();
    let given = json!({
        "lines": [
            {"sku": "A1", "count": 1},
            {"sku": "a1", "count": 0, "tags": ["abc", "abcd"]},
            {"sku": "Ä", "cuont": 3},
            7
        ],
        "notes": {"a.b": {"sku": "A123456789", "count": 2}, "c\n": null},
        "colours": ["red", "blue", "red"],
        "more": true
    });
    assert_eq!(
        accept(&input, given),
        Err(json!({
            "lines[1].sku": "must match `^[A-Z]\\d+$`",
            "lines[1].count": "must be from 1 to 99",
            "lines[1].tags[1]": "must have at most 3 characters, has 4",
            "lines[2].sku": "must have 2 to 8 characters, has 1; must match `^[A-Z]\\d+$`",
            "lines[2].cuont": "unknown field; did you mean `count`? Known fields: `count`, `sku`, `tags`",
            "lines[2].count": "is required: expected an integer",
            "lines[3]": "expected an object with `count`, `sku`, got a number",
            "notes[\"a.b\"].sku": "must have 2 to 8 characters, has 10",
            "notes[\"c\\n\"]": "expected an object with `count`, `sku`, got null",
            "colours[2]": "is a duplicate of another item",
            "more": "unknown field; known fields: `colours`, `lines`, `notes`"
        }))
    );
}

#[test]
fn characters_are_counted_not_bytes() {
    let short = Field {
        rules: Rules {
            min_len: Some(2),
            max_len: Some(3),
            ..Field::new::<String>("s").rules
        },
        ..Field::new::<String>("s")
    };
    let input = fields(&[short]);
    for fits in ["aä", "ääb", "äöü", "👍👍👍"] {
        assert!(accept(&input, json!({"s": fits})).is_ok(), "{fits}");
    }
    for misfits in ["ä", "👍", "abcd", ""] {
        assert!(accept(&input, json!({"s": misfits})).is_err(), "{misfits}");
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Shape {
    /// Nothing at all.
    Empty,
    Round,
    Circle {
        radius: f64,
    },
    Square(u32),
}

#[derive(JsonSchema)]
#[serde(untagged)]
enum Target {
    Id(u64),
    Name(String),
    Place { x: i32, y: i32 },
    Many(Vec<u64>),
}

#[derive(JsonSchema)]
#[serde(tag = "kind", content = "data")]
enum Adjacent {
    A(u8),
    B { deep: Vec<u8> },
    C,
}

#[test]
fn reports_the_errors_of_the_variant_that_the_tag_selects() {
    let input = fields(&[
        Field::new::<Shape>("shape"),
        Field::new::<Option<Adjacent>>("adj"),
    ]);
    for shape in [
        json!("empty"),
        json!("round"),
        json!({"circle": {"radius": 1}}),
        json!({"square": 2}),
    ] {
        let call = json!({"shape": shape});
        assert_eq!(accept(&input, call.clone()), Ok(call));
    }
    let invalid_input = |shape: Value, adjacent: Value| {
        accept(&input, json!({"shape": shape, "adj": adjacent})).expect_err("a misfit")
    };
    assert_eq!(
        invalid_input(
            json!({"circle": {"radius": "1"}}),
            json!({"kind": "B", "data": {"deep": [1, 300]}})
        ),
        json!({
            "shape.circle.radius": "expected a number, got a string",
            "adj.data.deep[1]": "must be from 0 to 255"
        })
    );
    assert_eq!(
        invalid_input(json!({"oval": 1}), json!({"kind": "D"})),
        json!({
            "shape": "expected an object with exactly one of `circle`, `square`",
            "adj.kind": "must be one of `A`, `B`, `C`"
        })
    );
    assert_eq!(
        invalid_input(json!("circles"), json!({"data": 1})),
        json!({
            "shape": "must be one of `round`, `empty`",
            "adj.kind": "is required: expected one of `A`, `B`, `C`"
        })
    );
    assert_eq!(
        invalid_input(json!(7), json!({"kind": 1})),
        json!({
            "shape": "expected one of `round`, `empty`, or an object with `circle`, or an object with `square`, got a number",
            "adj.kind": "expected one of `A`, `B`, `C`, got a number"
        })
    );
}

#[test]
fn an_untagged_union_lists_its_shapes() {
    let input = fields(&[Field::new::<Target>("to")]);
    for fits in [
        json!(7),
        json!("7"),
        json!({"x": 1, "y": -1}),
        json!([1, 2]),
    ] {
        assert_eq!(accept(&input, json!({"to": fits})), Ok(json!({"to": fits})));
    }
    // What stands in the one shape that fits its type is told exactly.
    assert_eq!(
        accept(&input, json!({"to": {"x": 1}})),
        Err(json!({"to.y": "is required: expected an integer"}))
    );
    assert_eq!(
        accept(&input, json!({"to": true})),
        Err(json!({
            "to": "expected an integer, or a string, or an object with `x`, `y`, or an array of which each is an integer, got a boolean"
        }))
    );
}

#[test]
fn where_the_wire_has_only_strings_they_are_taken_for_scalars() {
    let input = fields(&[
        Field::new::<u8>("small"),
        Field::new::<f64>("ratio"),
        Field::new::<bool>("on"),
        Field::new::<String>("text"),
        Field::new::<Vec<i32>>("ids"),
        Field::new::<Option<Vec<String>>>("one"),
        Field::new::<Option<Target>>("to"),
        Field::new::<Option<Value>>("any"),
    ]);
    let given = json!({
        "small": "30.0", "ratio": "-1.5e2", "on": "true", "text": "7", "ids": ["1", "-2"],
        "one": "a", "to": "7", "any": "7"
    });
    assert_eq!(
        accept_over(&input, given, InputEncoding::Strings),
        Ok(json!({
            "small": 30, "ratio": -150, "on": true, "text": "7", "ids": [1, -2],
            "one": ["a"], "to": 7, "any": "7"
        }))
    );
    let given = json!({
        "small": "256", "ratio": "NaN", "on": "yes", "text": "", "ids": ["1", " 2"]
    });
    assert_eq!(
        accept_over(&input, given.clone(), InputEncoding::Strings),
        Err(json!({
            "small": "must be from 0 to 255",
            "ratio": "expected a number, got a string that is not one",
            "on": "expected true or false, got a string",
            "ids[1]": "expected an integer, got a string that is not one"
        }))
    );
    assert_eq!(
        accept(&input, given),
        Err(json!({
            "small": "expected an integer, got a string",
            "ratio": "expected a number, got a string",
            "on": "expected true or false, got a string",
            "ids[0]": "expected an integer, got a string",
            "ids[1]": "expected an integer, got a string"
        }))
    );
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(default)]
struct Paging {
    #[schemars(range(min = 1))]
    size: u32,
    order: Option<String>,
    from: Option<u32>,
    #[schemars(range(min = 1))]
    bad: u32,
}

impl Default for Paging {
    fn default() -> Self {
        Paging {
            size: 20,
            order: None,
            from: Some(0),
            bad: 0,
        }
    }
}

#[test]
fn absent_fields_have_their_constant_defaults() {
    let input = fields(&[Field::new::<Paging>("page")]);
    let integer =
        |minimum: u32| json!({"type": "integer", "minimum": minimum, "maximum": 4294967295u32});
    let (mut size, mut from) = (integer(1), integer(0));
    size["default"] = 20.into();
    from["default"] = 0.into();
    assert_eq!(
        input.published()["properties"]["page"],
        json!({
            "type": "object",
            "properties": {
                "size": size,
                "order": {"type": "string"},
                "from": from,
                "bad": integer(1)
            },
            "additionalProperties": false
        })
    );
    let whole = json!({"page": {"size": 20, "from": 0}});
    assert_eq!(accept(&input, json!({"page": {}})), Ok(whole.clone()));
    assert_eq!(
        accept(&input, json!({"page": {"size": 20.0, "order": null}})),
        Ok(whole)
    );
    // Where there is another default, null is not the same as leaving it out.
    assert_eq!(
        accept(&input, json!({"page": {"from": null}})),
        Ok(json!({"page": {"size": 20, "from": null}}))
    );
    assert_eq!(
        accept(&input, json!({"page": {"size": null}})),
        Err(json!({"page.size": "expected an integer, got null"}))
    );
}

fn other_each_time() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

#[derive(JsonSchema)]
struct Changing {
    #[serde(default = "other_each_time")]
    seed: u64,
    #[serde(default)]
    default: u8,
}

#[test]
fn does_not_publish_a_default_that_is_not_constant() {
    let input = whole::<Changing>();
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "seed": {"type": "integer", "minimum": 0},
                "default": {"type": "integer", "minimum": 0, "maximum": 255, "default": 0}
            },
            "additionalProperties": false
        })
    );
    assert_eq!(accept(&input, json!({})), Ok(json!({"default": 0})));
}
