//! A client on a byte stream in memory.

use serde_json::{Value, json};
use tent::{Caller, User};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
    duplex, split,
};
use tokio::task::JoinHandle;

use super::app::{App, notification};

pub(crate) fn user(id: &str) -> Caller {
    Caller::User(User::new(id).into())
}

pub(crate) struct Client {
    to: WriteHalf<DuplexStream>,
    from: Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub(crate) served: JoinHandle<tent::Result<()>>,
}

impl Client {
    pub(crate) fn new(app: &App, caller: Caller) -> Self {
        let (ours, theirs) = duplex(1 << 10);
        let (read, write) = split(theirs);
        let (from, to) = split(ours);
        let tent = app.tent.clone();
        Client {
            to,
            from: BufReader::new(from).lines(),
            served: tokio::spawn(async move { tent.serve_mcp(caller, read, write).await }),
        }
    }

    /// The same after the handshake of 2025-11-25.
    pub(crate) async fn initialized(app: &App, caller: Caller, capabilities: Value) -> Self {
        let mut client = Client::new(app, caller);
        let result = client
            .request(0, "initialize", initialize(capabilities))
            .await;
        assert_eq!(result["result"]["protocolVersion"], "2025-11-25");
        client
    }

    pub(crate) async fn write(&mut self, text: &str) {
        self.to.write_all(text.as_bytes()).await.expect("it reads");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(&format!("{message}\n")).await;
    }

    /// Sends a request.
    pub(crate) async fn start(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(request(id, method, params)).await;
    }

    /// Sends a request, and returns the next message.
    pub(crate) async fn request(
        &mut self,
        id: impl Into<Value>,
        method: &str,
        params: Value,
    ) -> Value {
        self.start(id, method, params).await;
        self.message().await
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(notification(method, params)).await;
    }

    pub(crate) async fn cancel(&mut self, id: impl Into<Value>) {
        let params = json!({"requestId": id.into()});
        self.notify("notifications/cancelled", params).await;
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self
            .from
            .next_line()
            .await
            .expect("the stream does not fail")?;
        Some(serde_json::from_str(&line).expect("a line is JSON"))
    }

    pub(crate) async fn message(&mut self) -> Value {
        self.next().await.expect("the connection continues")
    }

    /// The next two messages, ordered by their ids.
    pub(crate) async fn two(&mut self) -> [Value; 2] {
        let mut two = [self.message().await, self.message().await];
        two.sort_by_key(|one| one["id"].as_u64());
        two
    }

    /// Writes the whole input while it reads, and returns the messages until the end.
    pub(crate) async fn exchange(self, input: &str) -> Vec<Value> {
        let Client {
            mut to,
            mut from,
            served,
        } = self;
        let written = async {
            to.write_all(input.as_bytes()).await.expect("it reads");
            to.shutdown().await.expect("the stream is open");
        };
        let read = async {
            let mut all = Vec::new();
            while let Some(line) = from.next_line().await.expect("the stream does not fail") {
                all.push(serde_json::from_str(&line).expect("a line is JSON"));
            }
            all
        };
        let ((), all) = tokio::join!(written, read);
        served
            .await
            .expect("the connection does not panic")
            .expect("the input does not fail");
        all
    }

    /// Drops both directions, and waits for the end of the connection.
    pub(crate) async fn disconnect(self) {
        let Client { to, from, served } = self;
        drop((to, from));
        served
            .await
            .expect("the connection does not panic")
            .expect("the input does not fail");
    }

    /// Ends the input of the server.
    pub(crate) async fn close(&mut self) {
        self.to.shutdown().await.expect("the stream is open");
    }

    /// Ends the input of the server, and returns the messages that still arrive.
    pub(crate) async fn finish(mut self) -> Vec<Value> {
        self.close().await;
        let mut all = Vec::new();
        while let Some(message) = self.next().await {
            all.push(message);
        }
        self.ended().await;
        all
    }

    /// Waits for the end of the connection.
    pub(crate) async fn ended(self) {
        let served = self.served.await.expect("the connection does not panic");
        served.expect("the input does not fail");
    }
}

pub(crate) fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn initialize(capabilities: Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "probe", "version": "1"},
    })
}
