//! The results of MCP's methods, as types that read and write.
//! Must not decide what a result contains.
//!
//! A value that is JSON already is a [`RawValue`], which is copied and never parsed. The members of each type are in the
//! order of the wire.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Not;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// A result without members.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct EmptyResult {}

/// The member `resultType`, which modern results have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultType {
    Complete,
    InputRequired,
}

impl ResultType {
    /// [`Complete`](ResultType::Complete) in a modern result, which names its server; `None` in a legacy one.
    pub(crate) fn complete(server: Option<&RawValue>) -> Option<ResultType> {
        server.map(|_| ResultType::Complete)
    }
}

/// The callers that may share a cached result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheScope {
    /// The result is the same for every caller.
    Public,
    /// The result depends on the caller. A list always does: rules and scopes decide which items a caller sees.
    Private,
}

/// The members of a modern result that a client may cache.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CacheHints {
    result_type: ResultType,
    ttl_ms: u64,
    cache_scope: CacheScope,
}

impl CacheHints {
    pub(crate) fn new(ttl: Duration, scope: CacheScope) -> Self {
        CacheHints {
            result_type: ResultType::Complete,
            ttl_ms: u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX),
            cache_scope: scope,
        }
    }
}

/// The `_meta` of a result.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ResultMeta<'a> {
    /// The server's `Implementation`, in the results of modern revisions.
    #[serde(
        borrow,
        rename = "io.modelcontextprotocol/serverInfo",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) server: Option<&'a RawValue>,
    #[serde(
        borrow,
        rename = "io.modelcontextprotocol/subscriptionId",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) subscription_id: Option<&'a RawValue>,
    /// Whether the structured content is an object only because MCP requires one: `{"value": …}`.
    #[serde(rename = "tent.wrapped", default, skip_serializing_if = "Not::not")]
    pub(crate) is_wrapped: bool,
    #[serde(
        borrow,
        rename = "tent.error",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) error: Option<ErrorDetails<'a>>,
    /// The members that the app adds.
    #[serde(flatten)]
    pub(crate) other: Cow<'a, Map<String, Value>>,
}

impl<'a> ResultMeta<'a> {
    /// The `_meta` of a result without members of the app. `server` is `None` in a legacy result.
    pub(crate) fn of_server(server: Option<&'a RawValue>) -> Self {
        ResultMeta {
            server,
            ..ResultMeta::default()
        }
    }

    /// The same with members of the app.
    pub(crate) fn new(server: Option<&'a RawValue>, other: &'a crate::function::Meta) -> Self {
        ResultMeta {
            server,
            other: Cow::Borrowed(other.members()),
            ..ResultMeta::default()
        }
    }

    fn is_empty(&self) -> bool {
        let ResultMeta {
            server,
            subscription_id,
            is_wrapped,
            error,
            other,
        } = self;
        let is_named = server.is_some() || subscription_id.is_some();
        !is_named && !is_wrapped && error.is_none() && other.is_empty()
    }
}

/// A failed call for programs, in the `_meta` of its result.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ErrorDetails<'a> {
    #[serde(borrow)]
    pub(crate) code: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) fields: Cow<'a, Map<String, Value>>,
    #[serde(borrow)]
    pub(crate) fix: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) message: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) name: Cow<'a, str>,
    pub(crate) status: u16,
}

/// The result of `tools/call`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallToolResult<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result_type: Option<ResultType>,
    #[serde(borrow)]
    pub(crate) content: Cow<'a, [ContentBlock<'a>]>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) structured_content: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Not::not")]
    pub(crate) is_error: bool,
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "CallToolMeta::is_empty"
    )]
    pub(crate) meta: CallToolMeta<'a>,
}

/// The `_meta` of a `tools/call` result. Most results of a server have the same one, which is written once.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum CallToolMeta<'a> {
    Written(&'a RawValue),
    Members(ResultMeta<'a>),
}

impl CallToolMeta<'_> {
    fn is_empty(&self) -> bool {
        matches!(self, CallToolMeta::Members(meta) if meta.is_empty())
    }
}

impl Default for CallToolMeta<'_> {
    fn default() -> Self {
        CallToolMeta::Members(ResultMeta::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for CallToolMeta<'a> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        ResultMeta::deserialize(json).map(CallToolMeta::Members)
    }
}

/// A content block: plain text, which most results are, or any block as
/// [`content`](crate::mcp::protocol::content) writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum ContentBlock<'a> {
    /// Text without annotations and `_meta`.
    Text {
        #[serde(borrow)]
        text: Cow<'a, str>,
    },
    #[serde(untagged)]
    Other(Value),
}

impl<'a> ContentBlock<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        ContentBlock::Text { text: text.into() }
    }
}

/// The result of a modern request whose function needs input from the client.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InputRequiredResult<'a> {
    pub(crate) result_type: ResultType,
    /// By the names that their responses come back under.
    pub(crate) input_requests: BTreeMap<String, Value>,
    #[serde(borrow)]
    pub(crate) request_state: Cow<'a, str>,
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: ResultMeta<'a>,
}

/// The items of one page of a list, under the member of their kind. Items are [`RawValue`]s in a result that is written,
/// and values in one that is read.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ListItems<T> {
    Tools(Vec<T>),
    Resources(Vec<T>),
    ResourceTemplates(Vec<T>),
    Prompts(Vec<T>),
}

/// The result of `tools/list`, `resources/list`, `resources/templates/list` and `prompts/list`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListResult<'a, T> {
    #[serde(flatten)]
    pub(crate) items: ListItems<T>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    #[serde(flatten)]
    pub(crate) cache_hints: Option<CacheHints>,
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "ResultMeta::is_empty"
    )]
    pub(crate) meta: ResultMeta<'a>,
}

/// The result of `resources/read`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ReadResourceResult<'a, C> {
    pub(crate) contents: Vec<C>,
    #[serde(flatten)]
    pub(crate) cache_hints: Option<CacheHints>,
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "ResultMeta::is_empty"
    )]
    pub(crate) meta: ResultMeta<'a>,
}

/// One of the contents of a resource: the value of its function, or any content as
/// [`content`](crate::mcp::protocol::content) writes it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ResourceContents<'a> {
    #[serde(rename_all = "camelCase")]
    Value {
        uri: &'a str,
        mime_type: &'a str,
        text: JsonText<'a>,
    },
    Other(Value),
}

/// A text that comes from JSON.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum JsonText<'a> {
    /// The text that a JSON string holds.
    String(&'a RawValue),
    /// JSON as text.
    Json(&'a str),
}

impl JsonText<'_> {
    /// The media type of the text, unless its resource declares another one.
    pub(crate) fn media_type(&self) -> &'static str {
        match self {
            JsonText::String(_) => "text/plain",
            JsonText::Json(_) => "application/json",
        }
    }
}

impl<'a> From<&'a RawValue> for JsonText<'a> {
    fn from(json: &'a RawValue) -> Self {
        match json.get().starts_with('"') {
            true => JsonText::String(json),
            false => JsonText::Json(json.get()),
        }
    }
}

/// The result of `prompts/get`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetPromptResult<'a> {
    #[serde(borrow)]
    pub(crate) description: Cow<'a, str>,
    pub(crate) messages: Vec<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result_type: Option<ResultType>,
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "ResultMeta::is_empty"
    )]
    pub(crate) meta: ResultMeta<'a>,
}

/// The result of `completion/complete`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompleteResult<'a> {
    pub(crate) completion: Completion,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result_type: Option<ResultType>,
    #[serde(
        borrow,
        rename = "_meta",
        default,
        skip_serializing_if = "ResultMeta::is_empty"
    )]
    pub(crate) meta: ResultMeta<'a>,
}

/// The values that complete an argument.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Completion {
    pub(crate) has_more: bool,
    /// The number of all values, those that are left out included.
    pub(crate) total: usize,
    pub(crate) values: Vec<String>,
}

/// The result of `server/discover`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DiscoverResult<'a> {
    #[serde(borrow)]
    pub(crate) supported_versions: Vec<Cow<'a, str>>,
    pub(crate) capabilities: Map<String, Value>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<Cow<'a, str>>,
    #[serde(flatten)]
    pub(crate) cache_hints: CacheHints,
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: ResultMeta<'a>,
}

/// The result of `initialize`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeResult<'a> {
    pub(crate) capabilities: Map<String, Value>,
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub(crate) instructions: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(crate) protocol_version: Cow<'a, str>,
    pub(crate) server_info: Value,
}

/// The result of `subscriptions/listen`, which ends the subscription.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListenResult<'a> {
    pub(crate) result_type: ResultType,
    #[serde(borrow, rename = "_meta")]
    pub(crate) meta: ResultMeta<'a>,
}

#[cfg(test)]
mod tests;
