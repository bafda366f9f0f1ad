//! An app whose command line is run within a runtime, where it cannot start one of its own.

use std::process::ExitCode;

use tent::App;
use tent::prelude::*;

#[query(access = "anyone")]
fn seven() -> u32 {
    7
}

#[tokio::main]
async fn main() -> ExitCode {
    App::new("inner", "0.1.0")
        .functions(tent::functions![seven])
        .run()
}
