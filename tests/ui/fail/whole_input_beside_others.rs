#![allow(unused)]

#[tent::query(access = "anyone")]
fn beside(#[input] all: String, id: u32) {}

#[tent::query(access = "anyone")]
fn two(#[input] all: String, #[input] other: String) {}

#[tent::query(access = "anyone")]
fn given(#[input] cx: &tent::Cx) {}

#[tent::query(access = "anyone")]
fn ruled(#[input] #[arg(min = 1)] all: String) {}

fn main() {}
