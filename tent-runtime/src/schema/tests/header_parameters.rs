//! `x-mcp-header`, whoever states it: a client leaves a tool out that breaks a rule of it.

use serde_json::json;

use super::*;

/// The problems of an object with these fields, as an author states it.
fn stated(properties: Value) -> Vec<String> {
    let made = InputSchema::from_declared(json!({"type": "object", "properties": properties}));
    problems(made)
}

#[test]
fn publishes_a_valid_schema_unchanged() {
    let schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "at": {"type": "object", "properties": {
            "row": {"type": "integer", "x-mcp-header": "x!#$%&'*+-.^_`|~9"},
            "dry": {"type": "boolean", "x-mcp-header": "Dry"}
        }},
        // The names of fields and what stands in values are no keywords.
        "x-mcp-header": {"type": "string", "default": {"x-mcp-header": ""}},
        "items": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}}
    }});
    let input = InputSchema::from_declared(schema.clone()).expect("a schema");
    assert_eq!(*input.published(), schema);
}

#[test]
fn a_header_is_a_token() {
    let named = |header: Value| stated(json!({"f": {"type": "string", "x-mcp-header": header}}));
    for header in ["", " ", "a b", "a:b", "Größe", "a\r\nb", "a\u{7f}"] {
        assert_eq!(
            named(header.into()),
            [format!(
                "T7007 field `f`: `x-mcp-header` is {header:?}, which is not valid in a header name: use letters, digits and hyphens"
            )]
        );
    }
    for header in [json!(7), json!(null), json!(["Region"])] {
        assert_eq!(
            named(header),
            ["T7007 field `f`: `x-mcp-header` must be a string: the end of a header's name"]
        );
    }
}

#[test]
fn no_header_stands_twice_in_whatever_capitals() {
    let found = stated(json!({
        "a": {"type": "string", "x-mcp-header": "Region"},
        "b": {"type": "object", "properties": {"c": {"type": "string", "x-mcp-header": "rEGION"}}}
    }));
    assert_eq!(
        found,
        ["T7007 field `b.c`: the header `rEGION` is used by another field"]
    );
}

#[test]
fn it_stands_on_a_text_an_integer_or_a_boolean() {
    for schema in [
        json!({"type": "number"}),
        json!({"type": "array"}),
        json!({"type": "object"}),
        json!({"type": "null"}),
        json!({"type": ["string", "null"]}),
        json!({}),
        json!({"enum": ["a"]}),
        json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    ] {
        let mut schema = schema;
        schema["x-mcp-header"] = "Region".into();
        assert_eq!(
            stated(json!({"f": schema})),
            [
                r#"T7007 field `f`: `x-mcp-header` needs the type "string", "integer" or "boolean": remove it, or set such a `type`"#
            ],
            "{schema}"
        );
    }
}

#[test]
fn properties_alone_lead_to_it() {
    let header = json!({"type": "string", "x-mcp-header": "Region"});
    let inside = json!({"type": "object", "properties": {"f": header}});
    let apart = "`x-mcp-header` is allowed only where `properties` alone lead: move it to a field of the root or of an object in it, or remove it";
    for (schema, at) in [
        (json!({"x-mcp-header": "Region"}), ""),
        (
            json!({"properties": {"l": {"items": header}}}),
            "/properties/l/items",
        ),
        (
            json!({"properties": {"l": {"items": inside}}}),
            "/properties/l/items/properties/f",
        ),
        (
            json!({"properties": {"l": {"prefixItems": [true, header]}}}),
            "/properties/l/prefixItems/1",
        ),
        (
            json!({"properties": {"l": {"contains": header}}}),
            "/properties/l/contains",
        ),
        (
            json!({"additionalProperties": header}),
            "/additionalProperties",
        ),
        (
            json!({"patternProperties": {"^a/b~": header}}),
            "/patternProperties/^a~1b~0",
        ),
        (json!({"oneOf": [inside]}), "/oneOf/0/properties/f"),
        (json!({"anyOf": [inside]}), "/anyOf/0/properties/f"),
        (json!({"allOf": [{}, inside]}), "/allOf/1/properties/f"),
        (json!({"not": inside}), "/not/properties/f"),
        (json!({"if": inside}), "/if/properties/f"),
        (json!({"then": inside}), "/then/properties/f"),
        (json!({"else": inside}), "/else/properties/f"),
        (
            json!({"dependentSchemas": {"a": inside}}),
            "/dependentSchemas/a/properties/f",
        ),
        (
            json!({"properties": {"f": {"$ref": "#/$defs/region"}}, "$defs": {"region": header}}),
            "/$defs/region",
        ),
    ] {
        let mut schema = schema;
        schema["type"] = "object".into();
        let found = problems(InputSchema::from_declared(schema.clone()));
        let expected = format!("T7007 the schema at `#{at}`: {apart}");
        assert!(found.contains(&expected), "{schema}: {found:?}");
    }
}

/// With it stated on a type, as schemars has it.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its schema alone is wanted")]
struct Place {
    #[schemars(extend("x-mcp-header" = "Region"))]
    region: Option<String>,
    #[schemars(extend("x-mcp-header" = "Weight"))]
    weight: f64,
}

#[test]
fn a_type_that_states_it_keeps_the_same_rules() {
    let only_for = r#"`x-mcp-header` needs the type "string", "integer" or "boolean": remove it, or set such a `type`"#;
    assert_eq!(
        problems(InputSchema::from_type(of::<Place>)),
        [format!("T7007 field `weight`: {only_for}")]
    );
    let apart = "`x-mcp-header` is allowed only where `properties` alone lead: move it to a field of the root or of an object in it, or remove it";
    assert_eq!(
        problems(InputSchema::from_fields(&[
            Field::new::<Place>("from"),
            Field::new::<Option<Place>>("to"),
            Field::new::<Vec<Place>>("via"),
        ])),
        [
            format!("T7007 field `from.weight`: {only_for}"),
            "T7007 field `to.region`: the header `Region` is used by another field".to_owned(),
            "T7007 field `to.weight`: the header `Weight` is used by another field".to_owned(),
            format!("T7007 the schema at `#/properties/via/items/properties/region`: {apart}"),
            format!("T7007 the schema at `#/properties/via/items/properties/weight`: {apart}"),
        ]
    );
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "its schema alone is wanted")]
struct Tree {
    #[schemars(extend("x-mcp-header" = "Leaf"))]
    leaf: String,
    children: Vec<Tree>,
}

#[test]
fn a_type_that_contains_itself_has_no_field_that_properties_alone_lead_to() {
    let found = problems(InputSchema::from_fields(&[Field::new::<Tree>("tree")]));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].starts_with("T7007 the schema at `#/$defs/Tree/properties/leaf`: "),
        "{found:?}"
    );
}

#[test]
fn reports_the_header_problem_beside_the_others() {
    let made = InputSchema::from_fields(&[
        Field::new::<Place>("from"),
        Field {
            header: Some("region"),
            ..Field::new::<String>("region")
        },
        Field::new::<u8>("a b"),
    ]);
    let found: Vec<_> = made
        .expect_err("problems")
        .iter()
        .map(|one| one.code)
        .collect();
    assert_eq!(
        found,
        [
            codes::INVALID_FIELD_NAME,
            codes::INVALID_HEADER,
            codes::INVALID_HEADER
        ]
    );
}
