//! HTTP/1.1 connections: accepts them, serves each until it ends, and closes those that stay idle.
//!
//! Limited are the number of connections in total and of each client address, the time that a connection waits for the
//! head of a request, the time that a client may read nothing of a response, and the bytes of heads. A response may take
//! any time to make.
//!
//! | file | holds |
//! |---|---|
//! | `activity` | what a connection waits for |
//! | `body` | the bodies of a request and its response, which record their end |
//! | `file_limit` | the limit of open files of the process |
//! | `io` | the byte stream, with its limits |
//! | `open` | the table of open connections |
//! | `refusal` | the response to a client that is not served |

mod activity;
mod body;
mod file_limit;
mod io;
mod open;
mod refusal;

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use http::Request;
use http::header::{CONNECTION, HeaderValue};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tent_core::codes;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service as _;

use self::activity::Activity;
use self::body::{RequestBody, ResponseBody};
use self::io::ConnectionIo;
use self::open::{OpenConnections, Slot, TooMany};
use crate::error::Error;
use crate::in_flight::InFlight;
use crate::settings::Limits;

/// The time for the whole head of the first request of a connection, whose client is unknown until then.
const FIRST_HEAD: Duration = Duration::from_secs(15);

/// The time for the first request of a connection after the server began to close.
const LAST_HEAD: Duration = Duration::from_secs(1);

/// The time for the head of each further request, from the end of the response before it. It is longer than the 60
/// seconds for which proxies keep idle connections: if the server closed one at the moment in which a proxy uses it
/// again, a request would be lost.
const NEXT_HEAD: Duration = Duration::from_secs(75);

/// The most bytes of a head, and of each of the two buffers of a connection. A larger head is 431.
const BUFFER: usize = 64 << 10;

/// The pause after the system could not accept a connection, for example because the process has no file descriptors
/// left. An immediate retry would use all of a core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// The limits of the connections of one listener.
pub(super) struct ConnectionLimits {
    max: usize,
    max_per_address: usize,
    write_timeout: Duration,
    in_flight: Arc<InFlight>,
}

impl ConnectionLimits {
    /// The limits of the settings. Raises the limit of open files of the process, and stays below it.
    pub(super) fn new(limits: &Limits, in_flight: &Arc<InFlight>) -> Self {
        let max = file_limit::connections(limits.connections, file_limit::raise());
        let max_per_address = limits.connections_per_address.unwrap_or(max / 2);
        ConnectionLimits {
            max,
            max_per_address: max_per_address.max(1),
            write_timeout: limits.write_timeout,
            in_flight: in_flight.clone(),
        }
    }
}

/// The connections of one server, whose listener two servers may share one after the other.
#[derive(Clone)]
pub(crate) struct Connections {
    tasks: TaskTracker,
    /// Cancelled when each connection is to end after its current request.
    closing: CancellationToken,
    open: Arc<OpenConnections>,
}

impl Connections {
    /// None yet, within these limits.
    pub(super) fn new(limits: &ConnectionLimits) -> Self {
        Connections {
            tasks: TaskTracker::new(),
            closing: CancellationToken::new(),
            open: OpenConnections::new(limits.max, limits.max_per_address),
        }
    }

    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.open.count()
    }

    /// Accepts connections for `app` within these limits until `end` completes. They stay open then.
    pub(super) async fn accept(
        &self,
        listener: &TcpListener,
        app: &Router,
        limits: &ConnectionLimits,
        end: impl Future<Output = ()>,
    ) {
        let http = http();
        tokio::pin!(end);
        loop {
            let (slot, stream, peer) = tokio::select! {
                next = next(listener, limits, &self.open) => next,
                () = &mut end => return,
            };
            let (stream, service) = served(app, limits, &slot, stream, peer, &self.closing);
            let connection = http.serve_connection(stream, service);
            let (id, closing) = (slot.id, self.closing.clone());
            let task = self.tasks.spawn(async move {
                if let Err(error) = to_its_end(connection, &slot.activity, closing).await {
                    tracing::debug!(%peer, %error, "a connection broke off");
                }
            });
            self.open.set_task(id, task.abort_handle());
        }
    }

    /// Lets each connection end after its current request, and waits for them and for `drained`. Until then, new connections
    /// are served for one request each: a probe still finds the server, and learns that it shuts down.
    pub(super) async fn close(
        self,
        listener: TcpListener,
        app: &Router,
        limits: &ConnectionLimits,
        drained: impl Future<Output = ()>,
    ) {
        self.closing.cancel();
        self.tasks.close();
        let one_request = async {
            let mut http = http();
            http.keep_alive(false);
            loop {
                let (slot, stream, peer) = next(&listener, limits, &self.open).await;
                let (stream, service) = served(app, limits, &slot, stream, peer, &self.closing);
                let connection = http.serve_connection(stream, service);
                let id = slot.id;
                let task = tokio::spawn(async move {
                    let _ = with_first_request(connection, &slot.activity).await;
                });
                self.open.set_task(id, task.abort_handle());
            }
        };
        let ended = async {
            self.tasks.wait().await;
            drained.await;
        };
        tokio::select! {
            () = ended => {}
            () = one_request => {}
        }
    }
}

/// The next connection, once there is room for it. Refuses those of addresses that have too many.
async fn next(
    listener: &TcpListener,
    limits: &ConnectionLimits,
    open: &Arc<OpenConnections>,
) -> (Slot, TcpStream, SocketAddr) {
    loop {
        let (stream, peer) = accept(listener).await;
        let network = limits.in_flight.counted_network(peer.ip());
        match open.admit(network).await {
            Ok(slot) => return (slot, stream, peer),
            Err(TooMany) => refuse(stream),
        }
    }
}

/// The byte stream of a connection, and what serves its requests.
fn served(
    app: &Router,
    limits: &ConnectionLimits,
    slot: &Slot,
    stream: TcpStream,
    peer: SocketAddr,
    closing: &CancellationToken,
) -> (
    TokioIo<ConnectionIo<TcpStream>>,
    impl HttpService<Incoming, ResBody = ResponseBody, Error = Infallible, Future: Send> + use<>,
) {
    let stream = ConnectionIo::new(
        stream,
        peer.ip(),
        slot.activity.clone(),
        limits.in_flight.clone(),
        limits.write_timeout,
    );
    let (app, activity) = (app.clone(), slot.activity.clone());
    let closing = closing.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let response = serve_one(app.clone(), activity.clone(), peer, request);
        let closing = closing.clone();
        async move {
            let mut response = response.await?;
            // The client learns that its next request needs another connection.
            if closing.is_cancelled() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok(response)
        }
    });
    (TokioIo::new(stream), service)
}

/// Serves one request of a connection.
fn serve_one(
    mut app: Router,
    activity: Arc<Activity>,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> impl Future<Output = Result<http::Response<ResponseBody>, Infallible>> {
    let begins = activity.begin(!hyper::body::Body::is_end_stream(request.body()));
    let mut request = request.map(|body| RequestBody::new(body, activity.clone()));
    request.extensions_mut().insert(ConnectInfo(peer));
    // A connection that is being closed runs nothing: its client cannot get the response.
    let served = begins.then(|| app.call(request));
    async move {
        let response = match served {
            Some(served) => served.await?,
            None => std::future::pending().await,
        };
        Ok(response.map(|body| ResponseBody::new(body, activity)))
    }
}

/// Serves a connection until it ends, or until the time for its first request is over. From `closing` on, it ends after the
/// request in progress. One without a request serves its first one: the client may have sent it already.
///
/// ```text
/// waits for its first request ──► serves requests ──► ended
///     │ closing          │             │ closing        ▲
///     ▼                  │             ▼                │
/// waits for LAST_HEAD ───┼──► serves its last one ──────┤
///     └──────────────────┴──────────────────────────────┘  the time is over
/// ```
async fn to_its_end<S>(
    connection: http1::Connection<TokioIo<ConnectionIo<TcpStream>>, S>,
    activity: &Activity,
    closing: CancellationToken,
) -> hyper::Result<()>
where
    S: HttpService<Incoming, ResBody = ResponseBody, Error = Infallible>,
{
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        ended = with_first_request(connection.as_mut(), activity) => return ended,
        () = closing.cancelled() => {}
    }
    let first_request = poll_fn(|cx| match connection.as_mut().poll(cx) {
        Poll::Ready(ended) => Poll::Ready(Some(ended)),
        Poll::Pending if activity.has_request() => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    });
    if let Ok(Some(ended)) = tokio::time::timeout(LAST_HEAD, first_request).await {
        return ended;
    }
    connection.as_mut().graceful_shutdown();
    connection.await
}

/// Serves a connection to its end, or until the time for its first request is over.
async fn with_first_request(
    connection: impl Future<Output = hyper::Result<()>>,
    activity: &Activity,
) -> hyper::Result<()> {
    tokio::pin!(connection);
    tokio::select! {
        ended = &mut connection => return ended,
        () = tokio::time::sleep(FIRST_HEAD) => {}
    }
    match activity.has_request() {
        true => connection.await,
        false => Ok(()),
    }
}

fn http() -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(NEXT_HEAD)
        .max_buf_size(BUFFER);
    http
}

/// Refuses a connection with T0006. Waits for nothing: the client may read the response or not.
fn refuse(stream: TcpStream) {
    let error = Error::new(codes::TOO_MANY_REQUESTS)
        .with_message(
            "This address has as many open connections as limits.connections_per_address allows.",
        )
        .with_fix("Use the connections that are open, or close some.");
    if let Ok(mut stream) = stream.into_std() {
        // It does not block: the buffer of a new connection is empty, and the stream is not a blocking one.
        let _ = stream.write_all(refusal::response(&error).as_bytes());
        let _ = stream.shutdown(std::net::Shutdown::Write);
    }
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

fn is_client_error(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::ConnectionRefused
            | std::io::ErrorKind::ConnectionAborted
            | std::io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests;
