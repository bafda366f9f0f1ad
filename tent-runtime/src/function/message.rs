//! [`Message`]: one line of the conversation that a prompt begins with, and [`Prompted`]: all of them. Plain
//! data.

use super::content::{Content, Role};

/// One line of the conversation that a prompt begins with.
///
/// ```
/// use tent_runtime::function::{Content, Message};
/// let question = Message::user("What is in this picture?");
/// let picture = Message::user(Content::image(vec![0xff, 0xd8], "image/jpeg"));
/// let answer = Message::assistant("A bicycle.");
/// # let _ = (question, picture, answer);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub(crate) role: Role,
    pub(crate) content: Content,
}

impl Message {
    /// What the person says.
    pub fn user(content: impl Into<Content>) -> Self {
        Message {
            role: Role::User,
            content: content.into(),
        }
    }

    /// What the model says.
    pub fn assistant(content: impl Into<Content>) -> Self {
        Message {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// The messages of a prompt, with a description of their own in place of the prompt's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prompted {
    /// What these messages are for; empty, and the prompt's own about is told.
    pub about: String,
    /// The messages, in order.
    pub messages: Vec<Message>,
}

impl Prompted {
    pub(crate) fn bytes(&self) -> usize {
        let messages = self.messages.iter().map(|message| message.content.bytes());
        messages.fold(self.about.len(), usize::saturating_add)
    }
}
