//! tent inside an axum app that was there before: merged, nested, with a state of that app, and its end.

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::routing::get;
use serde_json::{Value, json};
use tent::Tent;
use tent::http::{Request, StatusCode, header};
use tower::ServiceExt as _;

use crate::support::{key, tent};

/// The state of the app around it.
#[derive(Clone)]
struct Around(&'static str);

/// Each way to mount it, with the path that everything is then found under.
fn mounts(tent: &Tent) -> [(&'static str, Router); 4] {
    let page = || get(async |State(Around(text)): State<Around>| text);
    let around = Around("the app's own page");
    [
        ("", Router::new().merge(tent.router())),
        ("/tools", Router::new().nest("/tools", tent.router())),
        (
            "/a/b",
            Router::new().nest("/a", Router::new().nest("/b", tent.router())),
        ),
        // R10: within a router with a state of the app.
        (
            "/tools",
            Router::new()
                .route("/", page())
                .nest("/tools", tent.router())
                .merge(tent.well_known())
                .fallback(async || (StatusCode::NOT_FOUND, "the app's own 404"))
                .with_state(around),
        ),
    ]
}

async fn sent(router: &Router, request: Request<Body>) -> (StatusCode, String) {
    let answer = router.clone().oneshot(request).await.expect("it answers");
    let status = answer.status();
    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await;
    let body = body.expect("a whole body").to_vec();
    (status, String::from_utf8(body).expect("a text"))
}

fn get_of(path: String) -> Request<Body> {
    let request = Request::get(path).header(header::HOST, "localhost:3000");
    request.body(Body::empty()).expect("a request")
}

fn post_to(path: String, key: &str, body: &Value) -> Request<Body> {
    Request::post(path)
        .header(header::HOST, "localhost:3000")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::ACCEPT, "application/json, text/event-stream")
        .header("mcp-protocol-version", "2025-11-25")
        .body(Body::from(body.to_string()))
        .expect("a request")
}

#[tokio::test]
async fn both_endpoints_respond_wherever_the_router_is_mounted() {
    let tent = tent().await;
    let key = key(&tent, "ada", &["read"]).await;
    for (at, router) in mounts(&tent) {
        let added = sent(&router, get_of(format!("{at}/api/add?a=2&b=40"))).await;
        assert_eq!(added, (StatusCode::OK, r#"{"sum":42}"#.to_owned()), "{at}");

        let list = sent(&router, get_of(format!("{at}/api"))).await;
        assert_eq!(list.0, StatusCode::OK, "{at}");
        assert_eq!(
            sent(&router, get_of(format!("{at}/api/"))).await,
            list,
            "{at}"
        );

        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "add", "arguments": {"a": 2, "b": 40}},
        });
        for mcp in ["mcp", "mcp/"] {
            let answer = sent(&router, post_to(format!("{at}/{mcp}"), &key, &call)).await;
            assert_eq!(answer.0, StatusCode::OK, "{at}/{mcp}: {}", answer.1);
            let answer: Value = serde_json::from_str(&answer.1).expect("JSON");
            assert_eq!(answer["result"]["structuredContent"], json!({"sum": 42}));
        }
        let ready = sent(&router, get_of(format!("{at}/readyz"))).await;
        assert_eq!(ready, (StatusCode::OK, "ready".to_owned()), "{at}");
    }
}

// R11
#[tokio::test]
async fn the_type_of_a_problem_document_is_a_page_wherever_the_router_is_mounted() {
    let tent = tent().await;
    for (at, router) in mounts(&tent) {
        let (status, problem) = sent(&router, get_of(format!("{at}/api/nothing"))).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{at}");
        let problem: Value = serde_json::from_str(&problem).expect("JSON");
        let page = problem["type"].as_str().expect("a URL").to_owned();
        let (status, text) = sent(&router, get_of(page.clone())).await;
        assert_eq!(status, StatusCode::OK, "{page}");
        assert!(text.starts_with("T0004 "), "{page}: {text}");
    }
}

// R11
#[tokio::test]
async fn the_type_of_a_problem_document_begins_with_the_public_url() {
    let of = async |public: &'static str| {
        let tent = crate::support::tent_with(|app| app.set("web.public_url", public)).await;
        let router: Router = Router::new().nest("/tools", tent.router());
        let (_, problem) = sent(&router, get_of("/tools/api/nothing".to_owned())).await;
        let problem: Value = serde_json::from_str(&problem).expect("JSON");
        problem["type"].as_str().expect("a URL").to_owned()
    };
    let page = "https://shop.example/tools/_t/codes/T0004";
    assert_eq!(of("https://shop.example").await, page);
    assert_eq!(of("https://shop.example/tools").await, page);
}

#[tokio::test]
async fn the_surrounding_app_serves_its_pages() {
    let tent = tent().await;
    let [.., (_, router)] = mounts(&tent);
    let page = sent(&router, get_of("/".to_owned())).await;
    assert_eq!(page, (StatusCode::OK, "the app's own page".to_owned()));
    let missing = (StatusCode::NOT_FOUND, "the app's own 404".to_owned());
    assert_eq!(sent(&router, get_of("/api".to_owned())).await, missing);
    let metadata = "/.well-known/oauth-protected-resource/tools/mcp".to_owned();
    let metadata = sent(&router, get_of(metadata)).await;
    assert_eq!(metadata, (StatusCode::NOT_FOUND, String::new()));
}

#[tokio::test]
async fn refuses_calls_after_a_shutdown_while_the_surrounding_app_continues() {
    let tent = tent().await;
    let [.., (_, router)] = mounts(&tent);
    tent.shutdown();
    let refused = sent(&router, get_of("/tools/api/add?a=2&b=40".to_owned())).await;
    assert_eq!(refused.0, StatusCode::SERVICE_UNAVAILABLE);
    let problem: Value = serde_json::from_str(&refused.1).expect("JSON");
    assert_eq!(problem["code"], "T0013");
    let ready = sent(&router, get_of("/tools/readyz".to_owned())).await;
    assert_eq!(
        ready,
        (StatusCode::SERVICE_UNAVAILABLE, "shutting-down".to_owned())
    );
    let page = sent(&router, get_of("/".to_owned())).await;
    assert_eq!(page.0, StatusCode::OK);
}

#[tokio::test]
async fn does_not_check_the_host_of_paths_of_the_surrounding_app() {
    let tent = tent().await;
    let elsewhere = |path: String| {
        let request = Request::get(path).header(header::HOST, "shop.example");
        request.body(Body::empty()).expect("a request")
    };
    for (at, router) in mounts(&tent) {
        let missing = sent(&router, elsewhere("/nothing".to_owned())).await;
        assert_eq!(missing.0, StatusCode::NOT_FOUND, "{at}");
        let refused = sent(&router, elsewhere(format!("{at}/_t/codes/T0001"))).await;
        assert_eq!(refused.0, StatusCode::FORBIDDEN, "{at}");
    }
}
