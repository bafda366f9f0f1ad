//! Forms by hand: what is sent of them, and what is refused.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::*;

#[test]
fn no_rule_that_is_stated_for_a_field_is_left_out_of_it() {
    let value = |keyword: &str| format!("`f`: `{keyword}` has a value that a form does not take");
    let known = "it has email, uri, date and date-time";
    for (field, wrong) in [
        (
            json!({"type": "string", "format": "uuid"}),
            format!("`f`: a form has no format \"uuid\": {known}"),
        ),
        (
            json!({"type": "integer", "format": "date"}),
            "`f`: a form has no `format` \"date\" but for a text".to_owned(),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "uniqueItems": true}),
            "`f`: a form has no `uniqueItems`".to_owned(),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"], "minLength": 1}}),
            "`f`: a choice of a form has no `minLength`".to_owned(),
        ),
        (
            json!({"type": "array", "items": {"enum": ["a"], "enumNames": ["A"]}}),
            "`f`: the choices of a list have their titles under `anyOf`".to_owned(),
        ),
        (
            json!({"type": "string", "enum": []}),
            "`f`: a choice has something to choose from".to_owned(),
        ),
        (json!({"type": "string", "title": 7}), value("title")),
        (
            json!({"type": "string", "minLength": "1"}),
            value("minLength"),
        ),
        (
            json!({"type": "string", "maxLength": -1}),
            value("maxLength"),
        ),
        (json!({"type": "number", "minimum": "1"}), value("minimum")),
        (json!({"type": "string", "default": 7}), value("default")),
        (json!({"type": "integer", "default": 1.5}), value("default")),
        (
            json!({"type": "boolean", "default": "no"}),
            value("default"),
        ),
        (
            json!({"type": "string", "enum": ["a"], "default": "b"}),
            value("default"),
        ),
        (
            json!({"type": "string", "oneOf": [{"const": "a", "title": "A"}], "default": "A"}),
            value("default"),
        ),
        (
            json!({"type": "array", "items": {"type": "string", "enum": ["a"]}, "default": "a"}),
            value("default"),
        ),
        (
            json!({"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}),
            value("enumNames"),
        ),
    ] {
        let stated = json!({"type": "object", "properties": {"f": field}});
        assert_eq!(refused(Form::of_schema("?", stated)), wrong);
    }
    assert_eq!(
        refused(Form::new("?").field("f", Field::text().format("uuid"))),
        format!("`f`: a form has no format \"uuid\": {known}")
    );
}

#[test]
fn a_form_by_hand_is_sent_in_the_form_of_the_standard() {
    let stated = json!({
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
        schema(Form::of_schema("?", stated)),
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
fn what_a_type_says_beyond_a_form_is_left_to_its_reading() {
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
