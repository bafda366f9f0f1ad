//! Who reads the answer to a call: when it becomes a stream, and what is left of a question when nobody reads
//! any more.
//!
//! The clock stands still in these, and goes on by itself where everything waits for it.

use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::app::{App, Send, meta};
use super::streams::{Read, function};
use crate::cx::Cx;
use crate::cx::input;
use crate::error::Result;
use crate::function::{AccessDeclaration, BoxFuture, Declaration, Output, RuleDeclaration};

/// A rule that takes its time, and lets who has a role.
const SLOW: AccessDeclaration = AccessDeclaration::Rule(RuleDeclaration {
    path: "slow",
    run: |cx| Box::pin(slow(cx)),
});

async fn slow(cx: &Cx) -> Result<bool> {
    sleep(Duration::from_secs(3)).await;
    Ok(cx.caller().has_role("staff"))
}

/// One that lets everybody who is known.
const SLOW_TO_ALL: AccessDeclaration = AccessDeclaration::Rule(RuleDeclaration {
    path: "slow_to_all",
    run: |cx| Box::pin(async { slow(cx).await.map(|_| cx.caller().is_known()) }),
});

static FUNCTIONS: &[&Declaration] = &[
    &Declaration {
        access: SLOW,
        ..function("guarded", |_, _| Box::pin(quiet()))
    },
    &Declaration {
        access: SLOW_TO_ALL,
        needs: &["sampling"],
        ..function("picky", |_, _| Box::pin(quiet()))
    },
    &function("asks", |cx, _| Box::pin(asks(cx, Duration::ZERO))),
    &function("asks_late", |cx, _| {
        Box::pin(asks(cx, Duration::from_secs(10)))
    }),
    &function("leaves", |cx, _| leaves(cx)),
];

async fn quiet() -> Result<Output> {
    sleep(Duration::from_secs(3)).await;
    Ok(Output::default())
}

/// What the questions of one test came to: the clients of these calls have gone, so they tell by this.
type Told = mpsc::UnboundedSender<(String, Result<usize>)>;

static TOLD: std::sync::Mutex<Option<Told>> = std::sync::Mutex::new(None);

async fn asks(cx: &Cx, after: Duration) -> Result<Output> {
    sleep(after).await;
    let folders = cx.input("folders", input::roots()).await;
    let folders = folders.map(|folders| folders.len());
    let told = TOLD.lock().expect("nothing panics in it").clone();
    let told = told.expect("the test listens");
    told.send((cx.trace().to_owned(), folders))
        .expect("the test listens");
    Ok(Output::default())
}

/// Leaves its question as soon as it was put.
fn leaves(cx: &Cx) -> BoxFuture<'_, Result<Output>> {
    Box::pin(async move {
        let asked = Box::pin(cx.input("folders", input::roots())).now_or_never();
        assert!(asked.is_none(), "nobody answers at once");
        Ok(Output::default())
    })
}

fn app() -> App {
    App::of(FUNCTIONS, |settings| settings.mcp.anyone = true)
}

fn modern(name: &str) -> Send {
    Send::modern("tools/call", json!({"name": name, "_meta": meta()}))
}

fn legacy(name: &str) -> Send {
    Send::legacy("tools/call", json!({"name": name}))
}

#[tokio::test(start_paused = true)]
async fn a_refusal_has_its_own_status_however_late_it_comes() {
    let app = app();
    for send in [modern, legacy] {
        let began = Instant::now();
        let refused = app.ask(401, send("guarded").by_nobody()).await;
        assert_eq!(refused["error"]["data"]["code"], "T0004");
        let refused = app.ask(200, send("guarded").by("ada")).await;
        assert_eq!(refused["error"]["code"], -32602);
        let refused = app.ask(403, send("picky").by("reader")).await;
        assert_eq!(refused["error"]["data"]["code"], "T0005");
        assert_eq!(began.elapsed().as_secs(), 9, "each was asked");
    }
    let refused = app.ask(400, modern("picky")).await;
    assert_eq!(refused["error"]["code"], -32021);
    // What is no call is one text, however long it takes.
    let list = app.ask(200, Send::modern("tools/list", json!({}))).await;
    assert!(list["result"]["tools"].is_array(), "{list}");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_let_in_shows_signs_of_life_a_second_later() {
    let app = app();
    for send in [modern, legacy] {
        let began = Instant::now();
        let mut stream = Read::of(app.open(send("guarded")).await);
        assert_eq!(began.elapsed().as_secs(), 4);
        assert_eq!(stream.next().await, Some(Value::Null));
        let answer = stream.next().await.expect("an answer");
        assert_eq!(answer["result"]["content"][0]["text"], "{}");
        assert_eq!(stream.next().await, None);
    }
}

/// One test, because it shares where the questions tell what they came to.
#[tokio::test(start_paused = true)]
async fn a_question_that_nobody_reads_fails_and_one_that_was_read_goes_on() {
    let app = app();
    let (told, mut came) = mpsc::unbounded_channel();
    *TOLD.lock().expect("nothing panics in it") = Some(told);
    let mut came = async |trace: String| {
        let (of, came) = came.recv().await.expect("the function goes on");
        assert_eq!(of, trace);
        came.map_err(|error| (error.code().to_owned(), error.message().to_owned()))
    };
    let session = app.session_of("2025-11-25", json!({"roots": {}})).await;
    let unread = (
        "T0022".to_owned(),
        "The client's answer to \"folders\" cannot come: the client went away.".to_owned(),
    );
    let began = Instant::now();

    // Gone before the answer became a stream; the question is put after that.
    let call = legacy("asks_late").session(&session);
    let trace = call.trace();
    let gone = timeout(Duration::from_millis(500), app.open(call)).await;
    assert!(gone.is_err(), "it is no stream yet");
    assert_eq!(came(trace).await, Err(unread.clone()));

    // Gone while it was a stream; the question is put after that.
    let call = legacy("asks_late").session(&session);
    let trace = call.trace();
    drop(app.open(call).await);
    assert_eq!(came(trace).await, Err(unread.clone()));

    // Put and not read.
    let call = legacy("asks").session(&session);
    let trace = call.trace();
    drop(Read::of(app.open(call).await));
    assert_eq!(came(trace).await, Err(unread));
    assert!(began.elapsed() < app.mcp().dispatcher.settings().limits.ask_time);
    assert_eq!(app.questions(), 0);

    // Read: the answer comes on another connection.
    let call = legacy("asks").session(&session);
    let trace = call.trace();
    let mut stream = Read::of(app.open(call).await);
    let id = stream.next().await.expect("a question")["id"].take();
    drop(stream);
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": roots}).to_string();
    app.send(Send::raw(answer).session(&session)).await;
    assert_eq!(came(trace).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_left_before_it_was_read_is_not_sent() {
    let app = app();
    let session = app.session_of("2025-11-25", json!({"roots": {}})).await;
    let answer = app.ask(200, legacy("leaves").session(&session)).await;
    assert_eq!(answer["result"]["structuredContent"], json!({}));
    assert_eq!(app.questions(), 0);
}
