//! Serves an app: [`App`] collects what a program declares, [`Tent`] is the app once it is built.
//!
//! Decides nothing about a call: it joins the endpoints to `dispatch`. The end of a server has an order: refuse new
//! calls, let running calls end for a grace time, close the connections, close the store last.
//!
//! | file | holds |
//! |---|---|
//! | `app` | the options of an app |
//! | `build` | settings, states, the store and the functions, checked and opened |
//! | `functions` | the functions of a running app |
//! | `routes` | the axum routers |
//! | `transports` | MCP over a transport of the app |
//! | `listen` | the listener and the end |
//! | `signals` | SIGINT and SIGTERM |
//! | `ready` | `/readyz` |
//! | `starting` | the listener while the app opens |
//! | `connections` | HTTP/1.1 connections and their limits |

mod app;
mod build;
mod connections;
mod functions;
mod listen;
mod ready;
mod routes;
mod signals;
mod starting;
mod transports;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use app::App;
pub(crate) use build::Prepared;
pub use functions::Functions;
pub(crate) use listen::bind;
pub(crate) use routes::explanation;
pub(crate) use signals::shutdown_signal;
pub(crate) use starting::Starting;

use crate::dispatch::Dispatcher;
use crate::keys::Keys;
use crate::mcp::Mcp;
pub use crate::mcp::Notifier;

/// An app that is ready to serve: its functions are checked, its states are open. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tent {
    dispatcher: Arc<Dispatcher>,
    mcp: Arc<Mcp>,
    notifier: Notifier,
}

impl Tent {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, notifier: Notifier) -> Self {
        let mcp = Arc::new(Mcp::new(dispatcher.clone(), notifier.clone()));
        Tent {
            dispatcher,
            mcp,
            notifier,
        }
    }

    /// The API keys of the app's store.
    pub fn keys(&self) -> &Keys {
        self.dispatcher.keys()
    }

    /// Sends notifications and requests to MCP clients.
    pub fn mcp(&self) -> Notifier {
        self.notifier.clone()
    }

    pub(crate) fn dispatcher(&self) -> &Arc<Dispatcher> {
        &self.dispatcher
    }

    pub(crate) fn mcp_server(&self) -> &Arc<Mcp> {
        &self.mcp
    }

    /// Lets the server run out: `/readyz` is 503 from now on, and new calls are served for
    /// [`limits.drain`](crate::settings::Limits::drain) all the same, so that a load balancer has time to send calls elsewhere.
    /// Then refuses new calls as [`shutdown`](Self::shutdown), and returns.
    pub async fn drain(&self) {
        self.dispatcher.drain().await;
    }

    /// Refuses new calls from now on (T0013). Running calls go on: see [`drained`](Self::drained).
    pub fn shutdown(&self) {
        self.dispatcher.close();
    }

    /// Completes when every call has ended that goes on without its client: a call of a legacy MCP client, and a change
    /// or an action that runs again with the client's responses. All other calls end with their client.
    ///
    /// For an app that serves [`router`](Self::router) itself: wait for it after the app's own server has ended and
    /// before the runtime ends, with a time limit. [`serve`](Self::serve) waits for it.
    ///
    /// ```
    /// # async fn mounted(tent: tent::Tent, listener: tokio::net::TcpListener) -> std::io::Result<()> {
    /// # async fn shutdown_signal() {}
    /// let served = axum::serve(listener, tent.router()).with_graceful_shutdown({
    ///     let tent = tent.clone();
    ///     async move {
    ///         shutdown_signal().await;
    ///         tent.drain().await;
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
}
