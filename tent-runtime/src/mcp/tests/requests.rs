//! Requests of the app's own to the clients of a caller, down the streams that these keep open.

use futures_util::FutureExt as _;
use http::Method;
use serde_json::{Value, json};

use super::app::{App, Send};
use super::functions::FUNCTIONS;
use super::streams::{Read, note};

fn app() -> App {
    App::of(FUNCTIONS, |settings| settings.mcp.stream = true)
}

/// A client that can do this: its session, and the stream that it keeps.
async fn client(app: &App, can: Value) -> (String, Read) {
    let session = app.session_of("2025-11-25", can).await;
    let stream = stream(app, &session).await;
    (session, stream)
}

async fn stream(app: &App, session: &str) -> Read {
    let get = Send::with_method(Method::GET).header("accept", "text/event-stream");
    let mut stream = Read::of(app.open(get.session(session)).await);
    assert_eq!(stream.next().await, Some(Value::Null));
    stream
}

fn cancelled(id: &Value) -> Value {
    note("notifications/cancelled", json!({"requestId": id}))
}

#[tokio::test]
async fn a_request_that_nobody_waits_for_is_taken_back() {
    let app = app();
    let (first, mut quick) = client(&app, json!({"roots": {}})).await;
    let (_, mut read) = client(&app, json!({"roots": {}})).await;
    let (_, mut unread) = client(&app, json!({"roots": {}})).await;
    let grace = app.caller("staff").await;
    let notes = app.notes();

    // Another client was faster.
    let mut asking = Box::pin(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    let id = quick.next().await.expect("a request")["id"].take();
    let other = read.next().await.expect("a request")["id"].take();
    let result = json!({"roots": []});
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    app.send(Send::raw(answer).session(&first)).await;
    assert_eq!(asking.await.ok(), Some(result));
    assert_eq!(read.next().await, Some(cancelled(&other)));
    assert!(unread.next().now_or_never().is_none(), "it was never sent");
    assert!(quick.next().now_or_never().is_none(), "it answered");

    // Who asked has gone.
    let mut asking = Box::pin(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    let id = quick.next().await.expect("a request")["id"].take();
    drop(asking);
    assert_eq!(quick.next().await, Some(cancelled(&id)));
    assert!(read.next().now_or_never().is_none(), "it was never sent");
    assert_eq!(app.questions(), 0);

    // The clients have gone, one with the request and two without.
    let mut asking = Box::pin(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    assert!(read.next().await.is_some());
    drop((quick, read, unread));
    let gone = asking.await.expect_err("nobody is there");
    assert_eq!(gone.code(), "T7120");
    assert_eq!(app.questions(), 0);
}

#[tokio::test]
async fn a_request_goes_to_who_said_that_it_can_answer_what_it_holds() {
    let app = app();
    let grace = app.caller("staff").await;
    let notes = app.notes();
    let cannot = json!({"sampling": {}, "elicitation": {}, "tasks": {"list": {}}});
    let (_, mut cannot) = client(&app, cannot).await;
    let can = json!({"sampling": {"tools": {}, "context": {}}, "elicitation": {"url": {}}});
    let (_, mut can) = client(&app, can).await;
    let sampling = |more: Value| {
        let mut params = json!({"messages": [], "maxTokens": 1});
        for (name, value) in more.as_object().expect("an object") {
            params[name] = value.clone();
        }
        ("sampling/createMessage", params)
    };
    let url = json!({"mode": "url", "message": "Pay", "url": "https://a", "elicitationId": "1"});
    for (method, params) in [
        sampling(json!({"tools": []})),
        sampling(json!({"toolChoice": {"mode": "none"}})),
        sampling(json!({"includeContext": "thisServer"})),
        ("elicitation/create", url),
    ] {
        let mut asking = Box::pin(notes.request(&grace, method, Some(params.clone())));
        assert!(asking.as_mut().now_or_never().is_none());
        assert!(cannot.next().now_or_never().is_none(), "{method} {params}");
        let asked = can.next().await.expect("a request");
        assert_eq!(
            (&asked["method"], &asked["params"]),
            (&method.into(), &params)
        );
        drop(asking);
        assert!(can.next().await.is_some(), "it is taken back");
    }
    // Tasks of clients are nothing that this server asks for.
    for (method, params) in [sampling(json!({"task": {}})), ("tasks/list", json!({}))] {
        let refused = notes.request(&grace, method, Some(params)).await;
        assert_eq!(refused.expect_err("nobody can").code(), "T7120");
    }
}

#[tokio::test]
async fn a_client_that_comes_back_answers_what_it_was_asked_before() {
    let app = app();
    let (session, mut first) = client(&app, json!({"roots": {}})).await;
    let grace = app.caller("staff").await;
    let notes = app.notes();
    let mut asking = Box::pin(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    let id = first.next().await.expect("a request")["id"].take();
    let second = stream(&app, &session).await;
    drop(first);
    assert!(asking.as_mut().now_or_never().is_none(), "it is there");
    let third = stream(&app, &session).await;
    drop(second);
    assert!(asking.as_mut().now_or_never().is_none(), "it is there");
    let result = json!({"roots": []});
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    app.send(Send::raw(answer).session(&session)).await;
    assert_eq!(asking.await.ok(), Some(result));

    // What the old stream did not take any more was never asked.
    let mut asking = Box::pin(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    let _fourth = stream(&app, &session).await;
    assert!(
        asking.as_mut().now_or_never().is_none(),
        "it can still be read"
    );
    drop(third);
    let refused = asking.await.expect_err("it was not read");
    assert_eq!(refused.code(), "T7120");
    assert_eq!(app.questions(), 0);
}
