//! What only shows on the wire itself: bytes that come one by one, bodies over the limit, connections that are used
//! again.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::server::{Place, Server};

/// One connection, kept open.
struct Wire {
    host: String,
    reader: BufReader<TcpStream>,
}

/// A whole response.
struct Response {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Response {
    fn header(&self, name: &str) -> Option<&str> {
        let mut of = self.headers.iter().filter(|(known, _)| known == name);
        of.next().map(|(_, value)| &**value)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a body of JSON")
    }
}

impl Wire {
    fn to(server: &Server) -> Self {
        let stream = TcpStream::connect(server.address()).expect("it listens");
        stream.set_nodelay(true).expect("an option that there is");
        Wire {
            host: server.address().to_owned(),
            reader: BufReader::new(stream),
        }
    }

    /// A POST as bytes.
    fn post(&self, path: &str, key: &str, headers: &str, body: &str) -> Vec<u8> {
        let host = &self.host;
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body.as_bytes()].concat()
    }

    fn write(&mut self, bytes: &[u8]) {
        let stream = self.reader.get_mut();
        stream.write_all(bytes).expect("it reads on");
    }

    fn read(&mut self) -> Response {
        let mut line = String::new();
        let mut next = |reader: &mut BufReader<TcpStream>| {
            line.clear();
            reader.read_line(&mut line).expect("a line");
            line.trim_end().to_owned()
        };
        let status = next(&mut self.reader);
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        loop {
            let line = next(&mut self.reader);
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut response = Response {
            status: status.expect("a status line"),
            headers,
            body: Vec::new(),
        };
        let length = response.header("content-length");
        let length = length.and_then(|length| length.parse().ok());
        let length: usize = length.expect("a length in bytes");
        // One byte a read, so that no character comes in one piece.
        for byte in self.reader.by_ref().bytes().take(length) {
            response.body.push(byte.expect("the body comes whole"));
        }
        response
    }
}

/// A modern call of a tool: its headers and its body.
fn modern(name: &str, arguments: Value) -> (String, String) {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": name, "arguments": arguments, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let headers = format!(
        "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
    );
    (headers, body.to_string())
}

// K3-29.
#[test]
fn returns_text_byte_for_byte_if_each_byte_is_sent_separately() {
    let place = Place::new();
    let key = place.key("ada", &["*"]);
    let server = place.serve();
    let mut wire = Wire::to(&server);
    let title = "東京 – Ärger – 🦀 \u{2028}\"\\";
    let order = json!({"title": title, "cents": 1});
    let (headers, body) = modern("add_order", order.clone());
    let over_mcp = wire.post("/mcp", &key, &headers, &body);
    let over_api = wire.post("/api/add_order", &key, "", &order.to_string());
    for (request, at_mcp) in [(over_mcp, true), (over_api, false)] {
        for byte in request {
            wire.write(&[byte]);
        }
        let response = wire.read();
        let answer = response.json();
        assert_eq!(response.status, 200, "{answer}");
        let order = match at_mcp {
            true => &answer["result"]["structuredContent"],
            false => &answer,
        };
        assert_eq!(order["title"], title);
    }
}

// K3-24.
#[test]
fn accepts_a_body_up_to_the_limit_and_explains_the_refusal_above_it() {
    let place = Place::new();
    let key = place.key("ada", &["*"]);
    let limit = 8 << 20;
    let server = place.serve_with(&[("TENT_LIMITS__MAX_BODY", "8MiB")]);
    let mut wire = Wire::to(&server);
    let looked_for = |bytes| json!({"text": "a".repeat(bytes)});
    for (bytes, taken) in [(3 << 20, true), (9 << 20, false), (1, true)] {
        let (headers, body) = modern("find_orders", looked_for(bytes));
        let over_mcp = wire.post("/mcp", &key, &headers, &body);
        let body = looked_for(bytes).to_string();
        let over_api = wire.post("/api/find_orders", &key, "", &body);
        for (request, at_mcp) in [(over_mcp, true), (over_api, false)] {
            // The same connection each time: what was refused has been read to its end.
            wire.write(&request);
            let response = wire.read();
            let answer = response.json();
            if taken {
                assert_eq!(response.status, 200, "{bytes}");
                let found = match at_mcp {
                    true => &answer["result"]["structuredContent"]["value"],
                    false => &answer,
                };
                let found = found.as_array().expect("a list");
                assert_eq!(found.is_empty(), bytes > 1, "{answer}");
                continue;
            }
            assert_eq!(response.status, 413);
            let told = match at_mcp {
                true => (&answer["error"]["code"], &answer["error"]["data"]["fields"]),
                false => (&answer["status"], &answer["fields"]),
            };
            let code = if at_mcp { 7 } else { 413 };
            assert_eq!(told, (&json!(code), &json!({"limit": limit})), "{answer}");
        }
    }
}

// K3-30.
#[test]
fn never_redirects_whatever_a_proxy_sends() {
    let place = Place::new();
    let key = place.key("ada", &["*"]);
    let public = ("TENT_WEB__PUBLIC_URL", "https://tools.example.com");
    let server = place.serve_with(&[public]);
    let mut wire = Wire::to(&server);
    wire.host = "tools.example.com".to_owned();
    for path in ["/mcp", "/mcp/"] {
        let (mut headers, body) = modern("shop_hours", json!({}));
        headers += "X-Forwarded-Proto: https\r\n";
        let request = wire.post(path, &key, &headers, &body);
        wire.write(&request);
        let response = wire.read();
        assert_eq!((response.status, response.header("location")), (200, None));
        assert_eq!(
            response.json()["result"]["structuredContent"]["opens"],
            "09:00"
        );
    }
}
