//! Every failure that can be met, at both doors, as a client sees it: status, headers and body, whole.

use serde_json::json;

use crate::support::{MODERN, Reply, ask, key, legacy, modern, snapshot, tent_with};

/// What is shown of one failure after the other.
#[derive(Default)]
struct Shown(String);

impl Shown {
    fn add(&mut self, what: &str, reply: &Reply) {
        if !self.0.is_empty() {
            self.0 += "\n\n";
        }
        self.0 += &format!("#### {what}\n{}", reply.shown());
    }
}

#[tokio::test(start_paused = true)]
async fn failures_over_http() {
    let tent = tent_with(|app| app.set("limits.answer", "8KiB")).await;
    let ada = key(&tent, "ada", &["*"]).await;
    let reader = key(&tent, "ada", &["read"]).await;
    let grace = key(&tent, "grace", &["*"]).await;
    let post = |key: &str, name: &str, input| {
        ask(&tent, "POST", format!("/api/{name}"))
            .key(key)
            .json(input)
    };
    let mut shown = Shown::default();
    for (what, request) in [
        ("T0001", post(&ada, "no_such", json!({}))),
        (
            "T0003, many fields",
            post(
                &ada,
                "order",
                json!({"lines": [{"sku": "", "count": 100, "colour": 1}], "note": 7, "nto": 1}),
            ),
        ),
        (
            "T0003, a secret",
            post(&ada, "unlock", json!({"password": "hunter2"})),
        ),
        ("T0004, nobody", ask(&tent, "GET", "/api/whoami")),
        (
            "T0004, a key that is not good",
            ask(&tent, "GET", "/api/whoami").key("tk_no"),
        ),
        (
            "T0005, a scope is missing",
            post(&reader, "touch", json!({})),
        ),
        (
            "T0005, the function refuses",
            post(&ada, "pay", json!({"id": 13})),
        ),
        (
            "T0007",
            post(&ada, "echo", json!({"value": "a".repeat(64 << 10)})),
        ),
        ("T0010", post(&ada, "never", json!({}))),
        ("T0012, a panic", post(&ada, "explode", json!({"id": "A1"}))),
        (
            "T0012, an error that nobody stated",
            post(&ada, "leak", json!({})),
        ),
        (
            "T0014, the host",
            ask(&tent, "GET", "/api").header("host", "evil.example"),
        ),
        (
            "T0014, the origin",
            ask(&tent, "GET", "/api").header("origin", "http://evil.example"),
        ),
        ("T0016", ask(&tent, "GET", "/api/touch").key(&ada)),
        (
            "T0017",
            ask(&tent, "POST", "/api/touch").key(&ada).body("{}"),
        ),
        ("T0018, no JSON", post(&ada, "touch", json!({})).body("{")),
        (
            "T0018, a key twice",
            post(&ada, "echo", json!({})).body(r#"{"value":1,"value":2}"#),
        ),
        ("T0018, no object", post(&ada, "touch", json!([]))),
        (
            "T0019",
            post(&ada, "echo", json!({"value": "a".repeat(9 << 10)})),
        ),
        ("T7120", post(&grace, "delete_all", json!({}))),
        ("A0001, the app's own", post(&ada, "pay", json!({"id": 7}))),
    ] {
        shown.add(what, &request.send().await);
    }
    tent.shutdown();
    shown.add("T0013", &post(&ada, "touch", json!({})).send().await);
    snapshot!("failures_over_http", shown.0);
}

#[tokio::test(start_paused = true)]
async fn failures_over_mcp() {
    let tent = tent_with(|app| app.set("limits.answer", "8KiB")).await;
    let ada = key(&tent, "ada", &["*"]).await;
    let reader = key(&tent, "ada", &["read"]).await;
    let grace = key(&tent, "grace", &["*"]).await;
    let call = |key: &str, name: &str, input| {
        let params = json!({"name": name, "arguments": input});
        modern(&tent, "tools/call", params).key(key)
    };
    let list = || modern(&tent, "tools/list", json!({})).key(&ada);
    let mut shown = Shown::default();
    for (what, request) in [
        ("T0001", call(&ada, "no_such", json!({}))),
        ("T0001, hidden", call(&ada, "books", json!({}))),
        (
            "T0002, the header names another tool",
            call(&ada, "add", json!({"a": 1, "b": 2})).header("mcp-name", "echo"),
        ),
        (
            "T0002, the header names another method",
            list().header("mcp-method", "tools/call"),
        ),
        (
            "T0002, the header names another revision",
            list().header("mcp-protocol-version", "2025-11-25"),
        ),
        (
            "T0003",
            call(
                &ada,
                "order",
                json!({"lines": [{"sku": "", "count": 100, "colour": 1}], "note": 7, "nto": 1}),
            ),
        ),
        ("T0004, nobody", modern(&tent, "tools/list", json!({}))),
        (
            "T0004, a key that is not good",
            modern(&tent, "tools/list", json!({})).key("tk_no"),
        ),
        (
            "T0005, a scope is missing",
            call(&reader, "touch", json!({})),
        ),
        (
            "T0005, the function refuses",
            call(&ada, "pay", json!({"id": 13})),
        ),
        (
            "T0007",
            call(&ada, "echo", json!({"value": "a".repeat(64 << 10)})),
        ),
        ("T0010", call(&ada, "never", json!({}))),
        ("T0012, a panic", call(&ada, "explode", json!({"id": "A1"}))),
        (
            "T0012, an error that nobody stated",
            call(&ada, "leak", json!({})),
        ),
        ("T0014, the host", list().header("host", "evil.example")),
        (
            "T0014, the origin",
            list().header("origin", "http://evil.example"),
        ),
        ("T0016", ask(&tent, "GET", "/mcp").key(&ada)),
        ("T0017", list().header("content-type", "text/plain")),
        ("T0018, no JSON", list().body("{")),
        (
            "T0018, a key twice",
            list().body(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#),
        ),
        (
            "T0019",
            call(&ada, "echo", json!({"value": "a".repeat(9 << 10)})),
        ),
        ("T7120", call(&grace, "delete_all", json!({}))),
        ("A0001, the app's own", call(&ada, "pay", json!({"id": 7}))),
        (
            "a method that there is not",
            modern(&tent, "prompts/list", json!({})).key(&ada),
        ),
        (
            "a cursor that is none",
            modern(&tent, "tools/list", json!({"cursor": "x"})).key(&ada),
        ),
        (
            "no metadata",
            legacy(&tent, MODERN, "tools/list", json!({}))
                .header("mcp-method", "tools/list")
                .key(&ada),
        ),
        ("an array", list().body("[]")),
    ] {
        shown.add(what, &request.send().await);
    }
    tent.shutdown();
    shown.add("T0013", &call(&ada, "touch", json!({})).send().await);
    snapshot!("failures_over_mcp", shown.0);
}

#[tokio::test(start_paused = true)]
async fn failures_over_older_mcp() {
    let tent = tent_with(|app| app.set("limits.answer", "8KiB")).await;
    let ada = key(&tent, "ada", &["*"]).await;
    let reader = key(&tent, "ada", &["read"]).await;
    let grace = key(&tent, "grace", &["*"]).await;
    let call = |key: &str, name: &str, input| {
        let params = json!({"name": name, "arguments": input});
        legacy(&tent, "2025-11-25", "tools/call", params).key(key)
    };
    let mut shown = Shown::default();
    for (what, request) in [
        ("T0001", call(&ada, "no_such", json!({}))),
        (
            "T0002, the header names another tool",
            call(&ada, "add", json!({"a": 1, "b": 2})).header("mcp-name", "echo"),
        ),
        ("T0003", call(&ada, "add", json!({"a": "one"}))),
        (
            "T0004",
            legacy(&tent, "2025-11-25", "tools/list", json!({})),
        ),
        ("T0005", call(&reader, "touch", json!({}))),
        ("T0010", call(&ada, "never", json!({}))),
        ("T0012", call(&ada, "explode", json!({"id": "A1"}))),
        (
            "T0015, a session that is not ours",
            call(&ada, "add", json!({})).header("mcp-session-id", "gone"),
        ),
        ("T0018", call(&ada, "add", json!({})).body("{")),
        (
            "T0019",
            call(&ada, "echo", json!({"value": "a".repeat(9 << 10)})),
        ),
        ("T7120", call(&grace, "delete_all", json!({}))),
        ("A0001, the app's own", call(&ada, "pay", json!({"id": 7}))),
        (
            "a method that there is not",
            legacy(&tent, "2025-11-25", "prompts/list", json!({})).key(&ada),
        ),
        (
            "a revision that is not served",
            legacy(&tent, "2099-01-01", "tools/list", json!({})).key(&ada),
        ),
        (
            "an array where the revision has none",
            call(&ada, "add", json!({})).body("[]"),
        ),
    ] {
        shown.add(what, &request.send().await);
    }
    tent.shutdown();
    shown.add("T0013", &call(&ada, "touch", json!({})).send().await);
    snapshot!("failures_over_older_mcp", shown.0);
}
