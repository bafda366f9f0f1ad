//! HTTP: methods, sizes, hosts, callers.

use serde_json::{Value, json};
use tent::http::Method;

use super::app::{App, Request, code};

// K3-21.
#[tokio::test]
async fn returns_405_with_allow_for_other_methods_and_401_before_it() {
    let app = App::new().await;
    for method in [
        Method::GET,
        Method::PUT,
        Method::HEAD,
        Method::OPTIONS,
        Method::PATCH,
        Method::DELETE,
    ] {
        let modern =
            || Request::with_method(method.clone()).header("mcp-protocol-version", "2026-07-28");
        let got = app.send(modern()).await;
        assert_eq!(
            (got.status.as_u16(), got.header("allow")),
            (405, Some("POST")),
            "{method}"
        );
        if method == Method::HEAD {
            assert!(got.bytes.is_empty());
        } else {
            let error = &got.json()["error"];
            assert_eq!(
                (&error["code"], &error["data"]["code"]),
                (&json!(16), &json!("T0016"))
            );
        }
        assert_eq!(app.send(modern().anonymous()).await.status, 401, "{method}");
    }
    let session = app.session("2025-06-18").await;
    for send in [
        Request::with_method(Method::GET),
        Request::with_method(Method::GET).session(&session),
    ] {
        let got = app.send(send.header("accept", "text/event-stream")).await;
        assert_eq!(
            (got.status.as_u16(), got.header("allow")),
            (405, Some("POST, DELETE"))
        );
    }
}

// K3-24.
#[tokio::test]
async fn limits_a_body_to_the_configured_size() {
    let app = App::with(|app| app.set("limits.max_body", "8MiB")).await;
    let text = "a".repeat(3 << 20);
    let got = app.call("echo", json!({"text": text})).await;
    assert_eq!(
        got["result"]["structuredContent"]["text"]
            .as_str()
            .map(str::len),
        Some(3 << 20)
    );

    let app = App::with(|app| app.set("limits.max_body", "1000")).await;
    let send = Request::call("echo", json!({"text": "a".repeat(1000)}));
    let id = send.id();
    let got = app.json(413, send).await;
    assert!(!app.has_run(&id));
    let error = &got["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(7), &json!("T0007"))
    );
    assert_eq!(error["data"]["fields"]["limit"], 1000);
    assert!(
        error["message"]
            .as_str()
            .is_some_and(|message| message.contains("1000 bytes"))
    );
}

// K3-30.
#[tokio::test]
async fn serves_the_endpoint_with_and_without_a_slash_and_never_redirects() {
    let app = App::new().await;
    for path in ["/mcp", "/mcp/"] {
        app.json(200, Request::modern("tools/list", json!({})).path(path))
            .await;
    }
}

#[tokio::test]
async fn returns_403_for_an_unknown_host() {
    let app = App::new().await;
    let send = Request::call("server_time", json!({})).header("host", "evil.example");
    let id = send.id();
    let got = app.json(403, send).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(14), &json!("T0014"))
    );
    assert!(!app.has_run(&id));
}

#[tokio::test]
async fn returns_401_with_the_challenge_for_everything_without_a_caller() {
    let app = App::new().await;
    let refused = |message: &str| {
        let error = code("T0004");
        json!({"jsonrpc": "2.0", "error": {
            "code": 4,
            "message": message,
            "data": {"code": "T0004", "fix": error.fix()},
        }})
    };
    for send in [
        Request::modern("server/discover", json!({})),
        Request::call("server_time", json!({})),
        Request::call("no_such_tool", json!({})),
        Request::legacy("initialize", json!({"protocolVersion": "2025-11-25"})),
        Request::legacy("ping", json!({})),
        Request::raw("nonsense"),
    ] {
        let got = app.send(send.anonymous()).await;
        assert_eq!(
            (got.status.as_u16(), got.header("www-authenticate")),
            (401, Some("Bearer realm=\"shop\""))
        );
        assert_eq!(got.json(), refused(code("T0004").meaning()));
    }
    let got = app
        .send(Request::call("server_time", json!({})).by("wrong"))
        .await;
    assert_eq!(
        (got.status.as_u16(), got.header("www-authenticate")),
        (401, Some("Bearer realm=\"shop\""))
    );
    assert_eq!(got.json()["error"]["data"]["code"], "T0004");
}

#[tokio::test]
async fn returns_403_with_the_missing_scopes() {
    let app = App::new().await;
    for send in [
        Request::call("touch", json!({})),
        Request::legacy("tools/call", json!({"name": "touch"})),
    ] {
        let got = app.send(send.by("reader")).await;
        assert_eq!(got.status, 403);
        assert_eq!(
            got.header("www-authenticate"),
            Some("Bearer realm=\"shop\", error=\"insufficient_scope\", scope=\"write\"")
        );
        let got = got.json();
        assert_eq!((&got["id"], &got["error"]["code"]), (&json!(1), &json!(5)));
        assert_eq!(got["error"]["data"]["code"], "T0005");
        assert_eq!(got["error"]["data"]["fields"], json!({"scopes": ["write"]}));
    }
}

#[tokio::test]
async fn every_response_has_the_request_id_and_forbids_caching() {
    let app = App::new().await;
    for send in [
        Request::call("server_time", json!({})),
        Request::raw("nonsense"),
        Request::with_method(Method::GET),
    ] {
        let id = send.id();
        let got = app.send(send).await;
        assert_eq!(got.header("x-request-id"), Some(&*id));
        assert_eq!(got.header("cache-control"), Some("no-store"));
        let _: Value = got.json();
    }
}

#[tokio::test]
async fn lists_and_runs_what_is_open_to_anyone_for_anonymous_callers() {
    let app = App::with(|app| app.set("mcp.anyone", "true")).await;
    let list = app
        .json(200, Request::modern("tools/list", json!({})).anonymous())
        .await;
    let names: Vec<_> = list["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["server_time"]);
    let got = app
        .json(200, Request::call("server_time", json!({})).anonymous())
        .await;
    assert_eq!(got["result"]["structuredContent"], json!({"value": "noon"}));
    for name in ["find_order", "delete_order", "no_such_tool"] {
        let got = app
            .send(Request::call(name, json!({"id": "A1"})).anonymous())
            .await;
        assert_eq!(
            (got.status.as_u16(), got.header("www-authenticate")),
            (401, Some("Bearer realm=\"shop\""))
        );
        assert_eq!(
            (&got.json()["id"], &got.json()["error"]["code"]),
            (&json!(1), &json!(4)),
            "{name}"
        );
    }
    assert_eq!(
        app.send(Request::call("server_time", json!({})).by("wrong"))
            .await
            .status,
        401
    );
}
