//! Processes that get a signal to end while a function blocks: they end after the grace time for calls in progress, or at
//! the next signal.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// Long after everything should have ended: no test waits so long that does not fail.
const FAR_TOO_LONG: Duration = Duration::from_secs(100);

/// Far longer than what the tests do in it.
const LONG: &str = "90s";

fn start(line: &[&str]) -> Child {
    let mut command = command(line);
    command.env("TENT_LIMITS__GRACE", "2s");
    command.stderr(Stdio::null()).spawn().expect("it starts")
}

fn command(line: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_small-apps"));
    command
        .args(line)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("TENT_STORE__URL", "memory:")
        .env_remove("TENT_KEY")
        .env_remove("RUST_LOG")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

fn terminate(child: &Child) {
    signal(child, "-TERM");
}

fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("kill");
    let sent = kill.args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// A server that serves until it gets a signal, and its address.
fn serve(variables: &[(&str, &str)]) -> (Child, String, BufReader<ChildStderr>) {
    let mut command = command(&["slow", "serve", "--addr", "127.0.0.1:0"]);
    command.envs(variables.iter().copied());
    let mut server = command.stderr(Stdio::piped()).spawn().expect("it starts");
    let mut output = BufReader::new(server.stdout.take().expect("it has one"));
    let mut first = String::new();
    output.read_line(&mut first).expect("it is readable");
    let (_, addr) = first.trim().rsplit_once("//").expect("an address");
    let log = BufReader::new(server.stderr.take().expect("it has one"));
    (server, addr.to_owned(), log)
}

/// Sends a request on a new connection, and leaves the response to be read.
fn send(addr: &str, method: &str, path: &str, body: &str) -> TcpStream {
    let mut client = TcpStream::connect(addr).expect("it listens");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    client
        .write_all((head + body).as_bytes())
        .expect("it reads");
    client
}

/// The status and the body of a response.
fn response(mut client: TcpStream) -> (String, String) {
    let mut whole = String::new();
    client.read_to_string(&mut whole).expect("a response");
    let (head, body) = whole.split_once("\r\n\r\n").expect("a head");
    (head[9..12].to_owned(), body.to_owned())
}

/// Reads the log up to the line that contains a text.
fn log_line(log: &mut BufReader<ChildStderr>, text: &str) -> String {
    let mut line = String::new();
    while !line.contains(text) {
        line.clear();
        let read = log.read_line(&mut line).expect("a text");
        assert_ne!(read, 0, "the log ended before a line with {text:?}");
    }
    line
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

/// P14.
#[test]
fn serve_reports_what_it_waits_for_and_a_second_signal_ends_it_at_once() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let (server, addr, mut log) = serve(&[("TENT_LIMITS__CALL_TIMEOUT", LONG)]);
        let body = format!(r#"{{"port":{port}}}"#);
        let _client = send(&addr, "POST", "/api/waits", &body);
        let (_call, _) = calls.accept().expect("it is called");
        signal(&server, name);
        let line = log_line(&mut log, "shutting down");
        assert!(line.contains("waits up to 90s for running calls"), "{line}");
        assert!(line.contains("connections=1"), "{line}");
        signal(&server, name);
        let status = ended(server).expect("it ends");
        assert_eq!(status.code(), Some(code), "{name}");
    }
}

/// P14.
#[test]
fn mcp_reports_what_it_waits_for_and_a_second_signal_ends_it_at_once() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let mut command = command(&["slow", "mcp"]);
        command.env("TENT_LIMITS__CALL_TIMEOUT", LONG);
        let mut server = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut input = server.stdin.take().expect("it has one");
        writeln!(
            input,
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"waits","arguments":{{"port":{port}}}}}}}"#
        )
        .expect("it reads");
        let (_call, _) = calls.accept().expect("it is called");
        signal(&server, name);
        let mut log = BufReader::new(server.stderr.take().expect("it has one"));
        let line = log_line(&mut log, "waits up to 90s");
        assert!(line.contains("requests=1"), "{line}");
        signal(&server, name);
        let status = ended(server).expect("it ends");
        assert_eq!(status.code(), Some(code), "{name}");
    }
}

/// P14.
#[test]
fn readyz_is_503_from_the_signal_on_while_calls_are_served_for_the_drain_time() {
    let drain = [("TENT_LIMITS__DRAIN", LONG)];
    let (server, addr, _log) = serve(&drain);
    let ready = || response(send(&addr, "GET", "/readyz", ""));
    assert_eq!(ready().0, "200");
    terminate(&server);
    while ready().0 == "200" {}
    assert_eq!(ready(), ("503".to_owned(), "shutting-down".to_owned()));
    assert_eq!(response(send(&addr, "GET", "/healthz", "")).0, "200");
    assert_eq!(response(send(&addr, "GET", "/api/long", "")).0, "200");
    terminate(&server);
    assert_eq!(ended(server).expect("it ends").code(), Some(143));
}

/// P14.
#[test]
fn a_server_that_waits_for_a_call_refuses_new_ones_and_ends_with_it() {
    let calls = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = calls.local_addr().expect("it has one").port();
    let (server, addr, mut log) = serve(&[("TENT_LIMITS__GRACE", LONG)]);
    let body = format!(r#"{{"port":{port}}}"#);
    let client = send(&addr, "POST", "/api/waits", &body);
    let (call, _) = calls.accept().expect("it is called");
    terminate(&server);
    log_line(&mut log, "shutting down");
    let ready = response(send(&addr, "GET", "/readyz", ""));
    assert_eq!(ready, ("503".to_owned(), "shutting-down".to_owned()));
    let (status, refused) = response(send(&addr, "GET", "/api/long", ""));
    assert_eq!(status, "503");
    assert!(refused.contains("T0013"), "{refused}");
    let_go(call);
    assert_eq!(response(client).0, "204");
    assert_eq!(ended(server).expect("it ends").code(), Some(0));
}

/// S17.
#[test]
fn the_banner_names_the_address_as_bound_and_warns_of_hosts_that_are_refused() {
    for (addr, bound, local) in [
        ("0.0.0.0:0", "http://0.0.0.0:", "http://127.0.0.1:"),
        ("[::]:0", "http://[::]:", "http://[::1]:"),
    ] {
        let mut command = command(&["slow", "serve", "--addr", addr]);
        let mut server = command.stderr(Stdio::piped()).spawn().expect("it starts");
        let output = BufReader::new(server.stdout.take().expect("it has one"));
        let banner: Vec<_> = output.lines().map_while(Result::ok).take(3).collect();
        let (_, port) = banner[0].split_once(bound).expect("the address as bound");
        assert_ne!(port, "0");
        assert!(
            banner[2].contains(&format!("{local}{port}/mcp")),
            "{banner:?}"
        );
        let mut log = BufReader::new(server.stderr.take().expect("it has one"));
        let warning = log_line(&mut log, "web.hosts");
        assert!(warning.contains("T0014"), "{warning}");
        server.kill().expect("it runs");
        server.wait().expect("it can be waited for");
    }
}
