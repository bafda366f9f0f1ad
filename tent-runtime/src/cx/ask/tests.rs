//! Forms: the schema that a client is sent, what is refused, and what is read of answers.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;
use crate::cx::question::Kind;

fn schema<A: Ask>(ask: A) -> Value {
    let asked = ask.asked().expect("it can be asked");
    match asked.question().kind() {
        Kind::Form { schema, .. } => schema.clone(),
        other => panic!("{other:?}"),
    }
}

fn refused<A: Ask>(ask: A) -> String {
    let error = match ask.asked() {
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
fn nothing_that_is_stated_for_a_field_is_left_out_of_it() {
    let value = |keyword: &str| format!("`f`: `{keyword}` has a value that a form does not take");
    let known = "it has date, date-time, email, uri";
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

#[test]
fn an_address_is_a_whole_url() {
    let asked = |address: &str| match url("Look", address).asked() {
        Ok(_) => "asked".to_owned(),
        Err(error) => error.code().to_owned(),
    };
    for address in [
        "https://shop.example",
        "https://shop.example:8443/pay/7?a=%20b#c",
        "http://[::1]:8080/",
        "shop://pay/7",
    ] {
        assert_eq!(asked(address), "asked", "{address}");
    }
    for address in [
        "",
        "shop.example/pay",
        "/pay/7",
        "https://",
        "https:///pay",
        "mailto:ada@shop.example",
        "https://shop.example/a b",
        "https://shop.example/#a b",
        "https://shop.example/#a\nb",
        "https://shop.example/<a>",
        " https://shop.example",
    ] {
        assert_eq!(asked(address), "T0012", "{address}");
    }
}

#[test]
fn calls_of_tools_are_answered_by_the_message_after_them() {
    let call = |id: &str| Part::ToolUse {
        id: id.to_owned(),
        name: "weather".to_owned(),
        input: Map::new(),
    };
    let result = |id: &str| Part::ToolResult {
        id: id.to_owned(),
        text: "Rain.".to_owned(),
        failed: false,
    };
    let (user, model) = (Speaker::User, Speaker::Assistant);
    let words = || Part::text("So.");
    let asked = |messages: Vec<(Speaker, Vec<Part>)>| {
        let asked = messages.into_iter().fold(
            sampling("What is the weather?", 9),
            |asked, (who, parts)| asked.message(who, parts),
        );
        match asked.asked() {
            Ok(asked) => Ok(asked.question().needs()),
            Err(error) => {
                assert_eq!(error.code(), "T0012");
                Err(error.chain().join(" "))
            }
        }
    };
    assert_eq!(asked(vec![(model, vec![words()])]), Ok(vec!["sampling"]));
    // Two calls at once, answered in any order, and the conversation goes on.
    assert_eq!(
        asked(vec![
            (model, vec![words(), call("1"), call("2")]),
            (user, vec![result("2"), result("1")]),
            (model, vec![call("1")]),
            (user, vec![result("1")]),
            (model, vec![words()]),
        ]),
        Ok(vec!["sampling", "sampling.tools"]),
        "a call without the tools needs them too"
    );
    let alone = "results of tools stand alone, in a message of the user's with nothing else";
    let missing = "the message after the call \"1\" does not give its result";
    for (messages, wrong) in [
        (
            vec![(model, vec![call("1")]), (user, vec![words(), result("1")])],
            alone,
        ),
        (
            vec![(model, vec![call("1")]), (model, vec![result("1")])],
            alone,
        ),
        (
            vec![
                (model, vec![call("1"), call("2")]),
                (user, vec![result("2")]),
            ],
            missing,
        ),
        (
            vec![(model, vec![call("1")]), (user, vec![words()])],
            missing,
        ),
        (
            vec![(user, vec![result("3")])],
            "a result is of the call \"3\", which the message before it does not make",
        ),
        (
            vec![
                (model, vec![call("1")]),
                (user, vec![result("1"), result("1")]),
            ],
            "a result is of the call \"1\", which the message before it does not make",
        ),
        (
            vec![(model, vec![call("1")])],
            "no message follows the call \"1\" with its result",
        ),
        (
            vec![(user, vec![call("1")])],
            "a tool is called by the model, not by the user",
        ),
        (vec![(user, vec![])], "a message has no part"),
    ] {
        let wrong = format!("a model cannot be asked this: {wrong}");
        assert_eq!(asked(messages), Err(wrong));
    }
}

#[test]
fn numbers_of_sampling_are_those_that_it_has() {
    let params = |asked: Sampling| match asked.asked().ok().expect("it can be").question().kind() {
        Kind::Sampling(params) => params.clone(),
        other => panic!("{other:?}"),
    };
    let asked = sampling("?", 9).priorities(-1.0, f64::NAN, f64::INFINITY);
    let asked = params(asked.temperature(f64::NAN));
    assert_eq!(
        asked["modelPreferences"],
        json!({"costPriority": 0.0, "intelligencePriority": 1.0})
    );
    assert!(!asked.contains_key("temperature"));
    let none = params(sampling("?", 9).priorities(f64::NAN, f64::NAN, f64::NAN));
    assert!(!none.contains_key("modelPreferences"));
}

#[test]
fn an_answer_is_read_by_its_type_or_refused_with_what_is_wrong() {
    let asked = form::<Everything>("All of it").asked().expect("it can be");
    let filled = json!({
        "fullName": "Ada", "age": 36.0, "news": true, "colour": "Red", "sizes": ["L", "S"],
        "email": null, "extra": 1,
    });
    let answer = |content: &Value| json!({"action": "accept", "content": content});
    let Ok(Reply::Accepted(read)) = asked.read(answer(&filled)) else {
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
        let found = asked.read(answer(&filled)).expect_err("it does not fit");
        assert!(found.starts_with(wrong), "{found}");
        let question = asked.question();
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
        assert_eq!(asked.read(answer).expect_err("no answer"), wrong);
    }
    assert_eq!(
        asked.read(json!({"action": "decline"})),
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
    let asked = sampling("What is the weather?", 100)
        .system("Be brief.")
        .temperature(0.5)
        .stop(["."])
        .models(["claude"])
        .priorities(0.0, 0.5, 1.0)
        .tool(weather)
        .tool_choice(ToolChoice::Required)
        .message(
            Speaker::Assistant,
            [Part::ToolUse {
                id: "1".into(),
                name: "weather".into(),
                input: Map::new(),
            }],
        )
        .message(
            Speaker::User,
            [Part::ToolResult {
                id: "1".into(),
                text: "No sky.".into(),
                failed: true,
            }],
        )
        .asked()
        .expect("it can be asked");
    let question = asked.question();
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
    let said = asked.read(said).expect("it is one");
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
        assert_eq!(asked.read(answer).expect_err("no answer"), wrong);
    }
}

#[test]
fn a_fingerprint_is_of_what_is_asked() {
    let print = |ask: Form| ask.asked().expect("it can be").question().fingerprint();
    let form = |message: &str, name: &str| Form::new(message).field(name, Field::text());
    assert_eq!(print(form("a", "b")), print(form("a", "b")));
    assert_ne!(print(form("a", "b")), print(form("a", "c")));
    assert_ne!(print(form("a", "b")), print(form("b", "b")));
}
