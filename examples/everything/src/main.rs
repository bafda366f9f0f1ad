//! An app with every feature of MCP. The official conformance suite runs on it, and it shows how each feature is written.
//!
//! This file builds the app. The conformance suite sets the names of the functions, and anyone can call them.

mod extensions;
mod headers;
mod input_requests;
mod media;
mod metadata;
mod notifications;
mod progress;
mod prompts;
mod resources;
mod schemas;
#[cfg(test)]
mod tests;
mod tools;

use std::process::ExitCode;
use std::sync::Arc;

use tent::App;
use tent::prelude::*;
use tent::serde_json::json;

fn main() -> ExitCode {
    app().run()
}

fn app() -> App {
    tent::app!()
        .title("Everything")
        .about("Every feature of MCP, once.")
        .website("https://modelcontextprotocol.io")
        .icons(extensions::icons())
        .instructions("Each function shows one feature of MCP.")
        .extension(extensions::UI, json!({}))
        .set("store.url", "memory:")
        .set("mcp.stream", "true")
        .state(input_requests::Counter::default())
        .identify(guest)
}

/// Identifies every caller as the guest. tent asks an anonymous caller to sign in for each name that it cannot call; a
/// signed-in caller gets "not found" for an unknown name, which the conformance suite expects.
async fn guest(_: Arc<tent::http::request::Parts>) -> Result<Option<User>> {
    Ok(Some(User::new("guest")))
}
