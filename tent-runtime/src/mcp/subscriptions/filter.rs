//! What a subscription names, as a client sends it and as it is told what of it is honoured.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::dispatch::Dispatcher;
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::response::RpcError;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::subscriptions::listeners::{MOST_RESOURCES, MOST_URI, cost_of};
use crate::mcp::subscriptions::notifier::Note;

/// What a subscription names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    pub(crate) updates: Option<HashSet<String>>,
}

impl Filter {
    /// The lists that are declared to clients of this revision, and no resource.
    pub(crate) fn declared(dispatcher: &Dispatcher, revision: Revision) -> Self {
        let declared = capabilities::server(dispatcher, revision);
        Filter {
            tools: declared.contains_key("tools"),
            prompts: declared.contains_key("prompts"),
            resources: declared.contains_key("resources"),
            updates: None,
        }
    }

    /// From the params of `subscriptions/listen`.
    pub(crate) fn read(filter: Option<&Value>) -> Result<Self, RpcError> {
        let misfit = || {
            RpcError::params(format!(
                "subscriptions/listen has notifications, an object: toolsListChanged, promptsListChanged and \
                 resourcesListChanged are true or false, resourceSubscriptions at most {MOST_RESOURCES} URIs \
                 of at most {MOST_URI} bytes."
            ))
        };
        let filter = filter.and_then(Value::as_object).ok_or_else(misfit)?;
        let flag = |name: &str| match filter.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(misfit()),
        };
        let updates = match filter.get("resourceSubscriptions") {
            None | Some(Value::Null) => None,
            Some(Value::Array(uris)) if uris.len() <= MOST_RESOURCES => {
                let uris = uris.iter().map(|uri| {
                    let uri = uri.as_str().filter(|uri| uri.len() <= MOST_URI);
                    uri.map(str::to_owned)
                });
                Some(uris.collect::<Option<_>>().ok_or_else(misfit)?)
            }
            Some(_) => return Err(misfit()),
        };
        Ok(Filter {
            tools: flag("toolsListChanged")?,
            prompts: flag("promptsListChanged")?,
            resources: flag("resourcesListChanged")?,
            updates,
        })
    }

    /// As the acknowledgement says it: what is told, and nothing else.
    pub(crate) fn told(&self) -> Value {
        let mut told = json!({});
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                told[name] = true.into();
            }
        }
        if let Some(updates) = &self.updates {
            let mut uris: Vec<_> = updates.iter().collect();
            uris.sort();
            told["resourceSubscriptions"] = json!(uris);
        }
        told
    }

    pub(crate) fn cost(&self) -> usize {
        let uris = self.updates.iter().flatten();
        uris.map(|uri| cost_of(uri)).sum()
    }

    pub(crate) fn has(&self, note: Note<'_>) -> bool {
        match note {
            Note::Tools => self.tools,
            Note::Prompts => self.prompts,
            Note::Resources => self.resources,
            Note::Updated(uri) => self.updates.as_ref().is_some_and(|all| all.contains(uri)),
        }
    }
}
