//! Arrays of messages (batches), which one revision has.

use serde_json::json;

use super::app::{App, META, Request, code};

const TWO_CALLS: &str = r#"[
    {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_order","arguments":{"id":"A1"}}},
    {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"delete_order","arguments":{"id":"A1"}}}
]"#;

// K3-22.
#[tokio::test]
async fn refuses_an_array_in_revisions_without_batches_and_runs_nothing() {
    let app = App::new().await;
    for version in ["2026-07-28", "2025-11-25", "2025-06-18", "2024-11-05"] {
        for body in [TWO_CALLS, "[]", "[[]]"] {
            let send = Request::raw(body)
                .header("mcp-protocol-version", version)
                .header("mcp-method", "tools/call")
                .header("mcp-name", "find_order");
            let id = send.id();
            let got = app.json(400, send).await;
            assert_eq!(
                (got["error"]["code"].as_i64(), got.get("id")),
                (Some(-32600), None),
                "{version} {body}"
            );
            assert!(!app.has_run(&id));
        }
        if version < "2026" {
            let session = app.session(version).await;
            assert_eq!(
                app.json(400, Request::raw(TWO_CALLS).session(&session))
                    .await["error"]["code"],
                -32600
            );
        }
    }
}

// K3-22.
#[tokio::test]
async fn serves_each_message_of_an_array_as_a_single_one() {
    let app = App::new().await;
    let session = app.session("2025-03-26").await;
    let ok = json!({"content": [{"type": "text", "text": r#"{"id":"A1"}"#}]});
    let unknown = json!({
        "code": -32602,
        "message": "Unknown tool: delete_order",
        "data": {"code": "T0001", "fix": code("T0001").fix()},
    });
    for send in [
        Request::raw(TWO_CALLS),
        Request::raw(TWO_CALLS).session(&session),
    ] {
        assert_eq!(
            app.json(200, send.by("ada")).await,
            json!([
                {"jsonrpc": "2.0", "id": 1, "result": ok},
                {"jsonrpc": "2.0", "id": 2, "error": unknown},
            ])
        );
    }
    assert_eq!(
        app.json(200, Request::raw(TWO_CALLS)).await,
        json!([{"jsonrpc": "2.0", "id": 1, "result": ok}, {"jsonrpc": "2.0", "id": 2, "result": ok}])
    );
}

// K3-22.
#[tokio::test]
async fn refuses_messages_that_a_batch_cannot_have_in_their_place() {
    let app = App::new().await;
    let modern = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": {"_meta": {format!("{META}protocolVersion"): "2026-07-28"}}});
    let body = json!([
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}},
        7,
        [],
        {"jsonrpc": "2.0", "id": "p", "method": "ping"},
        {"jsonrpc": "2.0", "id": 2},
        modern,
        {"jsonrpc": "2.0", "id": 9, "result": {}},
    ]);
    let error = |id: Option<serde_json::Value>, message: &str| {
        let mut error = json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": message}});
        if let Some(id) = id {
            error["id"] = id;
        }
        error
    };
    assert_eq!(
        app.json(200, Request::raw(body.to_string())).await,
        json!([
            error(Some(json!(1)), "initialize comes alone."),
            error(None, "A message is a JSON object."),
            error(None, "A message is a JSON object."),
            {"jsonrpc": "2.0", "id": "p", "result": {}},
            error(Some(json!(2)), "A request names a method."),
            error(Some(json!(3)), "A request with its own protocolVersion comes alone."),
        ])
    );
    let got = app.json(400, Request::raw("[]")).await;
    assert_eq!(got, error(None, "An array of messages holds at least one."));
    let notes = r#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]"#;
    let got = app.send(Request::raw(notes)).await;
    assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
}

#[tokio::test]
async fn limits_the_messages_of_an_array() {
    let app = App::new().await;
    let pings = |n: usize| {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        Request::raw(format!("[{}]", vec![ping; n].join(",")))
    };
    assert_eq!(
        app.json(200, pings(64)).await.as_array().map(Vec::len),
        Some(64)
    );
    assert_eq!(app.json(400, pings(65)).await["error"]["code"], -32600);
}

#[tokio::test]
async fn runs_no_more_requests_of_an_array_once_the_responses_are_too_large() {
    let app = App::with(|app| app.set("limits.max_response", "1000")).await;
    let calls: Vec<_> = (1..=30)
        .map(|id| {
            let params = json!({"name": "find_order", "arguments": {"id": format!("A{id}")}});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        })
        .collect();
    let got = app.json(200, Request::raw(json!(calls).to_string())).await;
    let answers = got.as_array().expect("an array");
    assert_eq!(answers.len(), 30, "each request gets a response");
    let served = answers
        .iter()
        .take_while(|answer| answer["result"].is_object());
    let served = served.count();
    assert!((5..20).contains(&served), "{served}");
    for (answer, id) in answers[served..].iter().zip(served + 1..) {
        let fix = "Send it again on its own.";
        assert_eq!(
            answer,
            &json!({"jsonrpc": "2.0", "id": id, "error": {
                "code": -32600,
                "message": "Not served: the responses before it are over the 1000 bytes that this server sends at once.",
                "data": {"code": "T0007", "fix": fix},
            }})
        );
    }
}
