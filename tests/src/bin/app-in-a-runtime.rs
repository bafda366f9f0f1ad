//! An app within a runtime. Its command line cannot start another one. With the argument `blocked` it serves, and a function
//! blocks the only thread of the runtime.

use std::net::Ipv4Addr;
use std::process::ExitCode;

use tent::App;
use tent::prelude::*;

#[query(access = "anyone")]
fn seven() -> u32 {
    7
}

/// Blocks the thread that it runs on for good, and says so on stderr.
#[query(access = "anyone", blocking = false)]
fn blocks() {
    eprintln!("it blocks");
    loop {
        std::thread::park();
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let app = App::new("inner", "0.1.0").functions(tent::functions![seven, blocks]);
    if std::env::args().nth(1).as_deref() != Some("blocked") {
        return app.run();
    }
    let app = app.set("store.url", "memory:");
    let listener =
        std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|one| one.local_addr());
    let Ok(addr) = listener else {
        return ExitCode::FAILURE;
    };
    // The port is free again, and the test reads it.
    println!("{addr}");
    match app.serve(addr).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
