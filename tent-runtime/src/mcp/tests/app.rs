//! An app to send requests to, and the requests.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::ConnectInfo;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};

use super::functions::FUNCTIONS;
use crate::caller::Caller;
use crate::cx::TraceId;
use crate::dispatch::AppInfo;
use crate::function::Declaration;
use crate::mcp::{self, Mcp, Notifier};
use crate::settings::Settings;

pub(super) const META: &str = "io.modelcontextprotocol/";

pub(super) const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The server under test.
pub(super) struct App {
    mcp: Arc<Mcp>,
    keys: super::dispatch::Keys,
}

impl App {
    pub(super) fn new() -> Self {
        App::of(FUNCTIONS, |_| {})
    }

    pub(super) fn of(functions: &[&'static Declaration], set: impl FnOnce(&mut Settings)) -> Self {
        App::on(&super::dispatch::Place::default(), functions, set)
    }

    /// One that says this of itself.
    pub(super) fn about(about: AppInfo, functions: &[&'static Declaration]) -> Self {
        App::made(&super::dispatch::Place::default(), functions, about, |_| {})
    }

    /// One of several processes that share a place.
    pub(super) fn on(
        place: &super::dispatch::Place,
        functions: &[&'static Declaration],
        set: impl FnOnce(&mut Settings),
    ) -> Self {
        App::made(place, functions, super::dispatch::about(), set)
    }

    fn made(
        place: &super::dispatch::Place,
        functions: &[&'static Declaration],
        about: AppInfo,
        set: impl FnOnce(&mut Settings),
    ) -> Self {
        let (dispatcher, keys) = super::dispatch::made(place, functions, about, set);
        App {
            mcp: Arc::new(Mcp::new(dispatcher, mcp::Notifier::default())),
            keys,
        }
    }

    /// How many questions to older clients wait for their answer.
    pub(super) fn questions(&self) -> usize {
        self.mcp.notifier.pending().len()
    }

    pub(super) fn mcp(&self) -> &Mcp {
        &self.mcp
    }

    /// Who holds this key.
    pub(super) async fn caller(&self, whose: &str) -> Caller {
        let request =
            Request::builder().header("authorization", format!("Bearer {}", self.key(whose)));
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let caller = self
            .mcp
            .dispatcher
            .identify(&parts, &TraceId::default())
            .await;
        caller.expect("the key is good")
    }

    /// What the app tells its clients by.
    pub(super) fn notes(&self) -> Notifier {
        self.mcp.notifier.clone()
    }

    pub(super) fn shared(&self) -> Arc<Mcp> {
        self.mcp.clone()
    }

    pub(super) fn key(&self, whose: &str) -> &str {
        &self.keys[whose]
    }

    /// What comes back, whose body is still to be read.
    pub(super) async fn open(&self, send: Send) -> Response<Body> {
        let mut request = Request::new(send.body);
        *request.method_mut() = send.method;
        *request.uri_mut() = send.path.parse().expect("a path");
        *request.headers_mut() = send.headers;
        if let Some(from) = send.from {
            request.extensions_mut().insert(ConnectInfo(from));
        }
        if let Some(whose) = send.key {
            let key = self.keys.get(whose).map_or(whose, String::as_str);
            let value = format!("Bearer {key}").parse().expect("a header's value");
            request.headers_mut().insert("authorization", value);
        }
        mcp::serve(self.mcp.clone(), request).await
    }

    pub(super) async fn send(&self, send: Send) -> Got {
        let (parts, body) = self.open(send).await.into_parts();
        let bytes = body.collect().await.expect("a body in memory").to_bytes();
        Got {
            status: parts.status,
            headers: parts.headers,
            bytes: bytes.into(),
        }
    }

    /// What came back, which is an answer of this status.
    pub(super) async fn ask(&self, status: u16, send: Send) -> Value {
        let got = self.send(send).await;
        assert_eq!(
            got.status.as_u16(),
            status,
            "{}",
            String::from_utf8_lossy(&got.bytes)
        );
        got.json()
    }

    /// The id of a new session of this revision.
    pub(super) async fn session(&self, revision: &str) -> String {
        self.session_of(revision, json!({})).await
    }

    /// The id of a new session of a client that can do this.
    pub(super) async fn session_of(&self, revision: &str, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": {"name": "probe", "version": "1"},
        });
        let got = self.send(Send::legacy("initialize", params)).await;
        got.header("mcp-session-id").expect("a session").to_owned()
    }
}

/// What came back.
pub(super) struct Got {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) bytes: Vec<u8>,
}

impl Got {
    pub(super) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.bytes).expect("the body is JSON")
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A request. Its id is a new one each time, so that what ran can be told.
pub(super) struct Send {
    method: Method,
    path: &'static str,
    headers: HeaderMap,
    body: Body,
    trace: String,
    key: Option<&'static str>,
    from: Option<SocketAddr>,
}

impl Send {
    fn new(method: Method) -> Self {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let trace = format!("test-{count}");
        let send = Send {
            method,
            path: "/mcp",
            headers: HeaderMap::new(),
            body: Body::empty(),
            trace: trace.clone(),
            key: Some("staff"),
            from: None,
        };
        send.header("host", "127.0.0.1:8080")
            .header("x-request-id", &trace)
    }

    pub(super) fn with_method(method: Method) -> Self {
        Send::new(method)
    }

    /// This body, as JSON, with no word of a revision.
    pub(super) fn raw(body: impl Into<Body>) -> Self {
        let mut send = Send::new(Method::POST)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        send.body = body.into();
        send
    }

    /// A request without metadata and without a session.
    pub(super) fn legacy(method: &str, params: Value) -> Self {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Send::raw(body.to_string())
    }

    /// A whole request of 2026-07-28, its headers among it.
    pub(super) fn modern(method: &str, params: Value) -> Self {
        Send::modern_with_id("1", method, params)
    }

    pub(super) fn modern_with_id(id: &str, method: &str, mut params: Value) -> Self {
        if params.get("_meta").is_none() {
            params["_meta"] = meta();
        }
        let name = params["name"].as_str().or(params["uri"].as_str());
        let name = name.map(str::to_owned);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let send = Send::raw(body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        match name {
            Some(name) => send.header("mcp-name", &name),
            None => send,
        }
    }

    /// A modern call of a tool.
    pub(super) fn call(name: &str, arguments: Value) -> Self {
        Send::modern("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// With this header in place of any of its name.
    pub(super) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers
            .insert(name, value.parse().expect("a header's value"));
        self
    }

    pub(super) fn and_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers
            .append(name, value.parse().expect("a header's value"));
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    /// Sent by who holds this key.
    pub(super) fn by(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }

    /// Sent from this address.
    pub(super) fn from(mut self, ip: &str) -> Self {
        self.from = Some(SocketAddr::new(ip.parse().expect("an address"), 1));
        self
    }

    /// Sent by nobody.
    pub(super) fn by_nobody(mut self) -> Self {
        self.key = None;
        self
    }

    pub(super) fn session(self, id: &str) -> Self {
        self.header("mcp-session-id", id)
    }

    pub(super) fn trace(&self) -> String {
        self.trace.clone()
    }
}

pub(super) fn meta() -> Value {
    json!({
        format!("{META}protocolVersion"): "2026-07-28",
        format!("{META}clientInfo"): {"name": "probe", "version": "1"},
        format!("{META}clientCapabilities"): {},
    })
}

/// What each modern result has in `_meta`.
pub(super) fn server() -> Value {
    json!({"name": "shop", "version": "1.2.3", "title": "The shop"})
}
