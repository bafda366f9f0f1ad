#![allow(unused)]

#[tent::query(access = "anyone")]
async fn text(name: &str) {}

#[tent::query(access = "anyone")]
async fn list(tags: &[String]) {}

#[tent::query(access = "anyone")]
async fn inside(name: Option<&str>) {}

#[tent::query(access = "anyone")]
async fn writing(name: &mut String) {}

struct Shop;

#[tent::query(access = "anyone")]
fn not_a_state(shop: &Shop) {}

type Lent = &'static str;

#[tent::query(access = "anyone")]
fn alias(name: Lent) {}

fn main() {}
