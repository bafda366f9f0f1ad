#![allow(unused)]

const ABOUT: &str = "x";

#[tent::query(about = ABOUT, access = "anyone", title = 3, name = concat!("a", "b"), offer = ["mcp", ABOUT])]
fn a(#[arg(pattern = ABOUT)] id: String) {}

fn main() {}
