//! Prompts: lists, getting, in both eras.

use serde_json::{Map, Value, json};

use super::app::{App, META, Send, server};
use super::functions::function;
use super::served::order_numbers;
use crate::cx::Cx;
use crate::error::Error;
use crate::function::{
    AccessDeclaration, Annotations, Content, Declaration, Kind, Output, OutputDeclaration,
    PromptMessage, PromptResult,
};
use crate::schema::Field;

const LETTER: &[Field] = &[
    Field {
        about: "Whom it is to.",
        ..Field::new::<String>("to")
    },
    Field::new::<Option<u32>>("about"),
];

fn letter(_: &Cx, input: Map<String, Value>) -> Result<Output, Error> {
    let to = input.get("to").and_then(Value::as_str).unwrap_or_default();
    if to == "nobody" {
        return Err(Error::declared(
            crate::code!("A0002"),
            409,
            "Nobody reads letters",
        ));
    }
    let order = input
        .get("about")
        .map_or(0, |about| about.as_u64().unwrap_or(1000));
    Ok(Output {
        prompted: Some(
            PromptResult::new([
                PromptMessage::user(format!("Write to {to} about order {order}.")),
                PromptMessage::assistant(
                    Content::image([1, 2, 3], "image/png")
                        .annotated(Annotations::new().priority(1.0)),
                ),
                PromptMessage::user(Content::link("orders://7", "order 7").title("Order 7")),
                PromptMessage::user(Content::audio([4], "audio/wav")),
                PromptMessage::user(Content::resource_text(
                    "shop://manual",
                    "text/markdown",
                    "# Shop",
                )),
            ])
            .about(if to == "ada" { "A letter to Ada" } else { "" }),
        ),
        ..Output::default()
    })
}

const fn prompt(
    name: &'static str,
    access: AccessDeclaration,
    fields: &'static [Field],
) -> Declaration {
    function(
        Kind::Query,
        name,
        access,
        fields,
        OutputDeclaration::Content,
        letter,
    )
    .prompt()
}

pub(super) static PROMPTS: &[&Declaration] = &[
    &prompt("write_letter", AccessDeclaration::SignedIn, LETTER)
        .completes(&[order_numbers("about")]),
    &prompt("staff_letter", AccessDeclaration::Role("staff"), &[]),
];

fn get(arguments: Value) -> Value {
    json!({"name": "write_letter", "arguments": arguments})
}

fn letter_listed() -> Value {
    json!({
        "name": "write_letter", "title": "Write letter", "description": "For tests.",
        "arguments": [
            {"name": "to", "description": "Whom it is to.", "required": true},
            {"name": "about", "required": false},
        ],
    })
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments_in_the_order_of_the_parameters() {
    let app = App::of(PROMPTS, |_| {});
    let got = app
        .ask(200, Send::modern("prompts/list", json!({})).by("ada"))
        .await;
    assert_eq!(
        got["result"],
        json!({
            "prompts": [letter_listed()], "resultType": "complete", "ttlMs": 300_000,
            "cacheScope": "private", "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    let session = app.session("2025-03-26").await;
    let got = app
        .ask(
            200,
            Send::legacy("prompts/list", json!({})).session(&session),
        )
        .await;
    let mut letter = letter_listed();
    letter.as_object_mut().expect("an object").remove("title");
    let staff = json!({"name": "staff_letter", "description": "For tests."});
    assert_eq!(got["result"], json!({"prompts": [staff, letter]}));
}

#[tokio::test]
async fn a_prompt_gives_its_messages_with_any_content() {
    let app = App::of(PROMPTS, |_| {});
    let messages = |text: &str| {
        json!([
            {"role": "user", "content": {"type": "text", "text": text}},
            {"role": "assistant", "content": {"type": "image", "data": "AQID", "mimeType": "image/png", "annotations": {"priority": 1.0}}},
            {"role": "user", "content": {"type": "resource_link", "uri": "orders://7", "name": "order 7", "title": "Order 7"}},
            {"role": "user", "content": {"type": "audio", "data": "BA==", "mimeType": "audio/wav"}},
            {"role": "user", "content": {"type": "resource", "resource": {"uri": "shop://manual", "mimeType": "text/markdown", "text": "# Shop"}}},
        ])
    };
    // Arguments come as texts, and are read as what they are.
    let got = app
        .ask(
            200,
            Send::modern("prompts/get", get(json!({"to": "ada", "about": "7"}))),
        )
        .await;
    assert_eq!(
        got["result"],
        json!({
            "description": "A letter to Ada", "messages": messages("Write to ada about order 7."),
            "resultType": "complete", "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    let legacy = Send::legacy("prompts/get", get(json!({"to": "bob"})))
        .header("mcp-protocol-version", "2025-11-25");
    assert_eq!(
        app.ask(200, legacy).await["result"],
        json!({"description": "For tests.", "messages": messages("Write to bob about order 0.")})
    );
    let session = app.session("2024-11-05").await;
    let old = Send::legacy("prompts/get", get(json!({"to": "bob"}))).session(&session);
    let got = app.ask(200, old).await;
    assert_eq!(
        got["result"]["messages"][2]["content"],
        json!({"type": "text", "text": "order 7: orders://7"})
    );
    assert_eq!(
        got["result"]["messages"][3]["content"],
        json!({"type": "text", "text": "[a sound: audio/wav, 1 bytes]"})
    );
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_all_named() {
    let app = App::of(PROMPTS, |_| {});
    let got = app
        .ask(
            200,
            Send::modern(
                "prompts/get",
                get(json!({"about": "seven", "colour": "red"})),
            ),
        )
        .await;
    let error = &got["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32602), &json!("T0003"))
    );
    let fields = error["data"]["fields"].as_object().expect("an object");
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["about", "colour", "to"]);
    for field in fields.keys() {
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|message| message.contains(field))
        );
    }
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": "write_letter", "arguments": []}),
    ] {
        let got = app.ask(200, Send::legacy("prompts/get", params)).await;
        assert_eq!(got["error"]["code"], -32602);
    }
    let got = app
        .ask(
            200,
            Send::modern("prompts/get", get(json!({"to": "nobody"}))),
        )
        .await;
    assert_eq!(
        got["error"],
        json!({"code": -32602, "message": "Nobody reads letters", "data": {"code": "A0002"}})
    );
}

#[tokio::test]
async fn a_prompt_that_is_not_for_the_caller_is_one_that_is_not_there() {
    let app = App::of(PROMPTS, |_| {});
    let named = |name: &str| Send::modern("prompts/get", json!({"name": name})).by("ada");
    let mut hidden = app.ask(200, named("staff_letter")).await;
    let absent = app.ask(200, named("staff_lettex")).await;
    assert_eq!(hidden["error"]["message"], "Unknown prompt: staff_letter");
    hidden["error"]["message"] = "Unknown prompt: staff_lettex".into();
    assert_eq!(hidden, absent);
    // A prompt is no function, and no function is a prompt.
    let call = app
        .ask(200, Send::call("write_letter", json!({"to": "ada"})))
        .await;
    assert_eq!(call["error"]["code"], -32602);
}

#[tokio::test]
async fn the_header_names_the_prompt() {
    let app = App::of(PROMPTS, |_| {});
    for send in [
        Send::modern("prompts/get", get(json!({"to": "ada"}))).without("mcp-name"),
        Send::modern("prompts/get", get(json!({"to": "ada"}))).header("mcp-name", "staff_letter"),
    ] {
        assert_eq!(app.ask(400, send).await["error"]["code"], -32020);
    }
}
