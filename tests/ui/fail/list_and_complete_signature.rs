#![allow(unused)]
// R07: the fix of a `list` or `complete` function with another signature shows the right one.

use tent::prelude::*;

fn without_parameters() -> Vec<ResourceInfo> {
    vec![]
}
fn texts(_: &Cx) -> Vec<String> {
    vec![]
}
async fn later_nothing(_: &Cx) {}
fn of_a_text(_: &Cx, _: &str) -> Vec<String> {
    vec![]
}
async fn later_numbers(_: &Cx, _: String, _: tent::Map) -> Vec<u32> {
    vec![]
}

/// A.
#[resource(uri = "a://{x}", access = "anyone", list = without_parameters)]
fn a(#[arg(complete = of_a_text)] x: String) -> String {
    x
}

/// B.
#[resource(uri = "b://{x}", access = "anyone", list = texts)]
fn b(#[arg(complete = later_numbers)] x: String) -> String {
    x
}

/// C.
#[resource(uri = "c://{x}", access = "anyone", list = later_nothing)]
fn c(#[arg(complete = later_nothing)] x: String) -> String {
    x
}

fn main() {}
