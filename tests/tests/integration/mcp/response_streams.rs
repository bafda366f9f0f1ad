//! Response streams of calls: when a response is one, and the notifications on it.

use std::time::Duration;

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Content, Level};
use tokio::time::{Instant, sleep};

use super::app::{App, EventStream, META, Request, meta_with, notification, server};
use super::events::Events;

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn count(cx: &Cx) {
    for (done, total) in [(1.0, Some(3.0)), (2.5, None), (2.5, None), (f64::NAN, None)] {
        sleep(Duration::from_secs(10)).await;
        cx.progress(done, total, "Reading\nthe books");
    }
    cx.log(Level::Debug, "too much");
    cx.log(Level::Warning, json!({"left": 1}));
    sleep(Duration::from_secs(10)).await;
}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
async fn at_once(cx: &Cx) {
    cx.progress(1.0, 1.0, None);
    let late = cx.clone();
    tokio::spawn(async move {
        sleep(Duration::from_secs(5)).await;
        late.progress(2.0, 1.0, "after the end");
    });
}

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn quiet() {
    sleep(Duration::from_secs(40)).await;
}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
async fn says(cx: &Cx) -> Content {
    cx.progress(1.0, None, TEXT);
    tokio::task::yield_now().await;
    Content::text(TEXT)
}

const TEXT: &str = "東京 – Ärger – 🦀";

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn floods(cx: &Cx, events: &Events) {
    for n in 0..100_000 {
        cx.progress(f64::from(n), None, "one of very many");
        if n % 1000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    events.emit("flooded");
}

/// Sends twenty steps at once, and three hundred in three seconds.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn bursts(cx: &Cx) {
    for n in 0..20 {
        cx.progress(f64::from(n), None, None);
    }
    sleep(Duration::from_secs(10)).await;
    for n in 20..320 {
        cx.progress(f64::from(n), None, None);
        sleep(Duration::from_millis(10)).await;
    }
}

/// Logs 300 lines at once, and later some more.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn logs(cx: &Cx) {
    for n in 0..299 {
        cx.log(Level::Info, n);
    }
    cx.log(Level::Error, "the gravest");
    sleep(Duration::from_millis(20)).await;
    cx.log(Level::Info, "rested");
    cx.log(Level::Debug, "below the level");
    cx.log(Level::Warning, "too much");
}

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn never_ends(cx: &Cx, events: &Events) {
    let _dropped = events.emit_on_drop("dropped");
    cx.progress(1.0, None, None);
    std::future::pending().await
}

async fn slow_staff(cx: &Cx) -> bool {
    sleep(Duration::from_secs(3)).await;
    cx.caller().has_role("staff")
}

async fn slow_signed_in(cx: &Cx) -> bool {
    sleep(Duration::from_secs(3)).await;
    cx.caller().is_known()
}

/// For tests.
#[action(access = slow_staff, offer = "mcp", timeout = "600s")]
async fn guarded() {
    sleep(Duration::from_secs(3)).await;
}

/// For tests.
#[action(access = slow_signed_in, offer = "mcp", timeout = "600s", needs = ["sampling"])]
async fn picky() {}

const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    count, at_once, quiet, says, floods, bursts, logs, never_ends, guarded, picky
];

async fn app() -> App {
    App::of(|app| app.functions(FUNCTIONS).set("mcp.anyone", "true")).await
}

fn modern(name: &str, members: Value) -> Request {
    Request::call_with_meta(name, members)
}

fn legacy(name: &str, meta: Value) -> Request {
    Request::legacy("tools/call", json!({"name": name, "_meta": meta}))
}

/// The response to a modern call.
fn done() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": {
        "content": [{"type": "text", "text": "{}"}],
        "structuredContent": {},
        "resultType": "complete",
        "_meta": {"tent.wrapped": true, format!("{META}serverInfo"): server()},
    }})
}

fn progress(params: Value) -> Value {
    notification("notifications/progress", params)
}

/// The progress that each of these notifications reports.
fn steps(messages: &[Value]) -> Vec<i64> {
    let steps = messages.iter();
    steps
        .filter_map(|one| one["params"]["progress"].as_i64())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_precede_the_response() {
    let app = app().await;
    let members = json!({"progressToken": "p\u{1}", (format!("{META}logLevel")): "info"});
    let messages = app.stream(modern("count", members)).await.messages().await;
    let step = |mut step: Value| {
        step["progressToken"] = "p\u{1}".into();
        step["message"] = "Reading\nthe books".into();
        progress(step)
    };
    let log = json!({"level": "warning", "data": {"left": 1}});
    assert_eq!(
        messages,
        [
            step(json!({"progress": 1, "total": 3})),
            step(json!({"progress": 2.5})),
            notification("notifications/message", log),
            done(),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn sends_only_the_notifications_that_the_client_requests() {
    let app = app().await;
    let messages = app
        .stream(modern("count", json!({})))
        .await
        .messages()
        .await;
    assert_eq!(messages, [done()]);
    // It returns at once, so it needs no stream.
    assert_eq!(app.json(200, modern("at_once", json!({}))).await, done());
}

#[tokio::test(start_paused = true)]
async fn sends_progress_right_before_the_response_and_none_after_it() {
    let stream = app()
        .await
        .stream(modern("at_once", json!({"progressToken": 7})))
        .await;
    let step = progress(json!({"progressToken": 7, "progress": 1, "total": 1}));
    assert_eq!(stream.rest().await, [step, done()]);
}

#[tokio::test(start_paused = true)]
async fn returns_a_progress_token_byte_for_byte() {
    let app = app().await;
    for token in ["123456789012345678901234567890", r#""\u0041""#, "-1"] {
        let params = json!({"name": "at_once", "_meta": meta_with(json!({}))}).to_string();
        let with_token = format!(r#""_meta":{{"progressToken":{token},"#);
        let params = params.replacen(r#""_meta":{"#, &with_token, 1);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let call = Request::raw(body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "at_once");
        let text = String::from_utf8(app.send(call).await.bytes).expect("UTF-8");
        assert!(
            text.contains(&format!(r#""progressToken":{token},"#)),
            "{text}"
        );
    }
}

// K4-01, K4-02.
#[tokio::test(start_paused = true)]
async fn a_quiet_call_sends_comments_that_no_proxy_holds_back() {
    let app = app().await;
    for call in [modern("quiet", json!({})), legacy("quiet", json!({}))] {
        let start = Instant::now();
        let mut stream = app.stream(call).await;
        // The server waits a second before it begins a stream.
        let mut times = vec![start.elapsed().as_secs()];
        while stream.next().await.expect("a response").is_null() {
            times.push(start.elapsed().as_secs());
        }
        assert_eq!(times, [1, 1, 16, 31]);
        assert_eq!(stream.next().await, None, "the response ends the stream");
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_accept_event_streams_gets_json() {
    let app = app().await;
    for accept in [
        "application/json",
        "*/*",
        "application/json, text/event-stream;q=0",
    ] {
        let call = modern("count", json!({"progressToken": 1})).header("accept", accept);
        assert_eq!(app.json(200, call).await, done(), "{accept}");
    }
}

#[tokio::test(start_paused = true)]
async fn legacy_log_messages_follow_the_level_of_their_session() {
    let app = app().await;
    let levels = async |call: Request| {
        let messages = app.stream(call).await.messages().await;
        let levels = messages
            .iter()
            .filter_map(|one| one["params"]["level"].as_str());
        levels.map(str::to_owned).collect::<Vec<_>>()
    };
    let session = app.session("2025-11-25").await;
    let other = app.session("2025-11-25").await;
    let of_ada = app.session_by("ada", "2025-11-25").await;
    let call = |session: &str| Request::legacy_call(session, "count");
    assert_eq!(levels(call(&session)).await, ["warning"], "info by default");
    let set = |level: Value| Request::legacy("logging/setLevel", json!({"level": level}));
    for (level, expected) in [("debug", &["debug", "warning"][..]), ("error", &[])] {
        assert_eq!(
            app.result(set(level.into()).session(&session)).await,
            json!({})
        );
        assert_eq!(levels(call(&session)).await, expected);
    }
    assert_eq!(levels(call(&other)).await, ["warning"]);
    assert_eq!(
        levels(call(&of_ada).by("ada")).await,
        ["warning"],
        "another caller"
    );
    for level in [json!("loud"), json!(3), Value::Null] {
        assert_eq!(app.error(200, set(level).session(&session)).await.0, -32602);
    }
    assert_eq!(app.error(400, set("info".into())).await.0, -32600);
}

// K4-06: EventStream accepts no event with an id or without data.
#[tokio::test(start_paused = true)]
async fn progress_has_a_message_since_2025_03_26() {
    let app = app().await;
    for revision in super::meta::REVISIONS {
        if revision == "2026-07-28" {
            continue;
        }
        let session = app.session(revision).await;
        let call = legacy("count", json!({"progressToken": 1})).session(&session);
        let events = app.stream(call).await.rest().await;
        let steps = events
            .iter()
            .filter(|one| one["method"] == "notifications/progress");
        let has_message = steps.map(|one| one["params"].get("message").is_some());
        let expected = revision != "2024-11-05";
        assert_eq!(has_message.collect::<Vec<_>>(), [expected; 2], "{revision}");
        assert!(events.last().is_some_and(|last| last["id"] == 1));
    }
}

#[tokio::test(start_paused = true)]
async fn sends_some_of_a_flood_of_progress_and_the_last_step() {
    let app = app().await;
    let stream = app
        .stream(modern("floods", json!({"progressToken": 1})))
        .await;
    app.events.next("flooded").await;
    let messages = stream.rest().await;
    assert_eq!(
        steps(&messages),
        (0..10).chain([99_999]).collect::<Vec<_>>()
    );
    assert_eq!(messages.last(), Some(&done()));
}

#[tokio::test(start_paused = true)]
async fn sends_at_most_ten_progress_notifications_per_second() {
    let start = Instant::now();
    let call = modern("bursts", json!({"progressToken": 1}));
    let mut stream = app().await.stream(call).await;
    let mut first = Vec::new();
    while first.len() < 11 {
        first.push(stream.message().await);
    }
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "the call still runs"
    );
    assert_eq!(steps(&first), (0..10).chain([19]).collect::<Vec<_>>());
    let rest = stream.rest().await;
    let more = steps(&rest);
    assert!(more.is_sorted_by(|a, b| a < b), "{more:?}");
    assert!((20..=40).contains(&more.len()), "{more:?}");
    assert_eq!((more.last(), rest.last()), (Some(&319), Some(&done())));
}

#[tokio::test(start_paused = true)]
async fn sends_some_of_a_flood_of_log_messages_and_the_number_of_the_others() {
    let call = modern("logs", json!({(format!("{META}logLevel")): "info"}));
    let messages = app().await.stream(call).await.rest().await;
    let log = messages
        .iter()
        .filter(|one| one["method"] == "notifications/message");
    let log = log.map(|one| {
        (
            one["params"]["level"].clone(),
            one["params"]["data"].clone(),
        )
    });
    let log: Vec<_> = log.collect();
    let omitted = |count: usize| {
        json!(format!(
            "{count} log messages were left out: the function logs faster than they are sent."
        ))
    };
    assert_eq!(log.len(), 103);
    assert!((0..100).all(|n| log[n] == (json!("info"), json!(n))));
    let last = [
        (json!("error"), omitted(200)),
        (json!("info"), json!("rested")),
        (json!("warning"), omitted(1)),
    ];
    assert_eq!(log[100..], last);
    assert_eq!(messages.last(), Some(&done()));
}

// K4-03.
#[tokio::test(start_paused = true)]
async fn closing_the_stream_cancels_only_a_modern_call() {
    let app = app().await;
    let token = || json!({"progressToken": 1});
    let first_step = async |stream: &mut EventStream| {
        assert_eq!(stream.message().await["params"]["progress"], 1);
        assert!(!app.events.take("dropped"));
    };
    let mut stream = app.stream(modern("never_ends", token())).await;
    first_step(&mut stream).await;
    drop(stream);
    app.events.next("dropped").await;

    let session = app.session("2025-11-25").await;
    let call = || legacy("never_ends", token()).session(&session);
    let cancel = || Request::cancel(1).session(&session);
    let mut stream = app.stream(call()).await;
    first_step(&mut stream).await;
    drop(stream);
    sleep(Duration::from_secs(60)).await;
    assert!(!app.events.take("dropped"), "the call still runs");
    app.send(cancel()).await;
    app.events.next("dropped").await;

    // The stream of a cancelled call ends without a response.
    let stream = app.stream(call()).await;
    app.send(cancel()).await;
    app.events.next("dropped").await;
    let messages = stream.rest().await;
    assert_eq!((messages.len(), steps(&messages)), (1, vec![1]));
}

// K3-29.
#[tokio::test]
async fn texts_arrive_byte_for_byte_on_a_stream() {
    let stream = app()
        .await
        .stream(modern("says", json!({"progressToken": 1})))
        .await;
    let messages = stream.rest().await;
    assert_eq!(messages[0]["params"]["message"], TEXT);
    assert_eq!(messages[1]["result"]["content"][0]["text"], TEXT);
}

#[tokio::test(start_paused = true)]
async fn a_batch_gets_an_array_without_notifications() {
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "at_once", "_meta": {"progressToken": 1}},
    });
    let got = app()
        .await
        .json(200, Request::raw(json!([call]).to_string()))
        .await;
    assert_eq!(
        (got.as_array().map(Vec::len), &got[0]["id"]),
        (Some(1), &json!(1))
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_before_the_call_keeps_its_status_however_late_it_is() {
    let app = app().await;
    for call in [modern, legacy] {
        let start = Instant::now();
        let call = |name| call(name, json!({}));
        assert_eq!(app.error(401, call("guarded").anonymous()).await.1, "T0004");
        assert_eq!(app.error(200, call("guarded").by("ada")).await.0, -32602);
        assert_eq!(app.error(403, call("picky").by("reader")).await.1, "T0005");
        assert_eq!(start.elapsed().as_secs(), 9, "each ran the rule");
    }
    assert_eq!(app.error(400, modern("picky", json!({}))).await.0, -32021);
    // A list is JSON, however long it takes.
    let list = app.result(Request::modern("tools/list", json!({}))).await;
    assert!(list["tools"].is_array(), "{list}");
}

#[tokio::test(start_paused = true)]
async fn a_stream_begins_a_second_after_the_access_rule() {
    let app = app().await;
    for call in [modern, legacy] {
        let start = Instant::now();
        let mut stream = app.stream(call("guarded", json!({}))).await;
        assert_eq!(start.elapsed().as_secs(), 4);
        assert_eq!(stream.next().await, Some(Value::Null));
        let response = stream.message().await;
        assert_eq!(response["result"]["content"][0]["text"], "{}");
        assert_eq!(stream.next().await, None);
    }
}
