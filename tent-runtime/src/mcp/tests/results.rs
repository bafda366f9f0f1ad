//! What a call comes to: values, contents, failures.

use serde_json::{Value, json};
use tent_core::codes;

use super::app::{App, META, Send, server};
use crate::error::Error;

/// The result of a modern call, without what each has.
async fn result(app: &App, name: &str, arguments: Value) -> Value {
    let mut got = app.ask(200, Send::call(name, arguments)).await;
    assert_eq!((&got["jsonrpc"], &got["id"]), (&json!("2.0"), &json!(1)));
    let result = got["result"]
        .as_object_mut()
        .unwrap_or_else(|| panic!("no result"));
    assert_eq!(result.remove("resultType"), Some(json!("complete")));
    let meta = result
        .get_mut("_meta")
        .and_then(Value::as_object_mut)
        .expect("an object");
    assert_eq!(meta.remove(&format!("{META}serverInfo")), Some(server()));
    Value::Object(result.clone())
}

fn said(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[tokio::test]
async fn k6_07_a_success_has_the_value_as_it_is_and_as_text() {
    let app = App::new();
    assert_eq!(
        result(&app, "find_order", json!({"id": "A1"})).await,
        json!({"content": said(r#"{"id":"A1"}"#), "structuredContent": {"id": "A1"}, "_meta": {}})
    );
    for (name, value) in [
        ("maybe", json!(null)),
        ("list_orders", json!([{"id": "A1"}])),
        ("raw", json!(["any", 1])),
        ("server_time", json!("noon")),
    ] {
        let wrapped = json!({"value": value});
        assert_eq!(
            result(&app, name, json!({})).await,
            json!({
                "content": said(&wrapped.to_string()),
                "structuredContent": wrapped,
                "_meta": {"tent.wrapped": true},
            })
        );
    }
    assert_eq!(
        result(&app, "touch", json!({})).await,
        json!({"content": said("{}"), "structuredContent": {}, "_meta": {"tent.wrapped": true}})
    );
}

#[tokio::test]
async fn k6_08_lists_are_wrapped_in_every_revision_that_has_structured_content() {
    let app = App::new();
    let text = r#"{"value":[{"id":"A1"}]}"#;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = app.session(revision).await;
        let send = Send::legacy("tools/call", json!({"name": "list_orders"})).session(&session);
        let mut result = json!({"content": said(text), "_meta": {"tent.wrapped": true}});
        if revision >= "2025-06-18" {
            result["structuredContent"] = json!({"value": [{"id": "A1"}]});
        }
        assert_eq!(app.ask(200, send).await["result"], result, "{revision}");
    }
}

fn failure(error: &Error, text: &str) -> Value {
    let mut wire = json!({
        "code": error.code(),
        "name": error.name(),
        "status": error.status(),
        "message": error.message(),
        "fix": error.fix(),
    });
    if !error.fields().is_empty() {
        wire["fields"] = Value::Object(error.fields().clone());
    }
    json!({"content": said(text), "isError": true, "_meta": {"tent.error": wire}})
}

#[tokio::test]
async fn k6_06_a_stated_failure_is_told_in_full_and_has_no_structured_content() {
    let app = App::new();
    let error = Error::declared(crate::code!("A0001"), 404, "There is no order missing")
        .with_fix("Call list_orders.")
        .with_field("id", "missing");
    assert_eq!(
        result(&app, "find_order", json!({"id": "missing"})).await,
        failure(
            &error,
            "Error A0001: There is no order missing\nFix: Call list_orders.\nid: missing"
        )
    );
    let send = Send::legacy(
        "tools/call",
        json!({"name": "find_order", "arguments": {"id": "missing"}}),
    );
    let got = app
        .ask(200, send.header("mcp-protocol-version", "2025-11-25"))
        .await;
    assert_eq!(
        got["result"],
        failure(
            &error,
            "Error A0001: There is no order missing\nFix: Call list_orders.\nid: missing"
        )
    );
}

#[tokio::test]
async fn k6_03_an_unknown_tool_is_a_protocol_error_and_looks_like_a_hidden_one() {
    let app = App::new();
    let fix = Error::new(codes::NOT_FOUND).fix().to_owned();
    for name in ["no_such_tool", "inside", "Find_order", ""] {
        assert_eq!(
            app.ask(200, Send::call(name, json!({}))).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {
                "code": -32602,
                "message": format!("Unknown tool: {name}"),
                "data": {"code": "T0001", "fix": fix},
            }})
        );
    }
    let hidden = app
        .ask(200, Send::call("delete_order", json!({"id": 7})).by("ada"))
        .await;
    assert_eq!(hidden["error"]["message"], "Unknown tool: delete_order");
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": null}),
        json!({"name": ["find_order"]}),
    ] {
        let got = app.ask(200, Send::modern("tools/call", params)).await;
        assert_eq!(
            (&got["error"]["code"], &got["id"]),
            (&json!(-32602), &json!(1))
        );
    }
    let list =
        Send::raw(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["find_order"]}"#);
    assert_eq!(app.ask(200, list).await["error"]["code"], -32602);
}

#[tokio::test]
async fn what_a_function_or_a_person_refuses_is_a_result() {
    let app = App::new();
    let got = result(&app, "not_yours", json!({})).await;
    assert_eq!(got["_meta"]["tent.error"]["code"], "T0005");
    assert_eq!(got["isError"], true);
}

#[tokio::test]
async fn k6_01_an_input_that_does_not_fit_is_a_result_that_names_every_field() {
    let app = App::new();
    let got = result(
        &app,
        "find_order",
        json!({"id": 7, "limit": "many", "colour": 1}),
    )
    .await;
    let error = &got["_meta"]["tent.error"];
    assert_eq!(
        (&got["isError"], &error["code"]),
        (&json!(true), &json!("T0003"))
    );
    let fields = error["fields"].as_object().expect("an object");
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["colour", "id", "limit"]);
    let mut text = format!(
        "Error T0003: {}\nFix: {}",
        Error::new(codes::INVALID_INPUT).message(),
        Error::new(codes::INVALID_INPUT).fix()
    );
    for (field, what) in fields {
        text += &format!("\n{field}: {}", what.as_str().expect("a text"));
    }
    assert_eq!(got["content"], said(&text));
    assert_eq!(got.get("structuredContent"), None);
    let missing = result(&app, "find_order", json!(null)).await;
    assert_eq!(
        missing["_meta"]["tent.error"]["fields"]
            .as_object()
            .map(|f| f.contains_key("id")),
        Some(true)
    );
}

#[tokio::test]
async fn k6_04_a_panic_is_one_answer_with_a_reference_and_the_next_call_works() {
    let app = App::new();
    let got = result(&app, "explode", json!({})).await;
    let error = &got["_meta"]["tent.error"];
    assert_eq!(
        (&got["isError"], &error["code"]),
        (&json!(true), &json!("T0012"))
    );
    assert!(error["fields"]["reference"].is_string());
    assert!(!got.to_string().contains("secret detail"), "{got}");
    let legacy = app
        .ask(200, Send::legacy("tools/call", json!({"name": "explode"})))
        .await;
    assert_eq!(
        (&legacy["id"], &legacy["result"]["isError"]),
        (&json!(1), &json!(true))
    );
    result(&app, "server_time", json!({})).await;
}

#[tokio::test]
async fn k6_14_where_a_person_is_wanted_and_cannot_be_asked_the_answer_is_a_refusal_at_once() {
    let got = result(&App::new(), "wipe", json!({})).await;
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T7120"))
    );
}

#[tokio::test]
async fn k6_16_a_state_that_a_client_hands_in_changes_nothing() {
    let params = json!({
        "name": "wipe",
        "arguments": {},
        "requestState": "made up",
        "inputResponses": {"approve": {"action": "accept", "content": {"ok": true}}},
    });
    let got = App::new()
        .ask(200, Send::modern("tools/call", params))
        .await;
    assert_eq!(got["result"]["_meta"]["tent.error"]["code"], "T7120");
}

#[tokio::test]
async fn k6_12_what_broke_is_not_told() {
    let app = App::new();
    let got = result(&app, "save", json!({})).await;
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T0012"))
    );
    assert!(!got.to_string().contains("postgres"), "{got}");
}

#[tokio::test]
async fn contents_are_sent_as_the_revision_has_them() {
    let app = App::new();
    let newest = json!([
        {"type": "text", "text": "hello"},
        {"type": "image", "data": "AQID", "mimeType": "image/png"},
        {"type": "audio", "data": "BAU=", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///a.csv", "mimeType": "text/csv", "text": "a;b"}},
        {"type": "resource", "resource": {"uri": "file:///b.pdf", "mimeType": "application/pdf", "blob": "AP8="}},
        {"type": "resource_link", "uri": "https://shop.example/1", "name": "order 1"},
    ]);
    assert_eq!(
        result(&app, "show", json!({})).await,
        json!({"content": newest, "_meta": {}})
    );
    for (revision, audio, link) in [
        ("2025-06-18", newest[2].clone(), newest[5].clone()),
        (
            "2025-03-26",
            newest[2].clone(),
            json!({"type": "text", "text": "order 1: https://shop.example/1"}),
        ),
        (
            "2024-11-05",
            json!({"type": "text", "text": "[a sound: audio/wav, 2 bytes]"}),
            json!({"type": "text", "text": "order 1: https://shop.example/1"}),
        ),
    ] {
        let session = app.session(revision).await;
        let mut wanted = newest.clone();
        wanted[2] = audio;
        wanted[5] = link;
        let got = app
            .ask(
                200,
                Send::legacy("tools/call", json!({"name": "show"})).session(&session),
            )
            .await;
        assert_eq!(got["result"], json!({"content": wanted}), "{revision}");
    }
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_a_result_that_says_so() {
    let app = App::of(super::functions::FUNCTIONS, |settings| {
        settings.limits.answer = 1000;
    });
    let echo = |size: usize| Send::call("echo", json!({"text": "x".repeat(size)}));
    assert_eq!(app.ask(200, echo(900)).await["result"].get("isError"), None);
    let got = &app.ask(200, echo(1000)).await["result"];
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T0019"))
    );
    let text = got["content"][0]["text"].as_str().expect("a text");
    assert!(
        text.starts_with(
            "Error T0019: Echo returned, but its output is over the 1000 bytes"
        ),
        "{text}"
    );
}
