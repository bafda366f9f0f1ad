//! Legacy sessions and their callers.

use serde_json::json;
use tent::http::Method;
use tent::prelude::*;

use super::app::{App, Request};
use super::events::Events;

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
async fn waits(events: &Events) {
    events.emit("started");
    events.next("go on").await;
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn tool() {}

async fn app() -> App {
    App::of(|app| {
        app.functions(tent::functions![waits, tool])
            .set("mcp.stream", "true")
            .set("mcp.anyone", "true")
    })
    .await
}

fn initialize() -> Request {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
    Request::legacy("initialize", params)
}

fn delete(session: &str) -> Request {
    Request::with_method(Method::DELETE).session(session)
}

fn call() -> Request {
    Request::legacy("tools/call", json!({"name": "tool", "arguments": {}}))
}

// P39.
#[tokio::test]
async fn a_session_is_unknown_to_every_other_caller() {
    let app = app().await;
    let session = app.session("2025-06-18").await;
    let mut stream = app.stream(Request::get(&session)).await;
    let waits = Request::legacy("tools/call", json!({"name": "waits", "arguments": {}}));
    let running = app.start(waits.session(&session));
    app.events.next("started").await;

    let requests: [fn(&str) -> Request; 8] = [
        delete,
        Request::get,
        |session| call().session(session),
        |session| Request::legacy("ping", json!({})).session(session),
        |session| Request::legacy("logging/setLevel", json!({"level": "debug"})).session(session),
        |session| Request::cancel(1).session(session),
        |session| Request::raw(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).session(session),
        |session| Request::raw(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#).session(session),
    ];
    for (at, request) in requests.into_iter().enumerate() {
        for other in [request(&session).by("ada"), request(&session).anonymous()] {
            let got = app.send(other).await;
            assert_eq!(got.status, 404, "{at}");
            assert_eq!(got.json()["error"]["data"]["code"], "T0015");
        }
    }
    // An unknown session gets the same response.
    let unknown = app.send(delete("unknown")).await;
    let other = app.send(delete(&session).by("ada")).await;
    assert_eq!((unknown.status, unknown.bytes), (other.status, other.bytes));

    // The stream and the call of the caller go on.
    app.notifier().tools_changed();
    let got = stream.message().await;
    assert_eq!(got["method"], "notifications/tools/list_changed");
    app.events.emit("go on");
    assert_eq!(running.json().await["result"].get("isError"), None);
    assert_eq!(app.send(call().session(&session)).await.status, 200);
    assert_eq!(app.send(delete(&session)).await.status, 204);
    assert_eq!(app.send(call().session(&session)).await.status, 404);
}

// P39.
#[tokio::test]
async fn a_session_that_was_opened_anonymously_serves_each_caller_and_authenticates_none() {
    let app = app().await;
    let got = app.send(initialize().anonymous()).await;
    let session = got.header("mcp-session-id").expect("a session").to_owned();
    for request in [call().anonymous(), call(), call().by("ada")] {
        assert_eq!(app.send(request.session(&session)).await.status, 200);
    }
    let waits = Request::legacy("tools/call", json!({"name": "waits", "arguments": {}}));
    let got = app.send(waits.session(&session).anonymous()).await;
    assert_eq!(got.status, 401);
}

// P39: a caller with another credential of the same user is another caller.
#[tokio::test]
async fn a_session_belongs_to_the_api_key_that_opened_it() {
    let app = app().await;
    let got = app.send(initialize().by("ada")).await;
    let session = got.header("mcp-session-id").expect("a session").to_owned();
    let by = |key| app.send(call().session(&session).by(key));
    assert_eq!(by("ada").await.status, 200);
    assert_eq!(by("reader").await.status, 404);
}
