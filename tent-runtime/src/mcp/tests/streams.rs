//! Calls that say something before they end: when their answer is a stream, and what is on it.
//!
//! The clock stands still in these, and goes on by itself where everything waits for it.

use std::time::Duration;

use axum::body::Body;
use futures_util::FutureExt as _;
use http::Response;
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use super::app::{App, META, Send, meta, server};
use crate::cx::{Cx, Level};
use crate::error::Result;
use crate::function::{
    AccessDeclaration, Body as Runs, BoxFuture, Declaration, Kind, Location, Output,
    OutputDeclaration,
};

pub(super) const fn function(
    name: &'static str,
    run: for<'a> fn(&'a Cx, Map<String, Value>) -> BoxFuture<'a, Result<Output>>,
) -> Declaration {
    let here = Location {
        module: module_path!(),
        file: file!(),
        line: line!(),
    };
    let made = Declaration::new(
        Kind::Action,
        name,
        here,
        AccessDeclaration::SignedIn,
        OutputDeclaration::Nothing,
        Runs::Async(run),
    );
    Declaration {
        mcp: true,
        about: "For tests.",
        timeout: Some(Duration::from_secs(600)),
        ..made
    }
}

static TALKS: &[&Declaration] = &[
    &function("count", |cx, _| Box::pin(count(cx))),
    &function("at_once", |cx, _| Box::pin(at_once(cx))),
    &function("quiet", |_, _| Box::pin(quiet())),
    &function("floods", |cx, _| Box::pin(floods(cx))),
    &function("bursts", |cx, _| Box::pin(bursts(cx))),
    &function("talks", |cx, _| Box::pin(talks(cx))),
    &function("lasts", |cx, _| Box::pin(lasts(cx))),
    &function("says", |cx, _| Box::pin(says(cx))),
];

async fn count(cx: &Cx) -> Result<Output> {
    for (done, total) in [(1.0, Some(3.0)), (2.5, None), (2.5, None), (f64::NAN, None)] {
        sleep(Duration::from_secs(10)).await;
        cx.progress(done, total, "Reading\nthe books");
    }
    cx.log(Level::Debug, "too much");
    cx.log(Level::Warning, json!({"left": 1}));
    sleep(Duration::from_secs(10)).await;
    Ok(Output::default())
}

async fn at_once(cx: &Cx) -> Result<Output> {
    cx.progress(1.0, 1.0, None);
    let late = cx.clone();
    tokio::spawn(async move {
        sleep(Duration::from_secs(5)).await;
        late.progress(2.0, 1.0, "after the end");
    });
    Ok(Output::default())
}

async fn quiet() -> Result<Output> {
    sleep(Duration::from_secs(40)).await;
    Ok(Output::default())
}

async fn says(cx: &Cx) -> Result<Output> {
    cx.progress(1.0, None, "東京 – Ärger – 🦀");
    tokio::task::yield_now().await;
    Ok(Output {
        content: vec![crate::function::Content::text("東京 – Ärger – 🦀")],
        ..Output::default()
    })
}

/// That the function `floods` said everything.
static FLOODED: Notify = Notify::const_new();

async fn floods(cx: &Cx) -> Result<Output> {
    for n in 0..100_000 {
        cx.progress(f64::from(n), None, "one of very many");
        if n % 1000 == 0 {
            tokio::task::yield_now().await;
        }
    }
    FLOODED.notify_one();
    Ok(Output::default())
}

/// Tells twenty steps at once, and three hundred in three seconds.
async fn bursts(cx: &Cx) -> Result<Output> {
    for n in 0..20 {
        cx.progress(f64::from(n), None, None);
    }
    sleep(Duration::from_secs(10)).await;
    for n in 20..320 {
        cx.progress(f64::from(n), None, None);
        sleep(Duration::from_millis(10)).await;
    }
    Ok(Output::default())
}

/// Says 300 lines at once, and later some more.
async fn talks(cx: &Cx) -> Result<Output> {
    for n in 0..299 {
        cx.log(Level::Info, n);
    }
    cx.log(Level::Error, "the gravest");
    sleep(Duration::from_millis(20)).await;
    cx.log(Level::Info, "rested");
    cx.log(Level::Debug, "not wanted");
    cx.log(Level::Warning, "too much");
    Ok(Output::default())
}

/// That the function `lasts` was dropped.
static GONE: Notify = Notify::const_new();

async fn lasts(cx: &Cx) -> Result<Output> {
    struct Told;
    impl Drop for Told {
        fn drop(&mut self) {
            GONE.notify_one();
        }
    }
    let _told = Told;
    cx.progress(1.0, None, None);
    std::future::pending().await
}

fn app() -> App {
    App::of(TALKS, |_| {})
}

/// A modern call with these members in its `_meta`.
fn modern(name: &str, more: Value) -> Send {
    let mut meta = meta();
    for (key, value) in more.as_object().expect("an object") {
        meta[key] = value.clone();
    }
    Send::modern("tools/call", json!({"name": name, "_meta": meta}))
}

fn legacy(name: &str, meta: Value) -> Send {
    Send::legacy("tools/call", json!({"name": name, "_meta": meta}))
}

/// What a stream has, as it comes: events as JSON, comments as `null`.
pub(super) struct Read {
    body: Body,
    left: String,
}

impl Read {
    pub(super) fn of(response: Response<Body>) -> Self {
        let header = |name| response.headers().get(name).and_then(|v| v.to_str().ok());
        assert_eq!(response.status(), 200);
        assert_eq!(header("content-type"), Some("text/event-stream"));
        assert_eq!(header("x-accel-buffering"), Some("no"));
        assert_eq!(header("cache-control"), Some("no-cache, no-store"));
        Read {
            body: response.into_body(),
            left: String::new(),
        }
    }

    pub(super) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.left.split_once("\n\n") {
                let event = match event {
                    ":" => Value::Null,
                    event => {
                        let data = event.strip_prefix("data: ").expect("data alone");
                        assert!(!data.contains(['\n', '\r']));
                        serde_json::from_str(data).expect("JSON")
                    }
                };
                self.left = rest.to_owned();
                return Some(event);
            }
            let Some(frame) = self.body.frame().await else {
                assert_eq!(self.left, "", "a stream ends after an event");
                return None;
            };
            let data = frame.expect("nothing fails").into_data().expect("data");
            self.left += std::str::from_utf8(&data).expect("whole characters");
        }
    }

    pub(super) async fn rest(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(one) = self.next().await {
            all.push(one);
        }
        all
    }
}

pub(super) fn note(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn done(modern: bool) -> Value {
    let mut result = json!({
        "content": [{"type": "text", "text": "{}"}],
        "structuredContent": {},
        "_meta": {"tent.wrapped": true},
    });
    if modern {
        result["resultType"] = "complete".into();
        result["_meta"][format!("{META}serverInfo")] = server();
    }
    json!({"jsonrpc": "2.0", "id": 1, "result": result})
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_go_before_the_answer_on_the_stream_of_the_call() {
    let app = app();
    let wanted = json!({"progressToken": "p\u{1}", (format!("{META}logLevel")): "info"});
    let got = app.open(modern("count", wanted)).await;
    let events: Vec<_> = Read::of(got).rest().await;
    let told: Vec<_> = events.into_iter().filter(|one| !one.is_null()).collect();
    let progress = |mut more: Value| {
        more["progressToken"] = "p\u{1}".into();
        more["message"] = "Reading\nthe books".into();
        note("notifications/progress", more)
    };
    assert_eq!(
        told,
        [
            progress(json!({"progress": 1, "total": 3})),
            progress(json!({"progress": 2.5})),
            note(
                "notifications/message",
                json!({"level": "warning", "data": {"left": 1}})
            ),
            done(true),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_not_asked_for_is_not_sent() {
    let app = app();
    let got = app.open(modern("count", json!({}))).await;
    let told = Read::of(got).rest().await;
    let told: Vec<_> = told.into_iter().filter(|one| !one.is_null()).collect();
    assert_eq!(told, [done(true)]);
    // It ends at once, so nothing needs a stream.
    let got = app.ask(200, modern("at_once", json!({}))).await;
    assert_eq!(got, done(true));
}

#[tokio::test(start_paused = true)]
async fn a_progress_right_before_the_end_is_still_told_and_one_after_it_is_not() {
    let app = app();
    let got = app
        .open(modern("at_once", json!({"progressToken": 7})))
        .await;
    let progress = json!({"progressToken": 7, "progress": 1, "total": 1});
    assert_eq!(
        Read::of(got).rest().await,
        [note("notifications/progress", progress), done(true)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_token_is_echoed_byte_for_byte_and_another_type_is_refused() {
    let app = app();
    for token in ["123456789012345678901234567890", r#""\u0041""#, "-1"] {
        let params = json!({"name": "at_once", "_meta": meta()}).to_string();
        let with_token = format!(r#""_meta":{{"progressToken":{token},"#);
        let params = params.replacen(r#""_meta":{"#, &with_token, 1);
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let send = Send::raw(body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "at_once");
        let got = app.send(send).await;
        let text = String::from_utf8(got.bytes).expect("a text");
        assert!(
            text.contains(&format!(r#""progressToken":{token},"#)),
            "{text}"
        );
    }
    for token in [json!(1.5), json!({}), json!([1]), json!(true)] {
        let send = modern("at_once", json!({"progressToken": token}));
        assert_eq!(app.ask(200, send).await["error"]["code"], -32602, "{token}");
    }
    let send = modern("at_once", json!({(format!("{META}logLevel")): "loud"}));
    assert_eq!(app.ask(200, send).await["error"]["code"], -32602);
}

#[tokio::test(start_paused = true)]
async fn k4_01_k4_02_a_quiet_call_shows_signs_of_life_that_no_proxy_holds_back() {
    let app = app();
    for send in [modern("quiet", json!({})), legacy("quiet", json!({}))] {
        let began = Instant::now();
        let got = app.open(send).await;
        assert_eq!(
            began.elapsed().as_secs(),
            1,
            "it waited a second for an answer"
        );
        let mut stream = Read::of(got);
        let mut times = Vec::new();
        while stream.next().await.expect("an answer comes").is_null() {
            times.push(began.elapsed().as_secs());
        }
        assert_eq!(times, [1, 16, 31]);
        assert_eq!(stream.next().await, None, "the answer ends the stream");
    }
}

#[tokio::test(start_paused = true)]
async fn who_names_no_event_stream_gets_one_json_text() {
    let app = app();
    for accept in [
        "application/json",
        "*/*",
        "application/json, text/event-stream;q=0",
    ] {
        let send = modern("count", json!({"progressToken": 1})).header("accept", accept);
        assert_eq!(app.ask(200, send).await, done(true), "{accept}");
    }
}

#[tokio::test(start_paused = true)]
async fn legacy_lines_of_a_log_follow_the_level_of_their_session() {
    let app = app();
    let levels = async |send: Send| {
        let told = Read::of(app.open(send).await).rest().await;
        let levels = told
            .iter()
            .filter_map(|one| one["params"]["level"].as_str());
        levels.map(str::to_owned).collect::<Vec<_>>()
    };
    let session = app.session("2025-11-25").await;
    let other = app.session("2025-11-25").await;
    let call = |session: &str| legacy("count", json!({})).session(session);
    assert_eq!(
        levels(call(&session)).await,
        ["warning"],
        "info and above unasked"
    );
    let set = |level: Value| Send::legacy("logging/setLevel", json!({"level": level}));
    for (level, wanted) in [("debug", &["debug", "warning"][..]), ("error", &[])] {
        let got = app.ask(200, set(level.into()).session(&session)).await;
        assert_eq!(got, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        assert_eq!(levels(call(&session)).await, wanted);
    }
    assert_eq!(levels(call(&other)).await, ["warning"]);
    assert_eq!(
        levels(call(&session).by("ada")).await,
        ["warning"],
        "another caller"
    );
    for level in [json!("loud"), json!(3), Value::Null] {
        let got = app.ask(200, set(level).session(&session)).await;
        assert_eq!(got["error"]["code"], -32602);
    }
    assert_eq!(
        app.ask(400, set("info".into())).await["error"]["code"],
        -32600
    );
    let send = Send::modern("logging/setLevel", json!({"level": "info"}));
    assert_eq!(app.ask(404, send).await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn k4_06_no_event_has_an_id_or_empty_data_in_any_revision() {
    let app = app();
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = app.session(revision).await;
        let send = legacy("count", json!({"progressToken": 1})).session(&session);
        let told = Read::of(app.open(send).await).rest().await;
        let messages = told
            .iter()
            .filter(|one| one["method"] == "notifications/progress")
            .map(|one| one["params"].get("message").is_some());
        let has = revision != "2024-11-05";
        assert_eq!(messages.collect::<Vec<_>>(), [has, has], "{revision}");
        assert!(told.last().is_some_and(|last| last["id"] == 1));
    }
}

/// How far each progress among these says that the call is.
fn so_far(told: &[Value]) -> Vec<i64> {
    let told = told.iter();
    told.filter_map(|one| one["params"]["progress"].as_i64())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn of_a_flood_some_progress_is_told_and_the_last_before_the_answer() {
    let app = app();
    let got = app
        .open(modern("floods", json!({"progressToken": 1})))
        .await;
    FLOODED.notified().await;
    let told = Read::of(got).rest().await;
    let mut first: Vec<_> = (0..10).collect();
    first.push(99_999);
    assert_eq!(so_far(&told), first);
    assert_eq!(told.last(), Some(&done(true)));
}

#[tokio::test(start_paused = true)]
async fn progress_that_was_held_back_is_told_as_soon_as_it_may_be() {
    let app = app();
    let start = Instant::now();
    let got = app
        .open(modern("bursts", json!({"progressToken": 1})))
        .await;
    let mut told = Vec::new();
    let mut stream = Read::of(got);
    while told.len() < 11 {
        told.push(stream.next().await.expect("progress"));
    }
    assert!(start.elapsed() < Duration::from_secs(1), "the call goes on");
    let mut first: Vec<_> = (0..10).collect();
    first.push(19);
    assert_eq!(so_far(&told), first);
    // Ten a second is what is told of any number.
    let rest = stream.rest().await;
    let more = so_far(&rest);
    assert!(more.is_sorted_by(|a, b| a < b), "{more:?}");
    assert!((20..=40).contains(&more.len()), "{more:?}");
    assert_eq!(more.last(), Some(&319));
    assert_eq!(rest.last(), Some(&done(true)));
}

#[tokio::test(start_paused = true)]
async fn of_a_flood_of_lines_some_are_told_and_how_many_are_not() {
    let app = app();
    let got = app
        .open(modern(
            "talks",
            json!({(format!("{META}logLevel")): "info"}),
        ))
        .await;
    let told = Read::of(got).rest().await;
    let lines: Vec<_> = told
        .iter()
        .filter(|one| one["method"] == "notifications/message")
        .map(|one| {
            (
                one["params"]["level"].clone(),
                one["params"]["data"].clone(),
            )
        })
        .collect();
    let left_out = |count: usize| {
        json!(format!(
            "{count} lines came faster than they are sent, and were left out."
        ))
    };
    assert_eq!(lines.len(), 103);
    assert!((0..100).all(|n| lines[n] == (json!("info"), json!(n))));
    let last = [
        (json!("error"), left_out(200)),
        (json!("info"), json!("rested")),
        (json!("warning"), left_out(1)),
    ];
    assert_eq!(lines[100..], last);
    assert_eq!(told.last(), Some(&done(true)));
}

/// One test, because it shares what `lasts` tells.
#[tokio::test(start_paused = true)]
async fn k4_03_who_closes_a_stream_ends_the_call_in_the_modern_era_alone() {
    let app = app();
    let token = || json!({"progressToken": 1});
    let mut stream = Read::of(app.open(modern("lasts", token())).await);
    assert_eq!(
        stream.next().await.expect("progress")["params"]["progress"],
        1
    );
    assert!(GONE.notified().now_or_never().is_none());
    drop(stream);
    GONE.notified().await;

    let session = app.session("2025-11-25").await;
    let call = || legacy("lasts", token()).session(&session);
    let mut stream = Read::of(app.open(call()).await);
    assert_eq!(
        stream.next().await.expect("progress")["params"]["progress"],
        1
    );
    drop(stream);
    sleep(Duration::from_secs(60)).await;
    assert!(GONE.notified().now_or_never().is_none(), "it goes on");
    let cancel = note("notifications/cancelled", json!({"requestId": 1})).to_string();
    let cancel = || Send::raw(cancel.clone()).session(&session);
    app.send(cancel()).await;
    GONE.notified().await;

    // A stream whose call was cancelled ends without an answer.
    let stream = Read::of(app.open(call()).await);
    app.send(cancel()).await;
    GONE.notified().await;
    let told = stream.rest().await;
    assert_eq!(
        (told.len(), &told[0]["method"]),
        (1, &"notifications/progress".into())
    );
}

#[tokio::test]
async fn k3_29_texts_come_back_byte_for_byte_on_a_stream() {
    let text = "東京 – Ärger – 🦀";
    let got = app()
        .open(modern("says", json!({"progressToken": 1})))
        .await;
    let told = Read::of(got).rest().await;
    assert_eq!(told[0]["params"]["message"], text);
    assert_eq!(told[1]["result"]["content"][0]["text"], text);
}

#[tokio::test(start_paused = true)]
async fn an_array_is_answered_by_an_array_without_events() {
    let app = app();
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "at_once", "_meta": {"progressToken": 1}},
    });
    let got = app.ask(200, Send::raw(json!([call]).to_string())).await;
    assert_eq!(got.as_array().map(Vec::len), Some(1));
    assert_eq!(got[0]["id"], 1);
}
