//! A tool with a handwritten schema, whose keywords have no Rust type.

use tent::prelude::*;
use tent::serde_json::{Map, Value, json};

/// Accept an input with many keywords of JSON Schema 2020-12.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn json_schema_2020_12_tool(#[input(schema = person())] person: Map<String, Value>) -> Content {
    Content::text(format!(
        "JSON Schema 2020-12 tool called with: {}",
        Value::Object(person)
    ))
}

/// The schema of a person with a phone number or an email address.
fn person() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": {
                    "street": {"type": "string"},
                    "city": {"type": "string"}
                }
            }
        },
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"}
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {
            "properties": {"contactMethod": {"const": "phone"}},
            "required": ["contactMethod"]
        },
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false
    })
}
