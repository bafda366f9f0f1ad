//! The orders of a small shop, over HTTP and over MCP.
//!
//! This file builds the app. Its functions are in [`functions`], its data is in [`shop`].

mod functions;
mod private;
mod receipt;
mod shop;

use std::process::ExitCode;

use shop::Shop;

fn main() -> ExitCode {
    tent::app!()
        .state_with(async |_| Shop::from_environment().await)
        .users_with(async |cx, id| cx.state::<Shop>()?.person(id).await)
        .run()
}
