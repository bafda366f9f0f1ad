#![allow(unused)]

#[tent::query(access = "anyone", offer = "mcp")]
fn nothing() {}

/// Finds.
#[tent::query(about = "  ", access = "anyone", offer = "mcp")]
fn empty() {}

///
#[tent::query(access = "anyone", offer = "mcp")]
fn blank() {}

fn main() {}
