//! `_meta` in every place that MCP has for it, a tool with a page (MCP Apps), content in place of a value, and content
//! beside an error.

use tent::prelude::*;
use tent::serde_json::{Value, json};

use crate::media::PNG;

/// The page that a host of MCP Apps shows for `show_dial`.
const PAGE: &str = include_str!("dial.html");

/// A position on a dial.
#[data]
struct Dial {
    /// From 0 to 100.
    percent: u8,
}

/// Show a percentage on a dial. The model reads a sentence; the page gets the value.
#[query(
    access = "anyone",
    offer = "mcp",
    meta = json!({"ui": {"resourceUri": "ui://everything/dial"}})
)]
fn show_dial(
    /// The percentage, from 0 to 100.
    #[arg(title = "Percent", max = 100)]
    percent: u8,
) -> WithContent<Dial> {
    let words = Content::text(format!("The dial shows {percent} percent."));
    WithContent::replacing_text(Dial { percent }, [words])
}

/// The page of the dial. It loads nothing, so the host does not have to allow anything.
#[resource(
    uri = "ui://everything/dial",
    access = "anyone",
    name = "dial",
    media_type = "text/html;profile=mcp-app",
    meta = json!({"ui": {"prefersBorder": true}}),
    annotations = Annotations::new().audience([Role::User]),
    size = PAGE.len() as u64
)]
fn dial() -> Content {
    Content::text(PAGE).meta("ui", json!({"csp": {}, "prefersBorder": true}))
}

/// Talk about the dial.
#[prompt(access = "anyone", meta = json!({"com.example/group": "dials"}), blocking = false)]
fn about_dial(
    /// The topic.
    #[arg(title = "Topic")]
    topic: String,
) -> PromptResult {
    let question = PromptMessage::user(format!("Tell me about the dial: {topic}"));
    PromptResult::new([question]).meta("com.example/topic", topic)
}

/// Return a value and `_meta` of the result, and a text, a resource and a link that each have `_meta` too.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn give_metadata() -> WithContent<Dial> {
    let resource = Content::resource_text("test://dial", "text/plain", "50")
        .meta("com.example/block", 1)
        .resource_meta("com.example/resource", 2);
    let content = [
        Content::text("Half way.").meta("com.example/text", true),
        resource,
        Content::link("ui://everything/dial", "dial").meta("com.example/link", true),
    ];
    WithContent::new(Dial { percent: 50 }, content).meta("com.example/drawn", json!({"by": "hand"}))
}

/// Return the `_meta` of the request.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn what_was_brought(cx: &Cx) -> Value {
    Value::Object(cx.meta().clone())
}

/// Fail with a picture of the problem.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn fail_with_picture() -> Result<(), Stuck> {
    let seen = vec![Content::image(PNG, "image/png")];
    Err(Stuck { seen })
}

/// The error of `fail_with_picture`.
#[derive(Debug, Failure)]
#[failure(
    code = "A0002",
    status = 502,
    message = "The dial is stuck",
    fix = "Tap on it"
)]
struct Stuck {
    #[failure(content)]
    seen: Vec<Content>,
}
