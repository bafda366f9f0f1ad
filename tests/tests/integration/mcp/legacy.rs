//! 2024-11-05 to 2025-11-25: the handshake, its sessions, and requests without one.

use serde_json::{Value, json};
use tent::http::Method;

use super::app::{App, META, Request, code};

fn initialize(version: Value) -> Request {
    let params = json!({
        "protocolVersion": version,
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    Request::legacy("initialize", params)
}

// K3-01.
#[tokio::test]
async fn agrees_on_each_supported_revision_that_a_client_requests() {
    let app = App::new().await;
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

// K3-02.
#[tokio::test]
async fn never_agrees_on_the_modern_or_an_unknown_revision_in_a_handshake() {
    let app = App::new().await;
    for version in ["2026-07-28", "2099-01-01", "1.0", ""] {
        let got = app.json(200, initialize(version.into())).await;
        assert_eq!(got["result"]["protocolVersion"], "2025-11-25", "{version}");
    }
    for version in [json!(null), json!(7)] {
        assert_eq!(
            app.json(200, initialize(version)).await["error"]["code"],
            -32602
        );
    }
    let none = Request::raw(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
    assert_eq!(app.json(200, none).await["error"]["code"], -32602);
}

// K3-04.
#[tokio::test]
async fn reads_the_revision_of_initialize_from_the_body_and_not_from_the_header() {
    let app = App::new().await;
    for header in ["2099-01-01", "2026-07-28", "2024-11-05", "nonsense"] {
        let send = initialize("2025-11-25".into())
            .header("mcp-protocol-version", header)
            .session("gone");
        let got = app.json(200, send).await;
        assert_eq!(got["result"]["protocolVersion"], "2025-11-25", "{header}");
    }
}

/// Whether a list was given in a revision that has titles.
fn titled(list: &Value) -> bool {
    let first = &list["result"]["tools"][0];
    assert!(first.is_object(), "{list}");
    first.get("title").is_some()
}

// K3-05.
#[tokio::test]
async fn needs_no_version_header_after_the_handshake() {
    let app = App::new().await;
    let list = || Request::legacy("tools/list", json!({}));
    let new = app.session("2025-06-18").await;
    let old = app.session("2025-03-26").await;
    assert!(titled(&app.json(200, list().session(&new)).await));
    assert!(!titled(&app.json(200, list().session(&old)).await));
    // What the session agreed on wins over another revision that is served.
    assert!(!titled(
        &app.json(
            200,
            list()
                .session(&old)
                .header("mcp-protocol-version", "2025-11-25")
        )
        .await
    ));
    // Without a session it is the header, and without that 2025-03-26.
    assert!(!titled(&app.json(200, list()).await));
    assert!(titled(
        &app.json(200, list().header("mcp-protocol-version", "2025-06-18"))
            .await
    ));
    let got = app
        .json(
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

// K3-12.
#[tokio::test]
async fn responds_to_an_unknown_method_with_200_and_an_error() {
    let app = App::new().await;
    let session = app.session("2025-06-18").await;
    for method in [
        "resources/templates/list",
        "resources/subscribe",
        "server/discover",
    ] {
        let send = Request::legacy(method, json!({})).session(&session);
        assert_eq!(
            app.json(200, send).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": format!("Method not found: {method}")}})
        );
    }
}

// K3-13.
#[tokio::test]
async fn accepts_notifications_and_responses_with_an_empty_202() {
    let app = App::new().await;
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
            Request::raw(message.to_string()),
            Request::raw(message.to_string()).session(&session),
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
            .send(Request::raw(message.to_string()).session("gone"))
            .await;
        assert_eq!(got.status, 404, "{message}");
    }
}

// K3-17.
#[tokio::test]
async fn accepts_params_that_are_missing_or_null() {
    let app = App::new().await;
    for body in [
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}"#,
    ] {
        assert!(!titled(&app.json(200, Request::raw(body)).await));
    }
    let got = app
        .json(
            200,
            Request::raw(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#),
        )
        .await;
    assert_eq!(got, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
}

#[tokio::test]
async fn never_responds_to_a_response_whatever_its_id() {
    let app = App::new().await;
    let session = app.session("2025-06-18").await;
    let error = r#"{"code":-32700,"message":"Parse error"}"#;
    for id in ["null", "1.5", "true", "{}"] {
        for answer in [format!(r#""error":{error}"#), r#""result":{}"#.to_owned()] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":{id},{answer}}}"#);
            let got = app.send(Request::raw(body).session(&session)).await;
            assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0), "{id}");
        }
    }
    let request = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    assert_eq!(
        app.json(400, Request::raw(request)).await["error"]["code"],
        -32600
    );
}

#[tokio::test]
async fn returns_404_for_a_lost_session_and_for_an_ended_one() {
    let app = App::new().await;
    let lost = json!({"jsonrpc": "2.0", "id": 1, "error": {
        "code": -32600,
        "message": "There is no such session: begin a new one with initialize.",
        "data": {
            "code": "T0015",
            "fix": code("T0015").fix(),
        },
    }});
    let ping = |id: &str| Request::legacy("ping", json!({})).session(id);
    let delete = |id: &str| Request::with_method(Method::DELETE).session(id);
    let foreign = App::new().await.session("2025-06-18").await;
    for id in ["", "gone", &foreign] {
        assert_eq!(app.json(404, ping(id)).await, lost, "{id}");
        assert_eq!(app.send(delete(id)).await.status, 404);
    }
    let (ended, other) = (
        app.session("2025-06-18").await,
        app.session("2025-06-18").await,
    );
    assert_ne!(ended, other);
    app.json(200, ping(&ended)).await;
    let got = app.send(delete(&ended)).await;
    assert_eq!((got.status.as_u16(), got.bytes.len()), (204, 0));
    assert_eq!(app.json(404, ping(&ended)).await, lost);
    app.json(200, ping(&other)).await;
    assert_eq!(
        app.json(400, Request::with_method(Method::DELETE)).await["error"]["code"],
        -32600
    );
}

#[tokio::test]
async fn a_session_neither_authenticates_nor_keeps_its_caller() {
    let app = App::new().await;
    let session = app.session("2025-06-18").await;
    let call = || {
        Request::legacy(
            "tools/call",
            json!({"name": "delete_order", "arguments": {"id": "A1"}}),
        )
        .session(&session)
    };
    assert_eq!(app.send(call().anonymous()).await.status, 401);
    let got = app.json(200, call().by("ada")).await;
    assert_eq!(
        got["error"]["message"], "Unknown tool: delete_order",
        "ada is not staff"
    );
    assert_eq!(
        app.json(200, call()).await["result"]["structuredContent"],
        json!({"id": "A1"})
    );
}

#[tokio::test]
async fn a_legacy_result_has_no_modern_members() {
    let app = App::new().await;
    for (revision, structured) in [("2025-03-26", false), ("2025-11-25", true)] {
        let session = app.session(revision).await;
        let send = Request::legacy(
            "tools/call",
            json!({"name": "find_order", "arguments": {"id": "A1"}}),
        );
        let mut result = json!({"content": [{"type": "text", "text": r#"{"id":"A1"}"#}]});
        if structured {
            result["structuredContent"] = json!({"id": "A1"});
        }
        assert_eq!(
            app.json(200, send.session(&session)).await,
            json!({"jsonrpc": "2.0", "id": 1, "result": result})
        );
    }
    // Metadata that names no revision does not make a request modern.
    let params = json!({"name": "find_order", "arguments": {"id": "A1"}, "_meta": {format!("{META}clientCapabilities"): {}}});
    let got = app.legacy("tools/call", params).await;
    assert_eq!(got["result"].get("resultType"), None);
}
