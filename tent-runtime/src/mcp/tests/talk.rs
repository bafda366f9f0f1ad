//! Lines on a transport of somebody's own, and how a line ends.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, mem};

use futures_util::{SinkExt as _, StreamExt as _, sink, stream};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadBuf,
    ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::app::{App, meta};
use super::streams::function;
use crate::caller::{Caller, User};
use crate::cx::{Cx, input};
use crate::dispatch::Identity;
use crate::error::Result;
use crate::function::{Content, Declaration, Output};
use crate::mcp::transport::connection_loop;

static TALKS: &[&Declaration] = &[
    &function("waits", |_, _| Box::pin(waits())),
    &function("goes_on", |_, _| Box::pin(goes_on())),
    &function("says", |cx, _| Box::pin(says(cx))),
    &function("asks", |cx, _| Box::pin(asks(cx))),
    &function("stands", |_, _| Box::pin(stands())),
    &function("left", |_, _| Box::pin(left(&LEFT))),
    &function("unheard", |_, _| Box::pin(left(&UNHEARD))),
];

static GO_ON: Notify = Notify::const_new();

async fn waits() -> Result<Output> {
    GO_ON.notified().await;
    Ok(Output::default())
}

async fn goes_on() -> Result<Output> {
    GO_ON.notify_one();
    Ok(Output::default())
}

async fn says(cx: &Cx) -> Result<Output> {
    cx.progress(1.0, 2.0, "half");
    Ok(Output {
        content: vec![Content::text(cx.caller().to_string())],
        ..Output::default()
    })
}

/// How the question of `asks` ended where it failed.
static REFUSED: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

async fn asks(cx: &Cx) -> Result<Output> {
    let form = input::Form::new("Sure?").field("sure", input::Field::boolean());
    let asked = cx.input("sure", form.clone()).await;
    if let Err(error) = &asked {
        let again = cx.input("again", form).await.map(drop);
        let codes = [asked.as_ref().err(), again.as_ref().err()];
        let codes = codes.map(|error| error.map(|error| error.code().to_owned()));
        assert_eq!(codes, [Some("T0022".to_owned()), Some("T0022".to_owned())]);
        let mut refused = REFUSED.lock().expect("nobody panics in it");
        refused.push((error.code().to_owned(), error.message().to_owned()));
    }
    asked?;
    Ok(Output::default())
}

static STANDS: Notify = Notify::const_new();

/// Does not end by itself.
async fn stands() -> Result<Output> {
    STANDS.notify_one();
    std::future::pending().await
}

/// That a call has begun, and that it was dropped.
struct Watched {
    begun: Notify,
    gone: Notify,
}

impl Watched {
    const fn new() -> Self {
        Watched {
            begun: Notify::const_new(),
            gone: Notify::const_new(),
        }
    }
}

static LEFT: Watched = Watched::new();
static UNHEARD: Watched = Watched::new();

/// Does not end by itself.
async fn left(watched: &'static Watched) -> Result<Output> {
    struct Told(&'static Watched);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.gone.notify_one();
        }
    }
    let _told = Told(watched);
    watched.begun.notify_one();
    std::future::pending().await
}

/// A client on two pipes in memory.
struct Client {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<Result<()>>,
}

fn ada() -> Identity {
    Identity::Caller(Caller::User(User::new("ada").into()))
}

impl Client {
    fn new(app: &App, who: Identity) -> Self {
        let (ours, theirs) = duplex(1 << 10);
        let (read, write) = split(theirs);
        let (from, to) = split(ours);
        Client {
            to,
            from: BufReader::new(from).lines(),
            served: tokio::spawn(connection_loop::on_bytes(app.shared(), who, read, write)),
        }
    }

    async fn write(&mut self, text: &str) {
        self.to.write_all(text.as_bytes()).await.expect("it reads");
    }

    async fn send(&mut self, message: Value) {
        self.write(&format!("{message}\n")).await;
    }

    async fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send(request(id, method, params)).await;
    }

    async fn hello(&mut self, capabilities: Value) {
        self.request(0, "initialize", hello(capabilities)).await;
        let agreed = self.next().await.expect("an answer");
        assert_eq!(agreed["result"]["protocolVersion"], "2025-11-25");
    }

    async fn next(&mut self) -> Option<Value> {
        let line = self.from.next_line().await.expect("it is there")?;
        Some(serde_json::from_str(&line).expect("JSON and nothing else"))
    }
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn hello(capabilities: Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "probe", "version": "1"},
    })
}

fn modern(name: &str) -> Value {
    json!({"name": name, "_meta": meta()})
}

#[tokio::test]
async fn both_eras_are_spoken_on_bytes_and_calls_run_at_once() {
    let app = App::of(TALKS, |settings| settings.limits.max_body = 1000);
    let mut client = Client::new(&app, ada());
    client.hello(json!({})).await;
    client
        .request(1, "tools/call", json!({"name": "waits"}))
        .await;
    client.request(2, "tools/call", modern("goes_on")).await;
    let mut both = [client.next().await, client.next().await].map(|one| one.expect("an answer"));
    both.sort_by_key(|one| one["id"].as_u64());
    assert_eq!(both[0]["result"].get("resultType"), None, "as was agreed");
    assert_eq!(both[1]["result"]["resultType"], "complete");

    let mut params = modern("says");
    params["_meta"]["progressToken"] = "t".into();
    client.request(3, "tools/call", params).await;
    let said = client.next().await.expect("it says something");
    assert_eq!(said["params"]["message"], "half");
    let answer = client.next().await.expect("an answer");
    assert_eq!(answer["result"]["content"][0]["text"], "user:ada");

    // A line in pieces, one that is too long, empty ones, and one that is ended by the end.
    let long = "x".repeat(5000);
    let ping = request(4, "ping", json!({})).to_string();
    let (first, second) = ping.split_at(10);
    client.write(first).await;
    client
        .write(&format!("{second}\r\n\n \n{long}\n{{\n"))
        .await;
    client
        .write(&request(5, "ping", json!({})).to_string())
        .await;
    client.to.shutdown().await.expect("it is open");
    let mut rest = Vec::new();
    while let Some(message) = client.next().await {
        let code = &message["error"]["code"];
        rest.push((message["id"].as_u64(), code.as_i64()));
    }
    assert_eq!(
        rest,
        [
            (Some(4), None),
            (None, Some(7)),
            (None, Some(-32700)),
            (Some(5), None)
        ]
    );
    assert!(client.served.await.expect("it does not panic").is_ok());
}

#[tokio::test]
async fn nobody_is_told_how_a_line_gets_a_caller() {
    let app = App::of(TALKS, |_| {});
    let mut client = Client::new(&app, Identity::Caller(Caller::Anonymous));
    client.request(1, "tools/call", modern("says")).await;
    let refused = client.next().await.expect("an answer");
    assert_eq!(
        refused["error"]["data"]["fix"],
        "Serve the connection with the identity of a caller with access."
    );
}

#[tokio::test]
async fn a_line_ends_with_the_server_and_with_who_serves_it() {
    let app = App::of(TALKS, |_| {});
    let mut client = Client::new(&app, ada());
    client.request(1, "ping", json!({})).await;
    assert!(client.next().await.is_some());
    app.shared().dispatcher.close();
    assert_eq!(client.next().await, None, "and its writer has ended");
    assert!(client.served.await.expect("it does not panic").is_ok());

    // Who serves it stops: so do its calls, of either era.
    let app = App::of(TALKS, |_| {});
    for params in [json!({"name": "left"}), modern("left")] {
        let mut client = Client::new(&app, ada());
        client.hello(json!({})).await;
        client.request(1, "tools/call", params).await;
        LEFT.begun.notified().await;
        client.served.abort();
        LEFT.gone.notified().await;
        assert_eq!(client.next().await, None);
    }
}

/// The other end goes away altogether while a call is under way.
#[tokio::test(start_paused = true)]
async fn calls_whose_answers_nobody_can_take_end_at_once() {
    let app = App::of(TALKS, |_| {});
    let start = Instant::now();
    let mut client = Client::new(&app, ada());
    client.hello(json!({})).await;
    client
        .request(1, "tools/call", json!({"name": "unheard"}))
        .await;
    UNHEARD.begun.notified().await;
    client.request(2, "ping", json!({})).await;
    let Client { to, from, served } = client;
    drop((to, from));
    assert!(served.await.expect("it does not panic").is_ok());
    UNHEARD.gone.notified().await;
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// Input that gives one message and breaks off.
struct Breaks(Vec<u8>);

impl AsyncRead for Breaks {
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
async fn who_serves_is_told_that_the_input_broke_off_and_what_came_is_answered() {
    let app = App::of(TALKS, |_| {});
    let (ours, theirs) = duplex(1 << 10);
    let ping = Breaks(format!("{}\n", request(1, "ping", json!({}))).into_bytes());
    let served = connection_loop::on_bytes(app.shared(), ada(), ping, theirs).await;
    let error = served.expect_err("it broke off");
    assert_eq!(error.code(), "T0012");
    let why = error.source().map(ToString::to_string);
    assert_eq!(why.as_deref(), Some("the wire is cut"));
    let answer = BufReader::new(ours).lines().next_line().await;
    assert!(answer.expect("it is there").is_some());
}

#[tokio::test]
async fn whole_messages_are_served_as_they_are() {
    let app = App::of(TALKS, |_| {});
    let (to, mut incoming) = mpsc::channel::<String>(4);
    let (outgoing, mut from) = mpsc::channel::<Vec<u8>>(4);
    let incoming = stream::poll_fn(move |cx| incoming.poll_recv(cx));
    let outgoing = sink::unfold(outgoing, async |outgoing, message| {
        outgoing.send(message).await.map(|()| outgoing)
    });
    let served = connection_loop::on_messages(app.shared(), ada(), incoming.boxed(), outgoing);
    let served = tokio::spawn(served);
    let send = async |message: String| to.send(message).await.expect("it takes them");
    // Lines mean nothing here.
    let params = hello(json!({}));
    send(format!("{:#}", request(1, "initialize", params))).await;
    let mut next = async || {
        let message = from.recv().await?;
        Some(serde_json::from_slice::<Value>(&message).expect("JSON"))
    };
    let agreed = next().await.expect("an answer");
    assert_eq!(agreed["result"]["protocolVersion"], "2025-11-25");
    send(String::new()).await;
    assert_eq!(next().await.expect("an answer")["error"]["code"], -32700);
    send(request(2, "tools/call", json!({"name": "says"})).to_string()).await;
    let answer = next().await.expect("an answer");
    assert_eq!(answer["result"]["content"][0]["text"], "user:ada");
    drop(to);
    assert_eq!(next().await, None, "it is closed");
    assert!(served.await.expect("it does not panic").is_ok());

    // Nothing is taken any more.
    let incoming = stream::iter([request(1, "ping", json!({})).to_string()]);
    let incoming = incoming.chain(stream::pending()).boxed();
    let (outgoing, from) = mpsc::channel::<Vec<u8>>(1);
    drop(from);
    let outgoing = sink::unfold(outgoing, async |outgoing, message| {
        outgoing.send(message).await.map(|()| outgoing)
    });
    let outgoing = outgoing.sink_map_err(drop);
    let served = connection_loop::on_messages(app.shared(), ada(), incoming, outgoing).await;
    assert!(served.is_ok());
}

/// One that was put before the end, and one that is put after.
#[tokio::test]
async fn a_question_whose_answer_cannot_come_any_more_fails_at_once() {
    let app = App::of(TALKS, |_| {});
    let mut client = Client::new(&app, ada());
    client.hello(json!({"elicitation": {}})).await;
    client
        .request(1, "tools/call", json!({"name": "asks"}))
        .await;
    let asked = client.next().await.expect("a question");
    assert_eq!(asked["method"], "elicitation/create");
    client.to.shutdown().await.expect("it is open");
    let answer = client.next().await.expect("an answer");
    let error = &answer["result"]["_meta"]["tent.error"];
    let message = "The client's answer to \"sure\" cannot come: the client went away.";
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("T0022"), &json!(message))
    );
    assert_eq!(client.next().await, None, "nothing is taken back or asked");
    let refused = REFUSED.lock().expect("nobody panics in it").clone();
    assert_eq!(refused, [("T0022".to_owned(), message.to_owned())]);
    assert_eq!(app.questions(), 0);
}

/// In either order, and where the calls stand still.
#[tokio::test(start_paused = true)]
async fn where_the_input_has_ended_and_it_is_told_to_end_it_ends_promptly() {
    for told_first in [false, true] {
        let app = App::of(TALKS, |_| {});
        let mut client = Client::new(&app, ada());
        client.request(1, "tools/call", modern("stands")).await;
        STANDS.notified().await;
        let start = Instant::now();
        let close = async |client: &mut Client| client.to.shutdown().await.expect("it is open");
        match told_first {
            true => app.shared().dispatcher.close(),
            false => close(&mut client).await,
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
        assert!(!client.served.is_finished(), "a call has its time");
        match told_first {
            true => close(&mut client).await,
            false => app.shared().dispatcher.close(),
        }
        assert!(client.served.await.expect("it does not panic").is_ok());
        let took = start.elapsed();
        assert!(took <= Duration::from_secs(6), "{took:?}");
    }
}

/// An output of which nothing is ever taken.
fn stuck() -> impl futures_util::Sink<Vec<u8>, Error = Infallible> + Send {
    sink::unfold((), async |(), _: Vec<u8>| {
        std::future::pending::<()>().await;
        Ok(())
    })
}

/// More than wait for an output: its input is read no more, and its end is none that can be seen.
#[tokio::test(start_paused = true)]
async fn a_line_whose_output_is_not_read_ends_with_its_input_however_much_was_asked() {
    let app = App::of(TALKS, |_| {});
    let ping = request(1, "ping", json!({})).to_string();
    let incoming = stream::iter(vec![ping; 1450]);
    let served = connection_loop::on_messages(app.shared(), ada(), incoming, stuck());
    let ended = timeout(Duration::from_secs(600), served).await;
    assert!(matches!(ended, Ok(Ok(()))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_line_that_has_no_room_goes_on_for_as_long_as_something_is_taken() {
    let app = App::of(TALKS, |_| {});
    let ping = request(1, "ping", json!({})).to_string();
    let incoming = stream::iter(vec![ping; 1100]).chain(stream::pending());
    let (outgoing, mut from) = mpsc::channel::<Vec<u8>>(1);
    let outgoing = sink::unfold(outgoing, async |outgoing, message| {
        outgoing.send(message).await.map(|()| outgoing)
    });
    let served = connection_loop::on_messages(app.shared(), ada(), incoming.boxed(), outgoing);
    let served = tokio::spawn(served);
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_secs(50)).await;
        assert!(from.recv().await.is_some());
    }
    for _ in 50..1100 {
        assert!(from.recv().await.is_some());
    }
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert!(!served.is_finished(), "nothing waits");
    drop(from);
    served.abort();
}

#[tokio::test(start_paused = true)]
async fn what_waits_on_a_line_is_bounded_by_bytes_too() {
    let app = App::of(TALKS, |settings| settings.limits.max_response = 8 << 10);
    let read = Arc::new(AtomicUsize::new(0));
    let ping = json!({"jsonrpc": "2.0", "id": "x".repeat(960), "method": "ping"}).to_string();
    let incoming = stream::iter(vec![ping; 500]).inspect({
        let read = read.clone();
        move |_| {
            read.fetch_add(1, Ordering::Relaxed);
        }
    });
    let served = connection_loop::on_messages(app.shared(), ada(), incoming, stuck());
    assert!(served.await.is_ok());
    let read = read.load(Ordering::Relaxed);
    // Of something more than a thousand bytes each, 16 KiB wait and one is being written.
    assert!((10..20).contains(&read), "{read}");
}
