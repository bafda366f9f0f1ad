//! Failures of schemas that people reported: the second half.
#![allow(
    dead_code,
    reason = "the fields of these types are only read by their derives"
)]

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cases::Sort;
use super::*;

#[derive(JsonSchema)]
#[serde(tag = "by")]
enum Selector {
    Id { id: String },
    Name { name: String },
}

#[derive(JsonSchema)]
struct Flattened {
    #[serde(flatten)]
    selector: Selector,
    verbose: bool,
}

#[derive(JsonSchema)]
struct Nested {
    selector: Selector,
    verbose: bool,
}

// K1-14.
#[test]
fn a_schema_has_no_union_at_its_root() {
    let told = "T7012 the whole type: the root is a union, which model interfaces reject: put the enum into a field of a struct, without `flatten`";
    assert_eq!(problems(InputSchema::from_type(of::<Flattened>)), [told]);
    assert_eq!(problems(InputSchema::from_type(of::<Selector>)), [told]);
    assert_eq!(
        problems(InputSchema::from_type(of::<String>)),
        [
            "T7012 the whole type: the type is not an object (string): use a struct with named fields"
        ]
    );
    assert_eq!(
        *whole::<Nested>().published(),
        json!({
            "type": "object",
            "properties": {
                "selector": {
                    "type": "object",
                    "oneOf": [
                        {
                            "type": "object",
                            "properties": {
                                "by": {"type": "string", "enum": ["Id"]},
                                "id": {"type": "string"}
                            },
                            "required": ["by", "id"],
                            "additionalProperties": false
                        },
                        {
                            "type": "object",
                            "properties": {
                                "by": {"type": "string", "enum": ["Name"]},
                                "name": {"type": "string"}
                            },
                            "required": ["by", "name"],
                            "additionalProperties": false
                        }
                    ]
                },
                "verbose": {"type": "boolean"}
            },
            "required": ["selector", "verbose"],
            "additionalProperties": false
        })
    );
    // Under a field, a flattened union is a union of whole objects.
    let input = fields(&[Field::new::<Flattened>("f")]);
    let call = json!({"f": {"by": "Name", "name": "x", "verbose": true}});
    assert_eq!(accept(&input, call.clone()), Ok(call));
    assert_eq!(
        accept(&input, json!({"f": {"by": "Name", "id": "x"}})),
        Err(json!({
            "f.id": "unknown field; known fields: `by`, `name`, `verbose`",
            "f.name": "is required: expected a string",
            "f.verbose": "is required: expected true or false"
        }))
    );
}

#[derive(JsonSchema, Serialize, Deserialize)]
struct Profile {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nick: Option<String>,
    #[serde(skip_serializing)]
    secret: String,
}

// K1-16.
#[test]
fn an_output_schema_describes_the_serialized_value() {
    assert_eq!(
        output::<Profile>(),
        json!({
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "nick": {"type": ["string", "null"]}
            },
            "required": ["id"]
        })
    );
    let schema = OutputSchema::from_type(of::<Profile>).expect("a schema");
    for nick in [None, Some("ada".to_owned())] {
        let profile = Profile {
            id: "1".to_owned(),
            nick,
            secret: "x".to_owned(),
        };
        let value = serde_json::to_value(profile).expect("a value");
        assert_eq!(schema.fits(&value), Ok(()));
    }
    assert_eq!(
        schema.fits(&json!({"id": 1})),
        Err(vec![(
            "id".to_owned(),
            "expected a string, got a number".to_owned()
        )])
    );
}

// K1-18.
#[test]
fn accepts_a_string_of_digits_for_a_64_bit_integer() {
    let input = fields(&[Field::new::<u64>("id"), Field::new::<Option<u32>>("small")]);
    assert_eq!(
        accept(&input, json!({"id": "2574604874062343519"})),
        Ok(json!({"id": 2574604874062343519u64}))
    );
    assert_eq!(
        accept(&input, json!({"id": "18446744073709551616", "small": "7"})),
        Err(json!({
            "id": "must be from 0 to 18446744073709551615",
            "small": "expected an integer, got a string"
        }))
    );
    assert_eq!(
        accept(&input, json!({"id": "2e3"})),
        Err(json!({"id": "expected an integer, got a string that is not one"}))
    );
}

// K1-20.
#[test]
fn accepts_a_whole_number_with_a_decimal_point_for_an_integer() {
    let input = fields(&[
        Field::new::<String>("text"),
        Field::new::<usize>("max_results"),
    ]);
    assert_eq!(
        accept(&input, json!({"text": "a", "max_results": 30.0})),
        Ok(json!({"text": "a", "max_results": 30}))
    );
    assert_eq!(
        accept(&input, json!({"text": "a", "max_results": 30.5})),
        Err(json!({"max_results": "expected an integer, got a number with a fraction"}))
    );
    for out_of_range in [json!(-1), json!(1e300), json!(-1.0)] {
        assert_eq!(
            accept(&input, json!({"text": "a", "max_results": out_of_range})),
            Err(json!({"max_results": "must be from 0 to 18446744073709551615"}))
        );
    }
}

// K1-22.
#[test]
fn a_map_has_additional_properties() {
    let input = fields(&[
        Field::new::<HashMap<String, String>>("labels"),
        Field::new::<BTreeMap<u64, u8>>("counts"),
        Field::new::<HashMap<i32, bool>>("signed"),
        Field::new::<HashMap<String, Value>>("any"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "counts": {
                    "type": "object",
                    "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 255},
                    "description": "Each key is an integer of at least 0."
                },
                "signed": {
                    "type": "object",
                    "additionalProperties": {"type": "boolean"},
                    "description": "Each key is an integer."
                },
                "any": {"type": "object", "additionalProperties": {}}
            },
            "required": ["labels", "counts", "signed", "any"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        accept(
            &input,
            json!({"labels": {"a": 1}, "counts": {"x": 1, "7": 256}, "signed": {"-1": true}, "any": {"[x]": [1]}})
        ),
        Err(json!({
            "labels.a": "expected a string, got a number",
            "counts.x": "is not a valid key of this map",
            "counts.7": "must be from 0 to 255"
        }))
    );
}

#[derive(JsonSchema)]
struct Filter {
    #[serde(rename = "StartTime>")]
    after: String,
}

// K1-23.
#[test]
fn refuses_names_that_model_interfaces_refuse_at_every_depth() {
    let made = InputSchema::from_fields(&[
        Field::new::<String>("filter[id]"),
        Field::new::<Vec<Filter>>("filters"),
        Field::new::<u32>("größe"),
        Field::new::<u32>("fine.name-1"),
    ]);
    assert_eq!(
        problems(made),
        [
            "T7016 field `filter[id]`: model interfaces reject this name: use 1 to 64 of A-Z a-z 0-9 _ . -",
            "T7016 field `größe`: model interfaces reject this name: use 1 to 64 of A-Z a-z 0-9 _ . -",
            "T7016 field `filters[].StartTime>`: model interfaces reject the name `StartTime>`: use 1 to 64 of A-Z a-z 0-9 _ . -",
        ]
    );
}

// K1-25.
#[test]
fn every_array_has_items() {
    let input = fields(&[
        Field::new::<(f64, f64)>("from"),
        Field::new::<[u8; 3]>("rgb"),
        Field::new::<(String, u8)>("mixed"),
        Field::new::<Vec<Value>>("any"),
    ]);
    let byte = json!({"type": "integer", "minimum": 0, "maximum": 255});
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "from": {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
                "rgb": {"type": "array", "items": byte, "minItems": 3, "maxItems": 3},
                "mixed": {
                    "type": "array",
                    "prefixItems": [{"type": "string"}, byte],
                    "items": {"oneOf": [{"type": "string"}, byte]},
                    "minItems": 2,
                    "maxItems": 2
                },
                "any": {"type": "array", "items": {}}
            },
            "required": ["from", "rgb", "mixed", "any"],
            "additionalProperties": false
        })
    );
    assert_eq!(
        accept(
            &input,
            json!({"from": [1], "rgb": [0, 256, 0], "mixed": [1, "a"], "any": []})
        ),
        Err(json!({
            "from": "must have exactly 2 items, has 1",
            "rgb[1]": "must be from 0 to 255",
            "mixed[0]": "expected a string, got a number",
            "mixed[1]": "expected an integer, got a string"
        }))
    );
}

/// A place.
#[derive(JsonSchema)]
struct Place(String);

#[derive(JsonSchema)]
struct Where {
    /// city or zip
    place: String,
    /// The one before.
    before: Option<Place>,
    after: Place,
    /// How to sort them.
    sort: Sort,
}

// K1-26.
#[test]
fn descriptions_are_in_the_schema() {
    let input = fields(&[
        Field {
            about: "strftime pattern, such as %H:%M",
            ..Field::new::<String>("format")
        },
        Field {
            about: "IANA zone",
            ..Field::new::<Option<String>>("zone")
        },
        Field::new::<Where>("at"),
    ]);
    assert_eq!(
        *input.published(),
        json!({
            "type": "object",
            "properties": {
                "format": {"type": "string", "description": "strftime pattern, such as %H:%M"},
                "zone": {"type": "string", "description": "IANA zone"},
                "at": {
                    "type": "object",
                    "properties": {
                        "place": {"type": "string", "description": "city or zip"},
                        "before": {"type": "string", "description": "The one before."},
                        "after": {"type": "string", "description": "A place."},
                        "sort": {
                            "type": "string",
                            "enum": ["newest", "cheapFirst"],
                            "description": "How to sort them.\n\n- `newest`: newest first\n- `cheapFirst`: cheapest first"
                        }
                    },
                    "required": ["place", "after", "sort"],
                    "additionalProperties": false
                }
            },
            "required": ["format", "at"],
            "additionalProperties": false
        })
    );
}

#[derive(JsonSchema)]
struct Attachment {
    #[schemars(extend("format" = "uri"))]
    issue: String,
    #[schemars(extend("format" = "uuid"))]
    id: String,
    #[schemars(extend("format" = "date-time"))]
    at: String,
    #[schemars(extend("format" = "partial-date-time"))]
    local: String,
    ip: std::net::IpAddr,
    v4: std::net::Ipv4Addr,
    dir: std::path::PathBuf,
}

// K1-28.
#[test]
fn a_schema_has_only_standard_string_formats() {
    assert_eq!(
        whole::<Attachment>().published()["properties"],
        json!({
            "issue": {"type": "string", "format": "uri"},
            "id": {"type": "string", "format": "uuid"},
            "at": {"type": "string", "format": "date-time"},
            "local": {"type": "string"},
            "ip": {"type": "string"},
            "v4": {"type": "string", "format": "ipv4"},
            "dir": {"type": "string"}
        })
    );
}

// K6-10.
#[test]
fn the_schema_of_any_value_is_empty() {
    assert!(OutputSchema::from_type(of::<Value>).is_none());
    assert!(OutputSchema::from_type(of::<Option<Value>>).is_none());
}
