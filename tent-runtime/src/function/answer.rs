//! What a function gives back: nothing, a value, [`Content`], or the messages of a prompt.

use serde_json::value::RawValue;

use super::content::Content;
use super::message::Prompted;

/// The answer of a function that did not fail.
#[derive(Debug, Default, Clone)]
pub struct Answer {
    /// The value, serialised once; `None` where there is none.
    pub value: Option<Box<RawValue>>,
    /// The content, in order.
    pub content: Vec<Content>,
    /// The messages, where the function is a prompt.
    pub prompted: Option<Prompted>,
    /// Whether the function did not end, but asks something first: its peer knows what.
    pub asks: bool,
}

impl Answer {
    /// Of a call that has not ended, or ended in another round: its envelope knows what to answer.
    pub(crate) fn asking() -> Self {
        Answer {
            asks: true,
            ..Answer::default()
        }
    }

    /// How many bytes it is made of, before an envelope writes them as it has to.
    pub(crate) fn bytes(&self) -> usize {
        let value = self.value.as_ref().map_or(0, |value| value.get().len());
        let content = self.content.iter().map(Content::bytes);
        let prompted = self.prompted.as_ref().map_or(0, Prompted::bytes);
        content.fold(value.saturating_add(prompted), usize::saturating_add)
    }
}

/// A value, and content to show beside it.
///
/// ```
/// use tent_runtime::function::{Content, With};
/// fn chart() -> With<u32> {
///     With { value: 7, content: vec![Content::text("seven")] }
/// }
/// # chart();
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct With<T> {
    /// The value: the structured part of the answer.
    pub value: T,
    /// What is shown beside it, in order.
    pub content: Vec<Content>,
}
