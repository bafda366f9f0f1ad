#![allow(unused)]

#[tent::query(access = "anyone")]
fn twice(#[arg(header = "Region")] a: String, #[arg(header = "region")] b: Option<u8>) {}

#[tent::query(access = "anyone")]
fn token(#[arg(header = "The Region")] a: bool) {}

fn main() {}
