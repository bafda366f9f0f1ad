use std::sync::Mutex;

use axum::body::{Body, Bytes};
use axum::routing::get;
use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;
use crate::settings::Settings;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// A server: its address, and the sender that shuts it down.
async fn started(app: Router, max: usize) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("it has one");
    let (shut_down, shutdown) = oneshot::channel();
    let shutdown = async {
        let _ = shutdown.await;
    };
    let served = async move {
        let limits = limits(max);
        let connections = Connections::new(&limits);
        connections.accept(&listener, &app, &limits, shutdown).await;
        let drained = std::future::ready(());
        connections.close(listener, &app, &limits, drained).await;
    };
    let served = tokio::spawn(served);
    (addr, shut_down, served)
}

fn limits(max: usize) -> ConnectionLimits {
    let settings = Settings::default();
    ConnectionLimits {
        max,
        max_per_address: max,
        ..ConnectionLimits::new(&settings.limits, &InFlight::new(&settings))
    }
}

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

/// Sends a request and reads its response, whose body ends with this word.
async fn asked(stream: &mut TcpStream, ends: &str) -> String {
    stream.write_all(REQUEST).await.expect("it is open");
    let mut got = Vec::new();
    while !got.ends_with(ends.as_bytes()) {
        let read = stream.read_buf(&mut got).await.expect("it is open");
        assert_ne!(read, 0, "{}", String::from_utf8_lossy(&got));
    }
    String::from_utf8(got).expect("a text")
}

// The clock of these tests is paused. It advances when every task waits for it.

#[tokio::test(start_paused = true)]
async fn a_connection_without_a_whole_head_is_closed() {
    let (addr, _tell, _served) = started(hello(), 10).await;
    for begun in [&b""[..], b"GET / HTTP/1.1\r\nhost: loc"] {
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        stream.write_all(begun).await.expect("it is open");
        let mut got = Vec::new();
        let _ = stream.read_to_end(&mut got).await;
        assert_eq!(got, b"", "there was no request");
    }
    let mut idle = TcpStream::connect(addr).await.expect("it listens");
    asked(&mut idle, "hello").await;
    asked(&mut idle, "hello").await;
    let rest = idle.read_to_end(&mut Vec::new()).await;
    assert_eq!(rest.ok(), Some(0), "it was idle too long");
}

#[tokio::test(start_paused = true)]
async fn a_response_may_take_any_time() {
    let slow = stream::unfold(0, async |at| {
        tokio::time::sleep(20 * NEXT_HEAD).await;
        (at < 3).then(|| {
            (
                Ok::<_, std::io::Error>(Bytes::from_static(b"more ")),
                at + 1,
            )
        })
    });
    let slow = Arc::new(Mutex::new(Some(Box::pin(slow))));
    let take = move || slow.lock().ok().and_then(|mut slow| slow.take());
    let answer = move || {
        let body = take().map_or_else(Body::empty, Body::from_stream);
        async move {
            tokio::time::sleep(20 * NEXT_HEAD).await;
            body
        }
    };
    let (addr, _tell, _served) = started(Router::new().route("/", get(answer)), 10).await;
    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    let got = asked(&mut stream, "0\r\n\r\n").await;
    assert_eq!(got.matches("more ").count(), 3, "{got}");
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_makes_room_for_the_next() {
    let (addr, _tell, _served) = started(hello(), 1).await;
    let mut first = TcpStream::connect(addr).await.expect("it listens");
    asked(&mut first, "hello").await;
    let mut second = TcpStream::connect(addr)
        .await
        .expect("it waits in the queue");
    asked(&mut second, "hello").await;
    let rest = first.read_to_end(&mut Vec::new()).await;
    assert_eq!(rest.ok(), Some(0), "it had to end first");
}

#[tokio::test]
async fn shutdown_ends_a_connection_after_its_current_request() {
    let (begun, begins) = oneshot::channel();
    let (go_on, goes_on) = oneshot::channel::<()>();
    let once = Arc::new(Mutex::new(Some((begun, goes_on))));
    let answer = move || {
        let taken = once.lock().ok().and_then(|mut once| once.take());
        async move {
            let (begun, goes_on) = taken.expect("it is asked once");
            let _ = begun.send(());
            let _ = goes_on.await;
            "hello"
        }
    };
    let (addr, shut_down, served) = started(Router::new().route("/", get(answer)), 10).await;
    let mut idle = TcpStream::connect(addr).await.expect("it listens");
    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    let asking = tokio::spawn(async move { asked(&mut stream, "hello").await });
    begins.await.expect("it runs");
    shut_down.send(()).expect("it serves");
    let rest = idle.read_to_end(&mut Vec::new()).await;
    assert_eq!(rest.ok(), Some(0), "the idle one ends");
    assert!(!served.is_finished());
    go_on.send(()).expect("it waits");
    let got = asking.await.expect("a response");
    assert!(got.contains("connection: close"), "{got}");
    served.await.expect("it ends");
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_request_carries_the_address_of_its_client() {
    let from = async |ConnectInfo(peer): ConnectInfo<SocketAddr>| format!("{peer} asked");
    let (addr, _tell, _served) = started(Router::new().route("/", get(from)), 10).await;
    let mut stream = TcpStream::connect(addr).await.expect("it listens");
    let here = stream.local_addr().expect("it has one");
    let got = asked(&mut stream, " asked").await;
    assert!(got.contains(&format!("{here} asked")), "{got}");
}

#[test]
fn errors_of_the_client_and_of_the_system_are_told_apart() {
    assert!(is_client_error(
        &std::io::ErrorKind::ConnectionAborted.into()
    ));
    assert!(
        !is_client_error(&std::io::Error::from_raw_os_error(24)),
        "EMFILE"
    );
}
