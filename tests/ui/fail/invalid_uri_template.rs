#![allow(unused)]

use tent::prelude::*;

/// No URI.
#[resource(access = "anyone")]
fn nowhere() -> String {
    String::new()
}

/// No scheme.
#[resource(uri = "orders", access = "anyone")]
fn no_scheme() -> String {
    String::new()
}

/// No variable.
#[resource(uri = "orders://{id*}", access = "anyone")]
fn no_variable(id: u32) -> String {
    String::new()
}

/// Not closed.
#[resource(uri = "orders://{id", access = "anyone")]
fn not_closed(id: u32) -> String {
    String::new()
}

/// No parameter takes the year, and no variable is the note.
#[resource(uri = "orders://{year}/{id}", access = "anyone")]
fn others(cx: &Cx, id: u32, note: Option<String>) -> String {
    String::new()
}

/// It all stands.
#[resource(uri = "orders://{year}/{id}", access = "anyone")]
fn renamed(#[arg(rename = "year")] y: u32, id: u32) -> String {
    nowhere() + &no_scheme()
}

fn main() {}
