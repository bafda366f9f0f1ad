//! [`Notifier`]: how an app notifies MCP clients, and sends them requests outside a call.
//! Must not store anything for a client that is not connected: a client that connects later reads the lists then.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::caller::Caller;
use crate::cx::{Capabilities, State};
use crate::error::Result;
use crate::mcp::client::pending_requests::{self, PendingRequests, gone};
use crate::mcp::protocol::notification::{self, ChangedParams, SubscriptionMeta};
use crate::mcp::protocol::required_capabilities;
use crate::mcp::subscriptions::listeners::OpenStreams;

/// Notifies MCP clients of changes: those with an open stream (`mcp.stream`) that want the notification. Cheap to
/// clone. Every app has this [`State`], so a function takes it as `&Notifier`.
///
/// ```
/// let app = tent::App::new("orders", "1.0.0");
/// let notifier = app.mcp();
/// notifier.tools_changed();
/// # let _ = app;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notifier(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    streams: OpenStreams,
    pending: PendingRequests,
}

impl State for Notifier {}

impl Notifier {
    /// Sends `notifications/tools/list_changed`.
    pub fn tools_changed(&self) {
        self.notify(Change::Tools);
    }

    /// Sends `notifications/prompts/list_changed`.
    pub fn prompts_changed(&self) {
        self.notify(Change::Prompts);
    }

    /// Sends `notifications/resources/list_changed`.
    pub fn resources_changed(&self) {
        self.notify(Change::Resources);
    }

    /// Sends `notifications/resources/updated` to the clients that subscribe to this resource.
    pub fn resource_updated(&self, uri: &str) {
        self.notify(Change::Updated(uri));
    }

    /// Sends a request of MCP, such as `roots/list`, to the clients of a caller: the legacy clients that have an open
    /// stream and declared the capability that the request needs. Returns the first result. The other clients get
    /// `notifications/cancelled`, as all do when the future is dropped.
    ///
    /// The needed capability is read from the request, as [`Cx::input`](crate::cx::Cx::input) reads it: tools in a
    /// `sampling/createMessage` need `sampling.tools`, for example.
    ///
    /// The future waits for as long as a client is connected, also on a newer stream of the same session. Bound it by
    /// a timeout. A modern client gets requests within a call only.
    ///
    /// ```
    /// # async fn request(notifier: &tent::Notifier, caller: &tent::Caller) -> tent::Result<()> {
    /// let roots = notifier.request(caller, "roots/list", None).await?;
    /// println!("works in {}", roots["roots"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// T7120 when no such client is connected, or none responds with a result, and for an anonymous caller, which can be
    /// anyone; T0006 when too many requests wait for
    /// a response already.
    pub async fn request(
        &self,
        caller: &Caller,
        method: &str,
        params: Option<Value>,
    ) -> Result<Value> {
        let needs = required_capabilities::of_request(method, params.as_ref());
        let can = |declared: &Capabilities| needs.iter().all(|name| declared.has(name));
        let clients = match caller.is_known() {
            true => self.streams().sessions_of(caller, can),
            // Not one caller: anyone without credentials.
            false => Vec::new(),
        };
        if clients.is_empty() {
            return Err(gone());
        }
        let request = |_: &str| {
            let mut request = json!({"method": method});
            if let Some(params) = &params {
                request["params"] = params.clone();
            }
            request
        };
        let requests = clients.iter().map(|(session, quota_key, outbox)| {
            let recipient = pending_requests::Recipient {
                session,
                quota_key,
                outbox,
            };
            Box::pin(async move {
                let response = tokio::select! {
                    biased;
                    response = self.pending().send(recipient, request) => response?,
                    () = self.streams().session_closed(session, outbox) => None,
                };
                match response {
                    Some(Ok(result)) => Ok(result),
                    Some(Err(error)) => Err(pending_requests::rejected(&error)),
                    None => Err(gone()),
                }
            })
        });
        let (first, _) = futures_util::future::select_ok(requests).await?;
        Ok(first)
    }

    pub(crate) fn streams(&self) -> &OpenStreams {
        &self.0.streams
    }

    /// The requests to clients that have no response yet.
    pub(crate) fn pending(&self) -> &PendingRequests {
        &self.0.pending
    }

    fn notify(&self, change: Change<'_>) {
        self.0.streams.notify(change);
    }
}

/// What has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    /// The resource of this URI.
    Updated(&'a str),
}

impl Change<'_> {
    /// The same change, of the resource with this URI if it is of one.
    pub(super) fn with_uri(self, uri: &str) -> Change<'_> {
        match self {
            Change::Updated(_) => Change::Updated(uri),
            Change::Tools => Change::Tools,
            Change::Prompts => Change::Prompts,
            Change::Resources => Change::Resources,
        }
    }

    /// Writes the notification. `id`: the subscription whose stream it goes to.
    pub(crate) fn write(self, id: Option<&str>) -> Vec<u8> {
        let method = match self {
            Change::Tools => "notifications/tools/list_changed",
            Change::Prompts => "notifications/prompts/list_changed",
            Change::Resources => "notifications/resources/list_changed",
            Change::Updated(_) => "notifications/resources/updated",
        };
        let uri = match self {
            Change::Updated(uri) => Some(uri.into()),
            Change::Tools | Change::Prompts | Change::Resources => None,
        };
        let meta = id.map(SubscriptionMeta::new);
        notification::write(method, ChangedParams { meta, uri })
    }
}
