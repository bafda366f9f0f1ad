//! The JSON reader, through a function that returns its input. A body is accepted if and only if serde_json accepts it,
//! apart from the rules that tent adds, and every value comes back as it was.

use serde_json::Value;
use tent::prelude::*;

use crate::engine::Target;
use crate::harness::{App, find, is_same};

#[query(about = "Echo", access = "anyone")]
fn echo(value: Value) -> Value {
    value
}

pub(crate) struct Json(App);

impl Json {
    pub(crate) fn new() -> Self {
        Json(App::new(tent::functions![echo]))
    }
}

impl Target for Json {
    fn run(&mut self, input: &[u8]) -> u64 {
        let body = [br#"{"value":"#, input, b"}"].concat();
        let reply = self.0.post("/api/echo", &[], &body);
        assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
        let read = serde_json::from_slice::<Value>(&body).ok();
        if reply.status != 200 {
            let code = reply.json()["code"].clone();
            assert!(code == "T0018" || code == "T0003", "{code}");
            // Duplicate and reserved keys, and numbers out of range, are what serde_json accepts and tent does not.
            let text = reply.json().to_string();
            let added = [
                "duplicate key",
                "is not allowed",
                "unknown field",
                "out of range",
            ];
            let is_added = added
                .iter()
                .any(|rule| find(text.as_bytes(), rule.as_bytes()));
            assert!(read.is_none() || is_added, "serde_json reads it: {text}");
            return reply.behaviour();
        }
        let read = read.unwrap_or_else(|| panic!("serde_json does not read it"));
        let value = &read["value"];
        assert!(is_same(value, &reply.json()), "another value came back");
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
            "\\",
            "\\u",
            "\\ud800",
            "\\udc00",
            "\\u0000",
            "null",
            "true",
            "false",
            "0",
            "-0",
            "1",
            "-",
            "e",
            "E+",
            "1e308",
            "1e-400",
            "1e400",
            "1e99999999999",
            "0.1",
            "1.0",
            ".",
            "18446744073709551615",
            "18446744073709551616",
            "-9223372036854775809",
            "NaN",
            "Infinity",
            "\"a\":",
            "\"$serde_json::private::RawValue\":",
            "\"$serde_json::private::Number\":",
            " ",
            "\t",
            "\r\n",
            "\u{feff}",
            "\u{2028}",
            "ü",
            "🦀",
            "[[[[[[[[",
            "]]]]]]]]",
            "{\"a\":",
            "//",
            "/*",
            "'",
        ]
    }
}
