//! Clients at the other end of a real connection: those that go away midway, those that read slowly, and
//! those that are asked while they read something.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Level, Tent, User, input};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::mcp::events::Events;
use crate::support::{key, tent_with};
use crate::wire::{Client, Output, served};

/// The log messages of `floods`: as many as are sent at once, each of some 100 KiB, far more than the buffers of two
/// sockets hold.
const FLOOD: u32 = 100;

/// Sends progress, and waits until it may go on.
#[action(access = "role:tester", offer = "mcp", api = false)]
async fn lingers(cx: &Cx, #[arg(default = false)] quietly: bool) -> Result<()> {
    let events = cx.state::<Events>()?;
    let _ended = events.emit_on_drop("ended");
    if !quietly {
        cx.progress(1.0, None, None);
    }
    events.emit("started");
    events.next("go on").await;
    events.emit("returned");
    Ok(())
}

/// Waits until its client is gone.
#[query(access = "role:tester", offer = "mcp")]
fn looks_up(cx: &Cx) -> Result<()> {
    let events = cx.state::<Events>()?;
    events.emit("started");
    while !cx.is_cancelled() {
        std::thread::yield_now();
    }
    events.emit("cancelled");
    Ok(())
}

/// Logs very much.
#[action(access = "role:tester", offer = "mcp", api = false)]
async fn floods(cx: &Cx) -> Result<()> {
    let long = "x".repeat(100 << 10);
    for n in 0..FLOOD {
        cx.log(Level::Info, json!({"line": n, "long": long}));
        // The reader gets time to read.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    cx.state::<Events>()?.emit("flooded");
    Ok(())
}

/// A letter to who reads it.
#[resource(uri = "letters://{id}", access = "role:tester")]
async fn letter(cx: &Cx, id: u32) -> Result<String> {
    let form = input::Form::new("Who are you?").field("name", input::Field::text());
    let filled = cx.input("name", form).await?.accepted();
    let name = filled.as_ref().and_then(|filled| filled["name"].as_str());
    Ok(format!("{id}: {}", name.unwrap_or("nobody")))
}

async fn tester() -> (Tent, String, Events) {
    let events = Events::default();
    let tent = tent_with(|app| {
        app.state(events.clone())
            .users(async |id: String| Ok::<_, Error>(Some(User::new(&*id).role("tester"))))
    });
    let tent = tent.await;
    let key = key(&tent, "tess", &["*"]).await;
    (tent, key, events)
}

async fn progress(answer: &mut Output) {
    assert!(answer.is_stream());
    let told = answer.next().await.expect("it goes on");
    assert_eq!(told["method"], "notifications/progress");
}

// K4-03.
#[tokio::test]
async fn a_disconnect_cancels_the_call_only_in_the_modern_era() {
    let (tent, key, events) = tester().await;
    let addr = served(&tent);
    let quietly = || json!({"name": "lingers", "arguments": {"quietly": true}});
    // Starts a call, and closes its connection before there is a response.
    let close_early = async |client: &Client| {
        tokio::select! {
            biased;
            _ = client.request(1, "tools/call", quietly()) => panic!("there is no response yet"),
            () = events.next("started") => {}
        }
    };
    let close = async |client: &Client| {
        let mut response = client.call("lingers").await;
        progress(&mut response).await;
        events.next("started").await;
    };
    let modern = Client::new(addr, &key);
    close(&modern).await;
    events.next("ended").await;
    close_early(&modern).await;
    events.next("ended").await;
    assert_eq!(events.count("returned"), 0);

    // A legacy call runs until it returns or is cancelled.
    let legacy = Client::in_session(addr, &key, json!({})).await;
    let still_runs = async || {
        for n in 0..20 {
            let mut pong = legacy.request(n, "ping", json!({})).await;
            assert!(pong.next().await.is_some());
        }
        assert!(!events.take("ended"));
    };
    close(&legacy).await;
    still_runs().await;
    events.emit("go on");
    events.next("ended").await;
    close(&legacy).await;
    still_runs().await;
    let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": 1}});
    legacy.tell(cancel).await;
    events.next("ended").await;
    assert_eq!(events.count("returned"), 1);
    close_early(&legacy).await;
    still_runs().await;
    events.emit("go on");
    events.next("ended").await;
    assert_eq!(events.count("returned"), 2);
}

// S05.
#[tokio::test]
async fn of_the_legacy_calls_of_a_caller_without_their_clients_32_go_on() {
    let (tent, key, events) = tester().await;
    let legacy = Client::in_session(served(&tent), &key, json!({})).await;
    for n in 0..34 {
        let quietly = json!({"name": "lingers", "arguments": {"quietly": true}});
        tokio::select! {
            biased;
            _ = legacy.request(n, "tools/call", quietly) => panic!("there is no response yet"),
            () = events.next("started") => {}
        }
        if n >= 32 {
            events.next("ended").await;
        }
    }
    assert_eq!(
        events.count("ended"),
        2,
        "those beyond the bound are cancelled"
    );
    for _ in 0..32 {
        events.emit("go on");
        events.next("ended").await;
    }
    assert_eq!(events.count("returned"), 32);
}

#[tokio::test]
async fn a_blocking_function_sees_that_its_client_is_gone() {
    let (tent, key, events) = tester().await;
    let addr = served(&tent);
    let mut client = TcpStream::connect(addr).await.expect("it listens");
    let head = format!(
        "GET /api/looks_up HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    client.write_all(head.as_bytes()).await.expect("it reads");
    events.next("started").await;
    drop(client);
    events.next("cancelled").await;

    let modern = Client::new(addr, &key);
    tokio::select! {
        biased;
        _ = modern.call("looks_up") => panic!("there is no response yet"),
        () = events.next("started") => {}
    }
    events.next("cancelled").await;
}

#[tokio::test]
async fn a_slow_reader_delays_no_other_call_and_gets_the_newest_progress_and_the_result() {
    let (tent, key, events) = tester().await;
    let addr = served(&tent);
    let client = Client::new(addr, &key);
    let params = json!({"name": "floods", "_meta": {"io.modelcontextprotocol/logLevel": "info"}});
    let slow = client.clone().with_little_room();
    let mut slow = slow.request(1, "tools/call", params).await;
    events.next("flooded").await;
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
    let (tent, key, _) = tester().await;
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
