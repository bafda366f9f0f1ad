//! A server on a real port, and clients that write byte by byte: behaviour that depends on slow or closed connections.

use std::net::SocketAddr;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use tent::Tent;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::MODERN;

/// Serves this app until the test ends.
pub(crate) fn served(tent: &Tent) -> SocketAddr {
    for _ in 0..10 {
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("there is a port");
        let addr = free.local_addr().expect("it has an address");
        drop(free);
        let mut serving = Box::pin(tent.clone().serve(addr));
        // It listens from its first step, unless another process took the port.
        if serving.as_mut().now_or_never().is_none() {
            tokio::spawn(serving);
            return addr;
        }
    }
    panic!("no port stays free");
}

/// Who sends requests.
#[derive(Clone)]
pub(crate) struct Client {
    addr: SocketAddr,
    key: String,
    session: Option<String>,
    /// The bytes of its side that wait to be read, where it takes few.
    waiting: Option<u32>,
}

impl Client {
    /// A client of the modern era.
    pub(crate) fn new(addr: SocketAddr, key: &str) -> Self {
        Client {
            addr,
            key: key.to_owned(),
            session: None,
            waiting: None,
        }
    }

    /// One that takes few bytes before it reads them.
    pub(crate) fn with_little_room(mut self) -> Self {
        self.waiting = Some(4096);
        self
    }

    /// A client of the legacy era that can do this, in a session.
    pub(crate) async fn in_session(addr: SocketAddr, key: &str, can: Value) -> Self {
        let mut client = Client::new(addr, key);
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": can,
            "clientInfo": {"name": "probe", "version": "1"},
        });
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello});
        let begun = client.post("", &hello).await;
        client.session = Some(
            begun
                .header("mcp-session-id")
                .expect("a session")
                .to_owned(),
        );
        client
    }

    /// Sends a request. A modern client says that it can be asked for forms.
    pub(crate) async fn request(&self, id: u32, method: &str, mut params: Value) -> Output {
        let mut headers = String::new();
        if self.session.is_none() {
            let name = params["name"].as_str().or(params["uri"].as_str());
            let name = name.expect("these tests name what they want");
            headers = format!(
                "MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\nMcp-Name: {name}\r\n"
            );
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = MODERN.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({"elicitation": {"form": {}}});
        }
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.post(&headers, &request).await
    }

    /// Calls a tool, and asks to be told of its progress.
    pub(crate) async fn call(&self, name: &str) -> Output {
        let params = json!({"name": name, "_meta": {"progressToken": "p"}});
        self.request(1, "tools/call", params).await
    }

    /// Sends a message of its session that wants no answer.
    pub(crate) async fn tell(&self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        assert_eq!(self.post("", &message).await.status, 202);
    }

    async fn post(&self, headers: &str, body: &Value) -> Output {
        let socket = TcpSocket::new_v4().expect("a socket");
        if let Some(waiting) = self.waiting {
            socket.set_recv_buffer_size(waiting).expect("it can be set");
        }
        let mut stream = socket.connect(self.addr).await.expect("it listens");
        let (addr, key, body) = (self.addr, &self.key, body.to_string());
        let session = self.session.as_deref();
        let session = session.map(|session| format!("Mcp-Session-Id: {session}\r\n"));
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {addr}\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             {}{headers}Content-Length: {}\r\n\r\n{body}",
            session.unwrap_or_default(),
            body.len(),
        );
        let sent = stream.write_all(request.as_bytes()).await;
        sent.expect("it reads");
        Output::read(BufReader::new(stream)).await
    }
}

/// What comes back, as it comes. Who drops it closes the connection.
pub(crate) struct Output {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    from: BufReader<TcpStream>,
    /// The received part of the next event.
    left: String,
    ended: bool,
}

impl Output {
    async fn read(mut from: BufReader<TcpStream>) -> Self {
        let status = line(&mut from).await;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        while let Some((name, value)) = line(&mut from).await.split_once(": ") {
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        Output {
            status: status.expect("a status"),
            headers,
            from,
            left: String::new(),
            ended: false,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut of = self.headers.iter().filter(|(known, _)| known == name);
        of.next().map(|(_, value)| &**value)
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The next message, whatever comes between; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        if !self.is_stream() {
            return self.whole().await;
        }
        loop {
            if let Some((event, rest)) = self.left.split_once("\n\n") {
                let data = event.strip_prefix("event: message\ndata: ");
                let message = data.map(|data| serde_json::from_str(data).expect("JSON"));
                self.left = rest.to_owned();
                if message.is_some() {
                    return message;
                }
                continue;
            }
            let size = line(&mut self.from).await;
            let size = usize::from_str_radix(&size, 16).expect("the size of a chunk");
            let mut chunk = vec![0; size + 2];
            let read = self.from.read_exact(&mut chunk).await;
            read.expect("a whole chunk");
            if size == 0 {
                return None;
            }
            self.left += std::str::from_utf8(&chunk[..size]).expect("whole characters");
        }
    }

    async fn whole(&mut self) -> Option<Value> {
        let length = self.header("content-length")?;
        let mut body = vec![0; length.parse().expect("a number")];
        if std::mem::replace(&mut self.ended, true) || body.is_empty() {
            return None;
        }
        let read = self.from.read_exact(&mut body).await;
        read.expect("a whole body");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }
}

async fn line(from: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    from.read_line(&mut line).await.expect("a line");
    line.trim_end().to_owned()
}
