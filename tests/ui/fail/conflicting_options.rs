#![allow(unused)]

#[tent::query(access = "signedIn", danger = "ask", writes = "adds", changes = false, sends = true, retry = true)]
fn query() {}

#[tent::change(access = ["role:staff", "anyone"], danger = "ask", writes = "adds", changes = true)]
fn change() {}

#[tent::action(access = "signedIn", asks = "page", changes = false, writes = "adds", blocking = true)]
async fn action() {}

#[tent::action(about = "On.", access = "signedIn", on = "resources/list", offer = "mcp", api = true, danger = "ask")]
fn on() {}

#[tent::query(about = "App.", access = "app", offer = "mcp", api = true)]
fn app() {}

#[tent::query(access = "anyone")]
#[tent::change(access = "anyone")]
fn twice() {}

#[tent::query(access = "anyone")]
fn given(#[arg(min = 1)] cx: &tent::Cx) {}

#[tent::query(access = "anyone")]
fn mirrored(#[arg(secret, header = "Pin")] pin: String, #[arg(secret = false, header = "Region")] region: String) {}

#[tent::query(access = "anyone", blocking = false)]
async fn in_place() {}

fn main() {}
