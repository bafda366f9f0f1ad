#![allow(unused)]
// R07: a literal of another kind than the option takes.

#[tent::query(access = "anyone", limit = 5, timeout = 5, about = 3)]
fn numbers() {}

#[tent::query(access = 3, name = 'x', title = b"x", scope = true)]
fn other_literals() {}

#[tent::action(access = true, sends = "yes", changes = 0, idempotent = "true", api = no, retry = 1.5)]
fn flags() {}

#[tent::change(access = None, danger = true, writes = 1, offer = true, needs = 3, asks = "chat")]
fn words() {}

#[tent::query(access = "anyone", limit = "5", timeout = "5")]
fn units() {}

#[tent::query(access = "anyone", limit = 5 / 60, timeout = Duration::from_secs(5))]
fn expressions() {}

#[tent::query(access = "anyone")]
fn parameters(
    #[arg(min = "1", max = -"5")] a: u32,
    #[arg(min_len = -1, max_len = 1.5, pattern = 3)] b: String,
    #[arg(header = 3, title = 4, rename = 5)] c: u32,
    #[arg(secret = 1, min = true)] d: u32,
    #[arg(max = 99999999999999999999999999999999999999999, min = 1e999)] e: f64,
    #[arg(min = LEAST, max = 1 + 2)] f: u32,
    #[arg(min = 1u8, max = 2.0f64)] g: f64,
) {
}

fn main() {}
