//! What headers repeat of the body has to be what the body says.

use serde_json::{Value, json};
use tent_core::codes;

use super::app::{App, META, Send, meta};
use super::functions::ran;

async fn mismatch(app: &App, send: Send) -> Value {
    let trace = send.trace();
    let got = app.ask(400, send).await;
    assert_eq!(got["id"], 1);
    let error = &got["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32020), &json!("T0002")),
        "{got}"
    );
    assert!(!ran(&trace), "{got}");
    error["message"].clone()
}

#[tokio::test]
async fn k3_08_headers_that_disagree_with_the_body_are_refused_and_nothing_runs() {
    let app = App::new();
    let call = || Send::call("delete_order", json!({"id": "A1"}));
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
    mismatch(&app, Send::modern("tools/call", params)).await;
}

#[tokio::test]
async fn a_name_may_come_encoded() {
    let app = App::new();
    let encoded = "=?base64?ZmluZF9vcmRlcg==?=";
    let got = app
        .ask(
            200,
            Send::call("find_order", json!({"id": "A1"})).header("mcp-name", encoded),
        )
        .await;
    assert_eq!(got["result"]["structuredContent"], json!({"id": "A1"}));
    mismatch(
        &app,
        Send::call("delete_order", json!({"id": "A1"})).header("mcp-name", encoded),
    )
    .await;
    let broken = "=?base64?ZmluZF9vcmRlcg?";
    mismatch(
        &app,
        Send::call("find_order", json!({"id": "A1"})).header("mcp-name", broken),
    )
    .await;
}

#[tokio::test]
async fn in_the_legacy_era_they_are_checked_where_they_are_sent() {
    let app = App::new();
    let call = || {
        Send::legacy(
            "tools/call",
            json!({"name": "delete_order", "arguments": {"id": "A1"}}),
        )
    };
    app.ask(200, call()).await;
    app.ask(
        200,
        call()
            .header("mcp-method", "tools/call")
            .header("mcp-name", "delete_order"),
    )
    .await;
    mismatch(&app, call().header("mcp-name", "find_order")).await;
    mismatch(&app, call().header("mcp-method", "tools/list")).await;
    let initialize = Send::legacy("initialize", json!({"protocolVersion": "2025-11-25"}));
    mismatch(&app, initialize.header("mcp-method", "tools/list")).await;
}

#[tokio::test]
async fn k3_18_the_content_type_may_have_parameters_and_capitals() {
    let app = App::new();
    for value in [
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "application/json;charset=\"UTF-8\"",
        "application/json ;profile=x",
    ] {
        app.ask(
            200,
            Send::modern("tools/list", json!({})).header("content-type", value),
        )
        .await;
    }
    for value in ["text/plain", "application/x-www-form-urlencoded"] {
        let got = app
            .ask(
                415,
                Send::modern("tools/list", json!({})).header("content-type", value),
            )
            .await;
        assert_eq!(
            (&got["error"]["code"], &got["error"]["data"]["code"]),
            (&json!(17), &json!("T0017"))
        );
    }
    app.ask(
        415,
        Send::modern("tools/list", json!({})).without("content-type"),
    )
    .await;
}

#[tokio::test]
async fn k3_20_every_accept_that_takes_json_or_event_streams_is_served() {
    let app = App::new();
    let list = || Send::modern("tools/list", json!({}));
    app.ask(200, list().without("accept")).await;
    for value in [
        "*/*",
        "application/*",
        "text/*",
        "text/event-stream;q=0.5, application/json",
    ] {
        app.ask(200, list().header("accept", value)).await;
    }
    let two = list()
        .header("accept", "application/json")
        .and_header("accept", "text/event-stream");
    app.ask(200, two).await;
    assert_eq!(
        app.ask(406, list().header("accept", "image/png")).await["error"]["code"],
        -32600
    );
}

fn report(region: &str, row: Value) -> Send {
    Send::call("report", json!({"region": region, "row": row}))
}

#[tokio::test]
async fn a_mirrored_field_has_to_agree_with_its_header() {
    let app = App::new();
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
        let trace = send.trace();
        app.ask(200, send).await;
        assert!(ran(&trace));
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
        Send::legacy(
            "tools/call",
            json!({"name": "report", "arguments": {"region": "eu"}}),
        )
    };
    app.ask(200, legacy()).await;
    mismatch(&app, legacy().header("mcp-param-region", "us")).await;
}

#[tokio::test]
async fn a_mirror_does_not_tell_that_a_hidden_tool_exists() {
    let got = App::new().ask(200, report("eu", json!(7)).by("ada")).await;
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "error": {
            "code": -32602,
            "message": "Unknown tool: report",
            "data": {"code": "T0001", "fix": crate::error::Error::new(codes::NOT_FOUND).fix()},
        }})
    );
}

#[tokio::test]
async fn a_mirror_tells_nobody_what_the_door_does_not() {
    let anyone = |settings: &mut crate::settings::Settings| settings.mcp.anyone = true;
    let app = App::of(super::functions::FUNCTIONS, anyone);
    let disagreeing = || report("eu", json!(7)).by_nobody();
    let unheard_of = Send::call("nothing", json!({})).by_nobody();
    let got = app.ask(401, disagreeing()).await;
    assert_eq!(got["error"]["data"]["code"], "T0004");
    assert_eq!(
        got,
        app.ask(401, unheard_of).await,
        "the same for every name"
    );
}
