//! The reader of MCP messages: any body, in each era. The response is a JSON-RPC message or has no body, and no message
//! is an internal error.

use tent::prelude::*;

use crate::engine::Target;
use crate::harness::App;

#[query(about = "Add", access = "anyone", offer = "mcp")]
fn add(a: i64, b: Option<i64>) -> i64 {
    a.saturating_add(b.unwrap_or(1))
}

/// A note.
#[resource(uri = "note://{name}", access = "anyone")]
fn note(name: String) -> String {
    name
}

/// A letter.
#[prompt(access = "anyone")]
fn letter(to: String) -> String {
    to
}

pub(crate) struct Mcp(App);

impl Mcp {
    pub(crate) fn new() -> Self {
        Mcp(App::new(tent::functions![add, note, letter]))
    }
}

/// The revision of a request, by the first byte of its input.
const REVISIONS: [&[u8]; 6] = [
    b"2026-07-28",
    b"2025-11-25",
    b"2025-06-18",
    b"2025-03-26",
    b"2024-11-05",
    b"2099-01-01",
];

impl Target for Mcp {
    fn run(&mut self, input: &[u8]) -> u64 {
        let Some((&first, body)) = input.split_first() else {
            return 0;
        };
        let message = serde_json::from_slice::<serde_json::Value>(body).unwrap_or_default();
        let name = [&message["params"]["name"], &message["params"]["uri"]];
        let name = name
            .into_iter()
            .find_map(|name| name.as_str())
            .unwrap_or_default();
        let revision = REVISIONS[usize::from(first) % REVISIONS.len()];
        let mut headers: Vec<(_, &[u8])> = vec![("mcp-protocol-version", revision)];
        let method = message["method"].as_str().unwrap_or_default();
        for (header, value) in [("mcp-method", method), ("mcp-name", name)] {
            if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_graphic()) {
                headers.push((header, value.as_bytes()));
            }
        }
        // Without these, a third of the requests would have no header at all.
        if first >= 0xf0 {
            headers.clear();
        }
        let reply = self.0.post("/mcp", &headers, body);
        assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
        let is_stream = reply
            .headers
            .get("content-type")
            .is_some_and(|kind| kind == "text/event-stream");
        if !reply.body.is_empty() && !is_stream {
            let json = reply.json();
            let messages = json.as_array().cloned().unwrap_or_else(|| vec![json]);
            for message in messages {
                assert_eq!(message["jsonrpc"], "2.0", "{message}");
                let has = |key: &str| message.get(key).is_some();
                assert!(has("result") != has("error"), "{message}");
            }
        }
        reply.behaviour()
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "{",
            "}",
            "[",
            "]",
            ":",
            ",",
            "\"",
            "null",
            "true",
            "1",
            "\"jsonrpc\":\"2.0\"",
            "\"id\":",
            "\"method\":",
            "\"params\":",
            "\"result\":",
            "\"error\":",
            "\"tools/call\"",
            "\"tools/list\"",
            "\"resources/read\"",
            "\"resources/list\"",
            "\"resources/templates/list\"",
            "\"prompts/get\"",
            "\"prompts/list\"",
            "\"completion/complete\"",
            "\"server/discover\"",
            "\"initialize\"",
            "\"ping\"",
            "\"logging/setLevel\"",
            "\"notifications/initialized\"",
            "\"notifications/cancelled\"",
            "\"requestId\":",
            "\"_meta\":",
            "\"progressToken\":",
            "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"",
            "\"io.modelcontextprotocol/clientCapabilities\":{}",
            "\"io.modelcontextprotocol/clientInfo\":",
            "\"io.modelcontextprotocol/logLevel\":",
            "\"name\":\"add\"",
            "\"arguments\":",
            "\"a\":",
            "\"uri\":",
            "\"cursor\":",
            "\"inputResponses\":",
            "\"requestState\":",
            "\"elicitation\":{\"form\":{}}",
            "\"sampling\":{}",
            "\\u0000",
            "-0",
            "1e3",
            "9007199254740993",
        ]
    }
}
