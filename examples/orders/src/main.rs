//! The orders of a small shop, over HTTP and over MCP.
//!
//! Holds how the app is put together. What it can do is in [`functions`], what it keeps in [`shop`].

mod functions;
mod receipt;
mod shop;

use std::process::ExitCode;

use shop::Shop;

fn main() -> ExitCode {
    let shop = Shop::from_environment();
    let people = shop.clone();
    tent::app!()
        .state_with(async move |_| shop.open().await)
        .users(async move |id| people.person(id).await)
        .run()
}
