//! HTTP/1.1 connections: accepts them, serves each until it ends, and closes those that stay idle.
//!
//! Two things are limited: the number of connections, and the time that a connection waits for the head of a request. A
//! response may take any time.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service as _;

/// The time for the whole head of the first request of a connection, whose client is unknown until then.
const FIRST_HEAD: Duration = Duration::from_secs(15);

/// The time for the head of each further request, from the end of the response before it. It is longer than the 60
/// seconds for which proxies keep idle connections: if the server closed one at the moment in which a proxy uses it
/// again, a request would be lost.
const NEXT_HEAD: Duration = Duration::from_secs(75);

/// The most open connections. Further ones wait in the queue of the operating system until one ends, which an idle one
/// soon does. An idle connection takes about 10 kB, so all of them take 160 MB.
pub(super) const MAX_CONNECTIONS: usize = 16_384;

/// The pause after the system could not accept a connection, for example because the process has no file descriptors
/// left. An immediate retry would use all of a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// Counts the connections that are open.
#[derive(Clone, Default)]
pub(super) struct Open(Arc<()>);

impl Open {
    /// How many there are.
    pub(super) fn count(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }
}

/// Serves `app` on at most `max` connections at once until `shutdown` completes. Then each connection ends after its
/// current request. With `drained`, until all have ended and it completes, new connections are served for one request each:
/// a probe still finds the server, and learns that it shuts down.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    max: usize,
    shutdown: impl Future<Output = ()>,
    drained: Option<impl Future<Output = ()>>,
    open: &Open,
) {
    let http = http();
    let connections = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(max));
    tokio::pin!(shutdown);
    loop {
        let (permit, (stream, peer)) = tokio::select! {
            next = next(&permits, &listener) => next,
            () = &mut shutdown => break,
        };
        let has_request = Arc::new(AtomicBool::new(false));
        let service = service(app.clone(), peer, has_request.clone());
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service));
        let counted = open.clone();
        tokio::spawn(async move {
            if let Err(error) = with_first_request(connection, &has_request).await {
                tracing::debug!(%peer, %error, "a connection broke off");
            }
            drop((permit, counted));
        });
    }
    let Some(drained) = drained else {
        drop(listener);
        return connections.shutdown().await;
    };
    let one_request = async {
        let mut http = self::http();
        http.keep_alive(false);
        loop {
            let (permit, (stream, peer)) = next(&permits, &listener).await;
            let has_request = Arc::new(AtomicBool::new(false));
            let service = service(app.clone(), peer, has_request.clone());
            let connection = http.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                let _ = with_first_request(connection, &has_request).await;
                drop(permit);
            });
        }
    };
    let ended = async {
        connections.shutdown().await;
        drained.await;
    };
    tokio::select! {
        () = ended => {}
        () = one_request => {}
    }
}

/// The next connection, once there is room for it.
async fn next(
    permits: &Arc<Semaphore>,
    listener: &TcpListener,
) -> (Option<OwnedSemaphorePermit>, (TcpStream, SocketAddr)) {
    // The semaphore is never closed.
    let permit = permits.clone().acquire_owned().await.ok();
    (permit, accept(listener).await)
}

/// Serves the requests of a connection, and records that it has one.
fn service(
    app: Router,
    peer: SocketAddr,
    has_request: Arc<AtomicBool>,
) -> impl HttpService<Incoming, ResBody = Body, Error = Infallible, Future: Send> {
    service_fn(move |mut request: Request<Incoming>| {
        has_request.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().call(request)
    })
}

/// Serves a connection to its end, or until the time for its first request is over.
async fn with_first_request(
    connection: impl Future<Output = hyper::Result<()>>,
    has_request: &AtomicBool,
) -> hyper::Result<()> {
    tokio::pin!(connection);
    tokio::select! {
        ended = &mut connection => return ended,
        () = tokio::time::sleep(FIRST_HEAD) => {}
    }
    match has_request.load(Ordering::Relaxed) {
        true => connection.await,
        false => Ok(()),
    }
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(NEXT_HEAD);
    http
}

/// Accepts the next connection.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "could not switch Nagle's algorithm off");
                }
                return (stream, peer);
            }
            // The client closed the connection before the server accepted it.
            Err(error) if is_client_error(&error) => {}
            Err(error) => {
                tracing::error!(%error, "cannot accept connections");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_client_error(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::body::Bytes;
    use axum::routing::get;
    use futures_util::stream;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;

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
            let drained = Some(std::future::ready(()));
            serve(listener, app, max, shutdown, drained, &Open::default()).await;
        };
        let served = tokio::spawn(served);
        (addr, shut_down, served)
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
            (at < 3).then(|| (Ok::<_, io::Error>(Bytes::from_static(b"more ")), at + 1))
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
        assert!(is_client_error(&io::ErrorKind::ConnectionAborted.into()));
        assert!(
            !is_client_error(&io::Error::from_raw_os_error(24)),
            "EMFILE"
        );
    }
}
