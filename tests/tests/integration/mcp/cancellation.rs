//! Cancellation: by a notification in the legacy era, by the end of the connection in the modern one.

use serde_json::json;
use tent::prelude::*;
use tent::{Map, ResourceInfo};

use super::app::{App, Request, meta, tool_error, with};
use super::client::{Client, user};
use super::events::Events;
use crate::log::Log;

async fn never_ends<T>(events: &Events) -> T {
    let _dropped = events.emit_on_drop("dropped");
    events.emit("started");
    std::future::pending().await
}

/// For tests.
#[action(access = "role:staff", offer = "mcp")]
async fn waits(events: &Events) {
    never_ends(events).await
}

async fn rule(cx: &Cx) -> Result<bool> {
    never_ends(cx.state::<Events>()?).await
}

async fn orders(cx: &Cx) -> Result<Vec<ResourceInfo>> {
    never_ends(cx.state::<Events>()?).await
}

async fn ids(cx: &Cx, _: String, _: Map) -> Result<Vec<String>> {
    never_ends(cx.state::<Events>()?).await
}

/// For tests.
#[resource(uri = "orders://{id}", access = "signedIn", list = orders)]
fn order(#[arg(complete = ids)] id: String) -> String {
    id
}

/// For tests.
#[query(access = rule, offer = "mcp")]
fn guarded() {}

/// For tests.
#[resource(uri = "guarded://one", access = rule)]
fn guarded_resource() -> &'static str {
    ""
}

/// Returns when it may, and leaves a task behind that sees the cancellation.
async fn leave_task(cx: &Cx) -> Result<()> {
    assert!(!cx.is_cancelled());
    let cx = cx.clone();
    let events = cx.state::<Events>()?.clone();
    let task = events.clone();
    tokio::spawn(async move {
        cx.cancelled().await;
        assert!(cx.is_cancelled());
        // A later wait resolves at once.
        cx.cancelled().await;
        task.emit("cancelled");
    });
    events.emit("started");
    events.next("go on").await;
    Ok(())
}

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn leaves(cx: &Cx) -> Result<()> {
    leave_task(cx).await
}

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "5s")]
async fn short(cx: &Cx) -> Result<()> {
    leave_task(cx).await
}

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "10ms", blocking = true)]
fn blocks(cx: &Cx, events: &Events) {
    while !cx.is_cancelled() {
        std::thread::yield_now();
    }
    events.emit("cancelled");
}

/// Returns when it is cancelled.
#[action(access = "signedIn", offer = "mcp")]
async fn returns(cx: &Cx, events: &Events) -> &'static str {
    events.emit("started");
    cx.cancelled().await;
    events.emit("cancelled");
    "the last word"
}

async fn app() -> App {
    App::of(|app| {
        app.functions(tent::functions![waits, leaves, short, blocks, returns])
            .set("mcp.stream", "true")
    })
    .await
}

async fn start(app: &App, request: Request) -> super::app::Running {
    let running = app.start(request);
    app.events.next("started").await;
    running
}

#[tokio::test]
async fn a_notification_cancels_a_legacy_call_and_a_disconnect_a_modern_one() {
    let app = app().await;
    let session = app.session("2025-06-18").await;
    let other = app.session("2025-06-18").await;
    let call = || Request::legacy_call(&session, "waits");
    let is_dropped = || app.events.take("dropped");

    // Another id, another session, no session and another caller cancel nothing.
    let running = start(&app, call()).await;
    for (cancel, status) in [
        (Request::cancel("1").session(&session), 202),
        (Request::cancel(1).session(&other), 202),
        (Request::cancel(1), 202),
        (Request::cancel(1).session(&session).by("ada"), 404),
    ] {
        assert_eq!(app.send(cancel).await.status, status);
    }
    assert!(!is_dropped() && !running.is_finished());
    let cancel = || app.send(Request::cancel(1).session(&session));
    assert_eq!(cancel().await.status, 202);
    let got = running.response().await;
    assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
    assert!(is_dropped());

    // A disconnect cancels nothing. The notification still does.
    start(&app, call()).await.disconnect().await;
    assert!(!is_dropped());
    cancel().await;
    app.events.next("dropped").await;

    start(&app, Request::call("waits", json!({})))
        .await
        .disconnect()
        .await;
    assert!(is_dropped());
}

#[tokio::test]
async fn a_notification_cancels_every_method_on_a_connection() {
    let app =
        App::of(|app| app.functions(tent::functions![order, guarded, guarded_resource])).await;
    let mut client = Client::new(&app, user("grace"));
    let complete = json!({
        "ref": {"type": "ref/resource", "uri": "orders://{id}"},
        "argument": {"name": "id", "value": ""},
    });
    for (method, params) in [
        ("completion/complete", complete),
        ("resources/list", json!({})),
        ("resources/read", json!({"uri": "guarded://one"})),
        ("tools/list", json!({})),
    ] {
        for members in [json!({"_meta": meta()}), json!({})] {
            client
                .start(method, method, with(params.clone(), members))
                .await;
            app.events.next("started").await;
            client.cancel(method).await;
            app.events.next("dropped").await;
        }
    }
    assert!(client.finish().await.is_empty());
}

#[tokio::test]
async fn logs_the_reason_of_a_cancellation() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    let long = format!("no longer\n{}", "x".repeat(1000));
    let in_log = format!(r#"reason="no longer\n{}""#, "x".repeat(190));
    for (reason, in_log) in [(json!(long), &*in_log), (json!(7), r#"reason="""#)] {
        let (log, _subscriber) = Log::kept();
        let params = json!({"requestId": "gone", "reason": reason});
        let cancel = Request::notification("notifications/cancelled", params);
        assert_eq!(app.send(cancel.session(&session)).await.status, 202);
        let line = log.line("the client cancels a call");
        assert!(line.contains(in_log), "{line}");
    }
}

#[tokio::test]
async fn a_cancelled_subscription_gets_no_response_at_the_end_of_the_connection() {
    let app = app().await;
    for _ in 0..20 {
        let mut client = Client::new(&app, user("ada"));
        let params = json!({"notifications": {}, "_meta": meta()});
        let acknowledged = client.request(1, "subscriptions/listen", params).await;
        assert_eq!(
            acknowledged["method"],
            "notifications/subscriptions/acknowledged"
        );
        client.cancel(1).await;
        assert!(client.finish().await.is_empty());
    }
}

#[tokio::test]
async fn a_task_of_a_call_sees_that_its_client_is_gone() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    let call = || Request::legacy_call(&session, "leaves");
    let modern = || Request::call("leaves", json!({}));
    let cancel = || app.send(Request::cancel(1).session(&session));

    let running = start(&app, modern()).await;
    assert!(!app.events.take("cancelled"));
    running.disconnect().await;
    app.events.next("cancelled").await;

    start(&app, call()).await.disconnect().await;
    assert!(!app.events.take("cancelled"));
    cancel().await;
    app.events.next("cancelled").await;

    // A call that has returned is not cancelled, whatever its client does then.
    for request in [modern(), call()] {
        let running = start(&app, request).await;
        app.events.emit("go on");
        running.json().await;
        cancel().await;
        tokio::task::yield_now().await;
        assert!(!app.events.take("cancelled"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_of_a_call_sees_that_the_deadline_has_passed() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    for call in [
        Request::call("short", json!({})),
        Request::legacy_call(&session, "short"),
    ] {
        // After a second of silence, the response is an event stream.
        let events = app.stream(call).await.messages().await;
        assert_eq!(tool_error(&events[0])["code"], "T0010");
        app.events.next("cancelled").await;
    }
}

#[tokio::test]
async fn a_blocking_function_sees_that_the_deadline_has_passed() {
    let app = app().await;
    let late = app.call("blocks", json!({})).await;
    assert_eq!(tool_error(&late)["code"], "T0010");
    app.events.next("cancelled").await;
}

#[tokio::test]
async fn a_cancelled_call_gets_no_response_even_if_it_returns() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    for _ in 0..20 {
        let running = start(&app, Request::legacy_call(&session, "returns")).await;
        app.send(Request::cancel(1).session(&session)).await;
        let got = running.response().await;
        assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
        app.events.next("cancelled").await;
    }
}
