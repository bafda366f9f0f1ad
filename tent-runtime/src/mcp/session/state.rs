//! The state that every request of one MCP server shares.
//! Must not hold anything that a single method needs.

use std::sync::Arc;

use crate::clock::SystemClock;
use crate::dispatch::Dispatcher;
use crate::mcp::protocol::extensions::KnownExtensions;
use crate::mcp::session::in_flight::InFlight;
use crate::mcp::session::log_levels::LogLevels;
use crate::store::EndedSessions;

/// The state that every request of one MCP server shares.
pub(crate) struct ServerState {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The sessions that a client ended.
    pub(crate) ended: EndedSessions,
    pub(crate) in_flight: InFlight,
    pub(crate) levels: LogLevels,
    /// The extensions that are kept of a client's capabilities.
    pub(crate) extensions: KnownExtensions,
    /// The member of `_meta` that names the server in each modern result.
    pub(crate) server: Arc<str>,
}

impl ServerState {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, server: Arc<str>) -> Self {
        ServerState {
            ended: EndedSessions::new(dispatcher.store().clone(), Arc::new(SystemClock)),
            in_flight: InFlight::default(),
            levels: LogLevels::default(),
            extensions: KnownExtensions::new(dispatcher.registry(), dispatcher.about()),
            server,
            dispatcher,
        }
    }

    /// The server's name, for a challenge in `WWW-Authenticate`.
    pub(crate) fn realm(&self) -> &str {
        &self.dispatcher.about().name
    }
}
