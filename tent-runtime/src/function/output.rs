//! What a function gives back: nothing, a value, [`Content`], or the messages of a prompt.

use serde_json::Value;
use serde_json::value::RawValue;

use super::{Content, Meta, PromptResult};

/// The answer of a function that did not fail.
#[derive(Debug, Default, Clone)]
pub struct Output {
    /// The value, serialised once; `None` where there is none.
    pub value: Option<Box<RawValue>>,
    /// The content, in order.
    pub content: Vec<Content>,
    /// Whether the content says all that the value does, so that the value is not shown as a text too.
    pub shown: bool,
    /// What goes with all of it, in the `_meta` of a result.
    pub meta: Meta,
    /// The messages, where the function is a prompt.
    pub prompted: Option<PromptResult>,
}

impl Output {
    /// How many bytes it is made of, before an envelope writes them as it has to.
    pub(crate) fn bytes(&self) -> usize {
        let value = self.value.as_ref().map_or(0, |value| value.get().len());
        let content = self.content.iter().map(Content::bytes);
        let prompted = self.prompted.as_ref().map_or(0, PromptResult::bytes);
        let besides = prompted.saturating_add(self.meta.bytes());
        content.fold(value.saturating_add(besides), usize::saturating_add)
    }
}

/// A value, with content to show beside it or in its place, and with `_meta` of the result.
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
/// At `/api` the value is the whole answer, as the list of functions says, and what is beside it is left out.
///
/// A [`Content`] or a list of them stands in place of the value where there is none, and only `_meta` is to be added:
/// `WithContent::new(Content::text("done"), []).meta("com.example/took", 3)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WithContent<T> {
    /// The value: the structured part of the answer.
    pub value: T,
    /// What is shown beside it, in order.
    pub content: Vec<Content>,
    pub(super) shown: bool,
    pub(super) meta: Meta,
}

impl<T> WithContent<T> {
    /// A value, and content beside it. A tool's answer holds the value twice: as structured content, and as text before
    /// the content, which a client reads that takes no structured content.
    pub fn new(value: T, content: impl IntoIterator<Item = Content>) -> Self {
        WithContent {
            value,
            content: content.into_iter().collect(),
            shown: false,
            meta: Meta::default(),
        }
    }

    /// A value, and content that says the same in words or pictures: a tool's answer holds the value as structured
    /// content alone, and as content only this. So a model reads what you wrote, and not the JSON.
    ///
    /// MCP wants the JSON as a text as well (a SHOULD, "for backwards compatibility"), for clients that show their model
    /// nothing but content. To such a client this content is all there is: say in it what a model needs. The revisions
    /// before 2025-06-18 have no structured content at all; their clients are given the JSON text behind this content, so
    /// that the value is never lost on the way.
    pub fn replacing_text(value: T, content: impl IntoIterator<Item = Content>) -> Self {
        WithContent {
            shown: true,
            ..WithContent::new(value, content)
        }
    }

    /// With a member of the `_meta` of the result, which a client's own code reads and its model is not shown. The rules
    /// of the key are those of [`Content::meta`]; all revisions of MCP have it, and no other door.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }
}
