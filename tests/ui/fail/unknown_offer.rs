#![allow(unused)]

#[tent::query(about = "A.", access = "anyone", offer = "mpc")]
fn a() {}

#[tent::query(about = "B.", access = "anyone", offer = ["mcp", "api"])]
fn b() {}

fn main() {}
