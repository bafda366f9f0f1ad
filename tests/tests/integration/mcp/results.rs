//! Results of `tools/call`: values, content, failures.

use serde_json::{Value, json};

use super::app::{App, META, Request, code, server};

/// The result of a modern call, without what each has.
async fn result(app: &App, name: &str, arguments: Value) -> Value {
    let mut got = app.call(name, arguments).await;
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

// K6-07.
#[tokio::test]
async fn returns_a_value_as_structured_content_and_as_text() {
    let app = App::new().await;
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

// K6-08.
#[tokio::test]
async fn wraps_a_list_in_every_revision_that_has_structured_content() {
    let app = App::new().await;
    let text = r#"{"value":[{"id":"A1"}]}"#;
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = app.session(revision).await;
        let send = Request::legacy("tools/call", json!({"name": "list_orders"})).session(&session);
        let mut result = json!({"content": said(text), "_meta": {"tent.wrapped": true}});
        if revision >= "2025-06-18" {
            result["structuredContent"] = json!({"value": [{"id": "A1"}]});
        }
        assert_eq!(app.json(200, send).await["result"], result, "{revision}");
    }
}

/// The result of `find_order` for the order that is missing.
fn missing() -> Value {
    let text = "Error A0001: There is no order missing\nFix: Call list_orders.\nid: missing";
    let error = json!({
        "code": "A0001",
        "name": "not-found",
        "status": 404,
        "message": "There is no order missing",
        "fix": "Call list_orders.",
        "fields": {"id": "missing"},
    });
    json!({"content": said(text), "isError": true, "_meta": {"tent.error": error}})
}

// K6-06.
#[tokio::test]
async fn returns_a_declared_failure_in_full_without_structured_content() {
    let app = App::new().await;
    assert_eq!(
        result(&app, "find_order", json!({"id": "missing"})).await,
        missing()
    );
    let send = Request::legacy(
        "tools/call",
        json!({"name": "find_order", "arguments": {"id": "missing"}}),
    );
    let got = app
        .json(200, send.header("mcp-protocol-version", "2025-11-25"))
        .await;
    assert_eq!(got["result"], missing());
}

// K6-03.
#[tokio::test]
async fn returns_the_same_protocol_error_for_an_unknown_and_a_hidden_tool() {
    let app = App::new().await;
    let fix = code("T0001").fix().to_owned();
    for name in ["no_such_tool", "inside", "Find_order", ""] {
        assert_eq!(
            app.call(name, json!({})).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {
                "code": -32602,
                "message": format!("Unknown tool: {name}"),
                "data": {"code": "T0001", "fix": fix},
            }})
        );
    }
    let hidden = app
        .json(
            200,
            Request::call("delete_order", json!({"id": 7})).by("ada"),
        )
        .await;
    assert_eq!(hidden["error"]["message"], "Unknown tool: delete_order");
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": null}),
        json!({"name": ["find_order"]}),
    ] {
        let got = app.modern("tools/call", params).await;
        assert_eq!(
            (&got["error"]["code"], &got["id"]),
            (&json!(-32602), &json!(1))
        );
    }
    let list =
        Request::raw(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["find_order"]}"#);
    assert_eq!(app.json(200, list).await["error"]["code"], -32602);
}

#[tokio::test]
async fn returns_a_refusal_of_the_function_as_a_result() {
    let app = App::new().await;
    let got = result(&app, "not_yours", json!({})).await;
    assert_eq!(got["_meta"]["tent.error"]["code"], "T0005");
    assert_eq!(got["isError"], true);
}

// K6-01.
#[tokio::test]
async fn names_every_invalid_field_in_the_result_of_an_invalid_input() {
    let app = App::new().await;
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
        code("T0003").meaning(),
        code("T0003").fix()
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

// K6-04.
#[tokio::test]
async fn responds_to_a_panic_with_a_reference_and_serves_the_next_call() {
    let app = App::new().await;
    let got = result(&app, "explode", json!({})).await;
    let error = &got["_meta"]["tent.error"];
    assert_eq!(
        (&got["isError"], &error["code"]),
        (&json!(true), &json!("T0012"))
    );
    assert!(error["fields"]["reference"].is_string());
    assert!(!got.to_string().contains("secret detail"), "{got}");
    let legacy = app.legacy("tools/call", json!({"name": "explode"})).await;
    assert_eq!(
        (&legacy["id"], &legacy["result"]["isError"]),
        (&json!(1), &json!(true))
    );
    result(&app, "server_time", json!({})).await;
}

// K6-14.
#[tokio::test]
async fn refuses_a_call_that_needs_approval_at_once_where_nothing_can_grant_it() {
    let got = result(&App::new().await, "wipe", json!({})).await;
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T7120"))
    );
}

// K6-16.
#[tokio::test]
async fn ignores_a_request_state_that_a_client_made_up() {
    let params = json!({
        "name": "wipe",
        "arguments": {},
        "requestState": "made up",
        "inputResponses": {"approve": {"action": "accept", "content": {"ok": true}}},
    });
    let got = App::new()
        .await
        .json(200, Request::modern("tools/call", params))
        .await;
    assert_eq!(got["result"]["_meta"]["tent.error"]["code"], "T7120");
}

// K6-12.
#[tokio::test]
async fn does_not_reveal_the_source_of_an_internal_error() {
    let app = App::new().await;
    let got = result(&app, "save", json!({})).await;
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T0012"))
    );
    assert!(!got.to_string().contains("postgres"), "{got}");
}

#[tokio::test]
async fn sends_content_in_the_form_of_each_revision() {
    let app = App::new().await;
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
            .json(
                200,
                Request::legacy("tools/call", json!({"name": "show"})).session(&session),
            )
            .await;
        assert_eq!(got["result"], json!({"content": wanted}), "{revision}");
    }
}

#[tokio::test]
async fn returns_an_error_result_for_an_output_that_is_too_large() {
    let app = App::with(|app| app.set("limits.max_response", "1000")).await;
    let echo = |size: usize| Request::call("echo", json!({"text": "x".repeat(size)}));
    assert_eq!(
        app.json(200, echo(900)).await["result"].get("isError"),
        None
    );
    let got = &app.json(200, echo(1000)).await["result"];
    assert_eq!(
        (&got["isError"], &got["_meta"]["tent.error"]["code"]),
        (&json!(true), &json!("T0019"))
    );
    let text = got["content"][0]["text"].as_str().expect("a text");
    assert!(
        text.starts_with("Error T0019: Echo returned, but its output is over the 1000 bytes"),
        "{text}"
    );
}
