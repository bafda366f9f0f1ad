#![allow(unused)]

#[tent::query(access = "anyone")]
fn list(#[arg(header = "Regions")] a: Vec<String>) {}

#[tent::query(access = "anyone")]
fn float(#[arg(header = "Ratio")] a: f64) {}

fn main() {}
