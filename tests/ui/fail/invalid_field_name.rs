#![allow(unused)]

#[tent::query(access = "anyone")]
fn a(#[arg(rename = "größe")] x: u32, id: u32, #[arg(rename = "id")] y: u32) {}

fn main() {}
