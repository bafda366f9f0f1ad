//! `_meta`, content in place of a value and beside a failure: what each door tells of them, and what the log does.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Tent};

use crate::app::Sum;
use crate::log::Log;
use crate::support::{ask, key, modern, tent_of};

const NUMBER: &str = "com.example/number";

/// A value in words, with metadata.
#[query(access = "role:tester", offer = "mcp", meta = json!({NUMBER: 1}))]
fn in_words(#[arg(title = "Number", max = 9)] number: u32) -> WithContent<u32> {
    let words = Content::text("a number").meta(NUMBER, number);
    WithContent::replacing_text(number, [words]).meta(NUMBER, number)
}

/// A value, and a picture of it where there is one.
#[query(access = "role:tester", offer = "mcp")]
fn with_picture(drawn: bool) -> WithContent<Sum> {
    let picture = drawn.then(|| Content::image(b"\x89PNG".to_vec(), "image/png"));
    WithContent::new(Sum { sum: 7 }, picture)
}

/// A text with metadata, one key of which cannot be.
#[query(access = "role:tester", offer = "mcp", blocking = false)]
fn text_with_metadata() -> WithContent<Content> {
    WithContent::new(Content::text("a"), [])
        .meta("dev.mcp/reserved", 1)
        .meta(NUMBER, 1)
}

/// What the request brings.
#[query(access = "role:tester", offer = "mcp")]
fn brought(cx: &Cx) -> Value {
    json!(cx.meta())
}

/// A failure that shows so many bytes.
#[query(access = "role:tester", offer = "mcp")]
async fn fails_showing(bytes: usize) -> Result<()> {
    let failure =
        Error::declared(tent::code!("A0001"), 409, "It failed").with_field("bytes", bytes);
    Err(failure.with_content([Content::text("a".repeat(bytes))]))
}

/// The app with these functions alone, and a key of who may call them.
async fn tent() -> (Tent, String) {
    let person = async |id: String| Ok::<_, Error>(Some(User::new(id).role("tester")));
    let change = |app: App| {
        app.functions(FUNCTIONS)
            .set("limits.max_response", "2KiB")
            .users(person)
    };
    let tent = tent_of(change).await;
    let key = key(&tent, "ada", &["*"]).await;
    (tent, key)
}

/// The result of a modern request.
async fn result((tent, key): &(Tent, String), method: &str, params: Value) -> Value {
    let reply = modern(tent, method, params).key(key).send().await;
    reply.json()["result"].clone()
}

async fn called(tent: &(Tent, String), name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    result(tent, "tools/call", params).await
}

#[tokio::test]
async fn at_api_there_is_no_metadata_and_a_failure_is_its_document() {
    let (tent, key) = tent().await;
    let get = async |path: &str| ask(&tent, "GET", path).key(&key).send().await;
    let reply = get("/api/in_words?number=7").await;
    assert_eq!(reply.bytes, b"7");
    assert_eq!(get("/api/text_with_metadata").await.bytes, b"a");
    assert_eq!(get("/api/brought").await.json(), json!({}));
    let reply = get("/api/fails_showing?bytes=10").await;
    reply.refuses(409, "A0001");
    assert_eq!(
        reply.json(),
        json!({
            "type": "urn:code:A0001",
            "title": "failure",
            "status": 409,
            "detail": "It failed",
            "code": "A0001",
            "fields": {"bytes": 10},
        })
    );
}

#[tokio::test]
async fn the_api_returns_the_value_that_the_list_describes_without_content() {
    let (tent, key) = tent().await;
    let get = async |path: &str| ask(&tent, "GET", path).key(&key).send().await;
    let list = get("/api").await.json();
    let functions = list["functions"].as_array().expect("a list");
    for (name, query, value) in [
        ("in_words", "number=7", json!(7)),
        ("with_picture", "drawn=true", json!({"sum": 7})),
        ("with_picture", "drawn=false", json!({"sum": 7})),
    ] {
        let reply = get(&format!("/api/{name}?{query}")).await;
        assert_eq!(reply.json(), value, "{name}?{query}");
        let listed = functions.iter().find(|function| function["name"] == name);
        let output = &listed.expect("it is listed")["output"];
        let output = jsonschema::validator_for(output).expect("a schema");
        assert!(output.is_valid(&value), "{name}?{query}");
    }
}

#[tokio::test]
async fn at_mcp_there_is_all_of_it() {
    let tent = tent().await;
    let got = called(&tent, "in_words", json!({"number": 7})).await;
    assert_eq!(
        got["content"],
        json!([{"type": "text", "text": "a number", "_meta": {NUMBER: 7}}])
    );
    assert_eq!(got["structuredContent"], json!({"value": 7}));
    assert_eq!(
        (&got["_meta"][NUMBER], &got["_meta"]["tent.wrapped"]),
        (&json!(7), &json!(true))
    );
    let list = result(&tent, "tools/list", json!({})).await;
    let tools = list["tools"].as_array().expect("a list");
    let tool = tools.iter().find(|tool| tool["name"] == "in_words");
    let tool = tool.expect("it is listed");
    assert_eq!(tool["_meta"], json!({NUMBER: 1}));
    assert_eq!(
        tool["inputSchema"]["properties"]["number"]["title"],
        "Number"
    );
}

#[tokio::test]
async fn logs_what_a_result_leaves_out() {
    let (log, _kept) = Log::kept();
    let tent = tent().await;
    let got = called(&tent, "text_with_metadata", json!({})).await;
    let meta = got["_meta"].as_object().expect("an object");
    assert_eq!(meta.get(NUMBER), Some(&json!(1)));
    assert!(!meta.contains_key("dev.mcp/reserved"));
    let line = log.line("dev.mcp/reserved");
    assert!(
        line.contains("ERROR") && line.contains("reserved for MCP"),
        "{line}"
    );
    assert!(line.contains("function=text_with_metadata"), "{line}");

    for (bytes, shown) in [(2048, 2), (2049, 1)] {
        let got = called(&tent, "fails_showing", json!({"bytes": bytes})).await;
        assert_eq!(got["isError"], true);
        assert_eq!(
            got["content"].as_array().map(Vec::len),
            Some(shown),
            "{bytes}"
        );
    }
    let line = log.line("limits.max_response");
    assert!(
        line.contains("WARN") && line.contains("bytes=2049"),
        "{line}"
    );
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    in_words,
    with_picture,
    text_with_metadata,
    brought,
    fails_showing,
];
