//! The validator against serde: what the published schema accepts, the types of the function read, so the call runs.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tent::prelude::*;

use crate::engine::Target;
use crate::harness::App;

#[data]
struct Line {
    #[schemars(length(min = 1, max = 8))]
    sku: String,
    count: u8,
    price: Option<f64>,
    #[serde(default)]
    tags: Vec<String>,
}

#[data]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f32 },
    Square { side: i16, title: Option<String> },
    Empty,
}

#[data]
enum Choice {
    Left,
    Right(bool),
    Both { a: i32, b: (u8, String) },
}

#[data]
struct Tree {
    value: i64,
    children: Vec<Tree>,
}

#[query(about = "Reads many types", access = "anyone", offer = "mcp")]
#[expect(
    clippy::too_many_arguments,
    reason = "one parameter for each kind of type"
)]
fn read(
    lines: Option<Vec<Line>>,
    shape: Option<Shape>,
    choice: Option<Choice>,
    tree: Option<Tree>,
    map: Option<BTreeMap<String, u32>>,
    #[arg(min = -5, max = 5)] small: Option<i32>,
    big: Option<u64>,
    text: Option<String>,
    flag: Option<bool>,
) -> u32 {
    let _ = (lines, shape, choice, tree, map, small, big, text, flag);
    7
}

pub(crate) struct Validator {
    app: App,
    schema: jsonschema::Validator,
}

impl Validator {
    pub(crate) fn new() -> Self {
        let app = App::new(tent::functions![read]);
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
        let headers: [(_, &[u8]); 1] = [("mcp-protocol-version", b"2025-11-25")];
        let list = app.post("/mcp", &headers, list.as_bytes()).json();
        let schema = &list["result"]["tools"][0]["inputSchema"];
        Validator {
            schema: jsonschema::validator_for(schema).expect("the published schema is valid"),
            app,
        }
    }
}

impl Target for Validator {
    fn run(&mut self, input: &[u8]) -> u64 {
        let reply = self.app.post("/api/read", &[], input);
        assert!(!reply.is_internal(), "{}", reply.body.escape_ascii());
        let code = reply.json()["code"].clone();
        match reply.status.as_u16() {
            200 => assert_eq!(reply.json(), 7),
            422 => {
                let value: Value = serde_json::from_slice(input).unwrap_or_default();
                assert_eq!(code, "T0003");
                // The bounds of a 64-bit integer are not published: JavaScript's numbers do not hold them.
                let is_wide = value["big"].as_f64().is_some_and(|big| big.abs() > 9e15);
                assert!(
                    is_wide || !self.schema.is_valid(&value),
                    "the schema accepts what the function does not read: {}",
                    reply.body.escape_ascii()
                );
            }
            // A body that is not JSON.
            status => assert_eq!((status, code), (400, json!("T0018"))),
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
            "false",
            "0",
            "-1",
            "255",
            "256",
            "1.0",
            "1.5",
            "1e2",
            "1e-2",
            "32768",
            "4294967296",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "\"7\"",
            "\"lines\":",
            "\"sku\":\"a\"",
            "\"count\":",
            "\"price\":",
            "\"tags\":",
            "\"shape\":",
            "\"kind\":",
            "\"Circle\"",
            "\"Square\"",
            "\"Empty\"",
            "\"radius\":",
            "\"side\":",
            "\"title\":",
            "\"choice\":",
            "\"Left\"",
            "\"Right\":",
            "\"Both\":",
            "\"a\":",
            "\"b\":",
            "\"tree\":",
            "\"value\":",
            "\"children\":",
            "\"map\":",
            "\"small\":",
            "\"big\":",
            "\"text\":",
            "\"flag\":",
            "ü",
            "\\u0000",
        ]
    }
}
