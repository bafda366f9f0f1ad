#![allow(unused)]

#[tent::query(about = "Finds.", access = "anyone", offer = "mcp")]
fn find_function() {}

#[tent::query(about = "Calls.", access = "anyone", offer = "mcp", name = "callFunction")]
fn call() {}

// What is no tool may have the name.
#[tent::query(access = "anyone")]
fn call_function() {}

fn main() {}
