#![allow(unused)]

use tent::prelude::*;

struct Own;

/// What is no JSON.
#[query(access = "anyone", offer = "mcp", meta = Own)]
fn tool() {}

/// What is no hint.
#[resource(uri = "a://b", access = "anyone", annotations = "user")]
fn resource() -> u8 {
    1
}

/// What is no number.
#[resource(uri = "a://c", access = "anyone", size = "3")]
fn sized() -> u8 {
    1
}

/// What takes something of the function's.
#[resource(uri = "a://{id}", access = "anyone", meta = tent::serde_json::json!({"id": id}))]
fn template(id: u8) -> u8 {
    id
}

fn main() {}
