//! Processes that get a signal to end while a function blocks: they end after the grace time for calls in progress.
//!
//! Each test takes as long as that time.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Long after everything should have ended: no test waits so long that does not fail.
const FAR_TOO_LONG: Duration = Duration::from_secs(100);

fn start(line: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_small-apps"))
        .args(line)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env_remove("TENT_KEY")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts")
}

fn terminate(child: &Child) {
    let told = Command::new("kill").arg(child.id().to_string()).status();
    assert!(told.expect("kill runs").success());
}

/// How it ends; `None` where it does not, and is killed.
fn ended(mut child: Child) -> Option<ExitStatus> {
    let id = child.id().to_string();
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(child.wait()));
    let Ok(ended) = told.recv_timeout(FAR_TOO_LONG) else {
        let _ = Command::new("kill").args(["-9", &id]).status();
        return None;
    };
    Some(ended.expect("it can be waited for"))
}

/// Lets one call of `waits` go, and hears from it that it went on.
fn let_go(mut call: TcpStream) {
    call.write_all(b"!").expect("it is there");
    let mut said = String::new();
    call.read_to_string(&mut said).expect("it is there still");
    assert_eq!(said, "went on");
}

#[test]
fn mcp_ends_if_the_client_does_not_read_and_a_function_blocks() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    let mut server = start(&["slow", "mcp"]);
    let mut input = server.stdin.take().expect("it has one");
    let mut output = server.stdout.take().expect("it has one");
    let mut call = |name: &str, arguments: &str| {
        let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
        writeln!(
            input,
            r#"{{"jsonrpc":"2.0","id":"{name}","method":"tools/call","params":{params}}}"#
        )
        .expect("it reads");
    };
    // After the first byte the others are being written, and the pipe is full.
    call("long", "{}");
    output.read_exact(&mut [0]).expect("it answers");
    let port = format!(r#"{{"port":{port}}}"#);
    call("waits", &port);
    call("waits", &port);
    let (one, _) = calls.accept().expect("it is called");
    let (_other, _) = calls.accept().expect("it is called");

    terminate(&server);
    let_go(one);
    let status = ended(server).expect("it ends");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn mcp_ends_at_once_on_a_signal_after_its_input_ended() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    let under_way = || {
        let mut server = start(&["slow", "mcp"]);
        let mut input = server.stdin.take().expect("it has one");
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"waits","arguments":{{"port":{port}}}}}}}"#
        );
        writeln!(input, "{call}").expect("it reads");
        let (call, _) = calls.accept().expect("it is called");
        (server, input, call)
    };
    let (mut patient, _open, _call) = under_way();
    let (hurried, closed, _other) = under_way();
    terminate(&patient);
    drop(closed);
    terminate(&hurried);
    let status = ended(hurried).expect("it ends");
    assert_eq!(status.code(), Some(0));
    let other = patient.try_wait().expect("it can be asked");
    assert_eq!(other, None, "one that still has a client has its time");
    patient.kill().expect("it is there");
    patient.wait().expect("it can be waited for");
}

#[test]
fn serve_ends_if_a_function_blocks() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    let mut server = start(&["slow", "serve", "--addr", "127.0.0.1:0"]);
    let mut output = BufReader::new(server.stdout.take().expect("it has one"));
    let mut first = String::new();
    output.read_line(&mut first).expect("it says where it is");
    let (_, addr) = first.trim().rsplit_once("//").expect("an address");
    let ask = || {
        let mut client = TcpStream::connect(addr).expect("it listens");
        let body = format!(r#"{{"port":{port}}}"#);
        let head = format!(
            "POST /api/waits HTTP/1.1\r\nhost: {addr}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        client
            .write_all((head + &body).as_bytes())
            .expect("it reads");
        client
    };
    let _clients = [ask(), ask()];
    let (one, _) = calls.accept().expect("it is called");
    let (_other, _) = calls.accept().expect("it is called");

    terminate(&server);
    let_go(one);
    let status = ended(server).expect("it ends");
    assert_eq!(status.code(), Some(0));
}
