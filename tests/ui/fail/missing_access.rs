#![allow(unused)]

#[tent::query]
async fn open_orders() -> u32 {
    1
}

#[tent::change(about = "Marks.")]
fn mark() {}

fn still_there() {
    mark();
    let _ = open_orders();
}

fn main() {}
