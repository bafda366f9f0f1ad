//! [`PromptMessage`]: one line of the conversation that a prompt begins with, and [`PromptResult`]: all of them. Plain
//! data.

use serde_json::Value;

use super::{Content, Meta, Role};

/// One line of the conversation that a prompt begins with.
///
/// ```
/// use tent_runtime::function::{Content, PromptMessage};
/// let question = PromptMessage::user("What is in this picture?");
/// let picture = PromptMessage::user(Content::image(vec![0xff, 0xd8], "image/jpeg"));
/// let answer = PromptMessage::assistant("A bicycle.");
/// # let _ = (question, picture, answer);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PromptMessage {
    pub(crate) role: Role,
    pub(crate) content: Content,
}

impl PromptMessage {
    /// What the person says.
    pub fn user(content: impl Into<Content>) -> Self {
        PromptMessage {
            role: Role::User,
            content: content.into(),
        }
    }

    /// What the model says.
    pub fn assistant(content: impl Into<Content>) -> Self {
        PromptMessage {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// The messages of a prompt, with a description of their own in place of the prompt's, and with `_meta`.
///
/// ```
/// use tent_runtime::function::{PromptMessage, PromptResult};
/// let letter = PromptResult::new([PromptMessage::user("Write to Ada.")])
///     .about("A letter to Ada")
///     .meta("com.example/draft", 7);
/// assert_eq!(letter.about, "A letter to Ada");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptResult {
    /// What these messages are for; empty, and the prompt's own about is told.
    pub about: String,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    pub(crate) meta: Meta,
}

impl PromptResult {
    /// These messages.
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        PromptResult {
            messages: messages.into_iter().collect(),
            ..PromptResult::default()
        }
    }

    /// What these messages are for, in place of the prompt's own about.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// With a member of the `_meta` of the result, by the rules of [`Content::meta`]. All revisions of MCP have it.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        let messages = self.messages.iter().map(|message| message.content.bytes());
        let besides = self.about.len().saturating_add(self.meta.bytes());
        messages.fold(besides, usize::saturating_add)
    }
}
