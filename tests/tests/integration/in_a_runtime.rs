//! The command line of an app that is run within a runtime, as under `#[tokio::main]`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

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

/// P14.
#[test]
#[cfg(unix)]
fn the_second_signal_ends_an_app_whose_only_thread_is_blocked() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_app-in-a-runtime"))
        .arg("blocked")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut addr = String::new();
    let mut output = BufReader::new(server.stdout.take().expect("it has one"));
    output.read_line(&mut addr).expect("an address");
    let addr = addr.trim();
    // It listens a moment after it says where.
    let mut client = loop {
        if let Ok(client) = TcpStream::connect(addr) {
            break client;
        }
        let ended = server.try_wait().expect("it can be asked");
        assert_eq!(ended, None, "it serves");
        std::thread::yield_now();
    };
    let request = format!("GET /api/blocks HTTP/1.1\r\nhost: {addr}\r\n\r\n");
    client.write_all(request.as_bytes()).expect("it reads");
    let mut log = String::new();
    let mut stderr = BufReader::new(server.stderr.take().expect("it has one"));
    stderr.read_line(&mut log).expect("a line");
    assert_eq!(log, "it blocks\n");
    let mut status = None;
    while status.is_none() {
        // Signals of one kind that arrive together count as one.
        let id = server.id().to_string();
        let kill = Command::new("kill").args(["-TERM", &id]).status();
        assert!(kill.expect("kill runs").success());
        std::thread::yield_now();
        status = server.try_wait().expect("it can be asked");
    }
    assert_eq!(status.and_then(|status| status.code()), Some(143));
}
