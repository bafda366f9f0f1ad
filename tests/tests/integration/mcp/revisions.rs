//! Tools in every revision: their schemas, values and sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use tent::http::request::Parts;
use tent::{App, User};

use crate::support::{Directory, MODERN, ask, key, legacy, modern, tent, tent_with};

const REVISIONS: [&str; 5] = [
    MODERN,
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

async fn result(
    tent: &tent::Tent,
    key: &str,
    revision: &str,
    method: &str,
    params: Value,
) -> Value {
    let request = match revision {
        MODERN => modern(tent, method, params),
        older => legacy(tent, older, method, params),
    };
    let reply = request.key(key).send().await;
    let mut answer = reply.json();
    assert!(answer["result"].is_object(), "{revision}: {answer}");
    answer["result"].take()
}

// K6-07.
#[tokio::test]
async fn every_result_is_valid_for_its_listed_schema() {
    let tent = tent().await;
    let grace = key(&tent, "grace", &["*"]).await;
    let calls = [
        ("add", json!({"a": 1, "b": 2})),
        ("whoami", json!({})),
        ("search", json!({"text": "x", "tags": ["a"]})),
        ("order", json!({"lines": [{"sku": "a", "count": 2}]})),
        ("books", json!({})),
        ("scoped", json!({})),
        ("touch", json!({})),
        ("echo", json!({"value": [1, {"a": null}]})),
        ("picture", json!({})),
    ];
    for revision in REVISIONS {
        let list = result(&tent, &grace, revision, "tools/list", json!({})).await;
        let structured = revision >= "2025-06-18";
        for (name, input) in &calls {
            let tools = list["tools"].as_array().expect("a list");
            let tool = tools.iter().find(|tool| tool["name"] == *name);
            let schema = tool.expect("it is listed").get("outputSchema");
            let params = json!({"name": name, "arguments": input});
            let given = result(&tent, &grace, revision, "tools/call", params).await;
            assert_ne!(given["isError"], true, "{revision} {name}: {given}");
            let value = given.get("structuredContent");
            let stated = structured && !["touch", "echo", "picture"].contains(name);
            assert_eq!(schema.is_some(), stated, "{revision} {name}");
            if let Some(schema) = schema {
                let value = value.expect("what has a schema has a value");
                let validator = jsonschema::draft202012::new(schema).expect("a schema");
                let misfits: Vec<_> = validator
                    .iter_errors(value)
                    .map(|misfit| misfit.to_string())
                    .collect();
                assert_eq!(misfits, Vec::<String>::new(), "{revision} {name}: {value}");
            }
            // The same value as text, for clients that show the content alone.
            match value {
                Some(value) => {
                    let text = given["content"][0]["text"].as_str().expect("a text");
                    let text: Value = serde_json::from_str(text).expect("JSON");
                    assert_eq!(text, *value, "{revision} {name}");
                    assert!(
                        structured && value.is_object(),
                        "{revision} {name}: {given}"
                    );
                }
                None => assert!(!structured || *name == "picture", "{revision} {name}"),
            }
        }
    }
}

// K1-01, K1-02, K1-05.
#[tokio::test]
async fn every_listed_schema_uses_only_what_all_clients_support() {
    let tent = tent().await;
    let grace = key(&tent, "grace", &["*"]).await;
    for revision in REVISIONS {
        let list = result(&tent, &grace, revision, "tools/list", json!({})).await;
        for tool in list["tools"].as_array().expect("a list") {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{tool}");
            assert!(schema["properties"].is_object(), "{tool}");
            assert_eq!(schema["additionalProperties"], false, "{tool}");
            for union in ["oneOf", "anyOf", "allOf"] {
                assert_eq!(schema.get(union), None, "{tool}");
            }
            check(schema, tool);
            if let Some(output) = tool.get("outputSchema") {
                assert_eq!(output["type"], "object", "{tool}");
                check(output, tool);
            }
        }
    }
}

/// Asserts of a schema, and of each within it, what clients choke on.
fn check(schema: &Value, tool: &Value) {
    let schema = schema
        .as_object()
        .unwrap_or_else(|| panic!("a schema is an object, not {schema}: {tool}"));
    assert!(!schema.contains_key("$schema"), "{tool}");
    if let Some(reference) = schema.get("$ref") {
        let within = reference
            .as_str()
            .is_some_and(|to| to.starts_with("#/$defs/"));
        assert!(within, "{tool}");
    }
    if schema.get("type") == Some(&json!("array")) {
        assert!(schema.contains_key("items"), "{tool}");
    }
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("additionalProperties", Value::Bool(false)) => {}
            ("items" | "additionalProperties", schema) => check(schema, tool),
            ("properties" | "$defs", Value::Object(named)) => {
                named.values().for_each(|schema| check(schema, tool));
            }
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(parts)) => {
                parts.iter().for_each(|schema| check(schema, tool));
            }
            ("format", format) => assert!(
                [
                    "date-time",
                    "date",
                    "time",
                    "uri",
                    "uuid",
                    "email",
                    "ipv4",
                    "ipv6"
                ]
                .iter()
                .any(|known| format == known),
                "{tool}"
            ),
            _ => {}
        }
    }
}

/// On a thread of a server with its small stack, with all that is done to a value on the way to a function and back.
// K3-26.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serves_json_up_to_the_depth_limit_and_refuses_deeper_json() {
    let serving = tokio::spawn(async {
        let tent = tent().await;
        let ada = key(&tent, "ada", &["*"]).await;
        let nested = |depth: usize, open: &str, close: &str| {
            format!("{}1{}", open.repeat(depth), close.repeat(depth))
        };
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            for (depth, taken) in [
                (100, true),
                (119, true),
                (128, false),
                (129, false),
                (200, false),
                (100_000, false),
            ] {
                let value = nested(depth, open, close);
                let api = ask(&tent, "POST", "/api/echo")
                    .key(&ada)
                    .json(json!({}))
                    .body(format!(r#"{{"value":{value}}}"#));
                let reply = api.send().await;
                let status = if taken { 200 } else { 400 };
                // A body over the limit is refused before it is read as JSON.
                let status = if value.len() > 60_000 { 413 } else { status };
                assert_eq!(reply.status.as_u16(), status, "{depth}");
                if taken {
                    assert_eq!(String::from_utf8_lossy(&reply.bytes), value);
                }
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"value":{value}}}}}}}"#
                );
                let mcp = legacy(&tent, "2025-11-25", "tools/call", json!({}))
                    .key(&ada)
                    .body(body);
                let reply = mcp.send().await;
                assert_eq!(reply.status.as_u16(), status, "{depth}");
                if taken {
                    let text = reply.json()["result"]["content"][0]["text"].clone();
                    assert_eq!(text, format!(r#"{{"value":{value}}}"#));
                }
            }
        }
    });
    serving.await.expect("nothing panicked");
}

// K1-04, K1-08, K1-18, K1-20.
#[tokio::test]
async fn reads_values_in_the_forms_that_clients_send() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["*"]).await;
    for (name, input, given) in [
        // JavaScript has no number of that size, so the client sends, and the caller gets, each digit.
        (
            "add",
            json!({"a": "9007199254740993", "b": 2.0}),
            r#"{"sum":9007199254740995}"#,
        ),
        (
            "add",
            json!({"a": 9_223_372_036_854_775_806_i64, "b": 1}),
            r#"{"sum":9223372036854775807}"#,
        ),
        (
            "search",
            json!({"text": null, "tags": null, "limit": 30.0, "exact": null}),
            r#"{"value":["None [] 30 None"]}"#,
        ),
        (
            "echo",
            json!({"value": "{\"k\":1}"}),
            r#"{"value":"{\"k\":1}"}"#,
        ),
    ] {
        for revision in [MODERN, "2025-06-18"] {
            let params = json!({"name": name, "arguments": &input});
            let result = result(&tent, &ada, revision, "tools/call", params).await;
            assert_eq!(result["content"][0]["text"], given, "{input}: {result}");
            assert_eq!(result["structuredContent"].to_string(), given, "{input}");
        }
    }
    let input = json!({"a": "9223372036854775808", "b": 30.5});
    let params = json!({"name": "add", "arguments": input});
    let result = result(&tent, &ada, MODERN, "tools/call", params).await;
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["_meta"]["tent.error"]["fields"],
        json!({
            "a": "must be from -9223372036854775808 to 9223372036854775807",
            "b": "expected an integer, got a number with a fraction",
        })
    );
}

// K3-15.
#[tokio::test]
async fn returns_the_id_of_an_older_client_byte_for_byte() {
    let tent = tent().await;
    let ada = key(&tent, "ada", &["*"]).await;
    for id in ["0", "-1", "9007199254740993", r#""""#, r#""7""#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let ping = legacy(&tent, "2025-11-25", "ping", json!({})).key(&ada);
        let reply = ping.body(body).send().await;
        assert_eq!(
            String::from_utf8_lossy(&reply.bytes),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
        );
    }
}

/// Two servers of one app on one store, as behind a proxy that sends each request to either.
// K4-11.
#[tokio::test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
async fn every_server_of_a_store_serves_and_ends_a_session() {
    let directory = Directory::new("two-servers");
    let url = directory.store();
    let first = tent_with(|app| app.set("store.url", url.as_str())).await;
    let second = tent_with(|app| app.set("store.url", url.as_str())).await;
    let ada = key(&first, "ada", &["*"]).await;

    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}},
    });
    let begun = ask(&first, "POST", "/mcp")
        .key(&ada)
        .json(hello)
        .send()
        .await;
    assert_eq!(begun.json()["result"]["protocolVersion"], "2025-11-25");
    let session = begun
        .header("mcp-session-id")
        .expect("a session")
        .to_owned();

    let whoami =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "whoami"}});
    let call = |tent, session: &str| {
        let ask = ask(tent, "POST", "/mcp").key(&ada);
        ask.header("mcp-session-id", session).json(whoami.clone())
    };
    for tent in [&second, &first] {
        let answer = call(tent, &session).send().await.json();
        assert_eq!(
            answer["result"]["structuredContent"],
            json!({"value": "Ada"})
        );
    }
    let end = ask(&second, "DELETE", "/mcp").key(&ada);
    let end = end.header("mcp-session-id", &session).send().await;
    assert_eq!(end.status.as_u16(), 204);
    // The other server may have looked it up within the last second; the one that ended it knows at once.
    assert_eq!(call(&second, &session).status().await, 404);
    let third = tent_with(|app| app.set("store.url", url.as_str())).await;
    assert_eq!(call(&third, &session).status().await, 404);
}

/// A user who signs out gets no more notifications, also if anonymous callers are allowed.
#[tokio::test(start_paused = true)]
async fn a_subscription_stream_ends_when_its_user_signs_out() {
    // The user is signed in when the stream opens, and signed out at the next check.
    let signed_in = AtomicBool::new(true);
    let identify = move |_: Arc<Parts>| {
        let user = signed_in
            .swap(false, Ordering::SeqCst)
            .then(|| User::new("ada"));
        async { Ok::<_, tent::Error>(user) }
    };
    let app = |app: App| {
        app.identify(identify)
            .set("mcp.stream", "true")
            .set("mcp.anyone", "true")
    };
    let tent = tent_with(app).await;
    let params = json!({"notifications": {"toolsListChanged": true}});
    let listen =
        modern(&tent, "subscriptions/listen", params).header("sec-fetch-site", "same-origin");
    let minute = std::time::Duration::from_secs(60);
    let told = tokio::time::timeout(minute, listen.send()).await;
    let told = told.expect("the stream ends");
    let text = String::from_utf8_lossy(&told.bytes);
    assert!(
        text.contains("notifications/subscriptions/acknowledged"),
        "{text}"
    );
}
