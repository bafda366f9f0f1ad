//! An app that clients attack: with bodies, with responses that are not read, with connections.

use std::process::ExitCode;

use tent::prelude::*;

/// A response of 8 MB. As content it costs little to make: the attack is on what waits to be read.
#[query(access = "anyone")]
fn large() -> Content {
    Content::text("x".repeat(8_000_000))
}

#[query(access = "anyone")]
fn small() -> u8 {
    7
}

#[query(access = "anyone")]
fn takes(text: String) -> usize {
    text.len()
}

/// A call that goes on after its client hung up.
#[query(access = "anyone", offer = "mcp", about = "Waits.")]
async fn waits(text: String) -> usize {
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
    text.len()
}

fn main() -> ExitCode {
    tent::app!().run()
}
