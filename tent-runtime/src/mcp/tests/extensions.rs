//! The extensions that clients say they have: what functions see of them, and what is refused without.

use serde_json::{Map, Value, json};

use super::app::REVISIONS;
use super::app::{App, META, Send};
use super::dispatch;
use super::functions::{function, ran, value};
use crate::cx::{Cx, TraceId};
use crate::dispatch::{Admitted, AppInfo, Call, Endpoint};
use crate::error::Result;
use crate::function::{
    AccessDeclaration, Declaration, Kind, Output, OutputDeclaration, RuleDeclaration,
};

const UI: &str = "io.modelcontextprotocol/ui";
const TASKS: &str = "com.example/tasks";

/// What a function sees.
fn seen(cx: &Cx, _: Map<String, Value>) -> Result<Output> {
    let of = |id: &str| cx.client().extension(id).cloned();
    let seen = json!({"ui": of(UI), "tasks": of(TASKS), "other": of("com.example/other")});
    value(cx, seen)
}

const SHOWS: AccessDeclaration = AccessDeclaration::Rule(RuleDeclaration {
    path: "shows_pages",
    run: |cx| Box::pin(async { Ok(cx.client().extension(UI).is_some()) }),
});

const fn made(name: &'static str, access: AccessDeclaration) -> Declaration {
    let output = OutputDeclaration::Value(|g| g.subschema_for::<Value>());
    function(Kind::Query, name, access, &[], output, seen)
}

static FUNCTIONS: &[&Declaration] = &[
    &made("seen", AccessDeclaration::SignedIn),
    &made("page", SHOWS),
    &made("needing", AccessDeclaration::SignedIn).needs(&["roots", TASKS]),
    &made("page_text", SHOWS).prompt(),
];

/// One that declares one of the two extensions; a function needs the other.
fn app() -> App {
    let about = AppInfo {
        extensions: [(UI.to_owned(), json!({}))].into(),
        ..dispatch::about()
    };
    App::about(about, FUNCTIONS)
}

/// A modern request of a client that can do this.
fn modern(method: &str, mut params: Value, capabilities: &str) -> Send {
    params["_meta"] = json!({
        format!("{META}protocolVersion"): "2026-07-28",
        format!("{META}clientCapabilities"): serde_json::from_str::<Value>(capabilities).expect("JSON"),
    });
    Send::modern(method, params)
}

fn call(name: &str) -> Value {
    json!({"name": name, "arguments": {}})
}

const BOTH: &str = r#"{"roots":{},"extensions":{
    "io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]},
    "com.example/tasks":{},"com.example/other":{"a":1}}}"#;

#[tokio::test]
async fn a_function_sees_the_extensions_that_the_app_declares_or_needs_and_no_others() {
    let app = app();
    let wanted = json!({
        "ui": {"mimeTypes": ["text/html;profile=mcp-app"]}, "tasks": {}, "other": null,
    });
    let nothing = json!({"ui": null, "tasks": null, "other": null});
    for (capabilities, wanted) in [
        (BOTH, &wanted),
        ("{}", &nothing),
        (r#"{"extensions":null}"#, &nothing),
        (
            r#"{"extensions":{"io.modelcontextprotocol/ui":true}}"#,
            &nothing,
        ),
        // What is experimental is another thing.
        (r#"{"experimental":{"com.example/tasks":{}}}"#, &nothing),
    ] {
        let send = modern("tools/call", call("seen"), capabilities);
        let got = app.ask(200, send).await;
        let told = &got["result"]["structuredContent"];
        assert_eq!(told["value"], *wanted, "{capabilities}");
        let said = serde_json::from_str(capabilities).expect("JSON");
        for revision in REVISIONS {
            let session = app.session_of(revision, Value::clone(&said)).await;
            assert!(session.len() < 512);
            let send = Send::legacy("tools/call", call("seen")).session(&session);
            let got = app.ask(200, send).await;
            let told = got["result"]["content"][0]["text"]
                .as_str()
                .expect("a text");
            let told: Value = serde_json::from_str(told).expect("JSON");
            assert_eq!(told["value"], *wanted, "{revision} {capabilities}");
        }
    }
}

#[tokio::test]
async fn settings_without_room_in_a_session_id_are_empty() {
    let app = app();
    let long = json!({"extensions": {UI: {"long": "x".repeat(400)}, TASKS: {"a": 1}}});
    let session = app.session_of("2025-11-25", long).await;
    let send = Send::legacy("tools/call", call("seen")).session(&session);
    let got = app.ask(200, send).await;
    let told = &got["result"]["structuredContent"]["value"];
    assert_eq!(*told, json!({"ui": {}, "tasks": {"a": 1}, "other": null}));
}

#[tokio::test]
async fn what_needs_an_extension_is_refused_before_it_runs_with_what_the_client_lacks() {
    let app = app();
    let lacking = json!({"roots": {}, "extensions": {TASKS: {}}});
    let only = json!({"extensions": {TASKS: {}}});
    for (capabilities, wanted) in [
        ("{}", Some(&lacking)),
        (r#"{"roots":{},"extensions":{}}"#, Some(&only)),
        (
            r#"{"roots":{},"extensions":{"com.example/other":{},"com.example/tasks":[]}}"#,
            Some(&only),
        ),
        (BOTH, None),
    ] {
        let said: Value = serde_json::from_str(capabilities).expect("JSON");
        let session = app.session_of("2025-11-25", said).await;
        let params = call("needing");
        let legacy = Send::legacy("tools/call", params.clone()).session(&session);
        let modern = modern("tools/call", params, capabilities);
        for (status, send) in [(400, modern), (200, legacy)] {
            let trace = send.trace();
            let status = wanted.map_or(200, |_| status);
            let got = app.ask(status, send).await;
            let Some(wanted) = wanted else {
                assert!(got["result"]["structuredContent"].is_object());
                continue;
            };
            // An older revision has no code for it: there it is a failure of the tool.
            let (error, required) = match got.get("error") {
                Some(error) => {
                    assert_eq!(error["code"], -32021, "{got}");
                    (&error["data"], &error["data"]["requiredCapabilities"])
                }
                None => {
                    let error = &got["result"]["_meta"]["tent.error"];
                    (error, &error["fields"]["requiredCapabilities"])
                }
            };
            assert!(!ran(&trace));
            assert_eq!(error["code"], "T0021", "{got}");
            assert_eq!(required, wanted, "{got}");
        }
    }
}

#[tokio::test]
async fn nobody_has_an_extension_at_api() {
    let app = app();
    let trace = TraceId::parse("at-api").expect("a safe id");
    let admitted = Admitted::internal(app.caller("staff").await, trace);
    let dispatcher = &app.shared().dispatcher;
    let error = dispatcher
        .call_as(Endpoint::Api, admitted, "needing", Call::default())
        .await
        .expect_err("it is refused");
    assert_eq!((error.code(), error.status()), ("T0021", 400));
    assert!(!ran("at-api"));
}

#[tokio::test]
async fn a_rule_hides_what_a_client_cannot_show_also_in_lists() {
    let app = app();
    let names = |got: &Value, member: &str| -> Vec<String> {
        let all = got["result"][member].as_array().expect("a list");
        let names = all.iter().filter_map(|one| one["name"].as_str());
        names.map(str::to_owned).collect()
    };
    for (capabilities, shows) in [(BOTH, true), ("{}", false)] {
        let said: Value = serde_json::from_str(capabilities).expect("JSON");
        let session = app.session_of("2025-11-25", said).await;
        let sends = |method: &'static str, params: Value| {
            [
                Send::legacy(method, params.clone()).session(&session),
                modern(method, params, capabilities),
            ]
        };
        for send in sends("tools/list", json!({})) {
            let listed = names(&app.ask(200, send).await, "tools");
            assert_eq!(listed.contains(&"page".to_owned()), shows, "{listed:?}");
            assert!(listed.contains(&"seen".to_owned()));
        }
        for send in sends("prompts/list", json!({})) {
            let listed = names(&app.ask(200, send).await, "prompts");
            assert_eq!(listed.contains(&"page_text".to_owned()), shows);
        }
        let (page, nowhere) = (
            sends("tools/call", call("page")),
            sends("tools/call", call("pages")),
        );
        for (page, nowhere) in page.into_iter().zip(nowhere) {
            let page = app.send(page).await;
            if shows {
                assert!(page.json()["result"].is_object());
                continue;
            }
            // As if it did not exist.
            let nowhere = app.send(nowhere).await;
            assert_eq!(page.status, nowhere.status);
            let text = String::from_utf8_lossy(&nowhere.bytes).replace("pages", "page");
            assert_eq!(String::from_utf8_lossy(&page.bytes), text);
        }
    }
}

#[tokio::test]
async fn a_key_that_stands_twice_is_refused_there_too() {
    let app = app();
    let extensions = r#"{"com.example/any":{"a":1,"a":2}}"#;
    let version = format!(r#""{META}protocolVersion":"2026-07-28""#);
    let said = format!(r#""{META}clientCapabilities":{{"extensions":{extensions}}}"#);
    let body = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#)
    };
    let params = format!(r#"{{"name":"seen","_meta":{{{version},{said}}}}}"#);
    let modern = Send::raw(body("tools/call", &params))
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "seen");
    let params = format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{{"extensions":{extensions}}},"clientInfo":{{}}}}"#
    );
    for send in [modern, Send::raw(body("initialize", &params))] {
        let got = app.ask(400, send).await;
        assert_eq!(got["error"]["code"], -32600);
        assert_eq!(got["error"]["data"]["code"], "T0018", "{got}");
        let message = got["error"]["message"].as_str().expect("a text");
        assert!(message.contains("duplicate key"), "{message}");
    }
}
