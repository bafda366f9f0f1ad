//! The command line of an app that is run within a runtime, as under `#[tokio::main]`.

use std::process::Command;

#[test]
fn explains_how_to_serve_an_app_inside_a_runtime() {
    let run = |line: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_app-in-a-runtime"));
        let command = command.args(line).env_remove("RUST_LOG");
        command.output().expect("it starts")
    };
    // Also `check`, which else would find nothing wrong with an app that does not start.
    for line in [&[][..], &["serve"], &["check"], &["call", "seven"]] {
        let ran = run(line);
        assert_eq!(ran.status.code(), Some(1), "{line:?}");
        assert_eq!(String::from_utf8_lossy(&ran.stdout), "");
        assert_eq!(
            String::from_utf8_lossy(&ran.stderr),
            "error: T0012 internal: App::run starts a tokio runtime, but was called within one.\n  \
             help: Call it from a plain `fn main`, without #[tokio::main]. Within a runtime, .serve(addr).await \
             serves the app and .build().await gives it to serve as you like.\n",
            "{line:?}"
        );
    }
    // What starts no app needs no runtime.
    for line in [&["explain", "T0012"][..], &["--version"]] {
        assert!(run(line).status.success(), "{line:?}");
    }
}
