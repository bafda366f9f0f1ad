//! What a subscription names: which lists, and which resources.
//! Must not know who subscribes.

use std::borrow::Cow;

use serde_json::Value;

use crate::dispatch::Dispatcher;
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::notification::FilterParams;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::subscriptions::listeners::{MAX_RESOURCES, MAX_URI};
use crate::mcp::subscriptions::notifier::Change;
use crate::mcp::subscriptions::uris::SubscribedUris;

/// What a subscription names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    /// The URIs of the resources whose updates the client wants.
    pub(crate) updates: Option<SubscribedUris>,
}

impl Filter {
    /// The lists that the server declares to clients of this revision.
    pub(crate) fn declared(dispatcher: &Dispatcher, revision: Revision) -> Self {
        let declared = capabilities::server(dispatcher, revision);
        Filter {
            tools: declared.contains_key("tools"),
            prompts: declared.contains_key("prompts"),
            resources: declared.contains_key("resources"),
            updates: None,
        }
    }

    /// Reads the member `notifications` of `subscriptions/listen`.
    ///
    /// # Errors
    /// −32602 for anything but flags and a bounded list of URIs.
    pub(crate) fn read(filter: Option<&Value>) -> Result<Self, RpcError> {
        let invalid = || {
            RpcError::params(format!(
                "subscriptions/listen has notifications, an object: toolsListChanged, promptsListChanged and \
                 resourcesListChanged are true or false, resourceSubscriptions at most {MAX_RESOURCES} URIs \
                 of at most {MAX_URI} bytes."
            ))
        };
        let filter = filter.and_then(Value::as_object).ok_or_else(invalid)?;
        // Read by hand, since `null` counts as absent here.
        let flag = |name: &str| match filter.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(invalid()),
        };
        let updates = match filter.get("resourceSubscriptions") {
            None | Some(Value::Null) => None,
            Some(Value::Array(uris)) if uris.len() <= MAX_RESOURCES => {
                let uris = uris.iter();
                let uris = uris.map(|uri| uri.as_str().filter(|uri| uri.len() <= MAX_URI));
                Some(uris.collect::<Option<_>>().ok_or_else(invalid)?)
            }
            Some(_) => return Err(invalid()),
        };
        Ok(Filter {
            tools: flag("toolsListChanged")?,
            prompts: flag("promptsListChanged")?,
            resources: flag("resourcesListChanged")?,
            updates,
        })
    }

    /// The filter as the acknowledgement writes it, with sorted URIs.
    pub(crate) fn params(&self) -> FilterParams<'_> {
        let uris = self.updates.as_ref().map(|updates| {
            let mut uris: Vec<_> = updates.iter().map(Cow::Borrowed).collect();
            uris.sort_unstable();
            uris
        });
        FilterParams {
            tools_list_changed: self.tools,
            prompts_list_changed: self.prompts,
            resources_list_changed: self.resources,
            resource_subscriptions: uris,
        }
    }

    /// The bytes that the URIs take.
    pub(super) fn cost(&self) -> usize {
        self.updates.as_ref().map_or(0, SubscribedUris::cost)
    }

    /// The change as the client named it; `None` if it did not. The URI of a resource is normalized.
    pub(super) fn select<'a>(&'a self, change: Change<'a>) -> Option<Change<'a>> {
        match change {
            Change::Tools => self.tools.then_some(change),
            Change::Prompts => self.prompts.then_some(change),
            Change::Resources => self.resources.then_some(change),
            Change::Updated(uri) => self.updates.as_ref()?.get(uri).map(Change::Updated),
        }
    }
}
