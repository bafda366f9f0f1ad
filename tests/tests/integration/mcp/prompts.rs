//! Prompts: lists and `prompts/get`, in both eras.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Annotations, Content, Map, PromptMessage, PromptResult};

use super::app::{App, META, Request, server};

#[derive(Debug, Failure)]
enum LetterError {
    #[failure(
        code = "A0002",
        status = 409,
        message = "This person does not read letters"
    )]
    NotRead,
}

fn letter(to: &str, order: u32) -> PromptResult {
    PromptResult::new([
        PromptMessage::user(format!("Write to {to} about order {order}.")),
        PromptMessage::assistant(
            Content::image([1, 2, 3], "image/png").annotated(Annotations::new().priority(1.0)),
        ),
        PromptMessage::user(Content::link("orders://7", "order 7").title("Order 7")),
        PromptMessage::user(Content::audio([4], "audio/wav")),
        PromptMessage::user(Content::resource_text(
            "shop://manual",
            "text/markdown",
            "# Shop",
        )),
    ])
    .about(if to == "ada" { "A letter to Ada" } else { "" })
}

/// For tests.
#[prompt(access = "signedIn")]
fn write_letter(
    /// The recipient.
    to: String,
    #[arg(complete = order_numbers)] about: Option<u32>,
) -> Result<PromptResult, LetterError> {
    match &*to {
        "hermit" => Err(LetterError::NotRead),
        _ => Ok(letter(&to, about.unwrap_or(0))),
    }
}

/// For tests.
#[prompt(access = "role:staff")]
fn staff_letter() -> PromptResult {
    letter("", 0)
}

/// Completes `typed` with a zero. Some texts make it panic, return 150 values, or return the other arguments.
pub(super) fn order_numbers(_: &Cx, typed: String, others: Map) -> Vec<String> {
    match &*typed {
        "panic" => panic!("secret detail"),
        "context" => vec![Value::Object(others).to_string()],
        "many" => (0..150).map(|number: u32| number.to_string()).collect(),
        typed => vec![format!("{typed}0")],
    }
}

pub(super) const PROMPTS: &[&tent::Declaration] = tent::functions![write_letter, staff_letter];

async fn app() -> App {
    App::of(|app| app.functions(PROMPTS)).await
}

fn get(arguments: Value) -> Value {
    json!({"name": "write_letter", "arguments": arguments})
}

fn letter_listed() -> Value {
    json!({
        "name": "write_letter", "title": "Write letter", "description": "For tests.",
        "arguments": [
            {"name": "to", "description": "The recipient.", "required": true},
            {"name": "about", "required": false},
        ],
    })
}

#[tokio::test]
async fn lists_prompts_with_their_arguments_in_the_order_of_the_parameters() {
    let app = app().await;
    let got = app
        .json(200, Request::modern("prompts/list", json!({})).by("ada"))
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
        .json(
            200,
            Request::legacy("prompts/list", json!({})).session(&session),
        )
        .await;
    let mut letter = letter_listed();
    letter.as_object_mut().expect("an object").remove("title");
    let staff = json!({"name": "staff_letter", "description": "For tests."});
    assert_eq!(got["result"], json!({"prompts": [staff, letter]}));
}

#[tokio::test]
async fn returns_the_messages_of_a_prompt_with_any_content() {
    let app = app().await;
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
        .modern("prompts/get", get(json!({"to": "ada", "about": "7"})))
        .await;
    assert_eq!(
        got["result"],
        json!({
            "description": "A letter to Ada", "messages": messages("Write to ada about order 7."),
            "resultType": "complete", "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    let legacy = Request::legacy("prompts/get", get(json!({"to": "bob"})))
        .header("mcp-protocol-version", "2025-11-25");
    assert_eq!(
        app.json(200, legacy).await["result"],
        json!({"description": "For tests.", "messages": messages("Write to bob about order 0.")})
    );
    let session = app.session("2024-11-05").await;
    let old = Request::legacy("prompts/get", get(json!({"to": "bob"}))).session(&session);
    let got = app.json(200, old).await;
    assert_eq!(
        got["result"]["messages"][2]["content"],
        json!({"type": "text", "text": "order 7: orders://7"})
    );
    assert_eq!(
        got["result"]["messages"][3]["content"],
        json!({"type": "text", "text": "[a sound: audio/wav, 1 byte]"})
    );
}

#[tokio::test]
async fn names_every_invalid_argument() {
    let app = app().await;
    let got = app
        .modern(
            "prompts/get",
            get(json!({"about": "seven", "colour": "red"})),
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
        let got = app.legacy("prompts/get", params).await;
        assert_eq!(got["error"]["code"], -32602);
    }
    let got = app
        .modern("prompts/get", get(json!({"to": "hermit"})))
        .await;
    assert_eq!(
        got["error"],
        json!({"code": -32602, "message": "This person does not read letters", "data": {"code": "A0002"}})
    );
}

#[tokio::test]
async fn a_hidden_prompt_looks_like_an_absent_one() {
    let app = app().await;
    let named = |name: &str| Request::modern("prompts/get", json!({"name": name})).by("ada");
    let mut hidden = app.json(200, named("staff_letter")).await;
    let absent = app.json(200, named("staff_lettex")).await;
    assert_eq!(hidden["error"]["message"], "Unknown prompt: staff_letter");
    hidden["error"]["message"] = "Unknown prompt: staff_lettex".into();
    assert_eq!(hidden, absent);
    // A prompt is not a tool.
    let call = app.call("write_letter", json!({"to": "ada"})).await;
    assert_eq!(call["error"]["code"], -32602);
}

#[tokio::test]
async fn requires_the_name_of_the_prompt_in_the_header() {
    let app = app().await;
    for send in [
        Request::modern("prompts/get", get(json!({"to": "ada"}))).without("mcp-name"),
        Request::modern("prompts/get", get(json!({"to": "ada"})))
            .header("mcp-name", "staff_letter"),
    ] {
        assert_eq!(app.json(400, send).await["error"]["code"], -32020);
    }
}
