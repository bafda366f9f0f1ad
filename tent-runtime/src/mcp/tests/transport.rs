//! HTTP around the messages: methods, sizes, hosts, callers.

use http::Method;
use serde_json::{Value, json};
use tent_core::codes;

use super::app::{App, Send};
use super::functions::{FUNCTIONS, ran};
use crate::error::Error;

#[tokio::test]
async fn k3_21_other_methods_are_405_with_allow_and_401_comes_first() {
    let app = App::new();
    for method in [
        Method::GET,
        Method::PUT,
        Method::HEAD,
        Method::OPTIONS,
        Method::PATCH,
        Method::DELETE,
    ] {
        let modern =
            || Send::with_method(method.clone()).header("mcp-protocol-version", "2026-07-28");
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
        assert_eq!(app.send(modern().by_nobody()).await.status, 401, "{method}");
    }
    let session = app.session("2025-06-18").await;
    for send in [
        Send::with_method(Method::GET),
        Send::with_method(Method::GET).session(&session),
    ] {
        let got = app.send(send.header("accept", "text/event-stream")).await;
        assert_eq!(
            (got.status.as_u16(), got.header("allow")),
            (405, Some("POST, DELETE"))
        );
    }
}

#[tokio::test]
async fn k3_24_the_limit_of_a_body_is_the_one_that_was_set() {
    let app = App::of(FUNCTIONS, |settings| settings.limits.body = 8 << 20);
    let text = "a".repeat(3 << 20);
    let got = app
        .ask(200, Send::call("echo", json!({"text": text})))
        .await;
    assert_eq!(
        got["result"]["structuredContent"]["text"]
            .as_str()
            .map(str::len),
        Some(3 << 20)
    );

    let app = App::of(FUNCTIONS, |settings| settings.limits.body = 1000);
    let send = Send::call("echo", json!({"text": "a".repeat(1000)}));
    let trace = send.trace();
    let got = app.ask(413, send).await;
    assert!(!ran(&trace));
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

#[tokio::test]
async fn k3_30_the_endpoint_answers_with_and_without_a_slash_and_never_redirects() {
    let app = App::new();
    for path in ["/mcp", "/mcp/"] {
        app.ask(200, Send::modern("tools/list", json!({})).path(path))
            .await;
    }
}

#[tokio::test]
async fn a_host_that_is_not_served_is_403() {
    let app = App::new();
    let send = Send::call("server_time", json!({})).header("host", "evil.example");
    let trace = send.trace();
    let got = app.ask(403, send).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(14), &json!("T0014"))
    );
    assert!(!ran(&trace));
}

#[tokio::test]
async fn without_a_caller_everything_is_401_with_the_challenge() {
    let app = App::new();
    let refused = |message: &str| {
        let error = Error::new(codes::SIGN_IN);
        json!({"jsonrpc": "2.0", "error": {
            "code": 4,
            "message": message,
            "data": {"code": "T0004", "fix": error.fix()},
        }})
    };
    for send in [
        Send::modern("server/discover", json!({})),
        Send::call("server_time", json!({})),
        Send::call("no_such_tool", json!({})),
        Send::legacy("initialize", json!({"protocolVersion": "2025-11-25"})),
        Send::legacy("ping", json!({})),
        Send::raw("nonsense"),
    ] {
        let got = app.send(send.by_nobody()).await;
        assert_eq!(
            (got.status.as_u16(), got.header("www-authenticate")),
            (401, Some("Bearer realm=\"shop\""))
        );
        assert_eq!(got.json(), refused(Error::new(codes::SIGN_IN).message()));
    }
    let got = app
        .send(Send::call("server_time", json!({})).by("wrong"))
        .await;
    assert_eq!(
        (got.status.as_u16(), got.header("www-authenticate")),
        (401, Some("Bearer realm=\"shop\""))
    );
    assert_eq!(got.json()["error"]["data"]["code"], "T0004");
}

#[tokio::test]
async fn a_scope_that_is_missing_is_403_with_what_is_missing() {
    let app = App::new();
    for send in [
        Send::call("touch", json!({})),
        Send::legacy("tools/call", json!({"name": "touch"})),
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
async fn too_many_calls_are_429_with_when_to_come_again() {
    let got = App::new().send(Send::call("busy", json!({}))).await;
    assert_eq!(
        (got.status.as_u16(), got.header("retry-after")),
        (429, Some("7"))
    );
    let error = &got.json()["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(6), &json!("T0006"))
    );
}

#[tokio::test]
async fn every_answer_names_its_request_and_is_kept_by_nobody() {
    let app = App::new();
    for send in [
        Send::call("server_time", json!({})),
        Send::raw("nonsense"),
        Send::with_method(Method::GET),
    ] {
        let trace = send.trace();
        let got = app.send(send).await;
        assert_eq!(got.header("x-request-id"), Some(&*trace));
        assert_eq!(got.header("cache-control"), Some("no-store"));
        let _: Value = got.json();
    }
}

#[tokio::test]
async fn where_anyone_may_come_nobody_is_listed_and_may_call_what_is_open_to_anyone() {
    let app = App::of(FUNCTIONS, |settings| settings.mcp.anyone = true);
    let list = app
        .ask(200, Send::modern("tools/list", json!({})).by_nobody())
        .await;
    let names: Vec<_> = list["result"]["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["server_time"]);
    let got = app
        .ask(200, Send::call("server_time", json!({})).by_nobody())
        .await;
    assert_eq!(got["result"]["structuredContent"], json!({"value": "noon"}));
    for name in ["find_order", "delete_order", "no_such_tool"] {
        let got = app
            .send(Send::call(name, json!({"id": "A1"})).by_nobody())
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
        app.send(Send::call("server_time", json!({})).by("wrong"))
            .await
            .status,
        401
    );
}
