//! The MCP server of one app.
//! Must not run a function: dispatch does.

use std::sync::Arc;

use arc_swap::ArcSwap;
use serde_json::value::RawValue;

use crate::dispatch::Dispatcher;
use crate::mcp::methods::lists::Lists;
use crate::mcp::methods::{modern, tools_call};
use crate::mcp::protocol::extensions::KnownExtensions;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::server_info;
use crate::mcp::session::state::ServerState;
use crate::mcp::subscriptions::notifier::Notifier;
use crate::registry::Registry;

/// The MCP server of one app: the state that its methods share, and the bytes that it writes once at start.
pub(crate) struct Mcp {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) state: Arc<ServerState>,
    pub(crate) notifier: Notifier,
    /// Of the current functions.
    pub(crate) snapshot: ArcSwap<Snapshot>,
}

/// The bytes that the server writes once for a snapshot of the functions.
pub(crate) struct Snapshot {
    pub(crate) tools: tools_call::Tools,
    lists: Lists,
    /// The result of `server/discover`.
    pub(crate) discovered: Box<RawValue>,
}

impl Snapshot {
    fn new(registry: Arc<Registry>, dispatcher: &Dispatcher, server: &Arc<RawValue>) -> Self {
        let ttl = dispatcher.settings().limits.list_ttl;
        Snapshot {
            tools: tools_call::Tools::new(&registry),
            lists: Lists::new(registry, ttl, server.clone()),
            discovered: modern::discovered(dispatcher, ttl),
        }
    }
}

impl Mcp {
    /// Creates the server of this app. The app sends notifications by `notifier`.
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, notifier: Notifier) -> Self {
        let server = server_info::brief(dispatcher.about(), Revision::V2026_07_28);
        let server = server_info::raw(&server).into();
        let snapshot = Snapshot::new(dispatcher.registry(), &dispatcher, &server);
        Mcp {
            snapshot: ArcSwap::from_pointee(snapshot),
            notifier,
            state: Arc::new(ServerState::new(dispatcher.clone(), server)),
            dispatcher,
        }
    }

    /// Takes over new functions, which the dispatcher has already.
    pub(crate) fn renew(&self, registry: &Arc<Registry>) {
        let known = KnownExtensions::new(registry, self.dispatcher.about());
        self.state.extensions.store(Arc::new(known));
        let snapshot = Snapshot::new(registry.clone(), &self.dispatcher, &self.state.server);
        self.snapshot.store(Arc::new(snapshot));
    }

    /// Calls `with` with the lists of these functions, which may have been replaced a moment ago.
    pub(crate) fn with_lists<R>(
        &self,
        registry: &Arc<Registry>,
        with: impl FnOnce(&Lists) -> R,
    ) -> R {
        let lists = &self.snapshot.load().lists;
        match lists.is_of(registry) {
            true => with(lists),
            false => {
                let ttl = self.dispatcher.settings().limits.list_ttl;
                let server = self.state.server.clone();
                with(&Lists::new(registry.clone(), ttl, server))
            }
        }
    }

    /// The `serverInfo` in the `_meta` of a result; `None` in the legacy era.
    pub(crate) fn server(&self, revision: Revision) -> Option<&RawValue> {
        revision.is_modern().then_some(&*self.state.server)
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
