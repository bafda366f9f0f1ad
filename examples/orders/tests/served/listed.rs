//! The tools as each revision of MCP is listed them, whole: a change of what clients and models see is a change of a
//! snapshot.

use serde_json::{Value, json};

use crate::server::{Place, Server};

/// The result of `tools/list` for who holds this key.
async fn listed(server: &Server, key: &str, revision: &str) -> Value {
    let client = reqwest::Client::new();
    let post = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        client
            .post(server.url("/mcp"))
            .bearer_auth(key)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .body(message.to_string())
    };
    let list = if revision == "2026-07-28" {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        post("tools/list", json!({"_meta": meta}))
            .header("MCP-Protocol-Version", revision)
            .header("Mcp-Method", "tools/list")
    } else {
        let client = json!({"name": "probe", "version": "1"});
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client});
        let opened = post("initialize", params).send().await;
        let opened = opened.expect("the server answers");
        let session = opened.headers()["Mcp-Session-Id"].clone();
        post("tools/list", json!({})).header("Mcp-Session-Id", session)
    };
    let answer = list.send().await.expect("the server answers");
    assert_eq!(answer.status(), 200);
    let text = answer.text().await.expect("the body comes whole");
    let mut answer: Value = serde_json::from_str(&text).expect("JSON");
    answer["result"].take()
}

#[tokio::test]
async fn the_tools_in_each_revision() {
    let place = Place::new();
    let key = place.key("grace", &["read", "write"]);
    let server = place.serve();
    for revision in [
        "2026-07-28",
        "2025-11-25",
        "2025-06-18",
        "2025-03-26",
        "2024-11-05",
    ] {
        let listed = listed(&server, &key, revision).await;
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.bind(|| {
            insta::assert_snapshot!(format!("tools_of_{revision}"), format!("{listed:#}"));
        });
    }
}
