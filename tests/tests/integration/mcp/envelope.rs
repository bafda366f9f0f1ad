//! Bodies that are not messages, and the one strict parse of all messages.

use serde_json::{Value, json};

use super::app::{App, Request, meta};

/// A call of `find_order` in raw text, with these arguments.
fn with_arguments(arguments: &str) -> Request {
    let meta = meta();
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find_order","arguments":{arguments},"_meta":{meta}}}}}"#
    );
    modern(body)
}

fn modern(body: impl Into<axum::body::Body>) -> Request {
    Request::raw(body)
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "find_order")
}

/// The id, the code and tent's own code of the refusal of this request.
async fn code(app: &App, send: Request) -> (Value, Value, Value) {
    let id = send.id();
    let got = app.json(400, send).await;
    assert!(!app.has_run(&id), "{got}");
    (
        got.get("id").cloned().unwrap_or_default(),
        got["error"]["code"].clone(),
        got["error"]["data"]["code"].clone(),
    )
}

// K3-26.
#[tokio::test]
async fn refuses_json_that_nests_too_deep_and_keeps_serving() {
    let app = App::new().await;
    let lists = |depth| {
        format!(
            r#"{{"id":"A1","x":{}{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        )
    };
    let objects = |depth| {
        format!(
            r#"{{"id":"A1","x":{}1{}}}"#,
            r#"{"a":"#.repeat(depth),
            "}".repeat(depth)
        )
    };
    for arguments in [
        lists(100_000),
        objects(100_000),
        lists(200),
        objects(129),
        lists(128),
    ] {
        assert_eq!(
            code(&app, with_arguments(&arguments)).await,
            (json!(1), json!(-32700), json!("T0018"))
        );
    }
    let skipped = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","x":{}}}"#,
        lists(100_000)
    );
    let (id, refused, _) = code(&app, Request::raw(skipped)).await;
    assert_eq!((id, refused), (json!(1), json!(-32700)));
    let id = format!(
        r#"{{"jsonrpc":"2.0","id":{},"method":"ping"}}"#,
        "[".repeat(5000) + &"]".repeat(5000)
    );
    let (id, refused, _) = code(&app, Request::raw(id)).await;
    assert_eq!((id, refused), (Value::Null, json!(-32600)));
    // Three levels are the envelope's own.
    for arguments in [lists(120), objects(120)] {
        app.json(200, with_arguments(&arguments)).await;
    }
}

// K3-27.
#[tokio::test]
async fn refuses_a_duplicate_key_at_every_depth() {
    let app = App::new().await;
    let meta = meta();
    for body in [
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find_order","name":"delete_order","arguments":{{"id":"A1"}},"_meta":{meta}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{{"name":"find_order","arguments":{{"id":"A1"}},"_meta":{meta}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"tools/list","params":{{"name":"find_order","arguments":{{"id":"A1"}},"_meta":{meta}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find_order","arguments":{{"id":"A1"}},"_meta":{meta},"_meta":{meta}}}}}"#
        ),
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find_order","arguments":{{"id":"A1"}},"arguments":{{"id":"A2"}},"_meta":{meta}}}}}"#
        ),
    ] {
        // Which of two ids is meant cannot be told.
        let id = if body.contains(r#""id":2"#) {
            Value::Null
        } else {
            json!(1)
        };
        assert_eq!(
            code(&app, modern(body)).await,
            (id, json!(-32600), json!("T0018"))
        );
    }
    for arguments in [
        r#"{"id":"A1","id":"A2"}"#,
        r#"{"id":"A1","\u0069d":"A2"}"#,
        r#"{"id":"A1","x":[{"y":1,"y":1}]}"#,
    ] {
        assert_eq!(
            code(&app, with_arguments(arguments)).await,
            (json!(1), json!(-32600), json!("T0018"))
        );
    }
    // Keys have capitals: `Name` is another one, and unknown.
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"find_order","Name":"delete_order","arguments":{{"id":"A1"}},"_meta":{meta}}}}}"#
    );
    let got = app.json(200, modern(body)).await;
    assert_eq!(got["result"]["structuredContent"], json!({"id": "A1"}));
}

#[tokio::test]
async fn returns_32700_for_a_body_that_is_not_json_in_utf_8() {
    let app = App::new().await;
    for body in [
        &b""[..],
        b"{",
        b"nonsense",
        b"\xef\xbb\xbf",
        b"{}\xef\xbb\xbf",
        b"{\"jsonrpc\":\"\xff\"}",
        b"{} {}",
    ] {
        assert_eq!(
            code(&app, Request::raw(body)).await,
            (Value::Null, json!(-32700), json!("T0018")),
            "{body:?}"
        );
    }
    for body in [
        "7",
        "\"x\"",
        "null",
        "{}",
        r#"{"a":1e999}"#,
        r#"{"jsonrpc":"1.0","method":"ping"}"#,
        r#"{"method":"ping"}"#,
    ] {
        assert_eq!(
            code(&app, Request::raw(body)).await,
            (Value::Null, json!(-32600), Value::Null),
            "{body}"
        );
    }
}

// K3-29.
#[tokio::test]
async fn returns_text_byte_for_byte_however_its_body_was_chunked() {
    let app = App::new().await;
    let text = "東京 – Ärger – 🦀\u{2028}\"\\";
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "echo", "arguments": {"text": text}, "_meta": meta(),
    }});
    let bytes = body.to_string().into_bytes();
    let pieces = bytes
        .into_iter()
        .map(|byte| Ok::<_, std::io::Error>(vec![byte]));
    let body = axum::body::Body::from_stream(futures_util::stream::iter(pieces));
    let got = app.send(modern(body).header("mcp-name", "echo")).await;
    let result = &got.json()["result"];
    assert_eq!(result["structuredContent"], json!({"text": text}));
    let said = result["content"][0]["text"].as_str().expect("a text");
    assert_eq!(
        serde_json::from_str::<Value>(said).expect("JSON"),
        json!({"text": text})
    );
}
