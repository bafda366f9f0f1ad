//! Event streams: whatever texts a function logs and returns, each message is one event on one line.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Content, Level};

use crate::engine::Target;
use crate::harness::App;

#[query(about = "Logs a text and returns it", access = "anyone", offer = "mcp")]
async fn say(cx: &Cx, text: String) -> Content {
    cx.progress(0.5, None, &*text);
    cx.log(Level::Error, text.clone());
    Content::text(text)
}

pub(crate) struct Sse(App);

impl Sse {
    pub(crate) fn new() -> Self {
        Sse(App::new(tent::functions![say]))
    }
}

impl Target for Sse {
    fn run(&mut self, input: &[u8]) -> u64 {
        let text = String::from_utf8_lossy(input);
        let call = json!({"jsonrpc": "2.0", "id": &*text, "method": "tools/call", "params": {
            "name": "say", "arguments": {"text": text}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/logLevel": "debug",
                "progressToken": &*text,
            },
        }});
        let headers: [(_, &[u8]); 3] = [
            ("mcp-protocol-version", b"2026-07-28"),
            ("mcp-method", b"tools/call"),
            ("mcp-name", b"say"),
        ];
        let reply = self.0.post("/mcp", &headers, call.to_string().as_bytes());
        let kind = reply
            .headers
            .get("content-type")
            .map(|kind| kind.as_bytes());
        if kind != Some(b"text/event-stream") {
            // An id that tent does not accept, such as one that is too long.
            assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
            return reply.behaviour();
        }
        let messages = events(std::str::from_utf8(&reply.body).expect("the stream is UTF-8"));
        let [progress, log, result] = &messages[..] else {
            panic!("three messages, not {messages:?}");
        };
        assert_eq!(progress["params"]["message"], *text);
        assert_eq!(progress["params"]["progressToken"], *text);
        assert_eq!(log["params"]["data"], *text);
        assert_eq!(result["id"], *text);
        assert_eq!(result["result"]["content"][0]["text"], *text);
        // Each class of characters counts as a behaviour.
        text.chars().fold(0, |seen, c| {
            seen | 1_u64 << u32::from(c).checked_ilog2().unwrap_or(63)
        })
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "\n",
            "\r",
            "\r\n",
            "\n\n",
            "data:",
            "data: ",
            "\n\ndata: {}\n\n",
            "event: message\n",
            "id: 1\n",
            ":",
            ": \n",
            "retry: 1\n",
            "\u{0}",
            "\u{b}",
            "\u{c}",
            "\u{85}",
            "\u{2028}",
            "\u{2029}",
            "\u{feff}",
            "\"",
            "\\",
            "\\n",
            "</script>",
            "🦀",
            "\u{10ffff}",
            "\u{7f}",
            "\u{1b}[0m",
        ]
    }
}

/// The messages of an event stream, read as the HTML standard defines (section 9.2.6): a line ends with CR LF, LF or CR.
fn events(stream: &str) -> Vec<Value> {
    let lines = stream.replace("\r\n", "\n").replace('\r', "\n");
    assert!(lines.ends_with("\n\n"), "the last event ends");
    let mut messages = Vec::new();
    let mut data: Option<String> = None;
    for line in lines.split('\n') {
        if line.is_empty() {
            let message = data.take().map(|data| serde_json::from_str(&data));
            messages.extend(message.map(|message| message.expect("an event is one JSON message")));
        } else if !line.starts_with(':') {
            if line == "event: message" {
                continue;
            }
            let text = line
                .strip_prefix("data: ")
                .expect("an event has its type and data alone");
            assert!(data.is_none(), "an event has one line");
            data = Some(text.to_owned());
        }
    }
    messages
}
