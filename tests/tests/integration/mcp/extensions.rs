//! Extensions that clients declare: functions see those that the app declares or needs.

use serde_json::{Value, json};
use tent::prelude::*;

use super::app::{App, META, Request, capable, tool_error};
use super::events::Events;
use super::meta::REVISIONS;

const UI: &str = "io.modelcontextprotocol/ui";
const TASKS: &str = "com.example/tasks";

/// Returns the extensions of its client.
fn extensions(cx: &Cx) -> Value {
    let of = |id: &str| cx.client().extension(id).cloned();
    json!({"ui": of(UI), "tasks": of(TASKS), "other": of("com.example/other")})
}

fn shows_pages(cx: &Cx) -> bool {
    cx.client().extension(UI).is_some()
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn seen(cx: &Cx) -> Value {
    extensions(cx)
}

/// For tests.
#[query(access = shows_pages, offer = "mcp")]
fn page(cx: &Cx) -> Value {
    extensions(cx)
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", needs = ["roots", "com.example/tasks"])]
fn needing(cx: &Cx, events: &Events) -> Value {
    events.emit(cx.trace());
    extensions(cx)
}

/// For tests.
#[prompt(access = shows_pages)]
fn page_text() -> &'static str {
    ""
}

/// Declares one of the extensions. A function needs another.
async fn app() -> App {
    App::of(|app| {
        app.functions(tent::functions![seen, page, needing, page_text])
            .extension(UI, json!({}))
    })
    .await
}

/// A modern request of a client with these capabilities.
fn modern(method: &str, mut params: Value, capabilities: &Value) -> Request {
    params["_meta"] = capable(capabilities.clone());
    Request::modern(method, params)
}

fn call(name: &str) -> Value {
    json!({"name": name, "arguments": {}})
}

fn all() -> Value {
    json!({"roots": {}, "extensions": {
        UI: {"mimeTypes": ["text/html;profile=mcp-app"]},
        TASKS: {},
        "com.example/other": {"a": 1},
    }})
}

#[tokio::test]
async fn a_function_sees_only_the_extensions_that_the_app_declares_or_needs() {
    let app = app().await;
    let some = json!({
        "ui": {"mimeTypes": ["text/html;profile=mcp-app"]}, "tasks": {}, "other": null,
    });
    let none = json!({"ui": null, "tasks": null, "other": null});
    for (capabilities, expected) in [
        (all(), &some),
        (json!({}), &none),
        (json!({"extensions": null}), &none),
        (json!({"extensions": {UI: true}}), &none),
        // An experimental capability is not an extension.
        (json!({"experimental": {TASKS: {}}}), &none),
    ] {
        for revision in REVISIONS {
            let call = match revision {
                "2026-07-28" => modern("tools/call", call("seen"), &capabilities),
                _ => {
                    let session = app.session_of(revision, capabilities.clone()).await;
                    assert!(session.len() < 512);
                    Request::legacy_call(&session, "seen")
                }
            };
            let result = app.result(call).await;
            let text = result["content"][0]["text"].as_str().expect("a text");
            let seen: Value = serde_json::from_str(text).expect("JSON");
            assert_eq!(seen["value"], *expected, "{revision} {capabilities}");
        }
    }
}

#[tokio::test]
async fn an_extension_that_does_not_fit_in_a_session_has_empty_settings() {
    let app = app().await;
    let long = json!({"extensions": {UI: {"long": "x".repeat(400)}, TASKS: {"a": 1}}});
    let session = app.session_of("2025-11-25", long).await;
    let result = app.result(Request::legacy_call(&session, "seen")).await;
    let expected = json!({"ui": {}, "tasks": {"a": 1}, "other": null});
    assert_eq!(result["structuredContent"]["value"], expected);
}

#[tokio::test]
async fn refuses_a_call_that_needs_an_extension_that_the_client_did_not_declare() {
    let app = app().await;
    let tasks = json!({"extensions": {TASKS: {}}});
    for (capabilities, required) in [
        (
            json!({}),
            Some(json!({"roots": {}, "extensions": {TASKS: {}}})),
        ),
        (json!({"roots": {}, "extensions": {}}), Some(tasks.clone())),
        (
            json!({"roots": {}, "extensions": {"com.example/other": {}, TASKS: []}}),
            Some(tasks),
        ),
        (all(), None),
    ] {
        let session = app.session_of("2025-11-25", capabilities.clone()).await;
        let modern = modern("tools/call", call("needing"), &capabilities);
        let legacy = Request::legacy_call(&session, "needing");
        let Some(required) = required else {
            for call in [modern, legacy] {
                assert!(app.result(call).await["structuredContent"].is_object());
            }
            continue;
        };
        let ids = [modern.id(), legacy.id()];
        let error = app.json(400, modern).await["error"].take();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32021), &json!("T0021"))
        );
        assert_eq!(error["data"]["requiredCapabilities"], required);
        // Older revisions have no code for it, so the tool fails.
        let response = app.json(200, legacy).await;
        let error = tool_error(&response);
        assert_eq!(error["code"], "T0021");
        assert_eq!(error["fields"]["requiredCapabilities"], required);
        assert!(!ids.iter().any(|id| app.has_run(id)));
    }
}

#[tokio::test]
async fn the_api_has_no_extensions() {
    let app = app().await;
    let request = Request::with_method(tent::http::Method::GET).path("/api/needing");
    let id = request.id();
    let response = app.send(request).await;
    assert_eq!(response.status, 400);
    let problem: Value = serde_json::from_slice(&response.bytes).expect("JSON");
    assert_eq!(problem["code"], "T0021");
    assert!(!app.has_run(&id));
}

#[tokio::test]
async fn a_rule_can_hide_what_a_client_cannot_show_in_calls_and_lists() {
    let app = app().await;
    for (capabilities, shows) in [(all(), true), (json!({}), false)] {
        let session = app.session_of("2025-11-25", capabilities.clone()).await;
        let both = |method: &str, params: Value| {
            [
                Request::legacy(method, params.clone()).session(&session),
                modern(method, params, &capabilities),
            ]
        };
        for (method, member, names) in [
            ("tools/list", "tools", &["needing", "page", "seen"][..]),
            ("prompts/list", "prompts", &["page_text"]),
        ] {
            for request in both(method, json!({})) {
                let result = app.result(request).await;
                let listed = result[member].as_array().expect("a list");
                let listed: Vec<_> = listed.iter().map(|one| &one["name"]).collect();
                let names = names
                    .iter()
                    .filter(|name| shows || !name.starts_with("page"));
                assert_eq!(listed, names.collect::<Vec<_>>());
            }
        }
        let absent = both("tools/call", call("pages"));
        for (page, absent) in both("tools/call", call("page")).into_iter().zip(absent) {
            if shows {
                app.result(page).await;
                continue;
            }
            let (page, absent) = (app.send(page).await, app.send(absent).await);
            assert_eq!(page.status, absent.status);
            let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
            assert_eq!(
                text(page.bytes),
                text(absent.bytes).replace("pages", "page")
            );
        }
    }
}

#[tokio::test]
async fn refuses_a_duplicate_key_in_the_settings_of_an_extension() {
    let app = app().await;
    let extensions = r#"{"com.example/any":{"a":1,"a":2}}"#;
    let version = format!(r#""{META}protocolVersion":"2026-07-28""#);
    let declared = format!(r#""{META}clientCapabilities":{{"extensions":{extensions}}}"#);
    let body = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#)
    };
    let params = format!(r#"{{"name":"seen","_meta":{{{version},{declared}}}}}"#);
    let modern = Request::raw(body("tools/call", &params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "seen");
    let params = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{{"extensions":{extensions}}},"clientInfo":{{}}}}"#
    );
    for request in [modern, Request::raw(body("initialize", &params))] {
        let error = app.json(400, request).await["error"].take();
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32600), &json!("T0018"))
        );
        let message = error["message"].as_str().expect("a text");
        assert!(message.contains("duplicate key"), "{message}");
    }
}
