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

fn main() -> ExitCode {
    tent::app!().run()
}
