//! Forms: the published schema, the schemas that are refused, and the check of responses.

mod cancelled;
mod form_schemas;
mod urls_and_sampling;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

fn schema<A: IntoInputRequest>(input: A) -> Value {
    let request = input.into_input_request().expect("a valid request");
    match request.request().kind() {
        Kind::Form { schema, .. } => schema.clone(),
        other => panic!("{other:?}"),
    }
}

fn refused<A: IntoInputRequest>(input: A) -> String {
    let error = match input.into_input_request() {
        Ok(_) => panic!("it must be refused"),
        Err(error) => error,
    };
    assert_eq!(error.code(), "T0012");
    let why = error.chain().join(" ");
    let before = "the form is not valid: ";
    why.strip_prefix(before).expect("it says why").to_owned()
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Everything {
    /// Your name.
    #[schemars(length(min = 2, max = 40))]
    full_name: String,
    #[schemars(email)]
    email: Option<String>,
    #[schemars(range(min = 18, max = 130))]
    age: u8,
    #[serde(default = "half")]
    share: f64,
    #[schemars(title = "Newsletter")]
    news: bool,
    colour: Colour,
    sizes: Vec<Size>,
    #[serde(default)]
    other: Option<Colour>,
}

fn half() -> f64 {
    0.5
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
enum Colour {
    Red,
    Blue,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Size {
    /// Small
    S,
    #[schemars(title = "Large")]
    L,
}

#[test]
fn converts_every_kind_of_field_of_a_type() {
    let sizes = json!([{"const": "S", "title": "Small"}, {"const": "L", "title": "Large"}]);
    assert_eq!(
        schema(form::<Everything>("All of it")),
        json!({
            "type": "object",
            "properties": {
                "fullName": {
                    "type": "string", "description": "Your name.", "minLength": 2, "maxLength": 40,
                },
                "email": {"type": "string", "format": "email"},
                "age": {"type": "integer", "minimum": 18, "maximum": 130},
                "share": {"type": "number", "default": 0.5},
                "news": {"type": "boolean", "title": "Newsletter"},
                "colour": {"type": "string", "enum": ["Red", "Blue"]},
                "sizes": {"type": "array", "items": {"anyOf": sizes}},
                "other": {"type": "string", "enum": ["Red", "Blue"]},
            },
            "required": ["age", "colour", "fullName", "news", "sizes"],
        })
    );
}

#[test]
fn publishes_the_fields_of_a_builder_and_of_a_schema_alike() {
    let by_hand = Form::new("All of it")
        .field(
            "name",
            Field::text()
                .about("Your name.")
                .min_len(2)
                .max_len(40)
                .default("Ada"),
        )
        .field("mail", Field::text().format("email").optional())
        .field("age", Field::integer().min(18).max(130.5))
        .field("share", Field::number().default(0.5))
        .field("news", Field::boolean().title("Newsletter"))
        .field("one", Field::choice(["a", "b"]))
        .field("titled", Field::titled_choice([("a", "A"), ("b", "B")]))
        .field("some", Field::choices(["a"]).min_len(1).max_len(2))
        .field("more", Field::titled_choices([("a", "A")]).default(["a"]));
    let expected = json!({
        "type": "object",
        "properties": {
            "name": {
                "type": "string", "description": "Your name.", "minLength": 2, "maxLength": 40,
                "default": "Ada",
            },
            "mail": {"type": "string", "format": "email"},
            "age": {"type": "integer", "minimum": 18, "maximum": 130.5},
            "share": {"type": "number", "default": 0.5},
            "news": {"type": "boolean", "title": "Newsletter"},
            "one": {"type": "string", "enum": ["a", "b"]},
            "titled": {
                "type": "string",
                "oneOf": [{"const": "a", "title": "A"}, {"const": "b", "title": "B"}],
            },
            "some": {
                "type": "array", "items": {"type": "string", "enum": ["a"]},
                "minItems": 1, "maxItems": 2,
            },
            "more": {
                "type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]},
                "default": ["a"],
            },
        },
        "required": ["age", "news", "one", "titled", "some"],
    });
    assert_eq!(schema(by_hand), expected);
    assert_eq!(
        schema(Form::from_schema("As it stands", expected.clone())),
        expected
    );
    let older = json!({"type": "object", "properties": {
        "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
    }});
    assert_eq!(
        schema(Form::from_schema("As it stands", older.clone())),
        older
    );
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what it is made of counts")]
struct Nested {
    inner: Colourful,
    list: Vec<String>,
    #[schemars(regex(pattern = "^a"))]
    pattern: String,
    any: Value,
    fits: String,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what it is made of counts")]
struct Colourful {
    colour: Colour,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what it is made of counts")]
enum NoObject {
    A(u8),
    B { b: u8 },
}

#[test]
fn reports_everything_that_a_form_cannot_have() {
    let field = "a form field must be a string, a number, a boolean, an enum or a list of an enum";
    assert_eq!(
        refused(form::<Nested>("?")),
        format!(
            "`any`: {field}; `inner`: {field}; \
             `list`: a list in a form must be a list of an enum; \
             `pattern`: `pattern` is not allowed in a form field"
        )
    );
    let flat = "a form must be a flat object: use a struct with named fields";
    assert_eq!(refused(form::<NoObject>("?")), flat);
    assert_eq!(refused(form::<u8>("?")), flat);
    let declared = |schema| refused(Form::from_schema("?", schema));
    assert_eq!(declared(json!(true)), flat);
    assert_eq!(
        declared(json!({"type": "object", "anyOf": []})),
        "`anyOf` is not allowed: a form must be a flat object; a form needs `properties`, an object"
    );
    assert_eq!(
        declared(json!({"type": "object"})),
        "a form needs `properties`, an object"
    );
    for required in [json!("a"), json!(["b"]), json!([1])] {
        let fields = json!({"a": {"type": "string"}});
        assert_eq!(
            declared(json!({"type": "object", "properties": fields, "required": required})),
            "`required` must list fields of the form"
        );
    }
    let secret = json!({"type": "object", "properties": {
        "pin": {"type": "string", "x-tent-secret": true},
        "none": {"type": ["string", "null"]},
        "n": {"type": "string", "enum": [1]},
    }});
    assert_eq!(
        declared(secret),
        "`n`: the choices of a form must be strings; `none`: a form field cannot be null; \
         `pin`: a form cannot ask for a secret: use a URL"
    );
}

/// The response of a user who accepts with this content.
fn accepted(content: &Value) -> InputResponse {
    let content = content.as_object().expect("an object").clone();
    InputResponse::Elicitation(Reply::Accepted(content))
}

#[test]
fn reads_a_response_as_its_type_or_reports_every_invalid_field() {
    let request = form::<Everything>("All of it")
        .into_input_request()
        .expect("a valid form");
    let filled = json!({
        "fullName": "Ada", "age": 36.0, "news": true, "colour": "Red", "sizes": ["L", "S"],
        "email": null, "extra": 1,
    });
    let Ok(Reply::Accepted(read)) = request.read(accepted(&filled)) else {
        panic!("it is valid");
    };
    assert_eq!(
        read,
        Everything {
            full_name: "Ada".into(),
            email: None,
            age: 36,
            share: 0.5,
            news: true,
            colour: Colour::Red,
            sizes: vec![Size::L, Size::S],
            other: None,
        }
    );
    for (field, value, problem) in [
        ("age", json!(17), "is not valid: age "),
        ("colour", json!("Green"), "is not valid: colour "),
        ("sizes", json!(["M"]), "is not valid: sizes[0] "),
        ("news", json!("yes"), "is not valid: news "),
        ("fullName", json!("A"), "is not valid: fullName "),
    ] {
        let mut filled = filled.clone();
        filled[field] = value;
        let found = request
            .read(accepted(&filled))
            .expect_err("it is not valid");
        assert!(found.starts_with(problem), "{found}");
        let request = request.request();
        assert_eq!(request.validate(&accepted(&filled)), Err(found));
    }
    let reply = |reply| request.read(InputResponse::Elicitation(reply));
    assert_eq!(reply(Reply::Declined), Ok(Reply::Declined));
    assert_eq!(reply(Reply::Cancelled), Ok(Reply::Cancelled));
    assert_eq!(
        request.read(InputResponse::Roots(Vec::new())),
        Err(OTHER_KIND.to_owned())
    );
}

#[test]
fn fingerprints_differ_with_the_content_of_the_request() {
    let print = |input: Form| {
        input
            .into_input_request()
            .expect("a valid request")
            .request()
            .fingerprint()
    };
    let form = |message: &str, name: &str| Form::new(message).field(name, Field::text());
    assert_eq!(print(form("a", "b")), print(form("a", "b")));
    assert_ne!(print(form("a", "b")), print(form("a", "c")));
    assert_ne!(print(form("a", "b")), print(form("b", "b")));
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Event {
    #[schemars(email)]
    mail: String,
    #[schemars(extend("format" = "date"))]
    day: Option<String>,
}

#[test]
fn checks_formats_whichever_way_the_form_was_built() {
    let declared = json!({
        "type": "object",
        "properties": {
            "mail": {"type": "string", "format": "email"},
            "day": {"type": "string", "format": "date"},
        },
        "required": ["mail"],
    });
    let fields = Form::new("When?")
        .field("mail", Field::text().format("email"))
        .field("day", Field::text().format("date").optional());
    let requests = [
        form::<Event>("When?")
            .into_input_request()
            .expect("a valid request")
            .request(),
        fields
            .into_input_request()
            .expect("a valid request")
            .request(),
        Form::from_schema("When?", declared)
            .into_input_request()
            .expect("a valid request")
            .request(),
    ];
    for request in requests {
        let fits = |content: Value| request.validate(&accepted(&content));
        assert_eq!(
            fits(json!({"mail": "ada@example.com", "day": "2024-02-29"})),
            Ok(())
        );
        assert_eq!(
            fits(json!({"mail": "ada@example.com", "day": null})),
            Ok(())
        );
        assert_eq!(
            fits(json!({"mail": "ada", "day": "29.2.2024"})),
            Err(
                "is not valid: day must be a date, such as 2026-05-28; mail must be an email address"
                    .to_owned()
            )
        );
        let declined = InputResponse::Elicitation(Reply::Declined);
        assert_eq!(request.validate(&declined), Ok(()));
    }
}

#[test]
fn refuses_a_default_without_the_format_of_its_field() {
    let form = Form::new("When?").field("day", Field::text().format("date").default("soon"));
    assert_eq!(
        refused(form),
        "the default of `day` must be a date, such as 2026-05-28"
    );
}
