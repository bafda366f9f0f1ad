//! 2024-11-05 to 2025-11-25: the handshake, its sessions, and requests without one.

use http::Method;
use serde_json::{Value, json};

use super::app::{App, META, Send};

fn initialize(version: Value) -> Send {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    Send::legacy("initialize", params)
}

#[tokio::test]
async fn k3_01_each_revision_that_is_asked_for_is_agreed_on() {
    let app = App::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let got = app.send(initialize(version.into())).await;
        let mut server = json!({"name": "shop", "version": "1.2.3"});
        if version >= "2025-06-18" {
            server["title"] = "The shop".into();
        }
        assert_eq!(
            got.json(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "protocolVersion": version,
                "capabilities": {"logging": {}, "tools": {}},
                "serverInfo": server,
                "instructions": "Orders are named A1, A2 and so on.",
            }})
        );
        let id = got.header("mcp-session-id").expect("a session");
        assert!(id.len() < 512 && id.bytes().all(|b| b.is_ascii_graphic()));
        assert_eq!(got.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn k3_02_the_modern_revision_and_unknown_ones_are_not_agreed_on_by_a_handshake() {
    let app = App::new();
    for version in ["2026-07-28", "2099-01-01", "1.0", ""] {
        let got = app.ask(200, initialize(version.into())).await;
        assert_eq!(got["result"]["protocolVersion"], "2025-11-25", "{version}");
    }
    for version in [json!(null), json!(7)] {
        assert_eq!(
            app.ask(200, initialize(version)).await["error"]["code"],
            -32602
        );
    }
    let none = Send::raw(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    assert_eq!(app.ask(200, none).await["error"]["code"], -32602);
}

#[tokio::test]
async fn k3_04_the_body_of_initialize_decides_whatever_the_header_says() {
    let app = App::new();
    for header in ["2099-01-01", "2026-07-28", "2024-11-05", "nonsense"] {
        let send = initialize("2025-11-25".into())
            .header("mcp-protocol-version", header)
            .session("gone");
        let got = app.ask(200, send).await;
        assert_eq!(got["result"]["protocolVersion"], "2025-11-25", "{header}");
    }
}

/// Whether a list was given in a revision that has titles.
fn titled(list: &Value) -> bool {
    let first = &list["result"]["tools"][0];
    assert!(first.is_object(), "{list}");
    first.get("title").is_some()
}

#[tokio::test]
async fn k3_05_after_the_handshake_the_version_header_may_be_left_out() {
    let app = App::new();
    let list = || Send::legacy("tools/list", json!({}));
    let new = app.session("2025-06-18").await;
    let old = app.session("2025-03-26").await;
    assert!(titled(&app.ask(200, list().session(&new)).await));
    assert!(!titled(&app.ask(200, list().session(&old)).await));
    // What the session agreed on wins over another revision that is served.
    assert!(!titled(
        &app.ask(
            200,
            list()
                .session(&old)
                .header("mcp-protocol-version", "2025-11-25")
        )
        .await
    ));
    // Without a session it is the header, and without that 2025-03-26.
    assert!(!titled(&app.ask(200, list()).await));
    assert!(titled(
        &app.ask(200, list().header("mcp-protocol-version", "2025-06-18"))
            .await
    ));
    let got = app
        .ask(
            400,
            list()
                .session(&new)
                .header("mcp-protocol-version", "2099-01-01"),
        )
        .await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["requested"]),
        (&json!(-32022), &json!("2099-01-01"))
    );
}

#[tokio::test]
async fn k3_12_an_unknown_method_is_an_error_in_an_answer() {
    let app = App::new();
    let session = app.session("2025-06-18").await;
    for method in [
        "resources/templates/list",
        "resources/subscribe",
        "server/discover",
    ] {
        let send = Send::legacy(method, json!({})).session(&session);
        assert_eq!(
            app.ask(200, send).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": format!("Method not found: {method}")}})
        );
    }
}

#[tokio::test]
async fn k3_13_notifications_and_responses_are_taken_without_a_word() {
    let app = App::new();
    let session = app.session("2025-06-18").await;
    for message in [
        json!({"method": "notifications/initialized"}),
        json!({"method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"method": "notifications/progress"}),
        json!({"method": "notifications/roots/list_changed"}),
        json!({"method": "notifications/madeUp"}),
        json!({"method": "tools/call", "params": {"name": "server_time"}}),
        json!({"id": 1, "result": {}}),
        json!({"id": "x", "error": {"code": 1, "message": "no"}}),
    ] {
        let mut message = message;
        message["jsonrpc"] = "2.0".into();
        for send in [
            Send::raw(message.to_string()),
            Send::raw(message.to_string()).session(&session),
        ] {
            let got = app.send(send).await;
            assert_eq!(
                (got.status.as_u16(), got.bytes.len()),
                (202, 0),
                "{message}"
            );
            assert_eq!(got.header("content-type"), None);
        }
        let got = app
            .send(Send::raw(message.to_string()).session("gone"))
            .await;
        assert_eq!(got.status, 404, "{message}");
    }
}

#[tokio::test]
async fn k3_17_params_may_be_left_out_or_null() {
    let app = App::new();
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}"#,
    ] {
        assert!(!titled(&app.ask(200, Send::raw(body)).await));
    }
    let got = app
        .ask(
            200,
            Send::raw(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        )
        .await;
    assert_eq!(got, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[tokio::test]
async fn an_answer_is_never_answered_whatever_its_id_is() {
    let app = App::new();
    let session = app.session("2025-06-18").await;
    let error = r#"{"code":-32700,"message":"Parse error"}"#;
    for id in ["null", "1.5", "true", "{}"] {
        for answer in [format!(r#""error":{error}"#), r#""result":{}"#.to_owned()] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#);
            let got = app.send(Send::raw(body).session(&session)).await;
            assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0), "{id}");
        }
    }
    let request = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    assert_eq!(
        app.ask(400, Send::raw(request)).await["error"]["code"],
        -32600
    );
}

#[tokio::test]
async fn a_lost_session_is_404_and_so_is_one_that_was_ended() {
    let app = App::new();
    let lost = json!({"jsonrpc": "2.0", "id": 1, "error": {
        "code": -32600,
        "message": "There is no such session: begin a new one with initialize.",
        "data": {
            "code": "T0015",
            "fix": "Send the text unchanged, or start again without it.",
        },
    }});
    let ping = |id: &str| Send::legacy("ping", json!({})).session(id);
    let delete = |id: &str| Send::with_method(Method::DELETE).session(id);
    let foreign = App::new().session("2025-06-18").await;
    for id in ["", "gone", &foreign] {
        assert_eq!(app.ask(404, ping(id)).await, lost, "{id}");
        assert_eq!(app.send(delete(id)).await.status, 404);
    }
    let (ended, other) = (
        app.session("2025-06-18").await,
        app.session("2025-06-18").await,
    );
    assert_ne!(ended, other);
    app.ask(200, ping(&ended)).await;
    let got = app.send(delete(&ended)).await;
    assert_eq!((got.status.as_u16(), got.bytes.len()), (204, 0));
    assert_eq!(app.ask(404, ping(&ended)).await, lost);
    app.ask(200, ping(&other)).await;
    assert_eq!(
        app.ask(400, Send::with_method(Method::DELETE)).await["error"]["code"],
        -32600
    );
}

#[tokio::test]
async fn a_session_lets_nobody_in_and_follows_no_caller() {
    let app = App::new();
    let session = app.session("2025-06-18").await;
    let call = || {
        Send::legacy(
            "tools/call",
            json!({"name": "delete_order", "arguments": {"id": "A1"}}),
        )
        .session(&session)
    };
    assert_eq!(app.send(call().by_nobody()).await.status, 401);
    let got = app.ask(200, call().by("ada")).await;
    assert_eq!(
        got["error"]["message"], "Unknown tool: delete_order",
        "ada is no staff"
    );
    assert_eq!(
        app.ask(200, call()).await["result"]["structuredContent"],
        json!({"id": "A1"})
    );
}

#[tokio::test]
async fn a_legacy_result_has_no_modern_members() {
    let app = App::new();
    for (revision, structured) in [("2025-03-26", false), ("2025-11-25", true)] {
        let session = app.session(revision).await;
        let send = Send::legacy(
            "tools/call",
            json!({"name": "find_order", "arguments": {"id": "A1"}}),
        );
        let mut result = json!({"content": [{"type": "text", "text": r#"{"id":"A1"}"#}]});
        if structured {
            result["structuredContent"] = json!({"id": "A1"});
        }
        assert_eq!(
            app.ask(200, send.session(&session)).await,
            json!({"jsonrpc": "2.0", "id": 1, "result": result})
        );
    }
    // Metadata that names no revision does not make a request modern.
    let params = json!({"name": "find_order", "arguments": {"id": "A1"}, "_meta": {format!("{META}clientCapabilities"): {}}});
    let got = app.ask(200, Send::legacy("tools/call", params)).await;
    assert_eq!(got["result"].get("resultType"), None);
}
