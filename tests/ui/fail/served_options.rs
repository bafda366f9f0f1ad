#![allow(unused)]

use tent::prelude::*;

/// What is no option of a resource.
#[resource(uri = "a://{id}", access = "app", offer = "mcp", media_type = "text", list = all())]
fn options(#[arg(header = "Id", complete = "names")] id: u32) -> String {
    String::new()
}

/// A list of one.
#[resource(uri = "a://b", access = "anyone", list = all)]
fn one() -> String {
    String::new()
}

#[resource(uri = "a://c")]
fn silent() -> String {
    String::new()
}

#[prompt(access = "anyone", uri = "a://b")]
fn prompted(#[input] whole: Whole) -> String {
    String::new()
}

/// A name that clients refuse.
#[prompt(access = "anyone", name = "größe")]
fn named() -> String {
    String::new()
}

/// A tool's arguments are not completed.
#[query(access = "anyone")]
fn tool(#[arg(complete = all)] id: u32) -> u32 {
    id
}

/// Two at once.
#[prompt(access = "anyone")]
#[resource(uri = "a://d", access = "anyone")]
fn both() -> String {
    String::new()
}

fn main() {}
