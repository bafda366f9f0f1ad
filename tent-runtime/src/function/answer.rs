//! What a function gives back: nothing, a value, or [`Content`].

use serde_json::value::RawValue;

/// The answer of a function that did not fail.
#[derive(Debug, Default, Clone)]
pub struct Answer {
    /// The value, serialised once; `None` where there is none.
    pub value: Option<Box<RawValue>>,
    /// The content, in order.
    pub content: Vec<Content>,
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
        content.fold(value, usize::saturating_add)
    }
}

impl Content {
    fn bytes(&self) -> usize {
        match self {
            Content::Text(text) => text.len(),
            Content::Image { data, .. } | Content::Audio { data, .. } => data.len(),
            Content::File { uri, data, .. } => uri.len() + data.len(),
            Content::Link { uri, name, .. } => uri.len() + name.len(),
        }
    }
}

/// Something to show that is no value: a text, an image, a sound, a link to a resource, or a resource.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Content {
    /// Text, as it is.
    Text(String),
    /// An image.
    Image {
        /// The bytes.
        data: Vec<u8>,
        /// Its media type, such as `image/png`.
        media_type: String,
    },
    /// A sound.
    Audio {
        /// The bytes.
        data: Vec<u8>,
        /// Its media type, such as `audio/wav`.
        media_type: String,
    },
    /// A file of any type.
    File {
        /// Its address.
        uri: String,
        /// The bytes.
        data: Vec<u8>,
        /// Its media type.
        media_type: String,
    },
    /// A link to a resource.
    Link {
        /// Its address.
        uri: String,
        /// Its name.
        name: String,
        /// Its media type, where it is known.
        media_type: Option<String>,
    },
}

/// A value, and content to show beside it.
///
/// ```
/// use tent_runtime::function::{Content, With};
/// fn chart() -> With<u32> {
///     With { value: 7, content: vec![Content::Text("seven".into())] }
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
