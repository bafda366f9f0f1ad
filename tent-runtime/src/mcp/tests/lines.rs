//! MCP without HTTP: on stdin and stdout, and one message at a time.

use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};

use serde_json::{Value, json};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::app::{App, META, meta, server};
use super::streams::function;
use crate::caller::Caller;
use crate::cx::{Cx, Level};
use crate::dispatch::Identity;
use crate::error::Result;
use crate::function::{AccessDeclaration, Content, Declaration, Output};
use crate::mcp::Connection;
use crate::mcp::transport::stdio;

static TALKS: &[&Declaration] = &[
    &function("waits", |_, _| Box::pin(waits())),
    &function("goes_on", |_, _| Box::pin(goes_on())),
    &function("says", |cx, _| Box::pin(says(cx))),
    &Declaration {
        access: AccessDeclaration::Anyone,
        ..function("open", |_, _| Box::pin(async { Ok(Output::default()) }))
    },
    &function("panics", |_, _| Box::pin(panics())),
];

/// What `waits` waits for, which `goes_on` does, and what `waits` does when it is dropped before.
static GO_ON: Notify = Notify::const_new();
static GONE: Notify = Notify::const_new();

async fn waits() -> Result<Output> {
    struct Told;
    impl Drop for Told {
        fn drop(&mut self) {
            GONE.notify_one();
        }
    }
    let _told = Told;
    GO_ON.notified().await;
    Ok(Output::default())
}

async fn goes_on() -> Result<Output> {
    GO_ON.notify_one();
    Ok(Output::default())
}

async fn says(cx: &Cx) -> Result<Output> {
    cx.progress(1.0, 2.0, "東\n京");
    cx.log(Level::Error, "broken");
    let late = cx.clone();
    // What the function leaves running says nothing any more.
    tokio::spawn(async move {
        GONE.notified().await;
        late.progress(2.0, None, None);
        late.log(Level::Error, "late");
        GO_ON.notify_one();
    });
    Ok(Output {
        content: vec![Content::text(cx.caller().to_string())],
        ..Output::default()
    })
}

async fn panics() -> Result<Output> {
    println!("a function prints");
    panic!("and breaks");
}

/// A client on pipes.
pub(super) struct Client {
    to: Option<PipeWriter>,
    from: BufReader<PipeReader>,
    served: JoinHandle<Result<()>>,
    tell: Option<oneshot::Sender<()>>,
}

impl Client {
    pub(super) fn new(app: &App, who: Identity) -> Self {
        let (input, to) = pipe().expect("a pipe");
        let (from, output) = pipe().expect("a pipe");
        let (tell, told) = oneshot::channel::<()>();
        let told = async {
            let _ = told.await;
        };
        Client {
            to: Some(to),
            from: BufReader::new(from),
            served: tokio::spawn(stdio::serve(app.shared(), who, input, output, told)),
            tell: Some(tell),
        }
    }

    fn write(&mut self, text: &str) {
        let to = self.to.as_mut().expect("it is open");
        to.write_all(text.as_bytes()).expect("it is read");
    }

    pub(super) fn send(&mut self, message: Value) {
        self.write(&format!("{message}\n"));
    }

    pub(super) fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params}));
    }

    /// The next message, read in a thread that may wait.
    pub(super) async fn next(&mut self) -> Option<Value> {
        tokio::task::block_in_place(|| {
            let mut line = String::new();
            self.from.read_line(&mut line).expect("a line");
            let line = line.strip_suffix('\n')?;
            Some(serde_json::from_str(line).expect("JSON and nothing else"))
        })
    }

    /// Tells the server to end.
    pub(super) fn tell(&mut self) {
        let tell = self.tell.take().expect("it is told once");
        tell.send(()).expect("it listens");
    }

    pub(super) fn has_ended(&self) -> bool {
        self.served.is_finished()
    }

    pub(super) async fn ended(mut self) -> Vec<Value> {
        self.to = None;
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        let served = self.served.await.expect("it does not panic");
        served.expect("the caller is known");
        all
    }
}

fn user(name: &str) -> Identity {
    Identity::User(name.to_owned())
}

fn call(name: &str) -> Value {
    json!({"name": name, "arguments": {}})
}

fn modern(name: &str, more: Value) -> Value {
    let mut meta = meta();
    for (key, value) in more.as_object().expect("an object") {
        meta[key] = value.clone();
    }
    json!({"name": name, "_meta": meta})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_eras_are_spoken_and_calls_run_at_once() {
    let app = App::of(TALKS, |_| {});
    let mut client = Client::new(&app, user("ada"));

    // A handshake, and what was agreed on counts for what is sent right after it.
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    client.request("a", "initialize", hello);
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    client.request(1, "tools/call", call("waits"));
    client.request(2, "tools/call", call("goes_on"));
    let answer = client.next().await.expect("an answer");
    assert_eq!(
        (&answer["id"], &answer["result"]["protocolVersion"]),
        (&json!("a"), &json!("2025-06-18"))
    );
    let done = |id: u64| {
        json!({"jsonrpc": "2.0", "id": id, "result": {
            "content": [{"type": "text", "text": "{}"}],
            "structuredContent": {},
            "_meta": {"tent.wrapped": true},
        }})
    };
    let mut both = [client.next().await, client.next().await].map(|one| one.expect("an answer"));
    both.sort_by_key(|one| one["id"].as_u64());
    assert_eq!(both, [done(1), done(2)]);
    GONE.notified().await;

    // What a call says comes before its answer, and nothing of it after.
    let wanted = json!({"progressToken": "t", (format!("{META}logLevel")): "error"});
    client.request(3, "tools/call", modern("says", wanted));
    let note =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let progress = json!({"progressToken": "t", "progress": 1, "total": 2, "message": "東\n京"});
    assert_eq!(
        client.next().await,
        Some(note("notifications/progress", progress))
    );
    let log = json!({"level": "error", "data": "broken"});
    assert_eq!(
        client.next().await,
        Some(note("notifications/message", log))
    );
    let answer = client.next().await.expect("an answer");
    assert_eq!(answer["result"]["content"][0]["text"], "user:ada");
    assert_eq!(
        answer["result"]["_meta"][format!("{META}serverInfo")],
        server()
    );
    GONE.notify_one();
    GO_ON.notified().await;

    // Either era's call ends by the client's word.
    for params in [call("waits"), modern("waits", json!({}))] {
        client.request("x", "tools/call", params);
        client.send(note("notifications/cancelled", json!({"requestId": "x"})));
        GONE.notified().await;
    }

    // A panic is an answer.
    client.request(4, "tools/call", call("panics"));
    assert_eq!(
        client.next().await.expect("an answer")["result"]["isError"],
        true
    );

    // What was asked before the input ended is answered.
    client.request(5, "tools/call", call("waits"));
    client.request(6, "tools/call", call("goes_on"));
    let mut rest = client.ended().await;
    rest.sort_by_key(|one| one["id"].as_u64());
    assert_eq!(rest, [done(5), done(6)], "and a cancelled call is not");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_answered_and_the_next_message_is_served() {
    let app = App::of(TALKS, |settings| settings.limits.max_body = 256);
    let mut client = Client::new(&app, Identity::Caller(Caller::Anonymous));
    let ping = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
    let long = "x".repeat(10_000);
    client.write(&format!("{{\n\r\n\n[]\n{long}\n{ping}\r\n"));
    // The id of a long one is told wherever it stands; that of an answer would be taken for another's.
    client.write(&format!(
        "{{\"id\":2,\"method\":\"ping\",\"params\":[\"{long}\"]}}\n"
    ));
    client.write(&format!(
        "{{\"method\":\"ping\",\"params\":{{\"id\":7,\"x\":\"{long}\"}},\"id\":3}}\n"
    ));
    client.write(&format!("{{\"id\":4,\"result\":\"{long}\"}}\n"));
    client.write(r#"{"jsonrpc":"2.0","id":1,"method":"nothing"}"#);
    let told = client.ended().await;
    let told = told.iter().map(|one| {
        let error = &one["error"]["code"];
        (one.get("id").and_then(Value::as_u64), error.as_i64())
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_calls_is_told_by_a_key_a_person_or_nobody() {
    let app = App::of(TALKS, |_| {});
    let refused = Client::new(&app, Identity::Key("tk_wrong".to_owned()));
    let refused = refused.served.await.expect("it does not panic");
    assert_eq!(
        refused.map_err(|error| error.code().to_owned()),
        Err("T0004".to_owned())
    );

    let key = app.key("ada").to_owned();
    for (who, name) in [
        (Identity::Key(key), "user:ada"),
        (user("grace"), "user:grace"),
    ] {
        let mut client = Client::new(&app, who);
        client.request(1, "tools/call", modern("says", json!({})));
        let answer = client.next().await.expect("an answer");
        let said = answer["result"]["content"][0]["text"].as_str();
        assert!(
            said.is_some_and(|said| said == name || said.starts_with("key:")),
            "{said:?}"
        );
    }
    let mut client = Client::new(&app, Identity::Caller(Caller::Anonymous));
    client.request(1, "tools/call", modern("says", json!({})));
    let refused = client.next().await.expect("an answer");
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["data"]["fix"]),
        (
            &json!(4),
            &json!("Start the server with a good key in TENT_KEY, or with --as USER.")
        )
    );
    client.request(2, "tools/call", modern("open", json!({})));
    assert_eq!(
        client.next().await.expect("an answer")["result"]["resultType"],
        "complete"
    );
    drop(client.tell.take());
    assert_eq!(
        client.ended().await,
        [] as [Value; 0],
        "told to end it ends"
    );
}

#[tokio::test]
async fn a_message_is_answered_without_a_server() {
    let app = App::of(TALKS, |_| {});
    let handle = async |message: Value| {
        let line = Connection::of_one(app.shared(), Identity::Caller(Caller::Anonymous));
        let message = message.to_string();
        let answer = line.answer(line.admit().await, message.as_bytes()).await;
        answer.map(|answer| serde_json::from_slice::<Value>(&answer).expect("JSON"))
    };
    let request = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let listed = handle(request("tools/list", json!({})))
        .await
        .expect("an answer");
    assert_eq!(listed["result"]["tools"][0]["name"], "open");
    let called = handle(request(
        "tools/call",
        modern("open", json!({"progressToken": 1})),
    ))
    .await;
    assert_eq!(
        called.expect("an answer")["result"]["resultType"],
        "complete"
    );
    let refused = handle(request("tools/call", call("waits"))).await;
    let refused = refused.expect("an answer");
    assert_eq!(
        refused["error"]["data"]["fix"],
        "Pass the identity of a caller with access."
    );
    let both = json!([request("tools/call", call("waits"))]);
    let both = handle(both).await.expect("an answer");
    assert_eq!(both[0], refused, "in an array too");
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(handle(note).await, None);
    let both = json!([request("ping", json!({})), request("nothing", json!({}))]);
    let both = handle(both).await.expect("an answer");
    assert_eq!(both[1]["error"]["code"], -32601);
    let unknown = json!({"_meta": {(format!("{META}protocolVersion")): "2030-01-01"}});
    let unknown = handle(request("tools/list", unknown))
        .await
        .expect("an answer");
    assert_eq!(unknown["error"]["code"], -32022);
}

/// The answer to a message on a line, sent by nobody.
async fn answered(app: &App, message: &str) -> Value {
    let line = Connection::of_one(app.shared(), Identity::Caller(Caller::Anonymous));
    let answer = line.answer(line.admit().await, message.as_bytes());
    let answer = answer.await.expect("an answer");
    serde_json::from_slice(&answer).expect("JSON")
}

#[tokio::test]
async fn on_a_line_what_only_the_modern_era_has_tells_it() {
    let app = App::of(TALKS, |settings| settings.mcp.stream = true);
    let abilities = json!({"_meta": {(format!("{META}clientCapabilities")): {}}});
    for (method, params) in [
        ("tools/list", abilities.clone()),
        (
            "tools/list",
            json!({"_meta": {(format!("{META}clientCapabilities")): 7}}),
        ),
        ("initialize", abilities.clone()),
        ("ping", abilities),
        ("server/discover", json!({})),
        ("server/discover", json!({"_meta": {}})),
        ("subscriptions/listen", json!({"notifications": {}})),
    ] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let got = answered(&app, &request.to_string()).await;
        assert_eq!(got["error"]["code"], -32602, "{method} {params}: {got}");
        let said = got["error"]["message"].as_str().expect("a text");
        assert!(said.starts_with("A request of 2026-07-28 needs"), "{said}");
    }
    for method in ["tools/list", "ping"] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        let got = answered(&app, &request.to_string()).await;
        assert_eq!(got.get("error"), None, "{got}");
    }
}

#[tokio::test]
async fn what_is_refused_unread_is_answered_by_its_id() {
    let app = App::of(TALKS, |settings| settings.limits.max_body = 700);
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":"d","method":"ping","params":{}{}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let long = format!(
        r#"{{"method":"ping","params":{{"x":"{}"}},"jsonrpc":"2.0","id":7}}"#,
        "x".repeat(700)
    );
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
        (
            // Text that is not JSON has no id (JSON-RPC 2.0, section 5).
            r#"{"jsonrpc":"2.0","id":5,"method":"ping""#,
            Value::Null,
            -32700,
        ),
        (&deep, json!("d"), -32700),
        (&long, json!(7), 7),
    ] {
        let got = answered(&app, message).await;
        assert_eq!(got.get("id").cloned().unwrap_or_default(), id, "{got}");
        assert_eq!(got["error"]["code"], code, "{got}");
    }
}

#[tokio::test]
async fn what_ends_a_line_does_not_count() {
    let ping = r#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#;
    let app = App::of(TALKS, |settings| settings.limits.max_body = ping.len());
    let line = Connection::of_one(app.shared(), Identity::Caller(Caller::Anonymous));
    for (message, wanted) in [
        (format!("{ping}\n"), None),
        (format!("{ping} \n"), Some(json!(7))),
        (format!("{ping}\n\n"), Some(json!(7))),
    ] {
        let answer = line.answer(line.admit().await, message.as_bytes());
        let answer = answer.await.expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let code = answer["error"].get("code").cloned();
        assert_eq!((&answer["id"], code), (&json!(9), wanted), "{message:?}");
    }
}
