//! Clients at the other end of a real connection: those that go away midway, those that read slowly, and
//! those that are asked while they read something.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Level, Tent, User, input};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::support::{key, tent_with};
use crate::wire::{Client, Output, served};

/// How a call of `lingers` came to its end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Ran,
    Dropped,
}

/// Told by `lingers`: that it has begun, and how it ended.
static TOLD: Mutex<Option<mpsc::UnboundedSender<Option<End>>>> = Mutex::new(None);
/// What `lingers` waits for.
static GO_ON: Notify = Notify::const_new();
/// What `lingers` holds while it runs: a call of it that does not let go holds up the next.
static PERMIT: Semaphore = Semaphore::const_new(1);
/// That `floods` has said everything.
static FLOODED: Notify = Notify::const_new();

/// How many lines `floods` says, as many as are sent at once, each of some 100 KiB: far more than the buffers of two
/// sockets hold.
const FLOOD: u32 = 100;

fn told() -> MutexGuard<'static, Option<mpsc::UnboundedSender<Option<End>>>> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Watch(Option<End>);

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(told) = &*told() {
            // The test may have ended.
            let _ = told.send(self.0.take());
        }
    }
}

/// Says something, and waits until it may go on.
#[action(access = "role:tester", offer = "mcp", api = false)]
async fn lingers(cx: &Cx, #[arg(default = false)] quietly: bool) -> Result<()> {
    let _permit = PERMIT.acquire().await?;
    let mut watch = Watch(Some(End::Dropped));
    if !quietly {
        cx.progress(1.0, None, None);
    }
    drop(Watch(None));
    GO_ON.notified().await;
    watch.0 = Some(End::Ran);
    Ok(())
}

/// `looks_up` has started, and has seen that its client is gone.
static LOOKING: Notify = Notify::const_new();
static HEARD: Notify = Notify::const_new();

/// Waits until its client is gone.
#[query(access = "role:tester", offer = "mcp", blocking = true)]
fn looks_up(cx: &Cx) -> Result<()> {
    LOOKING.notify_one();
    while !cx.is_cancelled() {
        std::thread::yield_now();
    }
    HEARD.notify_one();
    Ok(())
}

/// Says very much.
#[action(access = "role:tester", offer = "mcp", api = false)]
async fn floods(cx: &Cx) {
    let long = "x".repeat(100 << 10);
    for n in 0..FLOOD {
        cx.log(Level::Info, json!({"line": n, "long": long}));
        // The reader gets time to read.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    FLOODED.notify_one();
}

/// A letter to who reads it.
#[resource(uri = "letters://{id}", access = "role:tester")]
async fn letter(cx: &Cx, id: u32) -> Result<String> {
    let form = input::Form::new("Who are you?").field("name", input::Field::text());
    let filled = cx.input("name", form).await?.accepted();
    let name = filled.as_ref().and_then(|filled| filled["name"].as_str());
    Ok(format!("{id}: {}", name.unwrap_or("nobody")))
}

async fn tester() -> (Tent, String) {
    let tent = tent_with(|app| {
        app.users(async |id: String| Ok::<_, tent::Error>(Some(User::new(&*id).role("tester"))))
    });
    let tent = tent.await;
    let key = key(&tent, "tess", &["*"]).await;
    (tent, key)
}

async fn progress(answer: &mut Output) {
    assert!(answer.is_stream());
    let told = answer.next().await.expect("it goes on");
    assert_eq!(told["method"], "notifications/progress");
}

/// One test, because it shares what `lingers` tells and waits for.
// K4-03.
#[tokio::test]
async fn a_disconnect_cancels_the_call_only_in_the_modern_era() {
    let (tent, key) = tester().await;
    let addr = served(&tent);
    let (tell, mut ends) = mpsc::unbounded_channel();
    *told() = Some(tell);

    // Modern, with a stream and before there is one.
    let modern = Client::new(addr, &key);
    let mut answer = modern.call("lingers").await;
    progress(&mut answer).await;
    assert_eq!(ends.recv().await, Some(None));
    drop(answer);
    assert_eq!(ends.recv().await, Some(Some(End::Dropped)));

    let quietly = json!({"name": "lingers", "arguments": {"quietly": true}});
    let call = modern.request(1, "tools/call", quietly.clone());
    tokio::select! {
        biased;
        _ = call => panic!("nothing has come yet"),
        begun = ends.recv() => assert_eq!(begun, Some(None)),
    }
    assert_eq!(ends.recv().await, Some(Some(End::Dropped)));

    // Legacy: it goes on, until it ends or is cancelled.
    let legacy = Client::in_session(addr, &key, json!({})).await;
    for cancelled in [false, true] {
        let mut answer = legacy.call("lingers").await;
        progress(&mut answer).await;
        assert_eq!(ends.recv().await, Some(None));
        drop(answer);
        for n in 0..20 {
            let mut pong = legacy.request(n, "ping", json!({})).await;
            assert!(pong.next().await.is_some(), "the server does other things");
        }
        assert!(ends.try_recv().is_err(), "it goes on");
        if cancelled {
            let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": 1}});
            legacy.tell(cancel).await;
            assert_eq!(ends.recv().await, Some(Some(End::Dropped)));
        } else {
            GO_ON.notify_one();
            assert_eq!(ends.recv().await, Some(Some(End::Ran)));
        }
    }
    let call = legacy.request(1, "tools/call", quietly);
    tokio::select! {
        biased;
        _ = call => panic!("nothing has come yet"),
        begun = ends.recv() => assert_eq!(begun, Some(None)),
    }
    for n in 0..20 {
        let mut pong = legacy.request(n, "ping", json!({})).await;
        assert!(pong.next().await.is_some(), "the server does other things");
    }
    assert!(ends.try_recv().is_err(), "it goes on");
    GO_ON.notify_one();
    assert_eq!(ends.recv().await, Some(Some(End::Ran)));
}

#[tokio::test]
async fn a_blocking_function_hears_that_its_caller_has_gone() {
    let (tent, key) = tester().await;
    let addr = served(&tent);
    let mut client = TcpStream::connect(addr).await.expect("it listens");
    let head = format!(
        "GET /api/looks_up HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.expect("it reads");
    LOOKING.notified().await;
    drop(client);
    HEARD.notified().await;

    let modern = Client::new(addr, &key);
    tokio::select! {
        biased;
        _ = modern.call("looks_up") => panic!("nothing has come yet"),
        () = LOOKING.notified() => {}
    }
    HEARD.notified().await;
}

#[tokio::test]
async fn a_slow_reader_delays_no_other_call_and_gets_the_newest_progress_and_the_result() {
    let (tent, key) = tester().await;
    let addr = served(&tent);
    let client = Client::new(addr, &key);
    let params = json!({"name": "floods", "_meta": {"io.modelcontextprotocol/logLevel": "info"}});
    let slow = client.clone().with_little_room();
    let mut slow = slow.request(1, "tools/call", params).await;
    FLOODED.notified().await;
    let sum = json!({"name": "add", "arguments": {"a": 1, "b": 2}});
    let sum = client.request(2, "tools/call", sum).await.next().await;
    let sum = sum.expect("another is served meanwhile");
    assert_eq!(sum["result"]["structuredContent"], json!({"sum": 3}));

    let mut counted = Vec::new();
    let answer = loop {
        let message = slow.next().await.expect("the answer ends it");
        match message["params"]["data"]["line"].as_u64() {
            Some(n) => counted.push(n),
            None => break message,
        }
    };
    assert_eq!(answer["result"]["structuredContent"], json!({}));
    assert_eq!(slow.next().await, None);
    assert!(counted.is_sorted_by(|a, b| a < b));
    assert!(
        counted.len() < FLOOD as usize,
        "{} of {FLOOD} were kept",
        counted.len()
    );
    // What was read at first is there, and so is the end.
    assert_eq!(counted[0], 0);
    let newest = u64::from(FLOOD) - 2..u64::from(FLOOD);
    assert_eq!(counted[counted.len() - 2..], *newest.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_resource_asks_its_reader_in_both_eras() {
    let (tent, key) = tester().await;
    let addr = served(&tent);
    let schema = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
    });
    let form = json!({"mode": "form", "message": "Who are you?", "requestedSchema": schema});
    let accept = json!({"action": "accept", "content": {"name": "Ada"}});
    let read = |answer: Value| answer["result"]["contents"][0]["text"].clone();
    let method = "resources/read";

    let modern = Client::new(addr, &key);
    let mut params = json!({"uri": "letters://7"});
    let mut asked = modern.request(1, method, params.clone()).await;
    let asked = asked.next().await.expect("an answer")["result"].take();
    assert_eq!(asked["resultType"], "input_required");
    let wanted = json!({"name": {"method": "elicitation/create", "params": form}});
    assert_eq!(asked["inputRequests"], wanted);
    params["inputResponses"] = json!({"name": accept});
    params["requestState"] = asked["requestState"].clone();
    let mut answer = modern.request(2, method, params).await;
    assert_eq!(read(answer.next().await.expect("an answer")), "7: Ada");

    let can = json!({"elicitation": {}});
    let legacy = Client::in_session(addr, &key, can).await;
    let params = json!({"uri": "letters://7"});
    let mut answer = legacy.request(1, method, params).await;
    let asked = answer.next().await.expect("a question");
    assert_eq!(
        (&asked["method"], &asked["params"]),
        (&json!("elicitation/create"), &form)
    );
    legacy
        .tell(json!({"id": asked["id"], "result": accept}))
        .await;
    assert_eq!(read(answer.next().await.expect("an answer")), "7: Ada");
    assert_eq!(answer.next().await, None);
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] =
    tent::functions![lingers, looks_up, floods, letter,];
