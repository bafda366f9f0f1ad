#![allow(unused)]

/// An address is not an icon yet.
#[tent::query(access = "anyone", offer = "mcp", icons = "https://shop.example/icon.png")]
fn text() {}

/// Nor is a list of addresses.
#[tent::prompt(access = "anyone", icons = ["https://shop.example/icon.png"])]
fn texts() -> String {
    String::new()
}

#[tent::query(access = "anyone", icons = tent::Icon::svg("<svg/>"))]
fn not_offered() {}

#[tent::query(about = "Bare.", access = "anyone", offer = "mcp", icons)]
fn bare() {}

#[tent::query(about = "Needs.", access = "anyone", needs = ["io.example/", "/ui", "io..example/ui"])]
fn needing() {}

fn main() {}
