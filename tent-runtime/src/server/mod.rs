//! [`App`]: what a program hands over to be served, and [`Tent`]: the same, built. Holds the listener and
//! the way down: refuse, drain for a grace time, then close the store.
//!
//! Decides nothing about a call; it joins the door to the envelopes.

mod builder;
mod connections;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use futures_util::{Sink, Stream};
use http::{StatusCode, header};
use tent_core::codes;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;

pub use builder::App;
pub(crate) use builder::Prepared;

use crate::caller::Caller;
use crate::dispatch::{Dispatcher, Identity};
use crate::error::{Error, Result};
use crate::keys::Keys;
use crate::mcp::Mcp;
pub use crate::mcp::Notifier;
use crate::registry::Registry;
use crate::web::Upload;
use crate::{api, mcp};

/// How long calls under way may go on after the server was told to end.
const GRACE: Duration = Duration::from_secs(10);

/// An app that is ready to serve: its functions checked, its states open.
#[derive(Clone, Debug)]
pub struct Tent {
    dispatcher: Arc<Dispatcher>,
    mcp: Arc<Mcp>,
    notes: Notifier,
}

impl Tent {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, notes: Notifier) -> Self {
        let mcp = Arc::new(Mcp::new(dispatcher.clone(), notes.clone()));
        Tent {
            dispatcher,
            mcp,
            notes,
        }
    }

    /// The functions.
    pub fn registry(&self) -> &Registry {
        self.dispatcher.registry()
    }

    /// The keys of the app's store: to make, list and revoke them in code.
    pub fn keys(&self) -> &Keys {
        self.dispatcher.keys()
    }

    /// Tells MCP clients that something has changed.
    pub fn mcp(&self) -> Notifier {
        self.notes.clone()
    }

    /// The door itself: for tent's own tests.
    #[doc(hidden)]
    pub fn dispatcher(&self) -> &Arc<Dispatcher> {
        &self.dispatcher
    }

    /// `/api`, `/mcp`, `/healthz`, `/readyz` and `/_t`, to be merged or nested into an axum router of the
    /// app's own; `.with_state(())` makes it fit one with a state. What is nested moves as a whole:
    /// `/tools/api`, `/tools/mcp`. What it does not serve is left to the router around it.
    ///
    /// `Host` and `Origin` are checked on every path but `/healthz` and `/readyz`, which stand outside callers,
    /// rates and hosts: whoever probes a server asks it by its address. They say whether it serves, no more.
    ///
    /// ```
    /// # async fn mounted(app: tent_runtime::server::App) -> tent_runtime::error::Result<axum::Router> {
    /// let tent = app.build().await?;
    /// let router = axum::Router::new()
    ///     .route("/", axum::routing::get(async || "the app's own page"))
    ///     .nest("/tools", tent.router())
    ///     .merge(tent.well_known());
    /// # Ok(router)
    /// # }
    /// ```
    pub fn router(&self) -> Router {
        let (dispatcher, mcp) = (self.dispatcher.clone(), self.mcp.clone());
        let api = any(move |request: Request| api::serve(dispatcher.clone(), request));
        let mcp = any(move |request: Request| mcp::serve(mcp.clone(), request));
        let dispatcher = self.dispatcher.clone();
        let probes = Router::new()
            .route("/healthz", get(async || "ok"))
            .route("/readyz", get(async move || ready(&dispatcher)))
            .route_layer(from_fn(without_body));
        let pages = Router::new()
            .route("/_t/codes/{code}", get(code_page))
            .route_layer(from_fn_with_state(self.dispatcher.clone(), ours));
        Router::new()
            .route("/api", api.clone())
            .route("/api/", api.clone())
            .route("/api/{*rest}", api)
            .route("/mcp", mcp.clone())
            .route("/mcp/", mcp)
            .merge(probes)
            .merge(pages)
    }

    /// Everything that the server's own listener serves: both routers, and a T0001 for any other path.
    fn whole(&self) -> Router {
        let dispatcher = self.dispatcher.clone();
        let nothing = any(async move || api::failure(&nowhere(), &dispatcher))
            .layer(from_fn_with_state(self.dispatcher.clone(), ours));
        let all = self.router().merge(self.well_known());
        all.fallback_service(nothing)
    }

    /// What belongs at the root of the host, wherever [`router`](Self::router) is mounted. While keys are
    /// the only way in there is nothing to describe, so each `/.well-known/` form is 404.
    pub fn well_known(&self) -> Router {
        let none = || any(async || StatusCode::NOT_FOUND);
        Router::new()
            .route("/.well-known/oauth-protected-resource", none())
            .route("/.well-known/oauth-protected-resource/{*rest}", none())
            .route_layer(from_fn_with_state(self.dispatcher.clone(), ours))
    }

    /// Serves one MCP client on a transport of your own: a socket, a pipe, or one half of [`tokio::io::duplex`]. Each
    /// message is a line. It is all that `mcp` is on stdin and stdout: both eras, the handshake of the older ones,
    /// calls that run at once, what functions say and ask meanwhile, cancellation, subscriptions. The caller is who you
    /// say, for as long as the line is served.
    ///
    /// It ends when `read` does, or [`shutdown`](Self::shutdown) is called: calls under way may go on for ten seconds then,
    /// or half a second where both have happened, and are cancelled after that. They are cancelled at once where nothing can
    /// be written any more, and where what this gives is dropped. A change or an action that answers what its
    /// function asked goes on all the same: see [`drained`](Self::drained).
    ///
    /// ```
    /// # #[cfg(unix)]
    /// # async fn served(tent: tent_runtime::server::Tent) -> std::io::Result<()> {
    /// use tent_runtime::caller::{Caller, User};
    /// let listener = tokio::net::UnixListener::bind("/run/shop/mcp.sock")?;
    /// loop {
    ///     let (stream, _) = listener.accept().await?;
    ///     let tent = tent.clone();
    ///     tokio::spawn(async move {
    ///         let (read, write) = stream.into_split();
    ///         let ada = Caller::User(User::new("ada").into());
    ///         if let Err(error) = tent.serve_mcp(ada, read, write).await {
    ///             eprintln!("a client broke off: {error}");
    ///         }
    ///     });
    /// }
    /// # }
    /// ```
    ///
    /// # Errors
    /// T0012 where `read` fails rather than ends.
    pub async fn serve_mcp(
        &self,
        caller: Caller,
        read: impl AsyncRead + Send + Unpin,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<()> {
        mcp::connection_loop::on_bytes(self.mcp.clone(), Identity::Caller(caller), read, write)
            .await
    }

    /// As [`serve_mcp`](Self::serve_mcp), for a transport that has whole messages, such as the frames of a WebSocket
    /// or a queue: `incoming` gives one JSON text after the other, and each item of `outgoing` is one.
    ///
    /// It ends when `incoming` does, or `outgoing` fails. A transport that fails ends `incoming` too.
    ///
    /// ```
    /// # async fn served(tent: tent_runtime::server::Tent) -> Option<()> {
    /// use futures_util::{sink, stream};
    /// use tent_runtime::caller::Caller;
    /// use tokio::sync::mpsc;
    /// let (to_tent, mut incoming) = mpsc::channel::<String>(16);
    /// let (outgoing, mut from_tent) = mpsc::channel(16);
    /// let incoming = stream::poll_fn(move |cx| incoming.poll_recv(cx));
    /// let outgoing = sink::unfold(outgoing, async |outgoing, message: Vec<u8>| {
    ///     outgoing.send(message).await.map(|()| outgoing)
    /// });
    /// tokio::spawn(async move { tent.serve_mcp_messages(Caller::Nobody, incoming, outgoing).await });
    ///
    /// let ping = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    /// to_tent.send(ping.to_owned()).await.ok()?;
    /// let answer = from_tent.recv().await?;
    /// # Some(())
    /// # }
    /// ```
    pub async fn serve_mcp_messages<M: AsRef<[u8]> + Send + Sync + 'static>(
        &self,
        caller: Caller,
        incoming: impl Stream<Item = M> + Send,
        outgoing: impl Sink<Vec<u8>> + Send + 'static,
    ) {
        let who = Identity::Caller(caller);
        let served =
            mcp::connection_loop::on_messages(self.mcp.clone(), who, incoming, outgoing).await;
        served.expect("a caller that is given is known, and whole messages do not break off");
    }

    /// Answers one MCP message without a server; `None` where the message wants no answer. Both eras; the caller is
    /// who you say. A call ends when the future is dropped, but for those that go on without their client: see
    /// [`drained`](Self::drained).
    ///
    /// Each message stands for itself: what an `initialize` agreed on is not remembered, so a legacy
    /// message counts as one of 2025-03-26. What a function says before it ends goes nowhere, and it cannot ask. A
    /// transport that goes both ways is served by [`serve_mcp`](Self::serve_mcp).
    ///
    /// ```
    /// # async fn handled(tent: tent_runtime::server::Tent) -> Option<Vec<u8>> {
    /// use tent_runtime::caller::{Caller, User};
    /// let ada = Caller::User(User::new("ada").into());
    /// let message = br#"{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}"#;
    /// tent.handle_mcp(ada, message).await
    /// # }
    /// ```
    pub async fn handle_mcp(&self, caller: Caller, message: &[u8]) -> Option<Vec<u8>> {
        let connection = mcp::Connection::of_one(self.mcp.clone(), Identity::Caller(caller));
        connection.answer(connection.admit().await, message).await
    }

    pub(crate) fn mcp_server(&self) -> &Arc<Mcp> {
        &self.mcp
    }

    /// Refuses new calls from now on (T0013); calls under way go on. See [`drained`](Self::drained).
    pub fn shutdown(&self) {
        self.dispatcher.close();
    }

    /// Ends when the calls have ended that go on without their client. Most calls end with their client; those of
    /// older MCP clients do not, nor does one of a change or an action that answers what its function asked.
    ///
    /// For an app that serves [`router`](Self::router) itself: to be waited for once its own server has ended, and
    /// before the runtime does, for as long as it has the time. [`serve`](Self::serve) does so by itself.
    ///
    /// ```
    /// # async fn mounted(tent: tent_runtime::server::Tent, listener: tokio::net::TcpListener) -> std::io::Result<()> {
    /// # async fn told_to_end() {}
    /// let served = axum::serve(listener, tent.router()).with_graceful_shutdown({
    ///     let tent = tent.clone();
    ///     async move {
    ///         told_to_end().await;
    ///         tent.shutdown();
    ///     }
    /// });
    /// served.await?;
    /// let ten_seconds = std::time::Duration::from_secs(10);
    /// let _ = tokio::time::timeout(ten_seconds, tent.drained()).await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drained(&self) {
        self.dispatcher.drained().await;
    }

    /// Serves on `addr` until the process is told to end (SIGINT, SIGTERM) or [`shutdown`](Self::shutdown)
    /// is called, then lets calls under way go on for ten seconds.
    ///
    /// Serves HTTP/1.1, on at most 16,384 connections at once. A connection is closed where its first request has
    /// not come within 15 seconds, or the next one within 75; a proxy in front of it should keep those that it does
    /// not use for less than that. An answer may take as long as it does.
    ///
    /// # Errors
    /// Where the address cannot be listened on.
    pub async fn serve(self, addr: SocketAddr) -> Result<()> {
        self.serve_on(listen(addr).await?).await
    }

    pub(crate) async fn serve_on(self, listener: TcpListener) -> Result<()> {
        let app = self.whole();
        let dispatcher = self.dispatcher.clone();
        let told = async move {
            tokio::select! {
                () = told_to_end() => dispatcher.close(),
                () = dispatcher.closed() => {}
            }
        };
        let grace = async {
            self.dispatcher.closed().await;
            tokio::time::sleep(GRACE).await;
        };
        let served = async {
            connections::serve(listener, app, connections::MOST, told).await;
            // Also those whose connection is gone.
            self.dispatcher.drained().await;
        };
        tokio::select! {
            () = served => {}
            () = grace => tracing::warn!("some calls did not end in time and were dropped"),
        }
        Ok(())
    }
}

pub(crate) async fn listen(addr: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|error| {
        Error::new(codes::INVALID_SETTING)
            .with_message(format!("Cannot listen on {addr}: {error}."))
            .with_fix("End what uses the port, or take another one with --addr or TENT_WEB__ADDR.")
            .with_source(error)
    })
}

pub(crate) async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn ready(dispatcher: &Dispatcher) -> Response {
    match dispatcher.is_closing() {
        false => "ready".into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, "shutting-down").into_response(),
    }
}

/// The layer of what reads no body.
async fn without_body(request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = Upload::of(&parts, body);
    let mut response = next.run(Request::from_parts(parts, Body::empty())).await;
    body.finish(&mut response).await;
    response
}

/// The layer of what reads no body and is served under our own names alone.
async fn ours(dispatcher: State<Arc<Dispatcher>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let body = Upload::of(&parts, body);
    let mut response = match dispatcher.check_host(&parts) {
        Ok(()) => next.run(Request::from_parts(parts, Body::empty())).await,
        Err(error) => api::failure(&error, &dispatcher),
    };
    body.finish(&mut response).await;
    response
}

/// What a path is answered that leads nowhere.
fn nowhere() -> Error {
    Error::new(codes::NOT_FOUND)
        .with_message("There is nothing at this address.")
        .with_fix("Call a function at /api/{name}, or connect an MCP client to /mcp.")
}

/// The page of a code: what `explain` prints.
async fn code_page(Path(code): Path<String>) -> Response {
    match codes::find(&code) {
        Some(code) => {
            let plain = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
            (plain, explained(code)).into_response()
        }
        None => (StatusCode::NOT_FOUND, "There is no such code.\n").into_response(),
    }
}

/// An entry of the catalogue as text.
pub(crate) fn explained(code: codes::Code) -> String {
    let codes::Entry {
        name,
        status,
        when,
        meaning,
        fix,
        ..
    } = code.entry();
    let met = match when {
        codes::When::Build => "when the app is built".to_owned(),
        codes::When::Start => "when the app starts, and by `check`".to_owned(),
        _ => format!("by a caller, with status {status}"),
    };
    format!("{code} {name}\n\n{meaning}\n\nMet: {met}.\nFix: {fix}\n")
}
