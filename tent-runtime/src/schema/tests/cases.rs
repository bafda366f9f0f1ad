//! Failures of schemas that people reported. The id of each case is in a comment.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;

#[derive(JsonSchema, Serialize, Deserialize)]
struct NoteStats {
    words: u32,
}

// K1-01.
#[test]
fn a_schema_names_no_dialect() {
    let input = fields(&[Field::new::<String>("id")]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "required": ["id"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        output::<NoteStats>(),
        json!({
            "type": "object",
            "properties": {"words": {"type": "integer", "minimum": 0, "maximum": 4294967295u32}},
            "required": ["words"]
        })
    );
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Event {
    kind: String,
    payload: Value,
    /// What else there is.
    extra: Option<Value>,
}

// K1-02.
#[test]
fn a_schema_is_never_the_boolean_true() {
    let input = fields(&[Field::new::<Event>("event")]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "event": {
                    "type": "object",
                    "properties": {
                        "kind": {"type": "string"},
                        "payload": {},
                        "extra": {"description": "What else there is."}
                    },
                    "required": ["kind", "payload"],
                    "additionalProperties": false
                }
            },
            "required": ["event"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        output::<Event>(),
        json!({
            "type": "object",
            "properties": {
                "kind": {"type": "string"},
                "payload": {},
                "extra": {"description": "What else there is."}
            },
            "required": ["kind", "payload", "extra"]
        })
    );
}

// K1-04.
#[test]
fn every_parameter_of_a_known_type_has_a_type() {
    let input = fields(&[
        Field::new::<u32>("limit"),
        Field::new::<bool>("auto"),
        Field::new::<Vec<String>>("names"),
        Field::new::<Value>("extra"),
        Field::new::<Option<Value>>("more"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "limit": {"type": "integer", "minimum": 0, "maximum": 4294967295u32},
                "auto": {"type": "boolean"},
                "names": {"type": "array", "items": {"type": "string"}},
                "extra": {},
                "more": {}
            },
            "required": ["limit", "auto", "names", "extra"],
            "additionalProperties": false
        })
    );
    let call = json!({"limit": 200, "auto": false, "names": ["a"], "extra": "{\"k\":1}"});
    assert_eq!(accept(&input, call.clone()), Ok(call));
}

#[derive(JsonSchema)]
struct Nothing {}

// K1-05.
#[test]
fn an_input_without_fields_has_properties() {
    let empty = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(*fields(&[]).published(), empty);
    assert_eq!(*whole::<Nothing>().published(), empty);
}

#[derive(JsonSchema)]
struct Page {
    total: u64,
    took_ms: u8,
}

// K1-07.
#[test]
fn numbers_have_no_format() {
    let input = fields(&[
        Field::new::<usize>("offset"),
        Field::new::<u8>("limit"),
        Field::new::<f32>("ratio"),
        Field::new::<i64>("id"),
        Field::new::<i128>("big"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "offset": {"type": "integer", "minimum": 0},
                "limit": {"type": "integer", "minimum": 0, "maximum": 255},
                "ratio": {"type": "number"},
                "id": {"type": "integer"},
                "big": {"type": "integer"}
            },
            "required": ["offset", "limit", "ratio", "id", "big"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        output::<Page>(),
        json!({
            "type": "object",
            "properties": {
                "total": {"type": "integer", "minimum": 0},
                "took_ms": {"type": "integer", "minimum": 0, "maximum": 255}
            },
            "required": ["total", "took_ms"]
        })
    );
}

// K1-08.
#[test]
fn an_option_has_the_schema_of_its_type_and_accepts_null() {
    let input = fields(&[
        Field::new::<String>("id"),
        Field::new::<Option<String>>("note"),
        Field::new::<Option<i64>>("due_days"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "note": {"type": "string"},
                "due_days": {"type": "integer"}
            },
            "required": ["id"],
            "additionalProperties": false
        })
    );
    let given = json!({"id": "a", "note": null, "due_days": null});
    assert_eq!(accept(&input, given), Ok(json!({"id": "a"})));
}

#[derive(JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Sort {
    /// newest first
    Newest,
    /// cheapest first
    CheapFirst,
}

// K1-10.
#[test]
fn unit_variants_are_one_enum() {
    let input = fields(&[
        Field {
            about: "How to sort.",
            ..Field::new::<Sort>("sort")
        },
        Field::new::<Option<Sort>>("then"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "sort": {
                    "type": "string",
                    "enum": ["newest", "cheapFirst"],
                    "description": "How to sort.\n\n- `newest`: newest first\n- `cheapFirst`: cheapest first"
                },
                "then": {
                    "type": "string",
                    "enum": ["newest", "cheapFirst"],
                    "description": "- `newest`: newest first\n- `cheapFirst`: cheapest first"
                }
            },
            "required": ["sort"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        accept(&input, json!({"sort": "cheapFirst"})),
        Ok(json!({"sort": "cheapFirst"}))
    );
    assert_eq!(
        accept(&input, json!({"sort": "Newest", "then": "oldest"})),
        Err(json!({
            "sort": "must be one of `newest`, `cheapFirst`; did you mean `newest`?",
            "then": "must be one of `newest`, `cheapFirst`"
        }))
    );
}

/// An enum of numbers, as `serde_repr` makes them.
struct Level;

impl JsonSchema for Level {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Level".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "enum": [1, 5, 9], "description": "How loud."})
    }
}

// K1-11.
#[test]
fn describes_an_enum_of_numbers_and_accepts_only_those() {
    assert_eq!(
        field::<Level>(),
        json!({
            "type": "integer",
            "minimum": 1,
            "maximum": 9,
            "description": "How loud.\n\nOne of 1, 5 or 9."
        })
    );
    let input = fields(&[Field::new::<Level>("level")]);
    for level in [1, 5, 9] {
        let call = json!({"level": level});
        assert_eq!(accept(&input, call.clone()), Ok(call));
    }
    assert_eq!(
        accept(&input, json!({"level": 2})),
        Err(json!({"level": "must be one of 1, 5, 9"}))
    );
}

/// What to look for.
#[derive(JsonSchema)]
struct Query {
    text: String,
    limit: Option<u32>,
}

/// A folder.
#[derive(JsonSchema)]
struct Folder {
    name: String,
    parent: Option<Box<Folder>>,
    folders: Vec<Folder>,
}

// K1-12.
#[test]
fn inlines_references_unless_the_type_contains_itself() {
    let query = json!({
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "limit": {"type": "integer", "minimum": 0, "maximum": 4294967295u32}
        },
        "required": ["text"],
        "additionalProperties": false,
        "description": "What to look for."
    });
    let mut fallback = query.clone();
    fallback["description"] = "Where that finds nothing.".into();
    let input = fields(&[
        Field::new::<Query>("query"),
        Field {
            about: "Where that finds nothing.",
            ..Field::new::<Option<Query>>("fallback")
        },
        Field {
            about: "Where to look.",
            ..Field::new::<Folder>("within")
        },
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "query": query,
                "fallback": fallback,
                "within": {"$ref": "#/$defs/Folder", "description": "Where to look."}
            },
            "required": ["query", "within"],
            "additionalProperties": false,
            "$defs": {
                "Folder": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "parent": {"$ref": "#/$defs/Folder"},
                        "folders": {"type": "array", "items": {"$ref": "#/$defs/Folder"}}
                    },
                    "required": ["name", "folders"],
                    "additionalProperties": false,
                    "description": "A folder."
                }
            }
        })
    );
    let leaf = json!({"name": "a", "folders": []});
    let call = json!({
        "query": {"text": "x"},
        "within": {"name": "b", "parent": null, "folders": [leaf, {"name": "c", "folder": []}]}
    });
    assert_eq!(
        accept(&input, call),
        Err(json!({
            "within.folders[1].folder": "unknown field; did you mean `folders`? Known fields: `folders`, `name`, `parent`",
            "within.folders[1].folders": "is required: expected an array of which each is an object with `folders`, `name`"
        }))
    );
}

// K1-12.
#[test]
fn a_recursive_type_can_be_the_root() {
    let root = whole::<Folder>();
    assert_eq!(root.published()["type"], "object");
    assert_eq!(
        root.published()["properties"],
        root.published()["$defs"]["Folder"]["properties"]
    );
    assert_eq!(
        accept(&root, json!({"name": "a", "folders": [], "parent": null})),
        Ok(json!({"name": "a", "folders": []}))
    );
}
