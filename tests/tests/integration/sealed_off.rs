//! What an input can never do: bypass the schema, end the process, bring a secret into a response, or run in a browser.

use serde_json::{Value, json};
use tent::Tent;
use tent::prelude::*;

use crate::support::{Reply, ask, key, tent_with};

/// Takes whatever stands in it, but a list.
#[data]
struct Loose {
    #[schemars(schema_with = "loose")]
    value: tent::serde_json::Value,
}

fn loose(_: &mut tent::schemars::SchemaGenerator) -> tent::schemars::Schema {
    tent::schemars::json_schema!({
        "type": "object",
        "properties": {"x": {"type": "string", "maxLength": 3}},
        "additionalProperties": {"type": "string"}
    })
}

#[query(
    about = "Echo what is loosely described",
    access = "role:staff",
    offer = "mcp"
)]
async fn loosely(loose: Loose) -> tent::serde_json::Value {
    loose.value
}

#[query(about = "Echo with a handwritten schema", access = "role:staff")]
async fn stated(
    #[input(schema = tent::serde_json::json!({"type": "object", "properties": {"x": {"type": "string"}}}))]
    value: tent::serde_json::Value,
) -> tent::serde_json::Value {
    value
}

/// A number that its schema calls a text, as a type that refuses more than its schema says.
#[data]
struct Login {
    user: String,
    #[tent(secret)]
    #[schemars(with = "String")]
    pin: u32,
}

impl Login {
    fn fits(&self) -> bool {
        self.user.len() as u64 == u64::from(self.pin)
    }
}

/// Its reader loses the way to what it refuses.
#[data]
struct Flat {
    kind: String,
    #[serde(flatten)]
    login: Login,
}

#[query(about = "Log in", access = "role:staff", offer = "mcp")]
async fn log_in(login: Login) -> bool {
    login.fits()
}

#[query(about = "Log in with all", access = "role:staff", offer = "mcp")]
async fn log_in_whole(#[input] login: Login) -> bool {
    login.fits()
}

#[query(about = "Log in with many", access = "role:staff", offer = "mcp")]
async fn log_in_all(logins: Vec<Login>, by_name: std::collections::HashMap<String, Login>) -> bool {
    logins.iter().chain(by_name.values()).all(Login::fits)
}

#[query(about = "Log in with less order", access = "role:staff", offer = "mcp")]
async fn log_in_flat(#[input] flat: Flat) -> bool {
    flat.login.fits() && flat.kind.is_empty()
}

/// A secret word.
#[data]
#[schemars(extend("x-tent-secret" = true))]
struct Word(String);

#[query(about = "Count words", access = "role:staff", offer = "mcp")]
async fn words(words: Vec<Word>) -> usize {
    words.iter().map(|word| word.0.len()).sum()
}

/// What its schema takes and its reader does not, with no secret in it.
#[data]
struct Plain {
    #[schemars(with = "String")]
    n: u32,
}

#[query(about = "Read plainly", access = "role:staff", offer = "mcp")]
async fn plainly(#[input] plain: Plain) -> u32 {
    plain.n
}

#[query(about = "A picture of a type", access = "role:staff")]
async fn typed(media_type: String) -> Content {
    Content::image([1], media_type)
}

const KEPT: &str = "$serde_json::private::RawValue";

/// A call by `/api`.
async fn post((tent, key): &(Tent, String), name: &str, body: impl Into<Vec<u8>>) -> Reply {
    let ask = ask(tent, "POST", format!("/api/{name}")).key(key);
    let ask = ask.header("content-type", "application/json");
    ask.body(body).send().await
}

/// A call by `/mcp`, with arguments as they stand.
async fn tool((tent, key): &(Tent, String), name: &str, arguments: &str) -> Reply {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
    );
    let ask = ask(tent, "POST", "/mcp").key(key);
    let ask = ask.header("content-type", "application/json");
    let ask = ask.header("accept", "application/json, text/event-stream");
    ask.body(body).send().await
}

/// An app that takes long bodies, and a key for every function of it.
async fn open() -> (Tent, String) {
    let tent = tent_with(|app| app.set("limits.max_body", "4MiB")).await;
    let grace = key(&tent, "grace", &["*"]).await;
    (tent, grace)
}

/// A call by an address.
async fn get((tent, key): &(Tent, String), path: impl std::fmt::Display) -> Reply {
    ask(tent, "GET", format!("/api/{path}"))
        .key(key)
        .send()
        .await
}

#[tokio::test]
async fn never_reads_text_in_an_input_as_json() {
    let tent = open().await;
    for (name, arguments) in [
        (
            "loosely",
            format!(r#"{{"loose":{{"value":{{"{KEPT}":"{{\"x\":\"too long\"}}"}}}}}}"#),
        ),
        ("stated", format!(r#"{{"{KEPT}":"{{\"x\":5}}"}}"#)),
        ("stated", format!(r#"{{"y":[{{"{KEPT}":"1"}}]}}"#)),
        (
            "echo",
            format!(r#"{{"value":{{"{KEPT}":"{{\"a\":1,\"a\":2}}"}}}}"#),
        ),
        ("echo", format!(r#"{{"value":{{"{KEPT}":"no JSON"}}}}"#)),
        (
            "echo",
            r#"{"value":{"$serde_json::private::Number":"1e9"}}"#.to_owned(),
        ),
        (
            "echo",
            r#"{"value":{"\u0024serde_json::private::RawValue":"1"}}"#.to_owned(),
        ),
    ] {
        let reply = post(&tent, name, arguments.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (400, "T0018"),
            "{arguments}"
        );
        let reply = tool(&tent, name, &arguments).await;
        assert_eq!(reply.json()["error"]["code"], -32600, "{arguments}");
    }
    let reply = get(&tent, format!("stated?{KEPT}=%7B%22x%22:5%7D")).await;
    assert_eq!(
        (reply.status.as_u16(), reply.code().as_str()),
        (422, "T0003")
    );
    // The same over a GET without it, and the name as a value, are as ever.
    let reply = get(&tent, "stated?y=1").await;
    assert_eq!(reply.json(), json!({"y": "1"}));
    let reply = post(&tent, "echo", json!({ "value": KEPT }).to_string()).await;
    assert_eq!(reply.json(), json!(KEPT));
}

#[tokio::test]
async fn the_same_rules_hold_for_a_nested_call() {
    let tent = open().await;
    let input = serde_json::Map::from_iter([("value".to_owned(), json!({ KEPT: "[1]" }))]);
    let error = tent_runtime::__private::call_as_app(&tent.0, "echo", input)
        .await
        .expect_err("the input is not valid");
    assert_eq!(error.code(), "T0003");
}

/// A text in a text in a text, each of which nests as deep as one reader lets it.
fn texts_in_texts(levels: usize) -> String {
    let mut inner = "1".to_owned();
    for _ in 0..levels {
        let text = inner.replace('\\', "\\u005c").replace('"', "\\u0022");
        let (open, close) = ("[".repeat(110), "]".repeat(110));
        inner = format!("{open}{{\"{KEPT}\":\"{text}\"}}{close}");
    }
    inner
}

#[tokio::test]
async fn texts_in_texts_do_not_end_the_process() {
    let tent = open().await;
    for levels in [1, 20, 100] {
        let arguments = format!("{{\"value\":{}}}", texts_in_texts(levels));
        let reply = post(&tent, "echo", arguments.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code().as_str()),
            (400, "T0018"),
            "{levels}"
        );
        let reply = tool(&tent, "echo", &arguments).await;
        assert_eq!(reply.json()["error"]["code"], -32600, "{levels}");
    }
}

#[tokio::test]
async fn a_secret_that_its_type_refuses_is_in_no_answer() {
    let tent = open().await;
    let login = json!({"user": "a", "pin": "hunter2"});
    let fit = json!({"user": "a", "pin": "hunter2"});
    for (name, input, fields) in [
        ("log_in", json!({ "login": login }), vec!["login.pin"]),
        ("log_in_whole", login.clone(), vec!["pin"]),
        (
            "log_in_all",
            json!({"logins": [login, fit], "by_name": {"swordfish": login}}),
            vec!["by_name.swordfish.pin", "logins[0].pin"],
        ),
        (
            "log_in_flat",
            json!({"kind": "k", "user": "a", "pin": "hunter2"}),
            vec!["(input)"],
        ),
    ] {
        let wanted: Value = fields
            .iter()
            .map(|field| (field.to_string(), json!("is not valid")))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let api = post(&tent, name, input.to_string()).await;
        assert_eq!(
            (api.status.as_u16(), &api.json()["fields"]),
            (422, &wanted),
            "{name}"
        );
        let mcp = tool(&tent, name, &input.to_string()).await;
        for reply in [api, mcp] {
            let text = String::from_utf8(reply.bytes).expect("a text");
            assert!(!text.contains("hunter2"), "{name}: {text}");
            assert!(
                fields.iter().all(|field| text.contains(field)),
                "{name}: {text}"
            );
        }
    }
    // A value that is not secret appears in the error.
    let reply = post(&tent, "plainly", r#"{"n":"x"}"#).await;
    assert_eq!(
        reply.json()["fields"],
        json!({"n": "invalid type: string \"x\", expected u32"})
    );
}

#[tokio::test]
async fn no_secret_is_taken_from_an_address_wherever_it_lies() {
    let tent = open().await;
    for (query, field) in [
        ("words?words=hunter2", "words"),
        ("words?words=hunter2&words=b", "words"),
        ("log_in?login=hunter2", "login"),
        ("log_in_whole?user=a&pin=hunter2", "pin"),
    ] {
        let reply = get(&tent, query).await;
        assert_eq!(reply.status.as_u16(), 422, "{query}");
        assert_eq!(
            reply.json()["fields"],
            json!({ field: "is a secret: send it by POST, never in an address" })
        );
    }
}

#[tokio::test]
async fn only_a_plain_media_type_is_shown_and_no_answer_is_guessed_at() {
    let tent = open().await;
    for (media_type, shown) in [
        ("image%2Fpng", true),
        ("image%2FPNG", true),
        ("text%2Fplain%3B%20charset%3Dutf-8", true),
        ("image%2Fpng%3Bx%2C%20text%2Fhtml", false),
        ("image%2Fpng%2C%20text%2Fhtml", false),
        ("text%2Fplain%3Bcharset%3Dutf-7", false),
        ("text%2Fhtml", false),
        ("image%2Fpng%0D%0AX%3A1", false),
        ("%20image%2Fpng", false),
    ] {
        let reply = get(&tent, format!("typed?media_type={media_type}")).await;
        let apart = reply.header("content-disposition") == Some("attachment");
        assert_eq!(
            (reply.status.as_u16(), apart),
            (200, !shown),
            "{media_type}"
        );
    }
    for (method, path) in [
        ("GET", "/api/nothing"),
        ("GET", "/api"),
        ("POST", "/mcp"),
        ("GET", "/mcp"),
    ] {
        let reply = ask(&tent.0, method, path).send().await;
        assert_eq!(
            reply.header("x-content-type-options"),
            Some("nosniff"),
            "{method} {path}"
        );
    }
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    loosely,
    stated,
    log_in,
    log_in_whole,
    log_in_all,
    log_in_flat,
    words,
    plainly,
    typed,
];
