//! All that MCP has, in one app: what the official conformance suite is run on, and a place to look up how a thing is
//! written.
//!
//! Holds how the app is put together. Its functions are called what the suite wants them to be called, and anybody may
//! call them.

mod asks;
mod extensions;
mod headers;
mod media;
mod metadata;
mod notes;
mod prompts;
mod resources;
mod schemas;
mod talks;
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
        .about("Each thing that MCP has, once.")
        .website("https://modelcontextprotocol.io")
        .icons(extensions::icons())
        .instructions("Functions that each show one thing that MCP has.")
        .extension(extensions::UI, json!({}))
        .set("store.url", "memory:")
        .set("mcp.stream", "true")
        .state(asks::Counter::default())
        .identify(everybody)
}

/// Whoever sends a request is the guest. A caller that is somebody is told what there is and what there is not; one that
/// is nobody would be asked to sign in.
async fn everybody(_: Arc<tent::http::request::Parts>) -> Result<Option<User>> {
    Ok(Some(User::new("guest")))
}
