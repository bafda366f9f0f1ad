//! The app under test, and the requests that the tests send to it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, BodyDataStream};
use axum::extract::ConnectInfo;
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tent::http::{HeaderMap, Method, StatusCode};
use tent::{Caller, Notifier, Tent, User};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

use super::events::Events;
use super::functions;
use crate::support::key;

/// The prefix of MCP's own keys in `_meta`.
pub(crate) const META: &str = "io.modelcontextprotocol/";

/// The app under test, and a key for each of its callers: `staff`, `ada`, and `reader`, which can only read.
#[derive(Clone)]
pub(crate) struct App {
    pub(crate) tent: Tent,
    pub(crate) events: Events,
    keys: Arc<HashMap<&'static str, String>>,
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
        let events = Events::default();
        let app = tent::App::new("shop", "1.2.3")
            .title("The shop")
            .instructions("Orders are named A1, A2 and so on.")
            .set("store.url", "memory:")
            .state(events.clone())
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
        App {
            tent,
            events,
            keys: keys.into(),
        }
    }

    /// The same app with the keys of another process on its store.
    pub(crate) fn with_keys_of(self, other: &App) -> Self {
        App {
            keys: other.keys.clone(),
            ..self
        }
    }

    /// Notifies the clients of the app, and sends them requests.
    pub(crate) fn notifier(&self) -> Notifier {
        self.tent.mcp()
    }

    /// The caller that holds this key.
    pub(crate) async fn caller(&self, key: &str) -> Caller {
        let request = tent::http::Request::builder();
        let request = request.header("authorization", format!("Bearer {}", self.keys[key]));
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        let caller = tent_runtime::__private::caller_of(&self.tent, &parts).await;
        caller.expect("the key is valid")
    }

    /// Revokes all API keys.
    pub(crate) async fn revoke_keys(&self) {
        let keys = self.tent.keys();
        for key in keys.list().await.expect("a list") {
            keys.revoke(&key.id).await.expect("the key exists");
        }
    }

    /// Whether the request with this id ran a function.
    pub(crate) fn has_run(&self, request_id: &str) -> bool {
        self.events.count(request_id) > 0
    }

    /// Sends a request, and returns the response with its body unread.
    pub(crate) async fn open(&self, request: Request) -> axum::response::Response {
        let mut sent = tent::http::Request::new(request.body);
        *sent.method_mut() = request.method;
        *sent.uri_mut() = request.path.parse().expect("a path");
        *sent.headers_mut() = request.headers;
        if let Some(key) = request.key {
            let key = self.keys.get(key).map_or(key, String::as_str);
            let value = format!("Bearer {key}").parse().expect("a header value");
            sent.headers_mut().insert("authorization", value);
        }
        if let Some(from) = request.from {
            sent.extensions_mut().insert(ConnectInfo(from));
        }
        let response = self.tent.router().oneshot(sent).await;
        response.expect("a router always responds")
    }

    /// Sends a request whose response is an event stream.
    pub(crate) async fn stream(&self, request: Request) -> EventStream {
        EventStream::new(self.open(request).await)
    }

    /// Sends a request in a task.
    pub(crate) fn start(&self, request: Request) -> Running {
        let app = self.clone();
        Running(tokio::spawn(async move { app.send(request).await }))
    }

    /// Sends a request, and returns its whole response.
    pub(crate) async fn send(&self, request: Request) -> Response {
        let (parts, body) = self.open(request).await.into_parts();
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

    /// The response to a modern request, with status 200.
    pub(crate) async fn modern(&self, method: &str, params: Value) -> Value {
        self.json(200, Request::modern(method, params)).await
    }

    /// The response to a request without metadata and without a session, with status 200.
    pub(crate) async fn legacy(&self, method: &str, params: Value) -> Value {
        self.json(200, Request::legacy(method, params)).await
    }

    /// The response to a modern call of a tool, with status 200.
    pub(crate) async fn call(&self, name: &str, arguments: Value) -> Value {
        self.json(200, Request::call(name, arguments)).await
    }

    /// The result of a request.
    pub(crate) async fn result(&self, request: Request) -> Value {
        let mut response = self.json(200, request).await;
        assert_eq!(response.get("error"), None, "{response}");
        response["result"].take()
    }

    /// The JSON-RPC code and the code of tent of the error of a request; `""` for an error without the second.
    pub(crate) async fn error(&self, status: u16, request: Request) -> (i64, String) {
        codes(&self.json(status, request).await)
    }

    /// The id of a new session of this revision.
    pub(crate) async fn session(&self, revision: &str) -> String {
        self.session_of(revision, json!({})).await
    }

    /// The same of another caller.
    pub(crate) async fn session_by(&self, key: &'static str, revision: &str) -> String {
        let params = json!({"protocolVersion": revision, "capabilities": {}});
        let initialize = Request::legacy("initialize", params).by(key);
        let response = self.send(initialize).await;
        let id = response.header("mcp-session-id").expect("a session");
        id.to_owned()
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

/// A request that a task sends.
pub(crate) struct Running(JoinHandle<Response>);

impl Running {
    pub(crate) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    pub(crate) async fn response(self) -> Response {
        self.0.await.expect("the request does not panic")
    }

    /// The JSON body of a response with status 200.
    pub(crate) async fn json(self) -> Value {
        let response = self.response().await;
        assert_eq!(response.status, 200);
        response.json()
    }

    /// Closes the connection of the request.
    pub(crate) async fn disconnect(self) {
        self.0.abort();
        assert!(self.0.await.is_err_and(|error| error.is_cancelled()));
    }
}

/// An event stream as it arrives: events as JSON, comments as `null`.
pub(crate) struct EventStream {
    body: BodyDataStream,
    received: String,
}

impl EventStream {
    fn new(response: axum::response::Response) -> Self {
        assert_eq!(response.status(), 200);
        for (name, value) in [
            ("content-type", "text/event-stream"),
            ("x-accel-buffering", "no"),
            ("cache-control", "no-cache, no-store"),
        ] {
            assert_eq!(response.headers()[name], value);
        }
        EventStream {
            body: response.into_body().into_data_stream(),
            received: String::new(),
        }
    }

    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.received.split_once("\n\n") {
                let event = match event {
                    ":" => Value::Null,
                    event => {
                        let data = event
                            .strip_prefix("event: message\ndata: ")
                            .expect("an event has its type, then data");
                        assert!(!data.contains(['\n', '\r']));
                        serde_json::from_str(data).expect("the data is JSON")
                    }
                };
                self.received = rest.to_owned();
                return Some(event);
            }
            let Some(chunk) = self.body.next().await else {
                assert_eq!(self.received, "", "a stream ends after an event");
                return None;
            };
            let chunk = chunk.expect("the stream does not fail");
            self.received += std::str::from_utf8(&chunk).expect("characters are whole");
        }
    }

    /// The next message.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            match self.next().await.expect("the stream continues") {
                Value::Null => {}
                message => return message,
            }
        }
    }

    /// Whether nothing has arrived.
    pub(crate) fn is_silent(&mut self) -> bool {
        futures_util::FutureExt::now_or_never(self.next()).is_none()
    }

    /// Everything until the end.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(one) = self.next().await {
            all.push(one);
        }
        all
    }

    /// The messages until the end.
    pub(crate) async fn messages(self) -> Vec<Value> {
        let mut all = self.rest().await;
        all.retain(|one| !one.is_null());
        all
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
    from: Option<SocketAddr>,
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
            from: None,
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

    /// A legacy call of a tool.
    pub(crate) fn legacy_call(session: &str, name: &str) -> Self {
        Request::legacy("tools/call", json!({"name": name})).session(session)
    }

    /// A notification.
    pub(crate) fn notification(method: &str, params: Value) -> Self {
        Request::raw(notification(method, params).to_string())
    }

    /// The notification that cancels the request with this id.
    pub(crate) fn cancel(id: impl Into<Value>) -> Self {
        Request::notification("notifications/cancelled", json!({"requestId": id.into()}))
    }

    /// The client's response to a request of the server.
    pub(crate) fn respond(id: &Value, result: Value) -> Self {
        Request::raw(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
    }

    /// Opens the stream of a session.
    pub(crate) fn get(session: &str) -> Self {
        let request = Request::with_method(Method::GET).header("accept", "text/event-stream");
        request.session(session)
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

    /// A call of a tool in 2026-07-28 with these members in its metadata.
    pub(crate) fn call_with_meta(name: &str, members: Value) -> Self {
        Request::modern(
            "tools/call",
            json!({"name": name, "_meta": meta_with(members)}),
        )
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

    /// Sends the request from this address.
    pub(crate) fn from(mut self, address: &str) -> Self {
        self.from = Some(SocketAddr::new(address.parse().expect("an address"), 1));
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

/// The same with these members.
pub(crate) fn meta_with(members: Value) -> Value {
    with(meta(), members)
}

/// The metadata of a client with these capabilities.
pub(crate) fn capable(capabilities: Value) -> Value {
    meta_with(json!({format!("{META}clientCapabilities"): capabilities}))
}

/// An object with the members of another.
pub(crate) fn with(mut object: Value, members: Value) -> Value {
    let Value::Object(members) = members else {
        panic!("members are an object, not {members}")
    };
    for (name, value) in members {
        object[name] = value;
    }
    object
}

pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// The JSON-RPC code and the code of tent of an error response; `""` for an error without the second.
pub(crate) fn codes(response: &Value) -> (i64, String) {
    let error = &response["error"];
    let code = error["code"].as_i64();
    let code = code.unwrap_or_else(|| panic!("not an error: {response}"));
    let of_tent = error["data"]["code"].as_str().unwrap_or_default();
    (code, of_tent.to_owned())
}

/// The code of tent of a tool result that is an error.
pub(crate) fn tool_error(response: &Value) -> &Value {
    let result = &response["result"];
    assert_eq!(result["isError"], true, "{response}");
    &result["_meta"]["tent.error"]
}

/// The server in the `_meta` of each modern result.
pub(crate) fn server() -> Value {
    json!({"name": "shop", "version": "1.2.3", "title": "The shop"})
}

/// The code of this text.
pub(crate) fn code(text: &str) -> tent::Code {
    tent_core::codes::find(text).expect("the catalogue has the code")
}
