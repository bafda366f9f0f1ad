//! 2026-07-28: the metadata of each request, the choice of the era, discovery.

use serde_json::{Value, json};

use super::app::{App, META, Request, meta, server};

/// The answer of `server_time` under this id, and nothing else.
fn noon(id: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {
        "resultType": "complete",
        "content": [{"type": "text", "text": r#"{"value":"noon"}"#}],
        "structuredContent": {"value": "noon"},
        "_meta": {format!("{META}serverInfo"): server(), "tent.wrapped": true},
    }})
}

#[tokio::test]
async fn discovery_returns_versions_capabilities_and_instructions() {
    let got = App::new()
        .await
        .json(200, Request::modern("server/discover", json!({})))
        .await;
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
            "capabilities": {"logging": {}, "tools": {}},
            "instructions": "Orders are named A1, A2 and so on.",
            "ttlMs": 300_000,
            "cacheScope": "public",
            "_meta": {format!("{META}serverInfo"): server()},
        }})
    );
}

// K3-06.
#[tokio::test]
async fn refuses_a_modern_request_without_its_metadata_and_does_not_run_it() {
    let app = App::new().await;
    let version = format!("{META}protocolVersion");
    let abilities = format!("{META}clientCapabilities");
    for meta in [
        json!(null),
        json!([]),
        json!({}),
        json!({&abilities: {}}),
        json!({&version: 7, &abilities: {}}),
        json!({&version: "2026-07-28"}),
        json!({&version: "2026-07-28", &abilities: null}),
        json!({&version: "2026-07-28", &abilities: []}),
    ] {
        let params = json!({"name": "find_order", "arguments": {"id": "A1"}, "_meta": meta});
        let send = Request::modern("tools/call", params);
        let id = send.id();
        let got = app.json(400, send).await;
        assert_eq!(
            (&got["error"]["code"], &got["id"]),
            (&json!(-32602), &json!(1)),
            "{meta}"
        );
        assert!(!app.has_run(&id), "{meta}");
    }
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for body in [
        bare.to_owned(),
        bare.replace('}', r#","params":null}"#),
        bare.replace('}', r#","params":[1]}"#),
    ] {
        let send = Request::raw(body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/list");
        assert_eq!(app.json(400, send).await["error"]["code"], -32602);
    }
}

// K3-07.
#[tokio::test]
async fn accepts_a_client_without_valid_client_info() {
    let app = App::new().await;
    for info in [
        None,
        Some(json!(null)),
        Some(json!(7)),
        Some(json!({"name": 7})),
    ] {
        let mut meta = meta();
        let members = meta.as_object_mut().expect("an object");
        members.remove(&format!("{META}clientInfo"));
        if let Some(info) = info {
            members.insert(format!("{META}clientInfo"), info);
        }
        members.insert("com.example/trace".to_owned(), json!({"any": ["thing"]}));
        members.insert("progressToken".to_owned(), json!(7));
        let params = json!({"name": "server_time", "_meta": meta});
        assert_eq!(app.modern("tools/call", params).await, noon(json!(1)));
    }
}

// K3-10.
#[tokio::test]
async fn lists_the_supported_revisions_in_the_error_for_an_unknown_one() {
    let app = App::new().await;
    for version in ["2099-01-01", "1900-01-01", "2025-11-25"] {
        let mut meta = meta();
        meta[format!("{META}protocolVersion")] = version.into();
        let send = Request::modern_with_id("\"r\"", "tools/list", json!({"_meta": meta}))
            .header("mcp-protocol-version", version);
        assert_eq!(
            app.json(400, send).await,
            json!({"jsonrpc": "2.0", "id": "r", "error": {
                "code": -32022,
                "message": "Unsupported protocol version",
                "data": {
                    "supported": ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
                    "requested": version,
                },
            }})
        );
    }
}

// K3-12.
#[tokio::test]
async fn responds_to_an_unknown_method_with_404_and_an_error() {
    let app = App::new().await;
    for method in [
        "prompts/list",
        "initialize",
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "Tools/list",
        "",
    ] {
        assert_eq!(
            app.json(404, Request::modern(method, json!({}))).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {
                "code": -32601,
                "message": format!("Method not found: {method}"),
            }})
        );
    }
}

// K3-15.
#[tokio::test]
async fn returns_an_id_byte_for_byte() {
    let app = App::new().await;
    let long = format!("\"{}\"", "x".repeat(200));
    for id in [
        "0",
        "7",
        "-1",
        "9007199254740993",
        r#""""#,
        r#""0""#,
        r#""7""#,
        r#""a\u0041\/""#,
        &long,
    ] {
        let send = Request::modern_with_id(id, "tools/call", json!({"name": "server_time"}));
        let got = app.send(send).await;
        assert_eq!(got.status, 200);
        let text = String::from_utf8(got.bytes).expect("UTF-8");
        assert!(
            text.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":"#)),
            "{text}"
        );
    }
    for id in ["1.0", "1.5", "1e3", "null", "true", "[]", "{}"] {
        let send = Request::modern_with_id(id, "tools/call", json!({"name": "server_time"}));
        let id = send.id();
        let got = app.json(400, send).await;
        assert_eq!(
            got,
            json!({"jsonrpc": "2.0", "error": {"code": -32600, "message": "An id is a string or an integer, of at most 1024 bytes."}})
        );
        assert!(!app.has_run(&id));
    }
}

// K3-17.
#[tokio::test]
async fn accepts_arguments_that_are_missing_or_null() {
    let app = App::new().await;
    for params in [
        json!({"name": "server_time"}),
        json!({"name": "server_time", "arguments": null}),
        json!({"name": "server_time", "arguments": {}}),
    ] {
        assert_eq!(app.modern("tools/call", params).await, noon(json!(1)));
    }
    for arguments in [json!([]), json!("x"), json!(7), json!(false)] {
        let params = json!({"name": "server_time", "arguments": arguments});
        let got = app.modern("tools/call", params).await;
        assert_eq!(got["error"]["code"], -32602, "{arguments}");
    }
}

#[tokio::test]
async fn ignores_a_session_id_and_a_last_event_id() {
    let send = Request::modern("tools/call", json!({"name": "server_time"}))
        .session("gone")
        .header("last-event-id", "7");
    let got = App::new().await.send(send).await;
    assert_eq!(got.json(), noon(json!(1)));
    assert_eq!(got.header("mcp-session-id"), None);
}

#[tokio::test]
async fn refuses_responses_of_clients_and_accepts_notifications() {
    let app = App::new().await;
    let response = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    let send = Request::raw(response).header("mcp-protocol-version", "2026-07-28");
    assert_eq!(app.json(400, send).await["error"]["code"], -32600);
    let note = r#"{"jsonrpc":"2.0","method":"notifications/madeUp"}"#;
    let got = app
        .send(Request::raw(note).header("mcp-protocol-version", "2026-07-28"))
        .await;
    assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
}
