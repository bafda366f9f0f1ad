//! The listener of a server and its end.
//!
//! ```text
//! serving ── signal ──► draining ── limits.drain ──► closing ── nothing runs, or limits.grace ──► end
//!                       /readyz 503                  new calls are T0013
//!                       new calls are served         running calls go on
//! ```

use std::net::SocketAddr;
use std::time::Duration;

use tent_core::codes;
use tokio::net::TcpListener;

use super::connections::{ConnectionLimits, Connections};
use super::{Tent, shutdown_signal};
use crate::error::{Error, Result, StartError};

/// How long after closing the log says what the server waits for: idle connections and streams have ended by then.
const QUIET: Duration = Duration::from_millis(200);

impl Tent {
    /// Serves on `addr` until the process gets SIGINT or SIGTERM or [`shutdown`](Self::shutdown) is called. After a signal,
    /// `/readyz` is 503 and new calls are served for [`limits.drain`](crate::settings::Limits::drain). Then running calls have
    /// [`limits.grace`](crate::settings::Limits::grace) to end. The next signal ends the process at once, with exit code 130
    /// (SIGINT) or 143 (SIGTERM).
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
        Ok(self.serve_on(listener, None).await?)
    }

    /// Serves on the listener, beside the connections that are open on it already.
    pub(crate) async fn serve_on(
        self,
        listener: TcpListener,
        open: Option<Connections>,
    ) -> Result<()> {
        let signal = shutdown_signal();
        if let Some(warning) = self.refused_hosts(listener.local_addr()?) {
            tracing::warn!("{warning}");
        }
        let app = self.whole();
        let dispatcher = &self.dispatcher;
        let shutdown = async {
            tokio::select! {
                () = signal => self.drain().await,
                () = dispatcher.closed() => {}
            }
        };
        let grace = dispatcher.settings().limits.grace_time();
        let grace_over = async {
            dispatcher.closed().await;
            tokio::time::sleep(grace).await;
        };
        let limits = &dispatcher.settings().limits;
        let limits = ConnectionLimits::new(limits, dispatcher.in_flight());
        let open = open.unwrap_or_else(|| Connections::new(&limits));
        let served = async {
            open.accept(&listener, &app, &limits, shutdown).await;
            // Calls whose connection is gone may still run.
            let drained = dispatcher.drained();
            open.clone().close(listener, &app, &limits, drained).await;
        };
        let report = async {
            dispatcher.closed().await;
            tokio::time::sleep(QUIET).await;
            tracing::info!(
                connections = open.count(),
                calls_without_client = dispatcher.tasks(),
                "shutting down: waits up to {grace:?} for running calls; the next signal ends the process at once"
            );
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = served => {}
            () = grace_over => tracing::warn!(
                connections = open.count(),
                calls_without_client = dispatcher.tasks(),
                "some calls did not end within {grace:?} and were dropped"
            ),
            () = report => {}
        }
        Ok(())
    }

    /// A warning if requests from other machines reach the address, and all of them are refused.
    fn refused_hosts(&self, addr: SocketAddr) -> Option<String> {
        let web = &self.dispatcher.settings().web;
        let is_known = !web.hosts.is_empty() || web.public_url.is_some();
        (addr.ip().is_unspecified() && !is_known).then(|| {
            format!(
                "{addr} accepts connections from other machines, but requests are refused (T0014) unless their Host is \
                 localhost, 127.0.0.1 or [::1]: set web.hosts to the names and addresses that clients use, or web.public_url"
            )
        })
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
