//! A body that tent does not read, on every path: the next request on the same connection is served.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::response::Response;
use serde_json::json;
use tent::Tent;
use tent::http::{Request, header};
use tower::ServiceExt as _;

use crate::support::{key, tent};

/// A body of two pieces, and whether it was read to its end.
fn noted() -> (Body, Arc<AtomicBool>) {
    let ended = Arc::new(AtomicBool::new(false));
    let note = ended.clone();
    let pieces = futures_util::stream::unfold(0, move |at| {
        let note = note.clone();
        async move {
            if at == 2 {
                note.store(true, Ordering::Relaxed);
                return None;
            }
            Some((Ok::<_, std::io::Error>(vec![b' '; 1000]), at + 1))
        }
    });
    (Body::from_stream(pieces), ended)
}

async fn sent(tent: &Tent, request: Request<Body>) -> Response {
    let router = tent.router().merge(tent.well_known());
    router.oneshot(request).await.expect("a router answers")
}

/// The status that comes back, the method, the path, and the headers.
type Case<'a> = (u16, &'a str, &'a str, &'a [(&'a str, &'a str)]);

#[tokio::test]
async fn every_response_reads_the_body_to_its_end() {
    let tent = tent().await;
    let key = key(&tent, "ada", &["read"]).await;
    let (good, bad) = (format!("Bearer {key}"), "Bearer tk_no".to_owned());
    let json = ("content-type", "application/json");
    let cases: &[Case<'_>] = &[
        (401, "POST", "/mcp", &[json]),
        (401, "POST", "/mcp", &[json, ("authorization", &bad)]),
        (
            403,
            "POST",
            "/mcp",
            &[json, ("origin", "http://evil.example")],
        ),
        (405, "PUT", "/mcp", &[json, ("authorization", &good)]),
        (415, "POST", "/mcp", &[("authorization", &good)]),
        (
            406,
            "POST",
            "/mcp/",
            &[json, ("authorization", &good), ("accept", "image/png")],
        ),
        (400, "POST", "/mcp", &[json, ("authorization", &good)]),
        (401, "POST", "/api/whoami", &[json]),
        (401, "POST", "/api/add", &[json, ("authorization", &bad)]),
        (
            403,
            "POST",
            "/api/add",
            &[json, ("origin", "http://evil.example")],
        ),
        (
            404,
            "POST",
            "/api/nothing",
            &[json, ("authorization", &good)],
        ),
        (405, "POST", "/api", &[json]),
        (405, "PUT", "/api/add", &[json]),
        (415, "POST", "/api/add", &[]),
        (400, "POST", "/api/add", &[json]),
        (405, "POST", "/healthz", &[]),
        (405, "POST", "/readyz", &[]),
        (405, "POST", "/_t/codes/T0001", &[]),
        (
            403,
            "GET",
            "/_t/codes/T0001",
            &[("origin", "http://evil.example")],
        ),
        (404, "POST", "/.well-known/oauth-protected-resource", &[]),
    ];
    for (status, method, path, headers) in cases {
        let (body, ended) = noted();
        let mut request = Request::builder().method(*method).uri(*path);
        request = request.header("host", "localhost:3000");
        for (name, value) in *headers {
            request = request.header(*name, *value);
        }
        let response = sent(&tent, request.body(body).expect("a request")).await;
        let what = format!("{method} {path} {headers:?}");
        assert_eq!(response.status().as_u16(), *status, "{what}");
        assert!(ended.load(Ordering::Relaxed), "{what}");
        assert_eq!(response.headers().get(header::CONNECTION), None, "{what}");
    }
}

#[tokio::test]
async fn a_body_that_is_too_long_to_read_closes_the_connection() {
    let tent = tent().await;
    for path in ["/mcp", "/api/add", "/healthz", "/_t/codes/T0001"] {
        let piece = || Ok::<_, std::io::Error>(vec![0_u8; 1 << 20]);
        let endless = Body::from_stream(futures_util::stream::repeat_with(piece));
        let request = Request::post(path).header("host", "localhost:3000");
        let request = request.body(endless).expect("a request");
        let response = sent(&tent, request).await;
        assert!(response.status().is_client_error());
        assert_eq!(response.headers()[header::CONNECTION], "close", "{path}");
    }
}

#[tokio::test]
async fn checks_the_host_of_every_path_except_the_health_checks() {
    let tent = tent().await;
    for (path, ours) in [
        ("/api", true),
        ("/mcp", true),
        ("/_t/codes/T0001", true),
        ("/.well-known/oauth-protected-resource", true),
        ("/healthz", false),
        ("/readyz", false),
    ] {
        let request = Request::get(path).header("host", "10.0.0.7:3000");
        let response = sent(&tent, request.body(Body::empty()).expect("a request")).await;
        let status = response.status().as_u16();
        assert_eq!(status, if ours { 403 } else { 200 }, "{path}");
        if ours {
            let bytes = axum::body::to_bytes(response.into_body(), 1 << 16).await;
            let failure: serde_json::Value =
                serde_json::from_slice(&bytes.expect("a body")).expect("JSON");
            let code = [&failure["code"], &failure["error"]["data"]["code"]];
            assert!(code.contains(&&json!("T0014")), "{path}: {failure}");
        }
    }
}
