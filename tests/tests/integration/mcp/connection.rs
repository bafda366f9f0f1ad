//! Connections: messages on a byte stream, as whole messages, or one at a time.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, mem};

use futures_util::{Sink, StreamExt as _, sink, stream};
use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Content, Level};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader, ReadBuf, duplex};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use super::app::{App, META, meta, meta_with, notification, server, tool_error, with};
use super::client::{Client, initialize, request, user};
use super::events::Events;

/// For tests.
#[action(access = "signedIn", offer = "mcp", timeout = "600s")]
async fn waits(events: &Events) {
    let _dropped = events.emit_on_drop("dropped");
    events.emit("started");
    events.next("go on").await;
}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
fn goes_on(events: &Events) {
    events.emit("go on");
}

/// Sends notifications, also from a task that outlives it.
#[action(access = "signedIn", offer = "mcp")]
async fn says(cx: &Cx, events: &Events) -> Content {
    cx.progress(1.0, 2.0, "東\n京");
    cx.log(Level::Error, "broken");
    let (late, events) = (cx.clone(), events.clone());
    tokio::spawn(async move {
        events.next("say more").await;
        late.progress(2.0, None, None);
        late.log(Level::Error, "late");
        events.emit("said more");
    });
    Content::text(cx.caller().to_string())
}

/// For tests.
#[action(access = "anyone", offer = "mcp")]
fn open() {}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
fn panics() {
    panic!("it panics")
}

/// For tests.
#[resource(uri = "notes://{name}", access = "signedIn", subscribe = true)]
fn note(name: String) -> String {
    name
}

async fn app_with(set: &[(&str, &str)]) -> App {
    App::of(|app| {
        let functions = tent::functions![waits, goes_on, says, open, panics, note];
        let app = app.functions(functions).set("mcp.stream", "true");
        set.iter()
            .fold(app, |app, (key, value)| app.set(*key, *value))
    })
    .await
}

async fn app() -> App {
    app_with(&[]).await
}

fn legacy(name: &str) -> Value {
    json!({"name": name})
}

fn modern(name: &str) -> Value {
    json!({"name": name, "_meta": meta()})
}

fn ping() -> String {
    request(1, "ping", json!({})).to_string()
}

#[tokio::test]
async fn serves_both_eras_and_concurrent_calls() {
    let app = app().await;
    let mut client = Client::new(&app, user("ada"));
    // The negotiated revision holds for the message right after the handshake.
    client.start(0, "initialize", initialize(json!({}))).await;
    client.notify("notifications/initialized", json!({})).await;
    client.start(1, "tools/call", legacy("waits")).await;
    client.start(2, "tools/call", modern("goes_on")).await;
    assert_eq!(
        client.message().await["result"]["protocolVersion"],
        "2025-11-25"
    );
    let done = |id: u64| {
        json!({"jsonrpc": "2.0", "id": id, "result": {
            "content": [{"type": "text", "text": "{}"}],
            "structuredContent": {},
            "_meta": {"tent.wrapped": true},
        }})
    };
    let [first, second] = client.two().await;
    assert_eq!(first, done(1));
    assert_eq!(second["result"]["resultType"], "complete");
    app.events.next("dropped").await;

    // Notifications of a call precede its response, and none follows it.
    let members = json!({"progressToken": "t", (format!("{META}logLevel")): "error"});
    let params = json!({"name": "says", "_meta": meta_with(members)});
    let progress = json!({"progressToken": "t", "progress": 1, "total": 2, "message": "東\n京"});
    let first = client.request(3, "tools/call", params).await;
    assert_eq!(first, notification("notifications/progress", progress));
    let log = json!({"level": "error", "data": "broken"});
    assert_eq!(
        client.message().await,
        notification("notifications/message", log)
    );
    let result = client.message().await["result"].take();
    assert_eq!(result["content"][0]["text"], "user:ada");
    assert_eq!(result["_meta"][format!("{META}serverInfo")], server());
    app.events.emit("say more");
    app.events.next("said more").await;

    for params in [legacy("waits"), modern("waits")] {
        client.start("x", "tools/call", params).await;
        client.cancel("x").await;
        app.events.next("dropped").await;
    }
    let panicked = client.request(4, "tools/call", legacy("panics")).await;
    assert_eq!(tool_error(&panicked)["code"], "T0012");

    // Requests from before the end of the input get their responses.
    client.start(5, "tools/call", legacy("waits")).await;
    client.start(6, "tools/call", legacy("goes_on")).await;
    let mut rest = client.finish().await;
    rest.sort_by_key(|one| one["id"].as_u64());
    assert_eq!(rest, [done(5), done(6)]);
}

#[tokio::test]
async fn an_unreadable_message_gets_an_error_and_the_next_is_served() {
    let app = app_with(&[("limits.max_body", "256")]).await;
    let client = Client::new(&app, tent::Caller::Anonymous);
    let ping = request(9, "ping", json!({})).to_string();
    let (first, second) = ping.split_at(10);
    let long = "x".repeat(10_000);
    let input = [
        "{\n\r\n\n \n[]\n",
        &format!("{long}\n"),
        first,
        &format!("{second}\r\n"),
        // A request that is too long gets its id back, wherever it is. A response gets none.
        &format!("{{\"id\":2,\"method\":\"ping\",\"params\":[\"{long}\"]}}\n"),
        &format!("{{\"method\":\"ping\",\"params\":{{\"id\":7,\"x\":\"{long}\"}},\"id\":3}}\n"),
        &format!("{{\"id\":4,\"result\":\"{long}\"}}\n"),
        // The end of the input ends a message.
        &request(1, "nothing", json!({})).to_string(),
    ];
    let messages = client.exchange(&input.concat()).await;
    let each = messages.iter();
    let each = each.map(|one| (one["id"].as_u64(), one["error"]["code"].as_i64()));
    assert_eq!(
        each.collect::<Vec<_>>(),
        [
            (None, Some(-32700)),
            (None, Some(-32600)),
            (None, Some(7)),
            (Some(9), None),
            (Some(2), Some(7)),
            (Some(3), Some(7)),
            (None, Some(7)),
            (Some(1), Some(-32601)),
        ]
    );
}

/// The response to one message of an anonymous caller.
async fn handle(app: &App, message: impl ToString) -> Option<Value> {
    let message = message.to_string();
    let response = app
        .tent
        .handle_mcp(tent::Caller::Anonymous, message.as_bytes())
        .await?;
    Some(serde_json::from_slice(&response).expect("the response is JSON"))
}

async fn response(app: &App, message: impl ToString) -> Value {
    handle(app, message).await.expect("a response")
}

#[tokio::test]
async fn handles_one_message() {
    let app = app().await;
    let listed = response(&app, request(1, "tools/list", json!({}))).await;
    assert_eq!(listed["result"]["tools"][0]["name"], "open");
    let params = json!({"name": "open", "_meta": meta_with(json!({"progressToken": 1}))});
    let called = response(&app, request(1, "tools/call", params)).await;
    assert_eq!(called["result"]["resultType"], "complete");
    let call = request(1, "tools/call", legacy("waits"));
    let refused = response(&app, &call).await;
    let fix = "Pass the identity of a caller with access.";
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["fix"]),
        (&json!(4), &json!(fix))
    );
    assert_eq!(
        response(&app, json!([call])).await[0],
        refused,
        "in a batch too"
    );
    assert_eq!(
        handle(&app, notification("notifications/initialized", json!({}))).await,
        None
    );
    let batch = json!([
        request(1, "ping", json!({})),
        request(1, "nothing", json!({}))
    ]);
    assert_eq!(response(&app, batch).await[1]["error"]["code"], -32601);
    let unknown = json!({"_meta": {(format!("{META}protocolVersion")): "2030-01-01"}});
    let unknown = response(&app, request(1, "tools/list", unknown)).await;
    assert_eq!(unknown["error"]["code"], -32022);
}

#[tokio::test]
async fn an_anonymous_caller_gets_the_fix_of_a_connection() {
    let mut client = Client::new(&app().await, tent::Caller::Anonymous);
    let refused = client.request(1, "tools/call", modern("says")).await;
    assert_eq!(
        refused["error"]["data"]["fix"],
        "Serve the connection with the identity of a caller with access."
    );
    let open = client.request(2, "tools/call", modern("open")).await;
    assert_eq!(open["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_message_that_only_the_modern_era_has_needs_its_metadata() {
    let app = app().await;
    let capabilities =
        |value: Value| json!({"_meta": {(format!("{META}clientCapabilities")): value}});
    for (method, params) in [
        ("tools/list", capabilities(json!({}))),
        ("tools/list", capabilities(json!(7))),
        ("initialize", capabilities(json!({}))),
        ("ping", capabilities(json!({}))),
        ("server/discover", json!({})),
        ("server/discover", json!({"_meta": {}})),
        ("subscriptions/listen", json!({"notifications": {}})),
    ] {
        let error = response(&app, request(1, method, params)).await["error"].take();
        assert_eq!(error["code"], -32602, "{method}: {error}");
        let message = error["message"].as_str().expect("a text");
        assert!(
            message.starts_with("A request of 2026-07-28 needs"),
            "{message}"
        );
    }
    for method in ["tools/list", "ping"] {
        let got = response(&app, json!({"jsonrpc": "2.0", "id": 1, "method": method})).await;
        assert_eq!(got.get("error"), None, "{got}");
    }
}

#[tokio::test]
async fn an_invalid_message_gets_its_id_back_if_it_is_json() {
    let app = app_with(&[("limits.max_body", "700")]).await;
    let (open, close, long) = ("[".repeat(200), "]".repeat(200), "x".repeat(700));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":"d","method":"ping","params":{open}{close}}}"#);
    let long = format!(r#"{{"method":"ping","params":{{"x":"{long}"}},"jsonrpc":"2.0","id":7}}"#);
    for (message, id, code) in [
        (
            r#"{"jsonrpc":"2.0","id":"k","method":"ping","params":{"a":1,"a":1}}"#,
            json!("k"),
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"id":5,"method":"ping"}"#,
            Value::Null,
            -32600,
        ),
        // Text that is not JSON has no id (JSON-RPC 2.0, section 5).
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"ping""#,
            Value::Null,
            -32700,
        ),
        (&deep, json!("d"), -32700),
        (&long, json!(7), 7),
    ] {
        let got = response(&app, message).await;
        assert_eq!(
            (&got["id"], &got["error"]["code"]),
            (&id, &json!(code)),
            "{got}"
        );
    }
}

#[tokio::test]
async fn the_limit_of_a_message_does_not_count_its_line_feed() {
    let ping = ping();
    let app = app_with(&[("limits.max_body", &ping.len().to_string())]).await;
    for (end, code) in [("\n", Value::Null), (" \n", json!(7)), ("\n\n", json!(7))] {
        let got = response(&app, format!("{ping}{end}")).await;
        assert_eq!(
            (&got["id"], &got["error"]["code"]),
            (&json!(1), &code),
            "{end:?}"
        );
    }
}

#[tokio::test]
async fn limits_concurrent_requests_and_a_batch_counts_as_one() {
    let app = app().await;
    let mut client = Client::new(&app, user("ada"));
    let open = |id: u64| request(id, "tools/call", legacy("open"));
    let initialized = notification("notifications/initialized", json!({}));
    for id in 0..256 {
        client.start(id, "tools/call", legacy("waits")).await;
        app.events.next("started").await;
    }
    client.send(open(1000)).await;
    let refused = client.message().await;
    assert_eq!(refused["error"]["code"], 6);
    client
        .send(json!([open(1000), initialized, open(1001)]))
        .await;
    let again = with(refused.clone(), json!({"id": 1001}));
    assert_eq!(client.message().await, json!([refused, again]));

    // A batch of notifications needs no room. A batch of requests needs it once.
    client.send(json!([initialized])).await;
    app.events.emit("go on");
    client.message().await;
    client
        .send(json!([
            open(1000),
            request(0, "tools/call", legacy("waits")),
            open(1001)
        ]))
        .await;
    app.events.next("started").await;
    client.send(open(1002)).await;
    assert_eq!(client.message().await["error"]["code"], 6);
    for _ in 0..256 {
        app.events.emit("go on");
    }
    let rest = client.finish().await;
    assert_eq!(rest.len(), 256);
    let batch = rest
        .iter()
        .find_map(Value::as_array)
        .expect("the response of the batch");
    assert_eq!(batch.len(), 3);
    assert!(
        batch
            .iter()
            .chain(&rest)
            .all(|one| one.get("error").is_none())
    );
}

#[tokio::test]
async fn the_subscriptions_of_a_connection_end_with_it() {
    let app = app().await;
    // More than two thirds of what one caller may hold, so the second connection needs the room of the first.
    for _ in 0..2 {
        let mut client = Client::initialized(&app, user("ada"), json!({})).await;
        for id in 0..700 {
            let uri = format!("notes://{}{id:03}", "x".repeat(2000));
            let subscribed = client
                .request(id, "resources/subscribe", json!({"uri": uri}))
                .await;
            assert_eq!(subscribed["result"], json!({}), "{subscribed}");
        }
        client.finish().await;
    }
}

#[tokio::test]
async fn a_connection_ends_with_the_server_and_its_calls_with_its_future() {
    let app = self::app().await;
    for params in [legacy("waits"), modern("waits")] {
        let mut client = Client::initialized(&app, user("ada"), json!({})).await;
        client.start(1, "tools/call", params).await;
        app.events.next("started").await;
        client.served.abort();
        app.events.next("dropped").await;
        assert_eq!(client.next().await, None);
    }
    let mut client = Client::new(&app, user("ada"));
    client.request(1, "ping", json!({})).await;
    app.tent.shutdown();
    assert_eq!(client.next().await, None, "the output is closed");
    client.ended().await;
}

#[tokio::test(start_paused = true)]
async fn calls_end_at_once_when_the_client_is_gone() {
    let app = app().await;
    let start = Instant::now();
    let mut client = Client::initialized(&app, user("ada"), json!({})).await;
    client.start(1, "tools/call", legacy("waits")).await;
    app.events.next("started").await;
    client.start(2, "ping", json!({})).await;
    client.disconnect().await;
    app.events.next("dropped").await;
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "before the grace time"
    );
}

/// Input with one message that then fails.
struct Fails(Vec<u8>);

impl AsyncRead for Fails {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.0.is_empty() {
            return Poll::Ready(Err(io::Error::other("the wire is cut")));
        }
        into.put_slice(&mem::take(&mut self.0));
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn returns_the_error_of_the_input_after_the_responses() {
    let app = app().await;
    let (ours, theirs) = duplex(1 << 10);
    let input = Fails(format!("{}\n", ping()).into_bytes());
    let error = app.tent.serve_mcp(user("ada"), input, theirs).await;
    let error = error.expect_err("the input fails");
    assert_eq!(
        (error.code(), error.chain()),
        ("T0012", vec!["the wire is cut".to_owned()])
    );
    let response = BufReader::new(ours).lines().next_line().await;
    assert!(response.expect("the stream does not fail").is_some());
}

/// A sink that sends to a channel.
fn sink_to(outgoing: mpsc::Sender<Vec<u8>>) -> impl Sink<Vec<u8>, Error = ()> + Send {
    let send = async |outgoing: mpsc::Sender<Vec<u8>>, message| {
        outgoing
            .send(message)
            .await
            .map(|()| outgoing)
            .map_err(drop)
    };
    sink::unfold(outgoing, send)
}

#[tokio::test]
async fn serves_whole_messages() {
    let app = app().await;
    let (to, mut incoming) = mpsc::channel::<String>(4);
    let (outgoing, mut from) = mpsc::channel(4);
    let incoming = stream::poll_fn(move |cx| incoming.poll_recv(cx));
    let tent = app.tent.clone();
    let served = tokio::spawn(async move {
        tent.serve_mcp_messages(user("ada"), incoming, sink_to(outgoing))
            .await
            .expect("the caller is served");
    });
    // Sends a message, and returns the response.
    let mut exchange = async |message: String| {
        to.send(message).await.expect("it reads");
        loop {
            let message = from.recv().await.expect("a response");
            let message: Value = serde_json::from_slice(&message).expect("JSON");
            if message.get("method").is_none() {
                return message;
            }
        }
    };
    // A message may have several lines.
    let hello = exchange(format!(
        "{:#}",
        request(1, "initialize", initialize(json!({})))
    ))
    .await;
    assert_eq!(hello["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(exchange(String::new()).await["error"]["code"], -32700);
    let said = exchange(request(2, "tools/call", legacy("says")).to_string()).await;
    assert_eq!(said["result"]["content"][0]["text"], "user:ada");
    drop(to);
    assert_eq!(from.recv().await, None, "the output is closed");
    served.await.expect("it does not panic");

    // It ends when the output fails.
    let incoming = stream::iter([ping()]).chain(stream::pending());
    let (outgoing, from) = mpsc::channel(1);
    drop(from);
    app.tent
        .serve_mcp_messages(user("ada"), incoming, sink_to(outgoing))
        .await
        .expect("the caller is served");
}

// In either order, while a call does not return.
#[tokio::test(start_paused = true)]
async fn the_end_of_the_input_and_a_shutdown_together_end_a_connection_promptly() {
    for shutdown_first in [false, true] {
        let app = app().await;
        let mut client = Client::new(&app, user("ada"));
        client.start(1, "tools/call", modern("waits")).await;
        app.events.next("started").await;
        let start = Instant::now();
        if shutdown_first {
            app.tent.shutdown();
        } else {
            client.close().await;
        }
        sleep(Duration::from_secs(5)).await;
        assert!(!client.served.is_finished(), "the call has its grace time");
        if shutdown_first {
            client.close().await;
        } else {
            app.tent.shutdown();
        }
        client.ended().await;
        assert!(
            start.elapsed() <= Duration::from_secs(6),
            "{:?}",
            start.elapsed()
        );
    }
}

/// An output that takes nothing.
fn stuck() -> impl Sink<Vec<u8>, Error = Infallible> + Send {
    sink::unfold((), async |(), _: Vec<u8>| {
        std::future::pending::<()>().await;
        Ok(())
    })
}

// While the output is full, the input is not read, so its end is not seen.
#[tokio::test(start_paused = true)]
async fn a_connection_whose_output_is_stuck_ends() {
    let app = app().await;
    let incoming = stream::iter(vec![ping(); 1450]);
    let served = app.tent.serve_mcp_messages(user("ada"), incoming, stuck());
    timeout(Duration::from_secs(600), served)
        .await
        .expect("it ends")
        .expect("the caller is served");
}

#[tokio::test(start_paused = true)]
async fn a_connection_with_a_slow_reader_continues() {
    let app = app().await;
    let incoming = stream::iter(vec![ping(); 1100]).chain(stream::pending());
    let (outgoing, mut from) = mpsc::channel(1);
    let served = tokio::spawn(async move {
        app.tent
            .serve_mcp_messages(user("ada"), incoming, sink_to(outgoing))
            .await
            .expect("the caller is served");
    });
    for n in 0..1100 {
        if n < 50 {
            sleep(Duration::from_secs(50)).await;
        }
        assert!(from.recv().await.is_some());
    }
    sleep(Duration::from_secs(600)).await;
    assert!(!served.is_finished(), "nothing waits to be read");
    served.abort();
}

#[tokio::test(start_paused = true)]
async fn limits_the_bytes_that_wait_to_be_read() {
    let app = app_with(&[("limits.max_response", "8KiB")]).await;
    let read = Arc::new(AtomicUsize::new(0));
    let ping = request("x".repeat(960), "ping", json!({})).to_string();
    let counter = read.clone();
    let incoming = stream::iter(vec![ping; 500]).inspect(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
    });
    app.tent
        .serve_mcp_messages(user("ada"), incoming, stuck())
        .await
        .expect("the caller is served");
    let read = read.load(Ordering::Relaxed);
    // Of responses with more than a thousand bytes each, 16 KiB wait and one is being written.
    assert!((10..20).contains(&read), "{read}");
}
