//! Tools with `structured = false`: words alone, in every revision.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Access, Content, Function, FunctionBuilder, Handled, WithContent};

use super::app::{App, Request};

/// For tests.
#[query(access = "signedIn", offer = "mcp", structured = false)]
fn words_of_a_text() -> String {
    "Two lines\nof \"words\"".to_owned()
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", structured = false)]
fn words_of_a_value() -> Vec<u8> {
    vec![1, 2]
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", structured = false)]
fn words_in_place_of_a_value() -> WithContent<u32> {
    WithContent::replacing_text(7, [Content::text("seven")])
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", structured = false)]
fn words_of_nothing() {}

/// Checks the entry and the result of a tool in each era.
async fn check(app: &App, name: &str, content: Value) {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let session = app.session(revision).await;
        let call = Request::legacy("tools/call", json!({"name": name})).session(&session);
        let result = json!({"content": content});
        assert_eq!(
            app.json(200, call).await["result"],
            result,
            "{name}, {revision}"
        );
    }
    let result = app.call(name, json!({})).await["result"].take();
    assert_eq!(result["content"], content, "{name}");
    for member in ["structuredContent", "isError"] {
        assert_eq!(result.get(member), None, "{name}");
    }
    assert_eq!(result["_meta"].get("tent.wrapped"), None, "{name}");
    let listed = app.modern("tools/list", json!({})).await["result"]["tools"].take();
    let tools: Vec<Value> = serde_json::from_value(listed).expect("a list");
    let tool = tools.iter().find(|tool| tool["name"] == name);
    assert_eq!(tool.expect("listed").get("outputSchema"), None, "{name}");
}

#[tokio::test]
async fn an_unstructured_tool_returns_its_words_alone() {
    let functions = tent::functions![
        words_of_a_text,
        words_of_a_value,
        words_in_place_of_a_value,
        words_of_nothing
    ];
    let app = App::of(|app| app.functions(functions)).await;
    let words = |text: &str| json!([{"type": "text", "text": text}]);
    check(&app, "words_of_a_text", words("Two lines\nof \"words\"")).await;
    check(&app, "words_of_a_value", words("[1,2]")).await;
    check(&app, "words_in_place_of_a_value", words("seven")).await;
    check(&app, "words_of_nothing", json!([])).await;
}

fn built() -> FunctionBuilder<Handled> {
    Function::builder("built_words")
        .about("For tests.")
        .access(Access::SignedIn)
        .structured(false)
        .handler(async |_, _: tent::Map| Ok::<_, Error>("seven".to_owned()))
}

#[tokio::test]
async fn a_built_tool_can_be_unstructured() {
    let built = built().offer_mcp().build().expect("a valid function");
    let app = App::with(|app| app.function(built)).await;
    check(
        &app,
        "built_words",
        json!([{"type": "text", "text": "seven"}]),
    )
    .await;
}

#[test]
fn only_a_tool_can_be_unstructured() {
    let problems = built().build().expect_err("it is no tool");
    let codes: Vec<_> = problems.iter().map(|one| one.code.as_str()).collect();
    assert_eq!(codes, ["T7008"]);
}
