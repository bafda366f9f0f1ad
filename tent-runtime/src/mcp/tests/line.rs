//! What one line holds: an end also where its other end reads nothing, places, and subscriptions.

use std::io::{self, Read, Write};
use std::sync::mpsc;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::app::App;
use super::resources::RESOURCES;
use super::streams::function;
use crate::caller::Caller;
use crate::dispatch::Identity;
use crate::error::Result;
use crate::function::{AccessDeclaration, Declaration, Output};
use crate::mcp::Connection;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::transport::stdio;

static TALKS: &[&Declaration] = &[
    &Declaration {
        access: AccessDeclaration::Anyone,
        ..function("waits", |_, _| Box::pin(waits()))
    },
    &Declaration {
        access: AccessDeclaration::Anyone,
        ..function("open", |_, _| Box::pin(async { Ok(Output::default()) }))
    },
    &Declaration {
        access: AccessDeclaration::Anyone,
        ..function("holds", |_, _| Box::pin(holds()))
    },
];

/// What `waits` waits for, and what it does when it has begun and when it has run to its end.
static GO_ON: Notify = Notify::const_new();
static BEGUN: Notify = Notify::const_new();
static DONE: Notify = Notify::const_new();

async fn waits() -> Result<Output> {
    BEGUN.notify_one();
    GO_ON.notified().await;
    DONE.notify_one();
    Ok(Output::default())
}

static LET_GO: Notify = Notify::const_new();

async fn holds() -> Result<Output> {
    LET_GO.notified().await;
    Ok(Output::default())
}

/// Longer than anything here takes. The clock stands still until nothing else is left to do.
const LONG: Duration = Duration::from_secs(3600);

/// Input of the same message at each read, so many times; then it tells, and goes on for ever or ends.
struct Over {
    message: Vec<u8>,
    left: usize,
    ends: bool,
    then: Option<oneshot::Sender<()>>,
}

impl Read for Over {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            drop(self.then.take());
            if self.ends {
                return Ok(0);
            }
        }
        self.left = self.left.saturating_sub(1);
        into[..self.message.len()].copy_from_slice(&self.message);
        Ok(self.message.len())
    }
}

/// Output that takes nothing, as a full pipe that nobody reads.
struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        loop {
            std::thread::park();
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Output that tells what it is given, and takes it when it is let.
struct Slow {
    given: mpsc::Sender<Vec<u8>>,
    let_go: mpsc::Receiver<()>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.given.send(bytes.to_vec());
        let _ = self.let_go.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn line_of(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

#[tokio::test(start_paused = true)]
async fn told_to_end_it_ends_although_nothing_that_it_says_is_read() {
    let app = App::of(TALKS, |_| {});
    let (then, full) = oneshot::channel();
    let input = Over {
        message: line_of(&request(1, "ping", json!({}))),
        // One is being written, 1024 wait to be, and one is read ahead: no more are taken.
        left: 1026,
        ends: false,
        then: Some(then),
    };
    let (tell, told) = oneshot::channel::<()>();
    let told = told.map(drop);
    let who = Identity::Caller(Caller::Anonymous);
    let served = tokio::spawn(stdio::serve(app.shared(), who, input, Full, told));
    let _ = full.await;
    drop(tell);
    let ended = timeout(LONG, served).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_under_way_have_their_grace_although_nothing_is_read() {
    let app = App::of(TALKS, |_| {});
    let input = Over {
        message: line_of(&request(1, "tools/call", json!({"name": "waits"}))),
        left: 1,
        ends: true,
        then: None,
    };
    let who = Identity::Caller(Caller::Anonymous);
    let told = std::future::pending();
    let served = tokio::spawn(stdio::serve(app.shared(), who, input, Full, told));
    BEGUN.notified().await;
    GO_ON.notify_one();
    DONE.notified().await;
    // Anonymous told it to, but its input has ended, and nothing is taken any more.
    // No time runs here: it would be over at once where the thread that reads has not told of the end yet.
    let ended = served.await;
    assert!(matches!(ended, Ok(Ok(()))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_is_slow_is_waited_for() {
    let app = App::of(TALKS, |_| {});
    let input = Over {
        message: line_of(&request(1, "ping", json!({}))),
        left: 5,
        ends: true,
        then: None,
    };
    let (given, gets) = mpsc::channel();
    let (go, let_go) = mpsc::channel();
    let who = Identity::Caller(Caller::Anonymous);
    let output = Slow { given, let_go };
    let told = std::future::pending();
    let served = tokio::spawn(stdio::serve(app.shared(), who, input, output, told));
    let mut gets = Some(gets);
    for _ in 0..5 {
        let waiting = gets.take().expect("it was put back");
        let next = spawn_blocking(move || (waiting.recv(), waiting));
        let (got, waiting) = next.await.expect("it does not panic");
        assert!(got.is_ok(), "it was given up");
        gets = Some(waiting);
        // Together far more than the grace.
        tokio::time::sleep(Duration::from_secs(9)).await;
        go.send(()).expect("it waits");
    }
    let ended = timeout(LONG, served).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "{ended:?}");
}

#[tokio::test]
async fn an_array_takes_one_place_at_a_time_and_none_where_there_is_none() {
    let app = App::of(TALKS, |_| {});
    let who = Identity::Caller(Caller::Anonymous);
    let line = Connection::new(app.shared(), who, Outbox::default());
    let ask = async |message: Value| {
        let message = message.to_string();
        let answer = line.answer(line.admit().await, message.as_bytes());
        let answer = answer.await.unwrap_or_default();
        serde_json::from_slice::<Value>(&answer).unwrap_or_default()
    };
    let open = |id| request(id, "tools/call", json!({"name": "open"}));
    let holds = request(3, "tools/call", json!({"name": "holds"}));
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});

    let mut places: Vec<_> = std::iter::from_fn(|| line.permit().ok()).collect();
    assert_eq!(places.len(), 256);
    let alone = ask(open(1)).await;
    assert_eq!(alone["error"]["code"], 6);
    let mut again = alone.clone();
    again["id"] = 2.into();
    let refused = ask(json!([open(1), note, open(2)])).await;
    assert_eq!(refused, json!([alone, again]), "each as if it came alone");
    assert_eq!(ask(json!([note])).await, Value::Null, "which takes none");

    places.pop();
    let mut array = Box::pin(ask(json!([open(1), holds, open(2)])));
    assert!((&mut array).now_or_never().is_none());
    assert!(line.permit().is_err(), "it has the one that was left");
    LET_GO.notify_one();
    let served = array.await;
    let failed = |one: &Value| one.get("error").is_some();
    assert!(!served.as_array().expect("an array").iter().any(failed));
    assert!(line.permit().is_ok(), "and gave it back");
}

#[tokio::test]
async fn what_a_line_subscribed_to_ends_with_it() {
    let app = App::of(RESOURCES, |settings| settings.mcp.stream = true);
    let ada = app.caller("ada").await;
    let line = Connection::new(
        app.shared(),
        Identity::Caller(ada.clone()),
        Outbox::default(),
    );
    let ask = async |method: &str, params: Value| {
        let message = request(1, method, params).to_string();
        let answer = line.answer(line.admit().await, message.as_bytes()).await;
        serde_json::from_slice::<Value>(&answer.expect("an answer")).expect("JSON")
    };
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
    ask("initialize", hello).await;
    let done = ask("resources/subscribe", json!({"uri": "orders://7"})).await;
    assert_eq!(done["result"], json!({}), "{done}");
    let notes = app.notes();
    assert_eq!(notes.streams().subscribed(), 1);
    drop(line);
    assert_eq!(notes.streams().subscribed(), 0);
}
