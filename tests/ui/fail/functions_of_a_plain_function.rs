#![allow(unused)]
// K7-20

#[tent::query(about = "x")]
struct E;

#[tent::query(about = "x" offer = "mcp")]
mod f {}

#[tent::query]
const G: u8 = 1;

#[tent::query(about = 3, about = "x", offer = ["mcp"], access = "signdIn")]
async fn c() -> u32 {
    1
}

fn still_there(_: E) -> u8 {
    let _ = c();
    G
}

fn main() {}
