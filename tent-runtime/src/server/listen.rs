//! The listener of a server, the signals that end it, and its end.

use std::future::Future;
#[cfg(unix)]
use std::future::poll_fn;
use std::net::SocketAddr;
#[cfg(unix)]
use std::task::Poll;
use std::time::Duration;

use tent_core::codes;
use tokio::net::TcpListener;

use super::{Tent, connections};
use crate::error::{Error, Result, StartError};

/// How long running calls may take after a shutdown begins.
const GRACE: Duration = Duration::from_secs(10);

impl Tent {
    /// Serves on `addr` until the process gets SIGINT or SIGTERM or [`shutdown`](Self::shutdown) is called. Running
    /// calls then have ten seconds to end.
    ///
    /// Serves HTTP/1.1. A connection closes if its first request does not arrive within 15 seconds, or the next one within
    /// 75; a proxy in front must close its idle connections earlier. It also closes if its client reads nothing of a
    /// response for `limits.write_timeout`, and if it is idle while others need the room (`limits.connections`,
    /// `limits.connections_per_address`). A head has at most 64 KiB. A response may take any time to make. If a client ends
    /// only its side of the connection after a request, the response has two seconds to begin and end.
    ///
    /// Raises the process's soft limit of open files towards the hard one, to 65,536 at most.
    ///
    /// Requests whose `Host` is the address in `addr` are served, besides the hosts of the settings. With an
    /// unspecified address such as `0.0.0.0`, set `web.hosts` or `web.public_url`.
    ///
    /// # Errors
    /// T7019 if the server cannot listen on the address.
    pub async fn serve(self, addr: SocketAddr) -> Result<(), StartError> {
        let listener = bind(addr).await?;
        self.dispatcher.serve_host(addr.ip());
        Ok(self.serve_on(listener).await?)
    }

    pub(crate) async fn serve_on(self, listener: TcpListener) -> Result<()> {
        let app = self.whole();
        let limits = &self.dispatcher.settings().limits;
        let limits = connections::ConnectionLimits::new(limits, self.dispatcher.in_flight());
        let dispatcher = self.dispatcher.clone();
        let signal = shutdown_signal();
        let shutdown = async move {
            tokio::select! {
                () = signal => dispatcher.close(),
                () = dispatcher.closed() => {}
            }
        };
        let grace_over = async {
            self.dispatcher.closed().await;
            tokio::time::sleep(GRACE).await;
        };
        let served = async {
            connections::serve(listener, app, limits, shutdown).await;
            // Calls whose connection is gone may still run.
            self.dispatcher.drained().await;
        };
        tokio::select! {
            () = served => {}
            () = grace_over => tracing::warn!("some calls did not end in time and were dropped"),
        }
        Ok(())
    }
}

/// Listens on an address.
pub(crate) async fn bind(addr: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(addr).await.map_err(|error| {
        Error::new(codes::INVALID_SETTING)
            .with_message(format!("Cannot listen on {addr}: {error}."))
            .with_fix("End what uses the port, or take another one with --addr or TENT_WEB__ADDR.")
            .with_source(error)
    })
}

/// Returns a future that completes when the process gets SIGINT or SIGTERM.
///
/// The handlers are installed when this returns, not when the future is first polled. Before that a signal kills the
/// process, and with it the calls that a server accepts in the meantime.
pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let mut signals = {
        use tokio::signal::unix::{SignalKind, signal};
        [SignalKind::interrupt(), SignalKind::terminate()].map(|kind| signal(kind).ok())
    };
    async move {
        #[cfg(unix)]
        poll_fn(|cx| {
            // `None`: no more signals arrive, which never happens while a runtime drives the handlers.
            let mut installed = signals.iter_mut().flatten();
            match installed.any(|one| matches!(one.poll_recv(cx), Poll::Ready(Some(())))) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        })
        .await;
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
