//! Headers that repeat members of the body.

use serde_json::{Value, json};

use super::app::{App, META, Request, code, meta};

async fn mismatch(app: &App, send: Request) -> Value {
    let id = send.id();
    let got = app.json(400, send).await;
    assert_eq!(got["id"], 1);
    let error = &got["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32020), &json!("T0002")),
        "{got}"
    );
    assert!(!app.has_run(&id), "{got}");
    error["message"].clone()
}

// K3-08.
#[tokio::test]
async fn refuses_headers_that_differ_from_the_body_and_runs_nothing() {
    let app = App::new().await;
    let call = || Request::call("delete_order", json!({"id": "A1"}));
    assert_eq!(
        mismatch(&app, call().header("mcp-name", "find_order")).await,
        "Header mismatch: the header Mcp-Name says 'find_order', the body's name says otherwise."
    );
    for send in [
        call().header("mcp-name", "Delete_order"),
        call().without("mcp-name"),
        call().and_header("mcp-name", "delete_order"),
        call().header("mcp-method", "tools/list"),
        call().without("mcp-method"),
        call().and_header("mcp-method", "tools/call"),
        call().header("mcp-protocol-version", "2025-11-25"),
        call().header("mcp-protocol-version", "2099-01-01"),
        call().without("mcp-protocol-version"),
        call().and_header("mcp-protocol-version", "2026-07-28"),
    ] {
        mismatch(&app, send).await;
    }
    let mut other = meta();
    other[format!("{META}protocolVersion")] = "2099-01-01".into();
    let params = json!({"name": "delete_order", "arguments": {"id": "A1"}, "_meta": other});
    mismatch(&app, Request::modern("tools/call", params)).await;
}

#[tokio::test]
async fn accepts_an_encoded_name() {
    let app = App::new().await;
    let encoded = "=?base64?ZmluZF9vcmRlcg==?=";
    let got = app
        .json(
            200,
            Request::call("find_order", json!({"id": "A1"})).header("mcp-name", encoded),
        )
        .await;
    assert_eq!(got["result"]["structuredContent"], json!({"id": "A1"}));
    mismatch(
        &app,
        Request::call("delete_order", json!({"id": "A1"})).header("mcp-name", encoded),
    )
    .await;
    let broken = "=?base64?ZmluZF9vcmRlcg?";
    mismatch(
        &app,
        Request::call("find_order", json!({"id": "A1"})).header("mcp-name", broken),
    )
    .await;
}

#[tokio::test]
async fn checks_the_headers_of_legacy_requests_if_they_are_sent() {
    let app = App::new().await;
    let call = || {
        Request::legacy(
            "tools/call",
            json!({"name": "delete_order", "arguments": {"id": "A1"}}),
        )
    };
    app.json(200, call()).await;
    app.json(
        200,
        call()
            .header("mcp-method", "tools/call")
            .header("mcp-name", "delete_order"),
    )
    .await;
    mismatch(&app, call().header("mcp-name", "find_order")).await;
    mismatch(&app, call().header("mcp-method", "tools/list")).await;
    let initialize = Request::legacy("initialize", json!({"protocolVersion": "2025-11-25"}));
    mismatch(&app, initialize.header("mcp-method", "tools/list")).await;
}

// K3-18.
#[tokio::test]
async fn accepts_a_content_type_with_parameters_and_capitals() {
    let app = App::new().await;
    for value in [
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/json;charset=\"UTF-8\"",
        "application/json ;profile=x",
    ] {
        app.json(
            200,
            Request::modern("tools/list", json!({})).header("content-type", value),
        )
        .await;
    }
    for value in ["text/plain", "application/x-www-form-urlencoded"] {
        let got = app
            .json(
                415,
                Request::modern("tools/list", json!({})).header("content-type", value),
            )
            .await;
        assert_eq!(
            (&got["error"]["code"], &got["error"]["data"]["code"]),
            (&json!(17), &json!("T0017"))
        );
    }
    app.json(
        415,
        Request::modern("tools/list", json!({})).without("content-type"),
    )
    .await;
}

// K3-20.
#[tokio::test]
async fn serves_every_accept_header_that_allows_json_or_event_streams() {
    let app = App::new().await;
    let list = || Request::modern("tools/list", json!({}));
    app.json(200, list().without("accept")).await;
    for value in [
        "*/*",
        "application/*",
        "text/*",
        "text/event-stream;q=0.5, application/json",
    ] {
        app.json(200, list().header("accept", value)).await;
    }
    let two = list()
        .header("accept", "application/json")
        .and_header("accept", "text/event-stream");
    app.json(200, two).await;
    assert_eq!(
        app.json(406, list().header("accept", "image/png")).await["error"]["code"],
        -32600
    );
}

fn report(region: &str, row: Value) -> Request {
    Request::call("report", json!({"region": region, "row": row}))
}

#[tokio::test]
async fn refuses_a_mirrored_field_that_differs_from_its_header() {
    let app = App::new().await;
    for send in [
        report("eu", json!(7))
            .header("mcp-param-region", "eu")
            .header("mcp-param-row", "7"),
        report("eu", json!(7))
            .header("mcp-param-region", "eu")
            .header("mcp-param-row", "7.0"),
        report("eu", json!(null)).header("mcp-param-region", "eu"),
        report("東", json!(null)).header("mcp-param-region", "=?base64?5p2x?="),
    ] {
        let id = send.id();
        app.json(200, send).await;
        assert!(app.has_run(&id));
    }
    for send in [
        report("eu", json!(7)),
        report("eu", json!(7)).header("mcp-param-region", "eu"),
        report("eu", json!(7))
            .header("mcp-param-region", "us")
            .header("mcp-param-row", "7"),
        report("eu", json!(7))
            .header("mcp-param-region", "eu")
            .header("mcp-param-row", "8"),
        report("eu", json!(null))
            .header("mcp-param-region", "eu")
            .header("mcp-param-row", "7"),
        report("eu", json!(null)).header("mcp-param-region", "=?base64?!?="),
    ] {
        mismatch(&app, send).await;
    }
    let legacy = || {
        Request::legacy(
            "tools/call",
            json!({"name": "report", "arguments": {"region": "eu"}}),
        )
    };
    app.json(200, legacy()).await;
    mismatch(&app, legacy().header("mcp-param-region", "us")).await;
}

#[tokio::test]
async fn a_mirrored_header_does_not_reveal_a_hidden_tool() {
    let got = App::new()
        .await
        .json(200, report("eu", json!(7)).by("ada"))
        .await;
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "error": {
            "code": -32602,
            "message": "Unknown tool: report",
            "data": {"code": "T0001", "fix": code("T0001").fix()},
        }})
    );
}

#[tokio::test]
async fn a_mirrored_header_reveals_no_tool_to_an_anonymous_caller() {
    let app = App::with(|app| app.set("mcp.anyone", "true")).await;
    let disagreeing = || report("eu", json!(7)).anonymous();
    let unheard_of = Request::call("nothing", json!({})).anonymous();
    let got = app.json(401, disagreeing()).await;
    assert_eq!(got["error"]["data"]["code"], "T0004");
    assert_eq!(
        got,
        app.json(401, unheard_of).await,
        "the same for every name"
    );
}
