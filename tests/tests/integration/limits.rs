//! The limits of HTTP: what a request may be, and how it is refused. On a real port where that decides.

use serde_json::{Value, json};
use tent::Tent;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::log::Log;
use crate::support::{key, tent, tent_of};
use crate::wire::served;

/// A server of this app, and what comes back for these bytes when nothing else is sent.
struct Server {
    addr: std::net::SocketAddr,
    key: String,
}

impl Server {
    async fn of(tent: &Tent) -> Self {
        let key = key(tent, "ada", &["*"]).await;
        Server {
            addr: served(tent),
            key,
        }
    }

    /// The head of a POST of JSON with these further headers.
    fn post(&self, path: &str, headers: &str) -> String {
        let Server { addr, key } = self;
        format!(
            "POST {path} HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\n\
             content-type: application/json\r\naccept: application/json, text/event-stream\r\n{headers}"
        )
    }

    async fn write(&self, bytes: impl AsRef<[u8]>) -> TcpStream {
        let mut stream = TcpStream::connect(self.addr).await.expect("it listens");
        stream.write_all(bytes.as_ref()).await.expect("it reads");
        stream
    }

    /// Sends these bytes, and reads to the end of the connection.
    async fn exchange(&self, bytes: impl AsRef<[u8]>) -> String {
        text(self.write(bytes).await).await
    }

    async fn with_body(&self, path: &str, headers: &str, body: impl AsRef<[u8]>) -> String {
        let body = body.as_ref();
        let length = format!(
            "{headers}connection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let head = self.post(path, &length);
        self.exchange([head.as_bytes(), body].concat()).await
    }
}

async fn text(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.expect("it ends");
    String::from_utf8(text).expect("a text")
}

/// A legacy message.
fn message(method: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string()
}

// P34.
#[tokio::test]
async fn refuses_a_declared_length_over_the_limit_before_the_body_is_sent() {
    let server = Server::of(&tent().await).await;
    for path in ["/api/add", "/mcp"] {
        for headers in [
            "expect: 100-continue\r\ncontent-length: 5000000\r\n\r\n",
            "expect: 100-continue\r\ncontent-length: 65537\r\n\r\n",
            // Nothing follows.
            "content-length: 65537\r\n\r\n",
            "content-length: 50000000\r\n\r\n",
        ] {
            let response = server.exchange(server.post(path, headers)).await;
            assert!(
                response.starts_with("HTTP/1.1 413 "),
                "{path} {headers}: {response}"
            );
            assert!(response.contains("T0007"), "{response}");
        }
        // A body within the limit is still asked for.
        let body = message("ping");
        let headers = format!(
            "expect: 100-continue\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = server.write(server.post(path, &headers)).await;
        let mut interim = [0; 25];
        stream.read_exact(&mut interim).await.expect("it asks");
        assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream.write_all(body.as_bytes()).await.expect("it reads");
        assert!(text(stream).await.starts_with("HTTP/1.1 "));
    }
}

// P15.
#[tokio::test]
async fn names_the_content_coding_that_it_does_not_read() {
    let server = Server::of(&tent().await).await;
    let gzip = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    for path in ["/api/add", "/mcp", "/mcp/"] {
        for coding in ["gzip", "br", "zstd", "identity, deflate"] {
            let header = format!("content-encoding: {coding}\r\n");
            let response = server.with_body(path, &header, gzip).await;
            assert!(response.starts_with("HTTP/1.1 415 "), "{path}: {response}");
            assert!(
                response.contains("accept-encoding: identity\r\n"),
                "{response}"
            );
            assert!(
                response.contains(coding) && response.contains("T0017"),
                "{response}"
            );
        }
    }
    let header = "content-encoding: identity\r\n";
    let response = server.with_body("/mcp", header, message("ping")).await;
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
}

// P09.
#[tokio::test]
async fn skips_a_byte_order_mark_before_a_body() {
    let server = Server::of(&tent().await).await;
    let marked = |text: String| format!("\u{feff}{text}");
    let ping = server.with_body("/mcp", "", marked(message("ping"))).await;
    assert!(ping.starts_with("HTTP/1.1 200 "), "{ping}");
    let batch = format!("[{}]", message("ping"));
    let old = "mcp-protocol-version: 2025-03-26\r\n";
    let batch = server.with_body("/mcp", old, marked(batch)).await;
    assert!(batch.starts_with("HTTP/1.1 200 "), "{batch}");
    for body in ["\u{feff}", "\u{feff}{}"] {
        let response = server.with_body("/api/whoami", "", body).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    }
    // The error has the id of the request.
    let invalid = json!({"jsonrpc": "1.0", "id": 7, "method": "ping"}).to_string();
    let invalid = server.with_body("/mcp", "", marked(invalid)).await;
    assert!(invalid.contains(r#""id":7"#), "{invalid}");
}

#[tokio::test]
async fn a_client_that_ends_only_its_side_gets_its_response() {
    let server = Server::of(&tent().await).await;
    let body = message("ping");
    let length = format!("content-length: {}\r\n\r\n", body.len());
    let post = server.post("/mcp", &length) + &body;
    let get = format!(
        "GET /api/whoami HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
        server.addr, server.key
    );
    for (request, responses) in [(post.clone(), 1), (get.clone(), 1), (post + &get, 2)] {
        let mut stream = server.write(&request).await;
        stream.shutdown().await.expect("it is open");
        let response = text(stream).await;
        assert_eq!(
            response.matches("HTTP/1.1 200 ").count(),
            responses,
            "{response}"
        );
    }
}

#[tokio::test]
async fn a_name_in_a_path_may_be_percent_encoded() {
    let server = Server::of(&tent().await).await;
    let get = async |path: &str| {
        let Server { addr, key } = &server;
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {addr}\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n"
        );
        server.exchange(head).await
    };
    for path in [
        "/api/whoami",
        "/api/%77hoami",
        "/api/who%61m%69",
        "/api/%77%68%6f%61%6D%69",
    ] {
        let response = get(path).await;
        assert!(response.starts_with("HTTP/1.1 200 "), "{path}: {response}");
    }
    // Each of these is a name that no function has, and looks like any other.
    let body = |response: String| {
        let body = response
            .split_once("\r\n\r\n")
            .expect("a body")
            .1
            .to_owned();
        serde_json::from_str::<Value>(&body).expect("JSON")
    };
    let unknown = body(get("/api/nothing").await);
    for path in [
        "/api/%ff",
        "/api/%zz",
        "/api/who%2Fami",
        "/api/whoami%",
        "/api/whoami%00",
        "/api/%2e%2e/api/whoami",
    ] {
        assert_eq!(body(get(path).await), unknown, "{path}");
    }
}

// S18.
#[tokio::test]
async fn cuts_what_a_client_sent_in_each_line_of_the_log() {
    let (log, _kept) = Log::kept();
    let tent = tent().await;
    let long = "x".repeat(60_000);
    let request = |path: &str, key: &str| {
        tent::http::Request::post(path)
            .header("host", "localhost")
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json")
            .header("x-request-id", "one")
    };
    let good = key(&tent, "ada", &["*"]).await;
    let reason = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": long, "reason": long}});
    for (path, key, body) in [
        (format!("/api/{long}"), "tk_no", String::new()),
        (format!("/api/{long}"), &good, String::new()),
        (format!("/mcp?{long}"), "tk_no", String::new()),
        ("/mcp".to_owned(), &good, reason.to_string()),
        (
            "/api/leak".to_owned(),
            &good,
            json!({long.as_str(): 1}).to_string(),
        ),
    ] {
        let request = request(&path, key).body(axum::body::Body::from(body));
        let router: axum::Router = tent.router();
        let response = tower::ServiceExt::oneshot(router, request.expect("a request")).await;
        assert!(response.is_ok());
    }
    assert!(log.line("rejected credentials").contains("/api/xxx"));
    let longest = log.lines().into_iter().map(|line| line.len()).max();
    assert!(longest.is_some_and(|longest| longest < 4000), "{longest:?}");
}

// S02, S04. On the app's own server too, which is only a router here.
#[tokio::test]
async fn a_router_counts_bodies_and_responses_wherever_it_is_mounted() {
    let tent = tent_of(|app| {
        app.functions(tent::functions![long, length])
            .set("limits.max_body", "1MiB")
            .set("limits.in_flight", "1MB")
    })
    .await;
    let router: axum::Router = tent.router();
    let request = |method: &str, path: &str, body: String| {
        let request = tent::http::Request::builder()
            .method(method)
            .uri(path)
            .header("host", "localhost")
            .header("content-type", "application/json")
            .body(axum::body::Body::from(body))
            .expect("a request");
        tower::ServiceExt::oneshot(router.clone(), request)
    };
    let status = |response: &axum::response::Response| response.status().as_u16();
    // Nothing is read of it while it lives.
    let unread = request("GET", "/api/long", String::new())
        .await
        .expect("a response");
    assert_eq!(status(&unread), 200);
    let refused = request("GET", "/api/long", String::new())
        .await
        .expect("a response");
    assert_eq!(status(&refused), 503);
    assert_eq!(refused.headers()["retry-after"], "1");
    let text = json!({"text": "x".repeat(500_000)}).to_string();
    let refused = request("POST", "/api/length", text.clone())
        .await
        .expect("a response");
    assert_eq!(status(&refused), 503);
    let small = json!({"text": "x".repeat(5_000)}).to_string();
    let small = request("POST", "/api/length", small)
        .await
        .expect("a response");
    assert_eq!(status(&small), 200, "small requests are served");
    drop(unread);
    let served = request("POST", "/api/length", text)
        .await
        .expect("a response");
    assert_eq!(status(&served), 200);
}

/// A long text.
#[tent::query(access = "anyone")]
fn long() -> String {
    "x".repeat(900_000)
}

/// The length of a text.
#[tent::query(access = "anyone")]
fn length(text: String) -> usize {
    text.len()
}

/// A client may have sent its request when the server begins to close, or when the app opens.
#[tokio::test]
async fn an_open_connection_without_a_request_gets_the_response_to_one_when_the_server_closes() {
    let tent = tent_of(|app| app.functions(tent::functions![length])).await;
    let addr = served(&tent);
    let request = format!("GET /healthz HTTP/1.1\r\nhost: {addr}\r\n\r\n");
    let response = async |client: &mut TcpStream| {
        client
            .write_all(request.as_bytes())
            .await
            .expect("it reads");
        let mut status = [0; 12];
        client.read_exact(&mut status).await.expect("a response");
        String::from_utf8_lossy(&status).into_owned()
    };
    let mut waiting = TcpStream::connect(addr).await.expect("it listens");
    let mut another = TcpStream::connect(addr).await.expect("it listens");
    // Both have been accepted.
    assert_eq!(response(&mut another).await, "HTTP/1.1 200");
    tent.shutdown();
    let mut end = Vec::new();
    another.read_to_end(&mut end).await.expect("it is closed");
    assert_eq!(response(&mut waiting).await, "HTTP/1.1 200");
    let mut rest = String::new();
    waiting
        .read_to_string(&mut rest)
        .await
        .expect("it is closed");
    assert!(rest.contains("connection: close"), "{rest}");
}
