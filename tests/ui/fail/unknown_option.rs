#![allow(unused)]

#[tent::query(abuot = "x", access = "anyone")]
fn a() {}

#[tent::query(access = "anyone", access = "signedIn")]
fn b() {}

#[tent::query(access = "anyone", about = "x" api = false)]
fn c() {}

#[tent::query(access = "anyone", timeout = "5 parsecs", limit = "10/week", danger = "tell", needs = ["simpling"], api = "no")]
fn d() {}

#[tent::query(access = "anyone", scope = "a b", on = "tools/list", crate = "x")]
fn e() {}

#[tent::query(access = )]
fn f() {}

#[tent::query(access = "anyone", "about")]
fn g() {}

#[tent::query(access = "anyone")]
fn h(#[arg(mni = 1, max = "9", min_len = -1, max_len = 1.5, default, rename = "no good", secret = 1)] id: u32) {}

#[tent::query(access = "anyone")]
fn i(#[arg] id: u32, #[input(shema = 1)] all: String) {}

fn main() {}
