//! Sealed tokens: the id of a session and the `requestState` of a retry. Only a token that tent made is accepted.

use serde_json::{Value, json};
use tent::input::{Field, Form};
use tent::prelude::*;

use crate::engine::Target;
use crate::harness::{App, Reply};

#[query(about = "Asks", access = "anyone", offer = "mcp")]
async fn asks(cx: &Cx) -> Result<bool> {
    let form = Form::new("Sure?").field("sure", Field::boolean());
    Ok(cx.input("sure", form).await?.accepted().is_some())
}

pub(crate) struct Sealed {
    app: App,
    session: Vec<u8>,
    state: String,
}

impl Sealed {
    pub(crate) fn new() -> Self {
        let app = App::new(tent::functions![asks]);
        let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"},
        }});
        let reply = app.post("/mcp", &[], initialize.to_string().as_bytes());
        let session = reply.headers.get("mcp-session-id").expect("a session");
        let session = session.as_bytes().to_vec();
        let mut target = Sealed {
            app,
            session,
            state: String::new(),
        };
        let first = target.retry(None);
        let state = first.json()["result"]["requestState"].clone();
        target.state = state.as_str().expect("a request state").to_owned();
        // The tokens themselves are accepted.
        assert_eq!(target.ping(&target.session).status, 200);
        let retried = target.retry(Some(&target.state)).json();
        assert_eq!(
            retried["result"]["structuredContent"]["value"], true,
            "{retried}"
        );
        target
    }

    /// A request in the session of this id.
    fn ping(&self, session: &[u8]) -> Reply {
        let headers: [(_, &[u8]); 2] = [
            ("mcp-session-id", session),
            ("mcp-protocol-version", b"2025-11-25"),
        ];
        self.app.post(
            "/mcp",
            &headers,
            br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
        )
    }

    /// A call, or its retry with this state.
    fn retry(&self, state: Option<&str>) -> Reply {
        let mut params = json!({"name": "asks", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "a", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        }});
        if let Some(state) = state {
            params["requestState"] = state.into();
            params["inputResponses"] = json!({"sure": {"method": "elicitation/create", "action": "accept", "content": {"sure": true}}});
        }
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let headers: [(_, &[u8]); 3] = [
            ("mcp-protocol-version", b"2026-07-28"),
            ("mcp-method", b"tools/call"),
            ("mcp-name", b"asks"),
        ];
        self.app.post("/mcp", &headers, call.to_string().as_bytes())
    }

    /// A token in place of `SESSION` or `STATE`, or the end of one after a part of another.
    fn token(&self, input: &[u8]) -> Vec<u8> {
        let mut token = Vec::new();
        for &byte in input {
            match byte {
                // A part of a genuine token, by two low bytes of the control characters.
                0x01..=0x08 => {
                    let parts = self.session.len() / 8 + 1;
                    let part = self.session.chunks(parts).nth(usize::from(byte) - 1);
                    token.extend(part.unwrap_or_default());
                }
                0x11..=0x18 => {
                    let parts = self.state.len() / 8 + 1;
                    let part = self
                        .state
                        .as_bytes()
                        .chunks(parts)
                        .nth(usize::from(byte) - 0x11);
                    token.extend(part.unwrap_or_default());
                }
                other => token.push(other),
            }
        }
        token
    }
}

impl Target for Sealed {
    fn run(&mut self, input: &[u8]) -> u64 {
        let token = self.token(input);
        let mut behaviour = 0;
        // Spaces around the value of a header are not part of it.
        let is_header = token.iter().all(|byte| byte.is_ascii_graphic()) && !token.is_empty();
        if is_header && token != self.session {
            let reply = self.ping(&token);
            assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
            assert_ne!(reply.status, 200, "a forged session is accepted");
            behaviour ^= reply.behaviour();
        }
        let text = String::from_utf8_lossy(&token);
        if *text != *self.state {
            let reply = self.retry(Some(&text));
            assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
            let json = reply.json();
            let is_accepted = json["result"]["structuredContent"] != Value::Null;
            assert!(!is_accepted, "a forged state is accepted: {json}");
            behaviour ^= reply.behaviour().rotate_left(1);
        }
        behaviour
    }

    fn words(&self) -> &'static [&'static str] {
        &[
            "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}",
            "\u{11}\u{12}\u{13}\u{14}\u{15}\u{16}\u{17}\u{18}",
            "\u{1}",
            "\u{8}",
            "\u{11}",
            "\u{18}",
            "A",
            "=",
            "==",
            ".",
            "-",
            "_",
            "+",
            "/",
            "%3D",
            "AAAA",
            "ü",
        ]
    }
}
