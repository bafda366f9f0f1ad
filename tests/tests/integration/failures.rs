//! Every failure that can be met, at both doors, as a client sees it: status, headers and body, whole.

use serde_json::{Value, json};
use tent::Tent;

use crate::support::{Ask, MODERN, ask, key, legacy, modern, snapshot, tent_with};

/// What it is, and the request that meets it.
type Case<'a> = (&'static str, Ask<'a>);

/// Who calls.
struct Keys {
    ada: String,
    /// Ada's too, which may only read.
    reader: String,
    grace: String,
}

async fn shop() -> (Tent, Keys) {
    let tent = tent_with(|app| app.set("limits.max_response", "8KiB")).await;
    let keys = Keys {
        ada: key(&tent, "ada", &["*"]).await,
        reader: key(&tent, "ada", &["read"]).await,
        grace: key(&tent, "grace", &["*"]).await,
    };
    (tent, keys)
}

/// The failures of a call, which `call` makes of a function's name and its input: the same at every door.
fn of_calls<'a>(keys: &Keys, call: impl Fn(&str, Value) -> Ask<'a>) -> Vec<Case<'a>> {
    let ada = |name: &str, input| call(name, input).key(&keys.ada);
    let order = json!({"lines": [{"sku": "", "count": 100, "colour": 1}], "note": 7, "nto": 1});
    let text = |kib: usize| json!({"value": "a".repeat(kib << 10)});
    vec![
        ("T0001", ada("no_such", json!({}))),
        ("T0001, hidden", ada("books", json!({}))),
        ("T0003, many fields", ada("order", order)),
        ("T0004, nobody", call("whoami", json!({}))),
        (
            "T0004, a key that is not good",
            call("whoami", json!({})).key("tk_no"),
        ),
        (
            "T0005, a scope is missing",
            call("touch", json!({})).key(&keys.reader),
        ),
        ("T0005, the function refuses", ada("pay", json!({"id": 13}))),
        ("T0007", ada("echo", text(64))),
        ("T0010", ada("never", json!({}))),
        ("T0012, a panic", ada("explode", json!({"id": "A1"}))),
        ("T0012, an unexpected error", ada("leak", json!({}))),
        ("T0019", ada("echo", text(9))),
        ("T7120", call("delete_all", json!({})).key(&keys.grace)),
        ("A0001, the app's own", ada("pay", json!({"id": 7}))),
    ]
}

/// The response to each case, and to `touch` while the server shuts down.
async fn shown<'a>(tent: &'a Tent, cases: Vec<Case<'a>>, touch: Ask<'a>) -> String {
    let mut shown = Vec::new();
    for (what, request) in cases {
        shown.push(format!("#### {what}\n{}", request.send().await.shown()));
    }
    tent.shutdown();
    shown.push(format!("#### T0013\n{}", touch.send().await.shown()));
    shown.join("\n\n")
}

#[tokio::test(start_paused = true)]
async fn failures_over_http() {
    let (tent, keys) = shop().await;
    let post = |name: &str, input| ask(&tent, "POST", format!("/api/{name}")).json(input);
    let touch = || post("touch", json!({})).key(&keys.ada);
    let echo = || post("echo", json!({})).key(&keys.ada);
    let mut cases = of_calls(&keys, post);
    cases.extend([
        (
            "T0003, a secret",
            post("unlock", json!({"password": "hunter2"})).key(&keys.ada),
        ),
        (
            "T0014, the host",
            ask(&tent, "GET", "/api").header("host", "evil.example"),
        ),
        (
            "T0014, the origin",
            ask(&tent, "GET", "/api").header("origin", "http://evil.example"),
        ),
        ("T0016", ask(&tent, "GET", "/api/touch").key(&keys.ada)),
        ("T0017", touch().header("content-type", "text/plain")),
        ("T0018, no JSON", touch().body("{")),
        (
            "T0018, a key twice",
            echo().body(r#"{"value":1,"value":2}"#),
        ),
        ("T0018, no object", touch().json(json!([]))),
    ]);
    let shown = shown(&tent, cases, touch()).await;
    snapshot!("failures_over_http", shown);
}

#[tokio::test(start_paused = true)]
async fn failures_over_mcp() {
    let (tent, keys) = shop().await;
    let call = |name: &str, input| {
        let params = json!({"name": name, "arguments": input});
        modern(&tent, "tools/call", params)
    };
    let list = || modern(&tent, "tools/list", json!({})).key(&keys.ada);
    let touch = || call("touch", json!({})).key(&keys.ada);
    let mut cases = of_calls(&keys, call);
    cases.extend([
        (
            "T0002, the header names another tool",
            touch().header("mcp-name", "echo"),
        ),
        (
            "T0002, the header names another method",
            list().header("mcp-method", "tools/call"),
        ),
        (
            "T0002, the header names another revision",
            list().header("mcp-protocol-version", "2025-11-25"),
        ),
        ("T0014, the host", list().header("host", "evil.example")),
        (
            "T0014, the origin",
            list().header("origin", "http://evil.example"),
        ),
        ("T0016", ask(&tent, "GET", "/mcp").key(&keys.ada)),
        ("T0017", list().header("content-type", "text/plain")),
        ("T0018, no JSON", list().body("{")),
        (
            "T0018, a key twice",
            list().body(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/list"}"#),
        ),
        (
            "a method that there is not",
            modern(&tent, "prompts/list", json!({})).key(&keys.ada),
        ),
        (
            "a cursor that is none",
            modern(&tent, "tools/list", json!({"cursor": "x"})).key(&keys.ada),
        ),
        (
            "no metadata",
            legacy(&tent, MODERN, "tools/list", json!({}))
                .header("mcp-method", "tools/list")
                .key(&keys.ada),
        ),
        ("an array", list().body("[]")),
    ]);
    let shown = shown(&tent, cases, touch()).await;
    snapshot!("failures_over_mcp", shown);
}

#[tokio::test(start_paused = true)]
async fn failures_over_older_mcp() {
    let (tent, keys) = shop().await;
    let older = |method: &str, params| legacy(&tent, "2025-11-25", method, params);
    let call = |name: &str, input| older("tools/call", json!({"name": name, "arguments": input}));
    let touch = || call("touch", json!({})).key(&keys.ada);
    let mut cases = of_calls(&keys, call);
    cases.extend([
        (
            "T0002, the header names another tool",
            touch().header("mcp-name", "echo"),
        ),
        (
            "T0015, a session that is not ours",
            touch().header("mcp-session-id", "gone"),
        ),
        ("T0018", touch().body("{")),
        (
            "a method that there is not",
            older("prompts/list", json!({})).key(&keys.ada),
        ),
        (
            "a revision that is not served",
            legacy(&tent, "2099-01-01", "tools/list", json!({})).key(&keys.ada),
        ),
        ("an array where the revision has none", touch().body("[]")),
    ]);
    let shown = shown(&tent, cases, touch()).await;
    snapshot!("failures_over_older_mcp", shown);
}
