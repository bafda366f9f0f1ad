use std::io::Cursor;
use std::sync::Mutex;
use std::sync::mpsc as threads;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use super::*;
use crate::caller::{Caller, User};
use crate::cx::State;
use crate::cx::input::{Field, Form};
use crate::error::Error;
use crate::function::{Access, Function, Kind};
use crate::keys::NewKey;
use crate::server::{App, Tent};

/// Longer than everything here takes. Paused time passes when nothing else is left to do.
const LONG: Duration = Duration::from_secs(3600);

/// What the functions do and wait for.
#[derive(Clone, Default)]
struct Events(Arc<(Notify, Notify)>);

impl State for Events {}

impl Events {
    async fn started(&self) {
        self.0.0.notified().await;
    }

    fn go_on(&self) {
        self.0.1.notify_one();
    }

    async fn run(&self) {
        self.0.0.notify_one();
        self.0.1.notified().await;
    }
}

async fn app() -> (Tent, Events) {
    let events = Events::default();
    let function = |name, access| {
        Function::builder(name)
            .access(access)
            .offer_mcp()
            .about("…")
    };
    let waits = function("waits", Access::Anyone).handler(async |cx, (): ()| {
        cx.state::<Events>()?.run().await;
        Ok::<_, Error>(())
    });
    let pays = function("pays", Access::Anyone).kind(Kind::Action);
    let pays = pays.handler(async |cx, (): ()| {
        let sure = Form::new("Sure?").field("sure", Field::boolean());
        cx.input("sure", sure).await?;
        cx.state::<Events>()?.run().await;
        Ok::<_, Error>(())
    });
    let whoami = function("whoami", Access::SignedIn)
        .sync_handler(|cx, (): ()| Ok::<_, Error>(cx.caller().to_string()));
    let app = App::new("shop", "1.2.3")
        .function(waits.build().expect("valid"))
        .function(pays.build().expect("valid"))
        .function(whoami.build().expect("valid"))
        .state(events.clone())
        .set("store.url", "memory:")
        .users(async |id: String| Ok::<_, Error>(Some(User::new(id))));
    (app.build().await.expect("the app is valid"), events)
}

fn start(
    tent: &Tent,
    who: Identity,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<Result<()>> {
    tokio::spawn(serve(
        tent.mcp_server().clone(),
        who,
        input,
        output,
        shutdown,
    ))
}

fn anonymous() -> Identity {
    Identity::Caller(Caller::Anonymous)
}

fn request(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    format!("{request}\n")
}

fn call(name: &str) -> String {
    request("tools/call", json!({"name": name}))
}

/// An output in memory.
#[derive(Clone, Default)]
struct Output(Arc<Mutex<Vec<u8>>>);

impl Output {
    fn messages(&self) -> Vec<Value> {
        let output = self.0.lock().expect("no test panics with the lock");
        let messages = serde_json::Deserializer::from_slice(&output).into_iter();
        messages
            .map(|one| one.expect("JSON and nothing else"))
            .collect()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0
            .lock()
            .expect("no test panics with the lock")
            .write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The messages that this input gets.
async fn exchange(tent: &Tent, who: Identity, input: String) -> Vec<Value> {
    let output = Output::default();
    let served = start(
        tent,
        who,
        Cursor::new(input),
        output.clone(),
        std::future::pending(),
    );
    served
        .await
        .expect("no panic")
        .expect("the caller is known");
    output.messages()
}

#[tokio::test]
async fn the_caller_is_the_holder_of_a_key_a_user_or_anonymous() {
    let (tent, _) = app().await;
    let key = tent
        .keys()
        .create(NewKey::new(["*"]).owner("ada"))
        .await
        .expect("memory");
    let id = format!("key:{}", key.record.id);
    for (who, caller) in [
        (Identity::Key(key.text().to_owned()), &*id),
        (Identity::User("grace".to_owned()), "user:grace"),
    ] {
        let response = exchange(&tent, who, call("whoami")).await;
        assert_eq!(response[0]["result"]["structuredContent"]["value"], caller);
    }
    let refused = exchange(&tent, anonymous(), call("whoami")).await;
    let error = &refused[0]["error"];
    assert_eq!(
        (&error["code"], &error["data"]["fix"]),
        (&json!(4), &json!(SIGN_IN))
    );
    let wrong = Identity::Key("tk_wrong".to_owned());
    let wrong = start(
        &tent,
        wrong,
        io::empty(),
        io::sink(),
        std::future::pending(),
    )
    .await;
    let error = wrong.expect("no panic").expect_err("the key is not valid");
    assert_eq!(error.code(), "T0004");
}

#[tokio::test]
async fn ends_on_a_signal_while_its_input_is_open() {
    let (tent, _) = app().await;
    let (input, _to) = io::pipe().expect("a pipe");
    let served = start(
        &tent,
        anonymous(),
        input,
        io::sink(),
        std::future::ready(()),
    );
    assert!(served.await.expect("no panic").is_ok());
}

/// A claimed call, which neither a cancellation nor the end of the input ends.
#[tokio::test]
async fn waits_for_calls_that_go_on_without_their_client() {
    let (tent, events) = app().await;
    let first = exchange(&tent, anonymous(), call("pays")).await;
    let state = &first[0]["result"]["requestState"];
    let content = json!({"action": "accept", "content": {"sure": true}});
    let retry = json!({"name": "pays", "requestState": state, "inputResponses": {"sure": content}});
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    let (input, mut to) = io::pipe().expect("a pipe");
    let output = Output::default();
    let pending = std::future::pending();
    let served = start(&tent, anonymous(), input, output.clone(), pending);
    let retry = request("tools/call", retry);
    to.write_all(retry.as_bytes()).expect("it reads");
    events.started().await;
    let ping = json!({"jsonrpc": "2.0", "id": "after", "method": "ping"});
    writeln!(to, "{cancel}\n{ping}").expect("it reads");
    drop(to);
    // The cancellation has been read when the next message is answered.
    while output.messages().is_empty() {
        tokio::task::yield_now().await;
    }
    for _ in 0..100 {
        tokio::task::yield_now().await;
        assert!(!served.is_finished());
    }
    events.go_on();
    assert!(served.await.expect("no panic").is_ok());
    let messages = output.messages();
    assert_eq!(messages.len(), 1, "the cancelled call gets no response");
    assert_eq!(messages[0]["id"], "after");
}

/// A ping at each read, so many times. Then it reports that, and blocks or ends.
struct Pings {
    left: usize,
    then_blocks: Option<oneshot::Sender<()>>,
}

impl Read for Pings {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let Some(blocks) = self.then_blocks.take() else {
                return Ok(0);
            };
            drop(blocks);
            loop {
                std::thread::park();
            }
        }
        self.left -= 1;
        let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        into[..ping.len()].copy_from_slice(ping);
        into[ping.len()] = b'\n';
        Ok(ping.len() + 1)
    }
}

/// An output that takes nothing, as a full pipe that no process reads.
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

#[tokio::test(start_paused = true)]
async fn ends_on_a_signal_although_its_output_is_not_read() {
    let (tent, _) = app().await;
    let (then_blocks, full) = oneshot::channel();
    let input = Pings {
        // One is being written, 1024 wait, and one is read ahead.
        left: 1026,
        then_blocks: Some(then_blocks),
    };
    let (signal, shutdown) = oneshot::channel::<()>();
    let shutdown = async {
        let _ = shutdown.await;
    };
    let served = start(&tent, anonymous(), input, Full, shutdown);
    let _ = full.await;
    drop(signal);
    let ended = timeout(LONG, served).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn running_calls_have_their_grace_although_the_output_is_not_read() {
    let (tent, events) = app().await;
    let input = Cursor::new(call("waits"));
    let served = start(&tent, anonymous(), input, Full, std::future::pending());
    events.started().await;
    events.go_on();
    // Without a time limit: paused time would pass before the thread reports the end of the input.
    assert!(served.await.expect("no panic").is_ok());
}

/// An output that reports what it gets, and takes it when it may.
struct Slow {
    gets: threads::Sender<()>,
    may: threads::Receiver<()>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.gets.send(());
        let _ = self.may.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn waits_for_a_slow_reader() {
    let (tent, _) = app().await;
    let input = Pings {
        left: 5,
        then_blocks: None,
    };
    let (gets, mut reported) = threads::channel();
    let (go, may) = threads::channel();
    let served = start(
        &tent,
        anonymous(),
        input,
        Slow { gets, may },
        std::future::pending(),
    );
    for _ in 0..5 {
        let next = spawn_blocking(move || (reported.recv(), reported));
        let (got, back) = next.await.expect("no panic");
        assert!(got.is_ok(), "the output was given up");
        reported = back;
        // Together far more than the grace.
        tokio::time::sleep(Duration::from_secs(9)).await;
        go.send(()).expect("it waits");
    }
    let ended = timeout(LONG, served).await;
    assert!(matches!(ended, Ok(Ok(Ok(())))), "{ended:?}");
}
