//! Requests of the app outside a call: they go to the open streams of a caller's sessions.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Map, Notifier};

use super::app::{App, EventStream, Request, Running, notification, tool_error, with};
use super::client::{Client, initialize, user};

/// Sends a request to the clients of the caller.
#[action(access = "signedIn", offer = "mcp")]
async fn send(cx: &Cx, notifier: &Notifier, method: String, params: Option<Map>) -> Result<Value> {
    let params = params.map(Value::Object);
    notifier.request(cx.caller(), &method, params).await
}

async fn app() -> App {
    App::of(|app| {
        app.functions(tent::functions![send])
            .set("mcp.stream", "true")
    })
    .await
}

fn start(app: &App, method: &str, params: Value) -> Running {
    app.start(Request::call(
        "send",
        json!({"method": method, "params": params}),
    ))
}

fn roots(app: &App) -> Running {
    start(app, "roots/list", Value::Null)
}

async fn value(running: Running) -> Value {
    running.json().await["result"]["structuredContent"]["value"].take()
}

async fn is_unavailable(running: Running) {
    assert_eq!(tool_error(&running.json().await)["code"], "T7120");
}

/// A client with these capabilities: its session and its open stream.
async fn client(app: &App, capabilities: Value) -> (String, EventStream) {
    let session = app.session_of("2025-11-25", capabilities).await;
    let stream = open(app, &session).await;
    (session, stream)
}

async fn open(app: &App, session: &str) -> EventStream {
    let mut stream = app.stream(Request::get(session)).await;
    assert_eq!(stream.next().await, Some(Value::Null));
    stream
}

async fn id(stream: &mut EventStream) -> Value {
    stream.message().await["id"].take()
}

fn cancelled(id: &Value) -> Value {
    notification("notifications/cancelled", json!({"requestId": id}))
}

#[tokio::test]
async fn a_response_counts_by_caller_and_session() {
    let app = app().await;
    let (session, mut stream) = client(&app, json!({"roots": {}})).await;
    let (_, mut unable) = client(&app, json!({})).await;
    let running = roots(&app);
    let mut request = stream.message().await;
    let id = request["id"].take();
    assert_eq!(
        request,
        json!({"jsonrpc": "2.0", "id": null, "method": "roots/list"})
    );
    assert!(unable.is_silent(), "it did not declare the capability");
    let result = json!({"roots": [{"uri": "file:///a"}]});
    let response = || Request::respond(&id, result.clone());
    for (response, status) in [
        (response().session(&session).by("ada"), 404),
        (response(), 202),
    ] {
        assert_eq!(app.send(response).await.status, status);
    }
    assert!(!running.is_finished());
    assert_eq!(app.send(response().session(&session)).await.status, 202);
    assert_eq!(value(running).await, result);
}

#[tokio::test]
async fn a_request_fails_when_no_client_responds_with_a_result() {
    let app = app().await;
    let (session, mut first) = client(&app, json!({"roots": {}})).await;
    let (_, mut second) = client(&app, json!({})).await;
    let running = start(&app, "ping", Value::Null);
    let error = json!({"code": -32601, "message": "no"});
    let refusal = json!({"jsonrpc": "2.0", "id": id(&mut first).await, "error": error});
    app.send(Request::raw(refusal.to_string()).session(&session))
        .await;
    assert_eq!(second.message().await["method"], "ping");
    drop(second);
    is_unavailable(running).await;
    is_unavailable(start(
        &app,
        "sampling/createMessage",
        json!({"messages": []}),
    ))
    .await;
    drop(first);
    is_unavailable(start(&app, "ping", Value::Null)).await;
}

#[tokio::test]
async fn a_request_that_no_future_waits_for_is_cancelled() {
    let app = app().await;
    let (first, mut quick) = client(&app, json!({"roots": {}})).await;
    let (_, mut read) = client(&app, json!({"roots": {}})).await;
    let (_, mut unread) = client(&app, json!({"roots": {}})).await;

    // Another client was faster.
    let running = roots(&app);
    let (request, other) = (id(&mut quick).await, id(&mut read).await);
    let result = json!({"roots": []});
    app.send(Request::respond(&request, result.clone()).session(&first))
        .await;
    assert_eq!(value(running).await, result);
    assert_eq!(read.next().await, Some(cancelled(&other)));
    assert!(unread.is_silent(), "the request was withdrawn");
    assert!(quick.is_silent(), "it has responded");

    // The caller of `send` is gone.
    let running = roots(&app);
    let request = id(&mut quick).await;
    running.disconnect().await;
    assert_eq!(quick.next().await, Some(cancelled(&request)));
    assert!(read.is_silent(), "the request was withdrawn");

    // All clients are gone, one with the request and two without.
    let running = roots(&app);
    id(&mut read).await;
    drop((quick, read, unread));
    is_unavailable(running).await;
}

#[tokio::test]
async fn a_request_goes_to_the_clients_that_declared_what_it_needs() {
    let app = app().await;
    let unable = json!({"sampling": {}, "elicitation": {}, "tasks": {"list": {}}});
    let (_, mut unable) = client(&app, unable).await;
    let able = json!({"sampling": {"tools": {}, "context": {}}, "elicitation": {"url": {}}});
    let (_, mut able) = client(&app, able).await;
    let sampling = |members| {
        (
            "sampling/createMessage",
            with(json!({"messages": [], "maxTokens": 1}), members),
        )
    };
    let url = json!({"mode": "url", "message": "Pay", "url": "https://a", "elicitationId": "1"});
    for (method, params) in [
        sampling(json!({"tools": []})),
        sampling(json!({"toolChoice": {"mode": "none"}})),
        sampling(json!({"includeContext": "thisServer"})),
        ("elicitation/create", url),
    ] {
        let running = start(&app, method, params.clone());
        let request = able.message().await;
        assert_eq!(
            (&request["method"], &request["params"]),
            (&json!(method), &params)
        );
        assert!(unable.is_silent(), "{method} {params}");
        running.disconnect().await;
        assert_eq!(able.next().await, Some(cancelled(&request["id"])));
    }
    // The server supports no tasks of clients.
    for (method, params) in [sampling(json!({"task": {}})), ("tasks/list", json!({}))] {
        is_unavailable(start(&app, method, params)).await;
    }
}

#[tokio::test]
async fn a_client_that_reconnects_responds_to_an_earlier_request() {
    let app = app().await;
    let (session, mut first) = client(&app, json!({"roots": {}})).await;
    let running = roots(&app);
    let request = id(&mut first).await;
    let second = open(&app, &session).await;
    drop(first);
    tokio::task::yield_now().await;
    let third = open(&app, &session).await;
    drop(second);
    tokio::task::yield_now().await;
    assert!(!running.is_finished());
    let result = json!({"roots": []});
    app.send(Request::respond(&request, result.clone()).session(&session))
        .await;
    assert_eq!(value(running).await, result);

    // A request that the old stream did not send fails.
    let notifier = app.notifier();
    let caller = app.caller("staff").await;
    let mut request = Box::pin(notifier.request(&caller, "roots/list", None));
    let mut is_pending = || futures_util::FutureExt::now_or_never(request.as_mut()).is_none();
    assert!(is_pending());
    let _fourth = open(&app, &session).await;
    assert!(is_pending(), "the old stream can still be read");
    drop(third);
    let error = request.await.expect_err("the request was not read");
    assert_eq!(error.code(), "T7120");
}

#[tokio::test]
async fn a_client_without_an_initialized_notification_is_ready_after_its_first_request() {
    let app = app().await;
    let mut client = Client::new(&app, user("ada"));
    let (notifier, ada) = (app.notifier(), user("ada"));
    // A second handshake begins anew.
    for is_ready in [false, true, false] {
        client
            .request(1, "initialize", initialize(json!({"roots": {}})))
            .await;
        if is_ready {
            client.request(2, "tools/list", json!({})).await;
        }
        let mut roots = Box::pin(notifier.request(&ada, "roots/list", None));
        let unavailable = futures_util::FutureExt::now_or_never(roots.as_mut());
        assert_eq!(unavailable.is_none(), is_ready, "{unavailable:?}");
        if is_ready {
            let request = client.message().await;
            assert_eq!(request["method"], "roots/list");
            let result = json!({"roots": []});
            client
                .send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
                .await;
            assert_eq!(roots.await.ok(), Some(result));
        }
    }
}
