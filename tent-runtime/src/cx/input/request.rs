//! [`InputRequest`] and [`InputResponse`]: what a function requests from the client of its call, and what comes back.
//! Must not know how a protocol writes either.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Reply, Root, Sampling, SamplingContent, SamplingResult};
use crate::json;

/// Checks a response. The error is the end of a sentence whose subject is the response.
pub(super) type Validate = Arc<dyn Fn(&InputResponse) -> Result<(), String> + Send + Sync>;

/// A request for input from the client of a call, with the check of its response.
#[derive(Clone)]
pub struct InputRequest {
    kind: Kind,
    validate: Validate,
}

/// The input that a request asks for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Kind {
    /// A form that the user fills in.
    Form {
        /// The text that the user reads.
        message: String,
        /// A flat object schema, as MCP allows it for forms (client/elicitation, Requested Schema).
        schema: Value,
    },
    /// A URL that the user opens.
    Url {
        /// The text that the user reads.
        message: String,
        /// The URL.
        url: String,
    },
    /// A message of the client's model.
    Sampling(Box<Sampling>),
    /// The client's roots.
    Roots,
}

/// A client's response to an input request, before the request checks it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum InputResponse {
    /// The user's reply to a form or a URL, with the fields that the user filled in.
    Elicitation(Reply<Map<String, Value>>),
    /// The message of the client's model.
    Sampling(SamplingResult),
    /// The client's roots.
    Roots(Vec<Root>),
}

impl InputRequest {
    pub(super) fn new(kind: Kind, validate: Validate) -> Self {
        InputRequest { kind, validate }
    }

    /// The input that it asks for.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The capabilities that the client must have declared, by the names that the option `needs` uses.
    pub fn needs(&self) -> Vec<&'static str> {
        match &self.kind {
            Kind::Form { .. } => vec!["elicitation.form"],
            Kind::Url { .. } => vec!["elicitation.url"],
            Kind::Roots => vec!["roots"],
            // Tool calls in the messages need the capability too: without it a client does not know them
            // (2026-07-28, client/sampling, Capabilities).
            Kind::Sampling(sampling) if sampling.uses_tools() => vec!["sampling", "sampling.tools"],
            Kind::Sampling(_) => vec!["sampling"],
        }
    }

    /// A digest of the request. Requests with the same content have the same fingerprint.
    pub fn fingerprint(&self) -> String {
        // Serialization to a `Value` fails for map keys that are not strings, and these types have none.
        let content = serde_json::to_value(&self.kind).unwrap_or_default();
        json::hex(&json::digest(&content))
    }

    /// Checks that `response` answers this request.
    ///
    /// # Errors
    /// What is wrong with the response, as the end of a sentence.
    pub fn validate(&self, response: &InputResponse) -> Result<(), String> {
        (self.validate)(response)
    }
}

impl Sampling {
    fn uses_tools(&self) -> bool {
        let mut contents = self.messages.iter().flat_map(|message| &message.content);
        let is_tool = |content: &SamplingContent| {
            matches!(
                content,
                SamplingContent::ToolUse { .. } | SamplingContent::ToolResult { .. }
            )
        };
        !self.tools.is_empty() || self.tool_choice.is_some() || contents.any(is_tool)
    }
}

impl fmt::Debug for InputRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InputRequest").field(&self.kind).finish()
    }
}
