//! Handwritten form schemas: what is published, and what is refused.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[test]
fn refuses_every_rule_that_a_form_cannot_express() {
    let formats = "use email, uri, date or date-time";
    let invalid = |keyword: &str, rule: &str| {
        format!("the schema at `#/properties/f`: `{keyword}` must be {rule}")
    };
    let size = "an integer of at least 0";
    let default = |problem: &str| format!("the default of `f` {problem}");
    let choices = json!({"type": "string", "enum": ["a"]});
    for (field, problem) in [
        (
            json!({"type": "string", "format": "uuid"}),
            format!("`f`: \"uuid\" is not a form format: {formats}"),
        ),
        (
            json!({"type": "integer", "format": "date"}),
            "`f`: `format` is only for strings".to_owned(),
        ),
        (
            json!({"type": "array", "items": choices, "uniqueItems": true}),
            "`f`: `uniqueItems` is not allowed in a form field".to_owned(),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"], "minLength": 1}}),
            "`f`: `minLength` is not allowed for the items of a list".to_owned(),
        ),
        (
            json!({"type": "array", "items": {"enum": ["a"], "enumNames": ["A"]}}),
            "`f`: `enumNames` is not allowed in a list: use `anyOf` with titles".to_owned(),
        ),
        (
            json!({"type": "string", "enum": []}),
            "`f`: a choice needs at least one value".to_owned(),
        ),
        (
            json!({"type": "string", "title": 7}),
            "`f`: `title` must be a string".to_owned(),
        ),
        (
            json!({"type": "string", "minLength": "1"}),
            invalid("minLength", size),
        ),
        (
            json!({"type": "string", "maxLength": -1}),
            invalid("maxLength", size),
        ),
        (
            json!({"type": "number", "minimum": "1"}),
            invalid("minimum", "a number"),
        ),
        (
            json!({"type": "string", "default": 7}),
            default("expected a string, got a number"),
        ),
        (
            json!({"type": "integer", "default": 1.5}),
            default("expected an integer, got a number with a fraction"),
        ),
        (
            json!({"type": "boolean", "default": "no"}),
            default("expected true or false, got a string"),
        ),
        (
            json!({"type": "string", "enum": ["a"], "default": "b"}),
            default("must be `a`"),
        ),
        (
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "A"}),
            default("must be `a`; did you mean `a`?"),
        ),
        (
            json!({"type": "array", "items": choices, "default": "a"}),
            default("expected an array of which each is `a`, got a string"),
        ),
        (
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}),
            "`f`: `enumNames` must have one string for each value".to_owned(),
        ),
    ] {
        let declared = json!({"type": "object", "properties": {"f": field}});
        assert_eq!(refused(Form::from_schema("?", declared)), problem);
    }
    assert_eq!(
        refused(Form::new("?").field("f", Field::text().format("uuid"))),
        format!("`f`: \"uuid\" is not a form format: {formats}")
    );
}

#[test]
fn publishes_a_handwritten_schema_as_mcp_defines_it() {
    let declared = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A form",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "one": {"oneOf": [{"const": "a", "title": "A"}, {"const": "b"}], "default": "b"},
            "some": {"type": "array", "items": {"oneOf": [{"const": "a", "title": "A"}]}},
            "mail": {"type": "string", "format": "email", "examples": ["ada@example.com"]},
        },
        "required": ["mail"],
    });
    assert_eq!(
        schema(Form::from_schema("?", declared)),
        json!({
            "type": "object",
            "properties": {
                "one": {
                    "type": "string", "default": "b",
                    "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "b"}],
                },
                "some": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
                "mail": {"type": "string", "format": "email"},
            },
            "required": ["mail"],
        })
    );
}

#[test]
fn drops_rules_of_a_type_that_its_deserialization_checks() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "what it is made of counts")]
    struct Loose {
        #[schemars(extend("format" = "uuid"))]
        id: String,
        sizes: std::collections::BTreeSet<Colour>,
    }
    let colours = json!({"type": "string", "enum": ["Red", "Blue"]});
    assert_eq!(
        schema(form::<Loose>("?"))["properties"],
        json!({"id": {"type": "string"}, "sizes": {"type": "array", "items": colours}})
    );
}
