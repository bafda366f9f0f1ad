//! One connection after another, byte by byte: what clients that keep theirs rely on, and paths that lead nowhere.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::server::{Keys, Place, Server};

fn connected(server: &Server) -> TcpStream {
    TcpStream::connect(server.address()).expect("it listens")
}

/// Sends a request, its head and its body apart, and gives the head and the body of the answer.
fn asked(stream: &mut TcpStream, line: &str, headers: &str, body: &str) -> (String, String) {
    let length = body.len();
    let head = format!("{line} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it is open");
    stream.write_all(body.as_bytes()).expect("it is open");
    let mut got = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&got);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().expect("a number"));
            if body.len() == length {
                return (head.to_owned(), body.to_owned());
            }
        }
        let mut piece = [0; 4096];
        let read = stream.read(&mut piece).expect("it is open");
        assert_ne!(read, 0, "{line}: it was closed after {text}");
        got.extend_from_slice(&piece[..read]);
    }
}

#[test]
fn a_refused_request_costs_the_client_nothing_but_its_answer() {
    let place = Place::new();
    let keys = Keys::new(&place);
    let server = place.serve();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let padded = format!("{ping}{}", " ".repeat(200_000));
    let json = "Host: localhost\r\nContent-Type: application/json\r\n";
    let key = keys.of("ada");
    let good = format!("{json}Authorization: Bearer {key}\r\n");
    for (status, line, headers) in [
        ("401", "POST /mcp", json.to_owned()),
        ("401", "POST /api/open_orders", json.to_owned()),
        (
            "403",
            "POST /mcp",
            json.replace("localhost", "evil.example"),
        ),
        (
            "403",
            "POST /api/open_orders",
            json.replace("localhost", "evil.example"),
        ),
        ("404", "POST /api/nothing", good.clone()),
        ("404", "POST /nothing", json.to_owned()),
        ("405", "PUT /mcp", good.clone()),
        ("405", "POST /healthz", json.to_owned()),
        ("406", "POST /mcp", format!("{good}Accept: image/png\r\n")),
        (
            "415",
            "POST /mcp",
            good.replace("application/json", "text/plain"),
        ),
    ] {
        let mut stream = connected(&server);
        for _ in 0..3 {
            let (head, _) = asked(&mut stream, line, &headers, &padded);
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status} ")),
                "{line}: {head}"
            );
            assert!(!head.contains("connection: close"), "{line}: {head}");
        }
        let (head, body) = asked(&mut stream, "POST /mcp", &good, ping);
        assert!(head.starts_with("HTTP/1.1 200 "), "{line}: {head} {body}");
    }
}

#[test]
fn a_path_that_leads_nowhere_is_a_failure_with_a_code() {
    let place = Place::new();
    let server = place.serve();
    let mut stream = connected(&server);
    for line in [
        "GET /",
        "GET /nothing",
        "POST /apix",
        "GET /_t",
        "DELETE /mcp/x",
    ] {
        let (head, body) = asked(&mut stream, line, "Host: localhost\r\n", "");
        assert!(head.starts_with("HTTP/1.1 404 "), "{line}: {head}");
        assert!(head.contains("application/problem+json"), "{line}: {head}");
        assert!(body.contains(r#""code":"T0001""#), "{line}: {body}");
    }
    for (line, status) in [
        ("GET /nothing", "403"),
        ("GET /_t/codes/T0001", "403"),
        ("GET /healthz", "200"),
    ] {
        let (head, _) = asked(&mut stream, line, "Host: 10.0.0.7\r\n", "");
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{line}: {head}"
        );
    }
    // The target names a host of ours, the header another one.
    let line = "GET http://localhost/api";
    let (head, _) = asked(&mut stream, line, "Host: evil.example\r\n", "");
    assert!(head.starts_with("HTTP/1.1 403 "), "{head}");
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let _server = place.serve();
    for name in ["orders.db", "tent.db"] {
        let kept = std::fs::metadata(place.path(name)).expect("it is there");
        assert_eq!(kept.permissions().mode() & 0o777, 0o600, "{name}");
    }
}
