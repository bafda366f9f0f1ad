//! Forms: the schema that a client is sent, what is refused, and what is read of answers.

mod by_hand;
mod whole;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::cx::input::Kind;

fn schema<A: IntoInputRequest>(input: A) -> Value {
    let request = input.into_input_request().expect("it can be asked");
    match request.request().kind() {
        Kind::Form { schema, .. } => schema.clone(),
        other => panic!("{other:?}"),
    }
}

fn refused<A: IntoInputRequest>(input: A) -> String {
    let error = match input.into_input_request() {
        Ok(_) => panic!("it must not be asked"),
        Err(error) => error,
    };
    assert_eq!(error.code(), "T0012");
    let why = error.chain().join(" ");
    let before = "a form cannot be asked as it stands: ";
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
fn every_kind_of_field_has_the_form_of_the_standard() {
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
fn a_form_by_hand_has_the_same_form() {
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
        schema(Form::of_schema("As it stands", expected.clone())),
        expected
    );
    let older = json!({"type": "object", "properties": {
        "old": {"type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"]},
    }});
    assert_eq!(
        schema(Form::of_schema("As it stands", older.clone())),
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
fn what_no_form_can_be_is_refused_and_every_reason_told() {
    let field = "a field of a form is a text, a number, yes or no, or a choice";
    assert_eq!(
        refused(form::<Nested>("?")),
        format!(
            "`any`: {field}; `inner`: {field}; \
             `list`: several of something are choices: a list of an enum; \
             `pattern`: a form has no `pattern`"
        )
    );
    let flat = "a form is a flat object: take a struct with named fields";
    assert_eq!(refused(form::<NoObject>("?")), flat);
    assert_eq!(refused(form::<u8>("?")), flat);
    let stated = |schema| refused(Form::of_schema("?", schema));
    assert_eq!(stated(json!(true)), flat);
    assert_eq!(
        stated(json!({"type": "object", "anyOf": []})),
        "a form is a flat object, which has no `anyOf`; a form has `properties`, an object"
    );
    assert_eq!(
        stated(json!({"type": "object"})),
        "a form has `properties`, an object"
    );
    for required in [json!("a"), json!(["b"]), json!([1])] {
        let fields = json!({"a": {"type": "string"}});
        assert_eq!(
            stated(json!({"type": "object", "properties": fields, "required": required})),
            "`required` is a list of the form's fields"
        );
    }
    let secret = json!({"type": "object", "properties": {
        "pin": {"type": "string", "x-tent-secret": true},
        "none": {"type": ["string", "null"]},
        "n": {"type": "string", "enum": [1]},
    }});
    assert_eq!(
        stated(secret),
        "`n`: the choices of a form are texts; `none`: no field of a form is null; \
         `pin`: a secret is never asked for in a form; ask for it with a URL"
    );
}

#[test]
fn an_answer_is_read_by_its_type_or_refused_with_what_is_wrong() {
    let request = form::<Everything>("All of it")
        .into_input_request()
        .expect("it can be");
    let filled = json!({
        "fullName": "Ada", "age": 36.0, "news": true, "colour": "Red", "sizes": ["L", "S"],
        "email": null, "extra": 1,
    });
    let answer = |content: &Value| json!({"action": "accept", "content": content});
    let Ok(Reply::Accepted(read)) = request.read(answer(&filled)) else {
        panic!("it fits");
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
    for (field, value, wrong) in [
        ("age", json!(17), "does not fit the form: age "),
        ("colour", json!("Green"), "does not fit the form: colour "),
        ("sizes", json!(["M"]), "does not fit the form: sizes[0] "),
        ("news", json!("yes"), "does not fit the form: news "),
        ("fullName", json!("A"), "does not fit the form: fullName "),
    ] {
        let mut filled = filled.clone();
        filled[field] = value;
        let found = request.read(answer(&filled)).expect_err("it does not fit");
        assert!(found.starts_with(wrong), "{found}");
        let question = request.request();
        assert_eq!(question.fits(&answer(&filled)), Err(found));
    }
    for (answer, wrong) in [
        (json!([]), "is no object"),
        (json!({}), "has no action of accept, decline and cancel"),
        (
            json!({"action": "Accept"}),
            "has no action of accept, decline and cancel",
        ),
        (
            json!({"action": "accept", "content": []}),
            "has a content that is no object",
        ),
    ] {
        assert_eq!(request.read(answer).expect_err("no answer"), wrong);
    }
    assert_eq!(
        request.read(json!({"action": "decline"})),
        Ok(Reply::Declined)
    );
}

#[test]
fn what_a_model_says_is_read_in_every_form_of_it() {
    let weather = Tool {
        name: "weather".into(),
        about: "The weather.".into(),
        input: json!({"type": "object"}),
    };
    let request = sampling("What is the weather?", 100)
        .system("Be brief.")
        .temperature(0.5)
        .stop(["."])
        .models(["claude"])
        .priorities(0.0, 0.5, 1.0)
        .tool(weather)
        .tool_choice(ToolChoice::Required)
        .message(
            Role::Assistant,
            [SamplingContent::ToolUse {
                id: "1".into(),
                name: "weather".into(),
                input: Map::new(),
            }],
        )
        .message(
            Role::User,
            [SamplingContent::ToolResult {
                id: "1".into(),
                text: "No sky.".into(),
                failed: true,
            }],
        )
        .into_input_request()
        .expect("it can be asked");
    let question = request.request();
    assert_eq!(question.needs(), ["sampling", "sampling.tools"]);
    let Kind::Sampling(params) = question.kind() else {
        panic!("it is one");
    };
    let result = json!({
        "type": "tool_result", "toolUseId": "1", "isError": true,
        "content": [{"type": "text", "text": "No sky."}],
    });
    let call = json!({"type": "tool_use", "id": "1", "name": "weather", "input": {}});
    let text = json!({"type": "text", "text": "What is the weather?"});
    assert_eq!(
        Value::from(params.clone()),
        json!({
            "maxTokens": 100,
            "systemPrompt": "Be brief.",
            "temperature": 0.5,
            "stopSequences": ["."],
            "modelPreferences": {
                "hints": [{"name": "claude"}],
                "costPriority": 0.0, "speedPriority": 0.5, "intelligencePriority": 1.0,
            },
            "tools": [{
                "name": "weather", "description": "The weather.", "inputSchema": {"type": "object"},
            }],
            "toolChoice": {"mode": "required"},
            "messages": [
                {"role": "user", "content": text},
                {"role": "assistant", "content": call},
                {"role": "user", "content": result},
            ],
        })
    );
    let said = json!({"role": "assistant", "model": "m", "stopReason": "toolUse", "content": [
        {"type": "text", "text": "I "}, call, {"type": "text", "text": "look."},
    ]});
    let said = request.read(said).expect("it is one");
    assert_eq!((said.text(), said.content.len()), ("I look.".to_owned(), 3));
    assert_eq!(said.stop_reason.as_deref(), Some("toolUse"));
    for (answer, wrong) in [
        (json!({"model": "m"}), "has no content"),
        (
            json!({"content": {"type": "text", "text": "x"}}),
            "names no model",
        ),
        (
            json!({"model": "m", "content": {"type": "video"}}),
            "has a content of the type \"video\"",
        ),
        (
            json!({"model": "m", "content": {"type": "image", "data": "?", "mimeType": "a/b"}}),
            "has a content whose data is no base64",
        ),
    ] {
        assert_eq!(request.read(answer).expect_err("no answer"), wrong);
    }
}

#[test]
fn a_fingerprint_is_of_what_is_asked() {
    let print = |input: Form| {
        input
            .into_input_request()
            .expect("it can be")
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
fn a_text_is_held_to_its_format_however_the_form_was_made() {
    let stated = json!({
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
    let questions = [
        form::<Event>("When?")
            .into_input_request()
            .expect("it can be asked")
            .request(),
        fields
            .into_input_request()
            .expect("it can be asked")
            .request(),
        Form::of_schema("When?", stated)
            .into_input_request()
            .expect("it can be asked")
            .request(),
    ];
    for question in questions {
        let fits = |content: Value| question.fits(&json!({"action": "accept", "content": content}));
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
                "does not fit the form: day must be a date, such as 2026-05-28; mail must be an email address"
                    .to_owned()
            )
        );
        assert_eq!(question.fits(&json!({"action": "decline"})), Ok(()));
    }
}

#[test]
fn what_stands_in_a_field_at_first_has_its_format() {
    let form = Form::new("When?").field("day", Field::text().format("date").default("soon"));
    assert_eq!(refused(form), "day must be a date, such as 2026-05-28");
}
