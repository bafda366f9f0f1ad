//! The app under test, and the requests that the tests send to it.

use std::collections::HashMap;

use axum::body::Body;
use serde_json::{Value, json};
use tent::http::{HeaderMap, Method, StatusCode};
use tent::{Tent, User};
use tower::ServiceExt as _;

use super::functions::{self, Ran};
use crate::support::key;

/// The prefix of MCP's own keys in `_meta`.
pub(crate) const META: &str = "io.modelcontextprotocol/";

/// The app under test, and a key for each of its callers: `staff`, `ada`, and `reader`, which can only read.
pub(crate) struct App {
    tent: Tent,
    keys: HashMap<&'static str, String>,
    ran: Ran,
}

impl App {
    /// The app with the functions that most tests call.
    pub(crate) async fn new() -> Self {
        App::with(|app| app).await
    }

    /// The same app, with changes to its settings and its description.
    pub(crate) async fn with(change: impl FnOnce(tent::App) -> tent::App) -> Self {
        App::of(|app| change(app.functions(functions::ALL))).await
    }

    /// An app that has only the functions that `change` adds.
    pub(crate) async fn of(change: impl FnOnce(tent::App) -> tent::App) -> Self {
        let ran = Ran::default();
        let app = tent::App::new("shop", "1.2.3")
            .title("The shop")
            .instructions("Orders are named A1, A2 and so on.")
            .set("store.url", "memory:")
            .state(ran.clone())
            .users(async |id: String| {
                let user = User::new(&*id);
                Ok::<_, tent::Error>(Some(match &*id {
                    "grace" => user.role("staff"),
                    _ => user,
                }))
            });
        let tent = change(app).build().await.expect("the app is valid");
        let keys = HashMap::from([
            ("staff", key(&tent, "grace", &["*"]).await),
            ("ada", key(&tent, "ada", &["read", "write"]).await),
            ("reader", key(&tent, "ada", &["read"]).await),
        ]);
        App { tent, keys, ran }
    }

    /// Whether the request with this id ran a function.
    pub(crate) fn has_run(&self, request_id: &str) -> bool {
        self.ran.contains(request_id)
    }

    /// Sends a request, and returns its whole response.
    pub(crate) async fn send(&self, request: Request) -> Response {
        let mut sent = tent::http::Request::new(request.body);
        *sent.method_mut() = request.method;
        *sent.uri_mut() = request.path.parse().expect("a path");
        *sent.headers_mut() = request.headers;
        if let Some(key) = request.key {
            let key = self.keys.get(key).map_or(key, String::as_str);
            let value = format!("Bearer {key}").parse().expect("a header value");
            sent.headers_mut().insert("authorization", value);
        }
        let response = self.tent.router().oneshot(sent).await;
        let (parts, body) = response.expect("a router always responds").into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX).await;
        Response {
            status: parts.status,
            headers: parts.headers,
            bytes: bytes.expect("a whole body").into(),
        }
    }

    /// Sends a request, asserts the status of the response, and returns its JSON body.
    pub(crate) async fn json(&self, status: u16, request: Request) -> Value {
        let response = self.send(request).await;
        assert_eq!(
            response.status.as_u16(),
            status,
            "{}",
            String::from_utf8_lossy(&response.bytes)
        );
        response.json()
    }

    /// The id of a new session of this revision.
    pub(crate) async fn session(&self, revision: &str) -> String {
        self.session_of(revision, json!({})).await
    }

    /// The id of a new session whose client has these capabilities.
    pub(crate) async fn session_of(&self, revision: &str, capabilities: Value) -> String {
        let params = json!({
            "protocolVersion": revision,
            "capabilities": capabilities,
            "clientInfo": {"name": "probe", "version": "1"},
        });
        let response = self.send(Request::legacy("initialize", params)).await;
        let id = response.header("mcp-session-id").expect("a session");
        id.to_owned()
    }
}

/// The response to a request.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_slice(&self.bytes).expect("the body is JSON")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The JSON messages of an event stream.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"));
        let text = std::str::from_utf8(&self.bytes).expect("the stream is UTF-8");
        text.lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .map(|data| serde_json::from_str(data).expect("an event has a message"))
            .collect()
    }
}

/// A request to `/mcp` with a unique `X-Request-Id`.
pub(crate) struct Request {
    method: Method,
    path: &'static str,
    headers: HeaderMap,
    body: Body,
    id: String,
    key: Option<&'static str>,
}

impl Request {
    /// A request without a body, with the key of `staff`.
    pub(crate) fn with_method(method: Method) -> Self {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let id = format!("test-{count}");
        let request = Request {
            method,
            path: "/mcp",
            headers: HeaderMap::new(),
            body: Body::empty(),
            id: id.clone(),
            key: Some("staff"),
        };
        request
            .header("host", "127.0.0.1:8080")
            .header("x-request-id", &id)
    }

    /// A POST of this body, as JSON, without a header that names a revision.
    pub(crate) fn raw(body: impl Into<Body>) -> Self {
        let mut request = Request::with_method(Method::POST)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        request.body = body.into();
        request
    }

    /// A request without metadata and without a session.
    pub(crate) fn legacy(method: &str, params: Value) -> Self {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        Request::raw(body.to_string())
    }

    /// A request of 2026-07-28 with its headers and its metadata.
    pub(crate) fn modern(method: &str, params: Value) -> Self {
        Request::modern_with_id("1", method, params)
    }

    /// The same with this id, as JSON text.
    pub(crate) fn modern_with_id(id: &str, method: &str, mut params: Value) -> Self {
        if params.get("_meta").is_none() {
            params["_meta"] = meta();
        }
        let name = params["name"].as_str().or(params["uri"].as_str());
        let name = name.map(str::to_owned);
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        let request = Request::raw(body)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        match name {
            Some(name) => request.header("mcp-name", &name),
            None => request,
        }
    }

    /// A call of a tool in 2026-07-28.
    pub(crate) fn call(name: &str, arguments: Value) -> Self {
        Request::modern("tools/call", json!({"name": name, "arguments": arguments}))
    }

    /// Replaces a header.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        let value = value.parse().expect("a header value");
        self.headers.insert(name, value);
        self
    }

    /// Adds a header beside those of the same name.
    pub(crate) fn and_header(mut self, name: &'static str, value: &str) -> Self {
        let value = value.parse().expect("a header value");
        self.headers.append(name, value);
        self
    }

    /// Removes a header.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }

    pub(crate) fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }

    /// Sends the key of this caller, or `key` itself if the app has no such caller.
    pub(crate) fn by(mut self, key: &'static str) -> Self {
        self.key = Some(key);
        self
    }

    /// Sends no key.
    pub(crate) fn anonymous(mut self) -> Self {
        self.key = None;
        self
    }

    pub(crate) fn session(self, id: &str) -> Self {
        self.header("mcp-session-id", id)
    }

    /// The request's id, by which [`App::has_run`] finds it.
    pub(crate) fn id(&self) -> String {
        self.id.clone()
    }
}

/// The metadata of a request of 2026-07-28.
pub(crate) fn meta() -> Value {
    json!({
        format!("{META}protocolVersion"): "2026-07-28",
        format!("{META}clientInfo"): {"name": "probe", "version": "1"},
        format!("{META}clientCapabilities"): {},
    })
}

/// The server in the `_meta` of each modern result.
pub(crate) fn server() -> Value {
    json!({"name": "shop", "version": "1.2.3", "title": "The shop"})
}

/// The code of this text.
pub(crate) fn code(text: &str) -> tent::Code {
    tent_core::codes::find(text).expect("the catalogue has the code")
}
