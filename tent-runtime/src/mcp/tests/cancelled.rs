//! Ending a call: by the client's word in the legacy era, by going away in the modern one.

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::app::{App, Send, meta};
use super::functions::{FUNCTIONS, WAIT_BEGAN, WAIT_DROPPED, function};
use super::streams::function as talks;
use crate::caller::Caller;
use crate::cx::Cx;
use crate::dispatch::Identity;
use crate::error::{Error, Result};
use crate::function::{
    AccessDeclaration, Body, Complete, Declaration, Kind, Lister, Output, OutputDeclaration,
    Resource, RuleDeclaration,
};
use crate::mcp::Connection;
use crate::mcp::client::outbox::Outbox;
use crate::schema::Field;

/// One test, because it shares what `wait` tells.
#[tokio::test]
async fn a_legacy_call_ends_by_its_clients_word_alone_and_a_modern_one_when_the_client_goes() {
    let app = Arc::new(App::new());
    let session = app.session("2025-06-18").await;
    let other = app.session("2025-06-18").await;
    let call = || Send::legacy("tools/call", json!({"name": "wait"})).session(&session);
    let cancel = |id: serde_json::Value| {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        Send::raw(note.to_string())
    };
    let begun = async |send: Send| {
        let app = app.clone();
        let task = tokio::spawn(async move { app.send(send).await });
        WAIT_BEGAN.notified().await;
        // Wrapped, so that nobody takes it for something to await at once.
        (task,)
    };
    let dropped = || WAIT_DROPPED.notified().now_or_never().is_some();

    // Another id, another session, no session and another caller end nothing.
    let (task,) = begun(call()).await;
    for note in [
        cancel(json!("1")).session(&session),
        cancel(json!(1)).session(&other),
        cancel(json!(1)),
        cancel(json!(1)).session(&session).by("ada"),
    ] {
        assert_eq!(app.send(note).await.status, 202);
    }
    assert!(!dropped() && !task.is_finished());
    assert_eq!(
        app.send(cancel(json!(1)).session(&session)).await.status,
        202
    );
    let got = task.await.expect("it did not panic");
    assert_eq!(
        (got.status.as_u16(), got.bytes.len()),
        (202, 0),
        "a cancelled call has no answer"
    );
    assert!(dropped());

    // Going away ends nothing; the word still does.
    let (task,) = begun(call()).await;
    task.abort();
    assert!(task.await.is_err_and(|error| error.is_cancelled()));
    assert!(!dropped());
    app.send(cancel(json!(1)).session(&session)).await;
    WAIT_DROPPED.notified().await;

    // A modern client goes away, and with it the call.
    let (task,) = begun(Send::call("wait", json!({}))).await;
    task.abort();
    assert!(task.await.is_err_and(|error| error.is_cancelled()));
    assert!(dropped());
}

/// Told by what goes on for ever, when it begins and when it is dropped.
static BEGAN: Notify = Notify::const_new();
static DROPPED: Notify = Notify::const_new();

async fn goes_on<T>() -> Result<T, Error> {
    struct Told;
    impl Drop for Told {
        fn drop(&mut self) {
            DROPPED.notify_one();
        }
    }
    let _told = Told;
    BEGAN.notify_one();
    std::future::pending().await
}

static GO_ON: &[&Declaration] = &[
    &function(
        Kind::Query,
        "order",
        AccessDeclaration::SignedIn,
        const { &[Field::new::<String>("id")] },
        OutputDeclaration::Nothing,
        |_, _| Ok(Output::default()),
    )
    .resource(Resource::new("orders://{id}").list(Lister {
        path: "orders",
        run: |_| Box::pin(goes_on()),
    }))
    .completes(&[Complete {
        argument: "id",
        path: "ids",
        run: |_, _, _| Box::pin(goes_on()),
    }]),
    &function(
        Kind::Query,
        "ruled",
        AccessDeclaration::Rule(RuleDeclaration {
            path: "ruled",
            run: |_| Box::pin(goes_on()),
        }),
        &[],
        OutputDeclaration::Nothing,
        |_, _| Ok(Output::default()),
    ),
    &function(
        Kind::Query,
        "guarded",
        AccessDeclaration::Rule(RuleDeclaration {
            path: "guarded",
            run: |_| Box::pin(goes_on()),
        }),
        &[],
        OutputDeclaration::Nothing,
        |_, _| Ok(Output::default()),
    )
    .resource(Resource::new("guarded://one")),
];

#[tokio::test]
async fn on_a_line_a_list_a_lookup_and_a_completion_end_by_the_clients_word_too() {
    let app = App::of(GO_ON, |_| {});
    let line = Connection::new(
        app.shared(),
        Identity::Caller(app.caller("staff").await),
        Outbox::default(),
    );
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
        for is_modern in [true, false] {
            let mut params = params.clone();
            if is_modern {
                params["_meta"] = meta();
            }
            let message = |message: Value| message.to_string().into_bytes();
            let request = message(json!({
                "jsonrpc": "2.0", "id": method, "method": method, "params": params,
            }));
            let cancelled = message(json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": method},
            }));
            let mut asking = Box::pin(line.answer(line.admit().await, &request));
            tokio::select! {
                () = BEGAN.notified() => {}
                answer = &mut asking => panic!("{method}: {answer:?}"),
            }
            let answer = line.answer(line.admit().await, &cancelled).await;
            assert_eq!(answer, None);
            assert_eq!(asking.await, None, "{method}");
            assert!(DROPPED.notified().now_or_never().is_some(), "{method}");
        }
    }
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no test panics in it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn why_a_client_cancels_is_in_the_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .finish();
    // While there is but one subscriber, a line that another test's thread reaches first is switched off by that thread's
    // having none; with two, every one of them is asked.
    let _other = tracing::Dispatch::new(tracing_subscriber::fmt().with_writer(io::sink).finish());
    let _here = tracing::subscriber::set_default(subscriber);
    let app = App::new();
    let session = app.session("2025-11-25").await;
    let reason = format!("no longer\n{}", "x".repeat(1000));
    for reason in [json!(reason), json!(7)] {
        let note = json!({
            "jsonrpc": "2.0",
            "method": "notifications/cancelled",
            "params": {"requestId": "gone", "reason": reason},
        });
        let note = Send::raw(note.to_string()).session(&session);
        assert_eq!(app.send(note).await.status, 202);
    }
    let log = log.0.lock().expect("no test panics in it");
    let log = String::from_utf8_lossy(&log);
    let lines = log
        .lines()
        .filter(|line| line.contains("the client cancels a call"));
    let lines: Vec<_> = lines.collect();
    let words = format!(r#"reason="no longer\n{}""#, "x".repeat(190));
    assert!(
        lines.len() == 2 && lines[0].contains(&words) && lines[1].contains(r#"reason="""#),
        "{log}"
    );
}

#[tokio::test]
async fn a_subscription_that_was_cancelled_has_no_answer_when_its_line_ends_right_after() {
    let app = App::of(FUNCTIONS, |settings| settings.mcp.stream = true);
    for _ in 0..50 {
        let outbox = Outbox::default();
        let line = Connection::new(app.shared(), Identity::Caller(Caller::App), outbox.clone());
        let message = |message: Value| message.to_string().into_bytes();
        let listen = message(json!({
            "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
            "params": {"notifications": {}, "_meta": meta()},
        }));
        let mut listening = Box::pin(line.answer(line.admit().await, &listen));
        assert!((&mut listening).now_or_never().is_none());
        let cancelled = message(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
        }));
        assert_eq!(line.answer(line.admit().await, &cancelled).await, None);
        line.end();
        assert_eq!(listening.await, None);
        outbox.take().expect("an acknowledgement");
        assert_eq!(outbox.take(), None);
    }
}

/// A call whose function leaves a task behind.
struct Leaves {
    begun: Notify,
    /// That the task has heard that the call was ended.
    heard: Notify,
    go_on: Notify,
}

impl Leaves {
    const fn new() -> Self {
        Leaves {
            begun: Notify::const_new(),
            heard: Notify::const_new(),
            go_on: Notify::const_new(),
        }
    }

    fn has_heard(&self) -> bool {
        self.heard.notified().now_or_never().is_some()
    }
}

static LEAVES: Leaves = Leaves::new();
static SHORT: Leaves = Leaves::new();
static BLOCKS: Notify = Notify::const_new();
static LAST_WORD: Notify = Notify::const_new();
static SPEAKS: Notify = Notify::const_new();

static ENDS: &[&Declaration] = &[
    &talks("leaves", |cx, _| Box::pin(leaves(cx, &LEAVES))),
    &Declaration {
        timeout: Some(Duration::from_secs(5)),
        ..talks("short", |cx, _| Box::pin(leaves(cx, &SHORT)))
    },
    &Declaration {
        blocking: true,
        timeout: Some(Duration::from_millis(10)),
        body: Body::Sync(|cx, _| {
            while !cx.is_cancelled() {
                std::thread::yield_now();
            }
            BLOCKS.notify_one();
            Ok(Output::default())
        }),
        ..talks("blocks", |_, _| Box::pin(async { Ok(Output::default()) }))
    },
    &talks("speaks", |cx, _| Box::pin(speaks(cx))),
];

async fn leaves(cx: &Cx, leaves: &'static Leaves) -> Result<Output> {
    assert!(!cx.is_cancelled());
    let left = cx.clone();
    tokio::spawn(async move {
        left.cancelled().await;
        assert!(left.is_cancelled());
        // Whoever asks later hears it at once.
        left.cancelled().await;
        leaves.heard.notify_one();
    });
    leaves.begun.notify_one();
    leaves.go_on.notified().await;
    Ok(Output::default())
}

/// Ends by itself when it is cancelled, with something to say.
async fn speaks(cx: &Cx) -> Result<Output> {
    SPEAKS.notify_one();
    cx.cancelled().await;
    LAST_WORD.notify_one();
    Ok(Output::default())
}

fn cancels(id: u64) -> Send {
    let note =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    Send::raw(note.to_string())
}

#[tokio::test]
async fn what_a_function_leaves_behind_hears_that_its_caller_has_gone() {
    let app = Arc::new(App::of(ENDS, |_| {}));
    let begun = async |send: Send| {
        let app = app.clone();
        let task = tokio::spawn(async move { app.send(send).await });
        LEAVES.begun.notified().await;
        (task,)
    };
    let session = app.session("2025-11-25").await;
    let call = || Send::legacy("tools/call", json!({"name": "leaves"})).session(&session);

    // Modern: by going away, also where the function has not come to its end since it waits.
    let (task,) = begun(Send::call("leaves", json!({}))).await;
    assert!(!LEAVES.has_heard());
    task.abort();
    LEAVES.heard.notified().await;

    // Legacy: by the client's word alone.
    let (task,) = begun(call()).await;
    task.abort();
    assert!(task.await.is_err());
    assert!(!LEAVES.has_heard());
    app.send(cancels(1).session(&session)).await;
    LEAVES.heard.notified().await;

    // What has come to its own end is not cancelled, whoever goes or says so then.
    for send in [Send::call("leaves", json!({})), call()] {
        let (task,) = begun(send).await;
        LEAVES.go_on.notify_one();
        assert_eq!(task.await.expect("it does not panic").status, 200);
        app.send(cancels(1).session(&session)).await;
        tokio::task::yield_now().await;
        assert!(!LEAVES.has_heard());
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_function_leaves_behind_hears_that_its_time_is_over() {
    let app = App::of(ENDS, |_| {});
    let session = app.session("2025-11-25").await;
    for send in [
        Send::call("short", json!({})),
        Send::legacy("tools/call", json!({"name": "short"})).session(&session),
    ] {
        // It is quiet for so long that its answer comes as an event.
        let late = app.send(send).await;
        assert!(String::from_utf8_lossy(&late.bytes).contains("Error T0010: "));
        SHORT.heard.notified().await;
    }
}

#[tokio::test]
async fn a_blocking_function_hears_that_its_time_is_over() {
    let app = App::of(ENDS, |_| {});
    let late = app.ask(200, Send::call("blocks", json!({}))).await;
    assert_eq!(late["result"]["_meta"]["tent.error"]["code"], "T0010");
    BLOCKS.notified().await;
}

#[tokio::test]
async fn who_is_cancelled_has_a_last_word_that_is_no_answer() {
    let app = Arc::new(App::of(ENDS, |_| {}));
    let session = app.session("2025-11-25").await;
    for _ in 0..20 {
        let call = Send::legacy("tools/call", json!({"name": "speaks"})).session(&session);
        let task = tokio::spawn({
            let app = app.clone();
            async move { app.send(call).await }
        });
        SPEAKS.notified().await;
        app.send(cancels(1).session(&session)).await;
        let got = task.await.expect("it does not panic");
        assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
        LAST_WORD.notified().await;
    }
}
