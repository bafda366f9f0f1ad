//! Sends requests to an app in this process, as a client would over HTTP.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use serde_json::Value;
use tent::{Declaration, NewKey, Tent, User};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

/// An app in memory, and the runtime that it runs on.
pub(crate) struct App {
    runtime: Runtime,
    router: axum::Router,
    /// The credentials of every request: `/mcp` accepts none without.
    authorization: String,
}

/// A whole response.
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl App {
    /// The app of these functions.
    pub(crate) fn new(functions: &'static [&'static Declaration]) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.expect("a runtime starts");
        let tent: Tent = runtime
            .block_on(
                tent::App::new("fuzz", "1.0.0")
                    .set("store.url", "memory:")
                    .users(async |id: String| Ok::<_, tent::Error>(Some(User::new(id))))
                    .functions(functions)
                    .build(),
            )
            .expect("the app is valid");
        let key = runtime.block_on(tent.keys().create(NewKey::new(["*"]).owner("ada")));
        let key = key.expect("a key is created");
        App {
            authorization: format!("Bearer {}", key.text()),
            router: tent.router(),
            runtime,
        }
    }

    /// Sends a POST with these headers.
    pub(crate) fn post(&self, path: &str, headers: &[(&'static str, &[u8])], body: &[u8]) -> Reply {
        let mut request = Request::post(path)
            .body(Body::from(body.to_vec()))
            .expect("a request");
        let common: [(&str, &[u8]); 4] = [
            ("authorization", self.authorization.as_bytes()),
            ("host", b"localhost"),
            ("content-type", b"application/json"),
            ("accept", b"application/json, text/event-stream"),
        ];
        for (name, value) in common.iter().chain(headers) {
            let value = HeaderValue::from_bytes(value).expect("a header value");
            request
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
        let router = self.router.clone();
        self.runtime.block_on(async {
            let response = router.oneshot(request).await.expect("a router responds");
            let (parts, body) = response.into_parts();
            let body = axum::body::to_bytes(body, usize::MAX)
                .await
                .expect("a whole body");
            Reply {
                status: parts.status,
                headers: parts.headers,
                body: body.to_vec(),
            }
        })
    }
}

impl Reply {
    /// The body as JSON, which it must be.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("the body is not JSON: {}", self.body.escape_ascii()))
    }

    /// Whether the response is an internal error, which no input may cause.
    pub(crate) fn is_internal(&self) -> bool {
        self.status.as_u16() >= 500 || find(&self.body, b"T0012")
    }

    /// How the app behaved: the status and the text of the response, without digits and long texts.
    pub(crate) fn behaviour(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.status.hash(&mut hasher);
        let text = self
            .body
            .iter()
            .take(400)
            .filter(|byte| !byte.is_ascii_digit());
        for byte in text {
            hasher.write_u8(*byte);
        }
        hasher.finish()
    }
}

/// Whether `part` is in `whole`.
pub(crate) fn find(whole: &[u8], part: &[u8]) -> bool {
    whole.windows(part.len()).any(|window| window == part)
}

/// Whether two values are equal, except for how exactly a float is read.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let (one, other) = (one.as_f64().unwrap_or(0.0), other.as_f64().unwrap_or(0.0));
            (one - other).abs() <= one.abs() * 1e-14
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let has = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_same(value, other))
            };
            one.len() == other.len() && one.iter().all(has)
        }
        _ => one == other,
    }
}
