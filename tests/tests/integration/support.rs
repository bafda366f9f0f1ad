//! What every integration test does: an app in memory, requests to its router, and answers to compare.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tent::NewKey;
use tent::http::{HeaderMap, Request, StatusCode};
use tent::{App, Tent, User};

use crate::app::Watched;

/// The app of the tests, on a store in memory. `ada` is a person, `grace` is staff.
pub(crate) async fn tent() -> Tent {
    tent_with(|app| app).await
}

/// The same app with changes.
pub(crate) async fn tent_with(change: impl FnOnce(App) -> App) -> Tent {
    tent_of(|app| {
        let app = app.functions(crate::app::FUNCTIONS);
        let app = app.functions(crate::blocking::FUNCTIONS);
        let app = app.functions(crate::gone::FUNCTIONS);
        let app = app.functions(crate::metadata::FUNCTIONS);
        change(app.functions(crate::sealed_off::FUNCTIONS))
    })
    .await
}

/// The same app with only the functions that `change` adds.
pub(crate) async fn tent_of(change: impl FnOnce(App) -> App) -> Tent {
    let app = App::new("shop", "1.2.3")
        .set("store.url", "memory:")
        .set("limits.max_body", "64KiB")
        .state(Watched::default())
        .users(async |id: String| {
            Ok::<_, tent::Error>(match id.as_str() {
                "eve" => Some(User::new("eve")),
                "ada" => Some(User::new("ada").name("Ada")),
                "grace" => Some(User::new("grace").name("Grace").role("staff")),
                _ => None,
            })
        });
    change(app)
        .build()
        .await
        .expect("the app of the tests is whole")
}

/// A temporary directory, removed at the end.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = path.join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir(&path).expect("the name is new");
        Directory(path)
    }

    /// The URL of a store in it.
    pub(crate) fn store(&self) -> String {
        format!("sqlite:{}", self.0.join("tent.db").display())
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A key of this person with these scopes.
pub(crate) async fn key(tent: &Tent, owner: &str, scopes: &[&str]) -> String {
    let new = NewKey::new(scopes.iter().copied()).owner(owner);
    let made = tent.keys().create(new).await;
    made.expect("a key can be made").text().to_owned()
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&self.bytes)))
    }

    /// The body of a failure, less what is the same for every failure of its code.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The status and the code of a failure.
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status.as_u16(), self.code())
    }

    /// That it is a failure of this status and code.
    #[track_caller]
    pub(crate) fn refuses(&self, status: u16, code: &str) {
        assert_eq!(self.refusal(), (status, code.to_owned()));
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

impl Reply {
    /// The whole of it as text: the status, the headers but for the length, the body with its JSON indented.
    pub(crate) fn shown(&self) -> String {
        let mut headers: Vec<_> = self
            .headers
            .iter()
            .filter(|(name, _)| *name != "content-length")
            .map(|(name, value)| format!("{name}: {}\n", value.to_str().unwrap_or("[no text]")))
            .collect();
        headers.sort();
        let body = match serde_json::from_slice::<Value>(&self.bytes) {
            Ok(json) => format!("{json:#}"),
            Err(_) => String::from_utf8_lossy(&self.bytes).into_owned(),
        };
        format!("{}\n{}\n{body}", self.status, headers.concat())
    }
}

/// Compares with the snapshot of this name, without what is another one each time.
macro_rules! snapshot {
    ($name:literal, $shown:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"\b[0-9a-f]{16}\b", "[id]");
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| insta::assert_snapshot!($name, $shown));
    };
}
pub(crate) use snapshot;

/// A request in the making.
pub(crate) struct Ask<'a> {
    tent: &'a Tent,
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

pub(crate) fn ask<'a>(tent: &'a Tent, method: &'static str, path: impl Into<String>) -> Ask<'a> {
    let headers = vec![("host".to_owned(), "localhost:3000".to_owned())];
    Ask {
        tent,
        method,
        path: path.into(),
        headers,
        body: Vec::new(),
    }
}

/// The newest revision of MCP.
pub(crate) const MODERN: &str = "2026-07-28";

/// A POST of a whole MCP request of 2026-07-28, with the headers that go with it.
pub(crate) fn modern<'a>(tent: &'a Tent, method: &str, mut params: Value) -> Ask<'a> {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(str::to_owned);
    let ask = posted(tent, MODERN, method, params).header("mcp-method", method);
    match name {
        Some(name) => ask.header("mcp-name", &name),
        None => ask,
    }
}

/// A POST of an MCP request of an older revision, without a session.
pub(crate) fn legacy<'a>(tent: &'a Tent, version: &str, method: &str, params: Value) -> Ask<'a> {
    posted(tent, version, method, params)
}

fn posted<'a>(tent: &'a Tent, version: &str, method: &str, params: Value) -> Ask<'a> {
    ask(tent, "POST", "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version)
        .json(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

impl Ask<'_> {
    pub(crate) fn key(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }

    /// One more header; what a request has once takes the place of the one before.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        if [
            "host",
            "content-type",
            "mcp-method",
            "mcp-name",
            "mcp-protocol-version",
        ]
        .contains(&name)
        {
            self.headers.retain(|(known, _)| known != name);
        }
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn json(self, body: Value) -> Self {
        self.header("content-type", "application/json")
            .body(body.to_string())
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Changes the text of the body, for what no [`Value`] holds.
    pub(crate) fn edited(mut self, edit: impl FnOnce(String) -> String) -> Self {
        let text = String::from_utf8(self.body).expect("a text");
        self.body = edit(text).into_bytes();
        self
    }

    /// Sends the request; the body of the response may be a stream that stays open.
    pub(crate) async fn open(self) -> axum::response::Response {
        use tower::ServiceExt as _;
        let mut request = Request::builder().method(self.method).uri(self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request
            .body(axum::body::Body::from(self.body))
            .expect("a request");
        self.tent
            .router()
            .oneshot(request)
            .await
            .expect("a router answers")
    }

    /// Sends the request, and returns the status of the response.
    pub(crate) async fn status(self) -> u16 {
        self.send().await.status.as_u16()
    }

    pub(crate) async fn send(self) -> Reply {
        let response = self.open().await;
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, usize::MAX)
            .await
            .expect("a whole body");
        Reply {
            status: parts.status,
            headers: parts.headers,
            bytes: bytes.to_vec(),
        }
    }
}

/// How often functions that count themselves have run.
pub(crate) fn runs(tent: &Tent) -> u64 {
    let watched = tent_runtime::__private::state::<Watched>(tent);
    watched
        .expect("it was handed over")
        .runs
        .load(Ordering::SeqCst)
}
