//! The connections: taken one after another, each served until it ends, none kept for nothing.
//!
//! What is limited is the time of a request's head and of a connection on which nothing is asked, and how
//! many connections there are. An answer under way may take as long as it does.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower_service::Service as _;

/// How long the whole head of a connection's first request may take: nothing is known yet of who opened it.
const FIRST_HEAD: Duration = Duration::from_secs(15);

/// How long that of each further one may take, from the end of the answer before it. Longer than the 60
/// seconds for which proxies keep a connection that nobody uses, since one that is closed in the moment in
/// which a proxy uses it again costs somebody an answer.
const NEXT_HEAD: Duration = Duration::from_secs(75);

/// So many connections are open at once. The next ones wait in the system's queue until one ends, which those
/// that ask nothing soon do. An idle one costs about 10 kB, so all of them 160 MB.
pub(super) const MOST: usize = 16_384;

/// How long to wait after the system could not give a connection, as where there are no more files: to ask
/// again at once would take all of a core.
const AFTER_FAILURE: Duration = Duration::from_millis(500);

/// Serves `app` on at most `most` connections at once until `told` ends, then ends each connection after the
/// request that is under way on it.
pub(super) async fn serve(
    listener: TcpListener,
    app: Router,
    most: usize,
    told: impl Future<Output = ()>,
) {
    let http = http();
    let all = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(most));
    tokio::pin!(told);
    loop {
        let next = async {
            let place = room.clone().acquire_owned().await;
            (place, accept(&listener).await)
        };
        let (place, (stream, peer)) = tokio::select! {
            next = next => next,
            () = &mut told => break,
        };
        let asked = Arc::new(AtomicBool::new(false));
        let (app, noted) = (app.clone(), asked.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            noted.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(ConnectInfo(peer));
            app.clone().call(request)
        });
        let served = all.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = unless_silent(served, &asked).await {
                tracing::debug!(%peer, %error, "a connection broke off");
            }
            drop(place);
        });
    }
    // New ones are refused from now on, rather than left in the queue.
    drop(listener);
    all.shutdown().await;
}

/// Serves a connection to its end, or until its first request would have had to be there.
async fn unless_silent(
    served: impl Future<Output = hyper::Result<()>>,
    asked: &AtomicBool,
) -> hyper::Result<()> {
    tokio::pin!(served);
    tokio::select! {
        ended = &mut served => return ended,
        () = tokio::time::sleep(FIRST_HEAD) => {}
    }
    match asked.load(Ordering::Relaxed) {
        true => served.await,
        false => Ok(()),
    }
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(NEXT_HEAD);
    http
}

/// The next connection, however long that takes.
async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "could not switch Nagle's algorithm off");
                }
                return (stream, peer);
            }
            // It was gone before it was taken.
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "no connection can be taken");
                tokio::time::sleep(AFTER_FAILURE).await;
            }
        }
    }
}

fn is_of_the_client(error: &io::Error) -> bool {
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

    use axum::body::{Body, Bytes};
    use axum::routing::get;
    use futures_util::stream;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::sync::oneshot;
    use tokio::task::JoinHandle;

    use super::*;

    const ASK: &[u8] = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";

    /// A server, its address, and what tells it to end.
    async fn started(
        app: Router,
        most: usize,
    ) -> (SocketAddr, oneshot::Sender<()>, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("it has one");
        let (tell, told) = oneshot::channel();
        let told = async {
            let _ = told.await;
        };
        let served = tokio::spawn(serve(listener, app, most, told));
        (addr, tell, served)
    }

    fn hello() -> Router {
        Router::new().route("/", get(async || "hello"))
    }

    /// Sends a request and reads its answer, the body of which ends with this word.
    async fn asked(stream: &mut TcpStream, ends: &str) -> String {
        stream.write_all(ASK).await.expect("it is open");
        let mut got = Vec::new();
        while !got.ends_with(ends.as_bytes()) {
            let read = stream.read_buf(&mut got).await.expect("it is open");
            assert_ne!(read, 0, "{}", String::from_utf8_lossy(&got));
        }
        String::from_utf8(got).expect("a text")
    }

    // In these the clock stands still, and goes on by itself where everything waits for it.

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_whole_head_is_ended() {
        let (addr, _tell, _served) = started(hello(), 10).await;
        for begun in [&b""[..], b"GET / HTTP/1.1\r\nhost: loc"] {
            let mut stream = TcpStream::connect(addr).await.expect("it listens");
            stream.write_all(begun).await.expect("it is open");
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got).await;
            assert_eq!(got, b"", "nothing was asked");
        }
        let mut idle = TcpStream::connect(addr).await.expect("it listens");
        asked(&mut idle, "hello").await;
        asked(&mut idle, "hello").await;
        let rest = idle.read_to_end(&mut Vec::new()).await;
        assert_eq!(rest.ok(), Some(0), "it was idle too long");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_may_take_as_long_as_it_does() {
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
    async fn a_connection_on_which_nothing_is_asked_makes_room_for_the_next() {
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
    async fn told_to_end_it_ends_after_what_is_under_way() {
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
        let (addr, tell, served) = started(Router::new().route("/", get(answer)), 10).await;
        let mut idle = TcpStream::connect(addr).await.expect("it listens");
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        let asking = tokio::spawn(async move { asked(&mut stream, "hello").await });
        begins.await.expect("it runs");
        tell.send(()).expect("it serves");
        let rest = idle.read_to_end(&mut Vec::new()).await;
        assert_eq!(rest.ok(), Some(0), "the one on which nothing is asked ends");
        assert!(!served.is_finished());
        go_on.send(()).expect("it waits");
        let got = asking.await.expect("it is answered");
        assert!(got.contains("connection: close"), "{got}");
        served.await.expect("it ends");
        assert!(TcpStream::connect(addr).await.is_err());
    }

    #[tokio::test]
    async fn a_request_knows_where_it_came_from() {
        let from = async |ConnectInfo(peer): ConnectInfo<SocketAddr>| format!("{peer} asked");
        let (addr, _tell, _served) = started(Router::new().route("/", get(from)), 10).await;
        let mut stream = TcpStream::connect(addr).await.expect("it listens");
        let here = stream.local_addr().expect("it has one");
        let got = asked(&mut stream, " asked").await;
        assert!(got.contains(&format!("{here} asked")), "{got}");
    }

    #[test]
    fn a_client_that_is_gone_is_no_failure_of_the_system() {
        assert!(is_of_the_client(&io::ErrorKind::ConnectionAborted.into()));
        assert!(
            !is_of_the_client(&io::Error::from_raw_os_error(24)),
            "EMFILE"
        );
    }
}
