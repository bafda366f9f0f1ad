#![allow(unused)]

use tent::prelude::*;
use tent::serde_json::json;

/// No tool.
#[query(access = "anyone", meta = json!({"a": 1}))]
fn unlisted() {}

/// Neither is what answers a method.
#[action(access = "anyone", on = "acme/do", meta = json!({"a": 1}))]
fn method() {}

/// A template has no size, and its variables no titles.
#[resource(uri = "a://{id}", access = "anyone", size = 3)]
fn template(#[arg(title = "The number")] id: u8) -> u8 {
    id
}

/// What is not said at all.
#[resource(uri = "a://b", access = "anyone", size, meta, annotations)]
fn unsaid() -> u8 {
    1
}

/// A tool has neither.
#[query(access = "anyone", offer = "mcp", size = 3, annotations = Annotations::new())]
fn sized(#[arg(title = TITLE)] id: u8) {}

const TITLE: &str = "The number";

fn main() {}
