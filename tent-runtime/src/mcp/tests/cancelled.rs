//! Ending a call: by the client's word in the legacy era, by going away in the modern one.

use std::io;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde_json::{Value, json};

use super::app::{App, Send, meta};
use super::functions::{FUNCTIONS, WAIT_BEGAN, WAIT_DROPPED};
use crate::caller::Caller;
use crate::mcp::stream::Sink;
use crate::mcp::{Line, Who};

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
        let sink = Sink::default();
        let line = Line::new(app.shared(), Who::Is(Caller::App), sink.clone()).expect("no key");
        let message = |message: Value| message.to_string().into_bytes();
        let listen = message(json!({
            "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen",
            "params": {"notifications": {}, "_meta": meta()},
        }));
        let mut listening = Box::pin(line.answer(Ok(Caller::App), "1", &listen));
        assert!((&mut listening).now_or_never().is_none());
        let cancelled = message(json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
        }));
        assert_eq!(line.answer(Ok(Caller::App), "2", &cancelled).await, None);
        line.end();
        assert_eq!(listening.await, None);
        sink.take().expect("an acknowledgement");
        assert_eq!(sink.take(), None);
    }
}
