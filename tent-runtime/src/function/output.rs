//! [`Output`]: what a function returned, before any wire format; and [`WithContent`]: a value together with content.

use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Content, Meta, PromptResult};
use crate::in_flight::Reservation;

/// The output of a function that did not fail.
#[derive(Debug, Default, Clone)]
#[non_exhaustive]
pub struct Output {
    /// The value as JSON, serialised once; `None` without a value.
    pub value: Option<Box<RawValue>>,
    /// The content, in order.
    pub content: Vec<Content>,
    /// Whether the content says the same as the value, so that the value is not sent as text too.
    pub replaces_text: bool,
    /// The `_meta` of the result.
    pub meta: Meta,
    /// The messages, if the function is a prompt.
    pub prompt: Option<PromptResult>,
    /// Its bytes in the budget of the process, from here to the end of its response; `None` for a small one.
    pub(crate) reservation: Option<Arc<Reservation>>,
}

impl Output {
    /// The size in bytes, before an endpoint encodes it.
    pub(crate) fn bytes(&self) -> usize {
        let value = self.value.as_ref().map_or(0, |value| value.get().len());
        let prompt = self.prompt.as_ref().map_or(0, PromptResult::bytes);
        let other = prompt
            .saturating_add(self.meta.bytes())
            .saturating_add(value);
        let content = self.content.iter().map(Content::bytes);
        content.fold(other, usize::saturating_add)
    }
}

/// A value together with content and with the `_meta` of the result.
///
/// ```
/// use tent::{Content, WithContent};
/// fn chart() -> WithContent<u32> {
///     WithContent::new(7, [Content::image(vec![0x89, b'P', b'N', b'G'], "image/png")])
/// }
/// fn in_words() -> WithContent<u32> {
///     WithContent::replacing_text(7, [Content::text("seven")]).meta("com.example/counted", true)
/// }
/// assert_eq!((chart().value, in_words().content.len()), (7, 1));
/// ```
///
/// At `/api` the response is the value alone.
///
/// To add only `_meta` to a [`Content`] or a list of them, use it in place of the value:
/// `WithContent::new(Content::text("done"), []).meta("com.example/took", 3)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WithContent<T> {
    /// The value, which is the structured content of the result.
    pub value: T,
    /// The content, in order.
    pub content: Vec<Content>,
    pub(super) replaces_text: bool,
    pub(super) meta: Meta,
}

impl<T> WithContent<T> {
    /// Adds content to a value. A tool result then has the value as structured content, and again as text before the
    /// content, for clients that do not read structured content.
    pub fn new(value: T, content: impl IntoIterator<Item = Content>) -> Self {
        WithContent {
            value,
            content: content.into_iter().collect(),
            replaces_text: false,
            meta: Meta::default(),
        }
    }

    /// Adds content that says the same as the value. A tool result then has the value only as structured content, so a
    /// model reads the content instead of JSON.
    ///
    /// MCP recommends JSON as text too (a SHOULD, "for backwards compatibility"), for clients that show only content to
    /// their model. Such a client sees nothing but this content, so it must hold all that a model needs. Revisions
    /// before 2025-06-18 have no structured content: their clients get the value as text after the content.
    pub fn replacing_text(value: T, content: impl IntoIterator<Item = Content>) -> Self {
        WithContent {
            replaces_text: true,
            ..WithContent::new(value, content)
        }
    }

    /// Adds a member to the `_meta` of the result, which a client reads and does not show to its model. The key follows
    /// the rules of [`Content::meta`]. All revisions of MCP have it, and `/api` does not.
    ///
    /// A value that nests deeper than 100 levels fails the call as T0012. A float that JSON does not have is `null`: the
    /// conversion into a `Value` makes it so.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }
}
