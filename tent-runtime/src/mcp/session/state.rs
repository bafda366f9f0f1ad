//! The state that every request of one MCP server shares.
//! Must not hold anything that a single method needs.

use std::future::pending;
use std::sync::Arc;

use arc_swap::ArcSwap;
use futures_util::FutureExt as _;
use futures_util::future::Either;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::clock::SystemClock;
use crate::dispatch::Dispatcher;
use crate::mcp::protocol::extensions::KnownExtensions;
use crate::mcp::session::in_flight::{InFlight, RequestKey};
use crate::mcp::session::log_levels::LogLevels;
use crate::race::race;
use crate::store::EndedSessions;

/// The state that every request of one MCP server shares.
pub(crate) struct ServerState {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The sessions that a client ended.
    pub(crate) ended: EndedSessions,
    pub(crate) in_flight: InFlight,
    pub(crate) levels: LogLevels,
    /// The extensions that the app knows.
    pub(crate) extensions: ArcSwap<KnownExtensions>,
    /// The `serverInfo` in the `_meta` of each modern result.
    pub(crate) server: Arc<RawValue>,
}

impl ServerState {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, server: Arc<RawValue>) -> Self {
        ServerState {
            ended: EndedSessions::new(dispatcher.store().clone(), Arc::new(SystemClock)),
            in_flight: InFlight::default(),
            levels: LogLevels::default(),
            extensions: ArcSwap::from_pointee(KnownExtensions::new(
                &dispatcher.registry(),
                dispatcher.about(),
            )),
            server,
            dispatcher,
        }
    }

    /// The server's name, for a challenge in `WWW-Authenticate`.
    pub(crate) fn realm(&self) -> &str {
        &self.dispatcher.about().name
    }
}

/// A request in flight, from its arrival to its response.
pub(crate) struct Started {
    state: Arc<ServerState>,
    /// Only a request with a key can be cancelled by a notification.
    cancellable: Option<(RequestKey, watch::Receiver<bool>)>,
}

impl ServerState {
    /// Records that a request is in flight, until the value is dropped.
    pub(crate) fn start(self: &Arc<Self>, key: Option<RequestKey>) -> Started {
        Started {
            state: self.clone(),
            cancellable: key.map(|key| {
                let cancelled = self.in_flight.begin(key.clone());
                (key, cancelled)
            }),
        }
    }
}

impl Started {
    /// Turns true when the client cancels the request; `None` if it cannot.
    pub(crate) fn cancelled(&self) -> Option<watch::Receiver<bool>> {
        let (_, cancelled) = self.cancellable.as_ref()?;
        Some(cancelled.clone())
    }

    /// Runs `work`. If the client cancels the request first, the work is dropped: `None`.
    pub(crate) fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> impl Future<Output = Option<T>> {
        let cancelled = self.cancelled();
        let cancelled = async move {
            if let Some(mut cancelled) = cancelled
                && cancelled.wait_for(|&cancelled| cancelled).await.is_ok()
            {
                return;
            }
            pending().await
        };
        race(cancelled, work).map(|ended| match ended {
            Either::Left(()) => None,
            Either::Right(done) => Some(done),
        })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some((key, cancelled)) = self.cancellable.take() {
            // Dropped first: a request is in flight for as long as it has a receiver.
            drop(cancelled);
            self.state.in_flight.end(&key);
        }
    }
}
