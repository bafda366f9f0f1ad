#![allow(unused)]
// K7-05

struct Bare;

#[derive(serde::Deserialize, serde::Serialize)]
struct OnlySerde;

#[tent::query(access = "anyone")]
fn bare(input: Bare) {}

#[tent::query(access = "anyone")]
fn only_serde(input: OnlySerde) {}

#[tent::query(access = "anyone")]
fn gives_bare() -> Bare {
    Bare
}

#[tent::query(access = "anyone")]
fn gives_only_serde() -> Result<OnlySerde, std::io::Error> {
    Ok(OnlySerde)
}

fn main() {}
