//! The result of a prompt: [`PromptMessage`] is one message of the conversation, [`PromptResult`] is all of them. Plain
//! data.

use serde_json::Value;

use super::{Content, Meta, Role};

/// One message of the conversation that a prompt begins.
///
/// ```
/// use tent::{Content, PromptMessage};
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
    /// A message of the user.
    pub fn user(content: impl Into<Content>) -> Self {
        PromptMessage {
            role: Role::User,
            content: content.into(),
        }
    }

    /// A message of the model.
    pub fn assistant(content: impl Into<Content>) -> Self {
        PromptMessage {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// The messages of a prompt, with their own description and `_meta`.
///
/// ```
/// use tent::{PromptMessage, PromptResult};
/// let letter = PromptResult::new([PromptMessage::user("Write to Ada.")])
///     .about("A letter to Ada")
///     .meta("com.example/draft", 7);
/// assert_eq!(letter.about, "A letter to Ada");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptResult {
    /// The description of the messages. If it is empty, clients get that of the prompt.
    pub about: String,
    /// The messages, in order.
    pub messages: Vec<PromptMessage>,
    pub(crate) meta: Meta,
}

impl PromptResult {
    /// Creates a result from messages.
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        PromptResult {
            messages: messages.into_iter().collect(),
            ..PromptResult::default()
        }
    }

    /// Sets the description, in place of that of the prompt.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = about.into();
        self
    }

    /// Adds a member to the `_meta` of the result. The key follows the rules of [`Content::meta`]. All revisions of MCP
    /// have it.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }

    /// The size in bytes, before an endpoint encodes it.
    pub(crate) fn bytes(&self) -> usize {
        let messages = self.messages.iter().map(|message| message.content.bytes());
        let other = self.about.len().saturating_add(self.meta.bytes());
        messages.fold(other, usize::saturating_add)
    }
}
