//! A store that another process holds: the deadline of a request covers it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tent::input;
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{Ask, Directory, MODERN, ask, key, legacy, tent_with};

/// The deadline of every request: far less than SQLite waits for a lock.
const CALL_TIMEOUT: Duration = Duration::from_millis(400);

/// Far less than SQLite waits, and enough for a slow machine.
const SOON: Duration = Duration::from_secs(3);

#[change(about = "Asks a question", access = "role:locked", offer = "mcp")]
async fn asks_a_question(cx: &Cx) -> Result<bool> {
    let form = input::Form::new("Go on?").field("sure", input::Field::boolean());
    Ok(cx.input("sure", form).await?.accepted().is_some())
}

async fn app(url: &str) -> (Tent, String) {
    let person = async |id: String| Ok::<_, Error>(Some(tent::User::new(id).role("locked")));
    let functions = tent::functions![asks_a_question];
    let timeout = format!("{}ms", CALL_TIMEOUT.as_millis());
    let change = |app: App| {
        let app = app.functions(functions).users(person);
        app.set("store.url", url)
            .set("limits.call_timeout", &timeout)
    };
    let tent = tent_with(change).await;
    let key = key(&tent, "lin", &["*"]).await;
    (tent, key)
}

/// A call of a client that answers forms.
fn call<'a>(tent: &'a Tent, key: &str, more: Value) -> Ask<'a> {
    let mut params = json!({
        "name": "asks_a_question",
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": {"name": "probe", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        },
    });
    for (name, value) in more.as_object().expect("an object") {
        params[name] = value.clone();
    }
    ask(tent, "POST", "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "asks_a_question")
        .json(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))
        .key(key)
}

/// The code of a failure, wherever the response has it.
fn code(body: &Value) -> &Value {
    match &body["error"]["data"]["code"] {
        Value::Null => &body["result"]["_meta"]["tent.error"]["code"],
        code => code,
    }
}

/// R03.
#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
async fn a_request_ends_in_time_while_another_process_locks_the_store() {
    let directory = Directory::new("locked-store");
    let (tent, key) = app(&directory.store()).await;
    let asked = call(&tent, &key, json!({})).send().await.json();
    let state = asked["result"]["requestState"].clone();
    assert!(state.is_string(), "{asked}");
    let handshake = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "probe", "version": "1"},
    });
    let session = legacy(&tent, "2025-06-18", "initialize", handshake);
    let session = session.key(&key).send().await;
    let session = session.header("mcp-session-id").expect("a session");

    let other =
        rusqlite::Connection::open(directory.0.join("tent.db")).expect("the file of the store");
    other
        .execute_batch("BEGIN IMMEDIATE")
        .expect("nothing else holds the lock");

    let retry = json!({
        "requestState": state,
        "inputResponses": {"sure": {"action": "accept", "content": {"sure": true}}},
    });
    let start = Instant::now();
    let got = call(&tent, &key, retry.clone()).send().await.json();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(
        matches!(code(&got).as_str(), Some("T0010" | "T0012")),
        "{got}"
    );

    let start = Instant::now();
    let end = ask(&tent, "DELETE", "/mcp").header("mcp-session-id", session);
    let got = end.key(&key).send().await.json();
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(
        matches!(code(&got).as_str(), Some("T0010" | "T0012")),
        "{got}"
    );

    // Requests that only read do not wait for the lock.
    let asked = call(&tent, &key, json!({})).send().await.json();
    assert_eq!(asked["result"]["resultType"], "input_required");
    other.execute_batch("ROLLBACK").expect("it is held");
}
