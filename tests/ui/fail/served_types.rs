#![allow(unused)]

use tent::prelude::*;

/// Nothing is read.
#[resource(uri = "a://a", access = "anyone")]
fn nothing() {}

/// Nothing is read later either.
#[resource(uri = "a://b", access = "anyone")]
async fn nothing_later() -> Result<()> {
    Ok(())
}

/// A number is no message.
#[prompt(access = "anyone")]
fn number() -> u32 {
    1
}

/// Nor is a text a failure.
#[prompt(access = "anyone")]
async fn failing() -> Result<Vec<PromptMessage>, String> {
    Ok(Vec::new())
}

/// What is listed is no text.
#[resource(uri = "a://{id}", access = "anyone", list = texts)]
fn listing(#[arg(complete = numbers)] id: String) -> String {
    id
}

fn texts(_: &Cx) -> Vec<String> {
    Vec::new()
}

async fn numbers(_: &Cx, _: String, _: tent::Map) -> Vec<u32> {
    Vec::new()
}

/// What completes takes the typed text.
#[prompt(access = "anyone")]
fn completed(#[arg(complete = borrows)] id: String) -> String {
    id
}

fn borrows(_: &Cx, _: &str) -> Vec<String> {
    Vec::new()
}

fn main() {}
