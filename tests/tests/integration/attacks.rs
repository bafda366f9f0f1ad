//! Clients that attack the server of a separate process with what they do not send or read. Its memory stays below
//! `limits.in_flight` and 64 MiB, and another client is served throughout, each time within a second of its request.
//!
//! Each attack is bounded in count and ends by itself.

use std::fs::File;
use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MIB: usize = 1 << 20;

/// The `limits.in_flight` of the tests.
const IN_FLIGHT: usize = 32 * MIB;

/// What the process may use beside the bytes in flight.
const BESIDE: usize = 64 * MIB;

/// How long a client waits that is served. A server that is held up would let it wait for many seconds.
const SERVED_WITHIN: Duration = Duration::from_secs(1);

/// Lets one attack run at a time, over all test processes: two would take the cores from each other's servers.
fn alone() -> File {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attacks.lock");
    let lock = File::create(place).expect("a file");
    lock.lock().expect("it can be locked");
    lock
}

/// A server in a process. Killed when it is dropped.
struct Server {
    process: Child,
    addr: SocketAddr,
}

impl Server {
    /// Starts the app with at most this many open files.
    fn start(files: u32) -> Self {
        Self::start_with(files, "memory:")
    }

    /// The same with a store.
    fn start_with(files: u32, store: &str) -> Self {
        let app = env!("CARGO_BIN_EXE_attacked-app");
        let mut process = Command::new("sh")
            .args([
                "-c",
                &format!("ulimit -n {files} && exec {app} serve --addr 127.0.0.1:0"),
            ])
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .env("TENT_STORE__URL", store)
            .env("TENT_LIMITS__IN_FLIGHT", IN_FLIGHT.to_string())
            .env("TENT_LIMITS__CALL_TIMEOUT", "60s")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut output = BufReader::new(process.stdout.take().expect("it has one"));
        let mut first = String::new();
        output.read_line(&mut first).expect("it says where it is");
        let (_, addr) = first.trim().rsplit_once("//").expect("an address");
        Server {
            addr: addr.parse().expect("an address"),
            process,
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.addr).expect("it listens");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    fn get(&self, path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.addr)
    }

    /// The memory that the process has in use.
    fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number
            .and_then(|kb| kb.parse::<usize>().ok())
            .expect("a number")
            * 1024
    }

    /// Another client is served, and the memory is within its bounds.
    #[track_caller]
    fn holds(&self) {
        let memory = self.memory();
        assert!(memory < IN_FLIGHT + BESIDE, "{} MiB", memory / MIB);
        // Other programs may take the cores for a moment: one of three requests in a row is in time.
        let waited = [(); 3].map(|()| self.served());
        let least = waited.iter().min();
        assert!(
            least.is_some_and(|least| *least < SERVED_WITHIN),
            "{waited:?}"
        );
    }

    /// How long another client waits for a response.
    #[track_caller]
    fn served(&self) -> Duration {
        let asked = Instant::now();
        let mut stream = self.connect();
        stream
            .set_read_timeout(Some(10 * SERVED_WITHIN))
            .expect("a socket");
        let request = self.get("/api/small");
        let request = request.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        let is_served = response.starts_with("HTTP/1.1 200 ") && response.ends_with("\r\n\r\n7");
        assert!(is_served, "{response}");
        asked.elapsed()
    }

    /// The same for a while.
    #[track_caller]
    fn holds_for(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until {
            self.holds();
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes what the other side takes now. Returns how many bytes it took.
fn write_some(stream: &mut TcpStream, bytes: &[u8]) -> usize {
    let mut written = 0;
    while written < bytes.len() {
        match stream.write(&bytes[written..]) {
            Ok(more) => written += more,
            Err(_) => break,
        }
    }
    written
}

/// What came back so far, without waiting.
fn received(stream: &mut TcpStream) -> String {
    stream.set_nonblocking(true).expect("a socket");
    let mut bytes = vec![0; 4096];
    match stream.read(&mut bytes) {
        Ok(read) => String::from_utf8_lossy(&bytes[..read]).into_owned(),
        Err(error) if error.kind() == ErrorKind::WouldBlock => String::new(),
        Err(error) => format!("closed: {error}"),
    }
}

// S02.
#[test]
fn withstands_300_slow_bodies() {
    let _alone = alone();
    let server = Server::start(4096);
    let body = vec![b' '; 4 * MIB - 2];
    let head = format!(
        "POST /api/takes HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        server.addr,
        4 * MIB
    );
    let mut clients = Vec::new();
    for n in 0..300 {
        let mut client = server.connect();
        client.write_all(head.as_bytes()).expect("it reads");
        // All of the body but its end. A server that reads no more of it takes what the buffers of two sockets hold.
        client
            .set_write_timeout(Some(Duration::from_millis(20)))
            .expect("a socket");
        write_some(&mut client, &body);
        clients.push(client);
        if n % 20 == 0 {
            server.holds();
        }
    }
    server.holds_for(Duration::from_secs(3));
    let refused = clients.iter_mut().map(received);
    let refused = refused.filter(|got| got.contains("T0006") && got.contains("retry-after: "));
    assert!(refused.count() > 100, "they are refused, with a reason");
}

// S04.
#[test]
fn withstands_100_unread_responses_of_8_mb() {
    let _alone = alone();
    let server = Server::start(4096);
    let mut clients = Vec::new();
    for n in 0..100 {
        let mut client = server.connect();
        let request = server.get("/api/large");
        client.write_all(request.as_bytes()).expect("it reads");
        clients.push(client);
        if n % 10 == 0 {
            server.holds();
        }
    }
    server.holds_for(Duration::from_secs(3));
    let responses: Vec<_> = clients.iter_mut().map(received).collect();
    let served = responses
        .iter()
        .filter(|got| got.starts_with("HTTP/1.1 200 "));
    assert!(served.count() >= 1);
    let refused = responses
        .iter()
        .filter(|got| got.contains("T0006") && got.contains("retry-after: "));
    assert!(refused.count() > 50, "they are refused, with a reason");
}

// S02.
#[test]
fn withstands_500_half_heads() {
    let _alone = alone();
    let server = Server::start(4096);
    let head = format!(
        "GET /api/small HTTP/1.1\r\nhost: {}\r\nx-long: {}",
        server.addr,
        "x".repeat(390_000)
    );
    let mut clients = Vec::new();
    for n in 0..500 {
        let mut client = server.connect();
        client
            .set_write_timeout(Some(Duration::from_millis(20)))
            .expect("a socket");
        // The server takes no more of a head than it may have.
        write_some(&mut client, &head.as_bytes()[..60_000 + n]);
        write_some(&mut client, &head.as_bytes()[60_000 + n..]);
        clients.push(client);
        if n % 50 == 0 {
            server.holds();
        }
    }
    // Those that stay below the size of a head.
    for n in 0..500 {
        let mut client = server.connect();
        write_some(&mut client, &head.as_bytes()[..60_000]);
        clients.push(client);
        if n % 50 == 0 {
            server.holds();
        }
    }
    server.holds_for(Duration::from_secs(2));
}

// S03.
#[test]
fn withstands_1100_connections_with_1024_files() {
    let _alone = alone();
    // The hard limit too.
    let server = Server::start(1024);
    let mut clients = Vec::new();
    for n in 0..1100 {
        let mut client = server.connect();
        // They are kept alive after a request.
        let request = server.get("/api/small");
        client.write_all(request.as_bytes()).expect("it reads");
        let mut response = [0; 1];
        client
            .set_read_timeout(Some(5 * SERVED_WITHIN))
            .expect("a socket");
        client.read_exact(&mut response).expect("a response");
        clients.push(client);
        if n % 100 == 0 {
            server.holds();
        }
    }
    server.holds_for(Duration::from_secs(1));
    let is_closed = |client: &mut TcpStream| {
        client.set_nonblocking(true).expect("a socket");
        let mut rest = Vec::new();
        client.read_to_end(&mut rest).is_ok()
    };
    let closed: Vec<bool> = clients.iter_mut().map(is_closed).collect();
    assert!(
        closed[0],
        "the one that was idle for the longest time made room"
    );
    assert!(!closed[1099], "the last one is open");
}

// S05.
#[test]
fn withstands_300_legacy_calls_of_3_mb_that_hung_up() {
    let _alone = alone();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attacked-store");
    std::fs::create_dir_all(&folder).expect("a folder");
    let store = format!("sqlite:{}", folder.join("tent.db").display());
    let made = Command::new(env!("CARGO_BIN_EXE_attacked-app"))
        .args(["keys", "create", "--owner", "ada", "--scope", "*"])
        .env("TENT_STORE__URL", &store)
        .output()
        .expect("it runs");
    let key = String::from_utf8(made.stdout).expect("text");
    let server = Server::start_with(4096, &store);
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"waits","arguments":{{"text":"{}"}}}}}}"#,
        "x".repeat(3_000_000)
    );
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\naccept: application/json, text/event-stream\r\n\
         mcp-protocol-version: 2025-06-18\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        server.addr,
        key.trim(),
        body.len()
    );
    let mut refused = 0;
    for n in 0..300 {
        let mut client = server.connect();
        client.write_all(head.as_bytes()).expect("it reads");
        client
            .set_write_timeout(Some(Duration::from_millis(200)))
            .expect("a socket");
        let is_sent = write_some(&mut client, body.as_bytes()) == body.len();
        // Long enough for the call to begin.
        std::thread::sleep(Duration::from_millis(10));
        let response = received(&mut client);
        refused += usize::from(!is_sent || response.contains("T0006"));
        drop(client);
        if n % 20 == 0 {
            server.holds();
        }
    }
    server.holds_for(Duration::from_secs(1));
    assert!((200..300).contains(&refused), "{refused} are refused");
}
