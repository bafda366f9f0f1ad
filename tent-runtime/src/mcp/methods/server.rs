//! The MCP server of one app.
//! Must not run a function: dispatch does.

use std::sync::Arc;

use crate::dispatch::Dispatcher;
use crate::mcp::client::mrtr;
use crate::mcp::methods::{modern, tools_call, tools_list};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::server_info;
use crate::mcp::session::state::ServerState;
use crate::mcp::subscriptions::notifier::Notifier;

/// The MCP server of one app: the state that its methods share, and the bytes that it writes once at start.
pub(crate) struct Mcp {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) state: Arc<ServerState>,
    pub(crate) notifier: Notifier,
    pub(crate) claims: Arc<mrtr::Claims>,
    pub(crate) tools: tools_call::Tools,
    pub(crate) lists: tools_list::Lists,
    /// The result of `server/discover`.
    pub(crate) discovered: Vec<u8>,
}

impl Mcp {
    /// Creates the server of this app. The app sends notifications by `notifier`.
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, notifier: Notifier) -> Self {
        let server = server_info::member(&server_info::brief(
            dispatcher.about(),
            Revision::V2026_07_28,
        ));
        let ttl = dispatcher.settings().limits.list_ttl;
        Mcp {
            tools: tools_call::Tools::new(dispatcher.registry()),
            lists: tools_list::Lists::new(dispatcher.registry(), ttl, &server),
            claims: Arc::default(),
            notifier,
            discovered: modern::discovered(&dispatcher, ttl),
            state: Arc::new(ServerState::new(dispatcher.clone(), server.into())),
            dispatcher,
        }
    }

    /// The server's name, for a challenge in `WWW-Authenticate`.
    pub(crate) fn realm(&self) -> &str {
        self.state.realm()
    }
}

impl std::fmt::Debug for Mcp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mcp")
            .field("dispatcher", &self.dispatcher)
            .finish_non_exhaustive()
    }
}
