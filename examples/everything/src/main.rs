//! All that MCP has, in one app: what the official conformance suite is run on, and a place to look up how a thing is
//! written.
//!
//! Holds how the app is put together. Its functions are called what the suite wants them to be called, and anybody may
//! call them.

mod headers;
mod schemas;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    tent::app!()
        .title("Everything")
        .instructions("Functions that each show one thing that MCP has.")
        .set("mcp.anyone", "true")
        .set("store.url", "memory:")
        .run()
}
