//! [`Content`]: text, images, audio and resources that a function returns in place of a JSON value or beside it.
//! Must not know how an endpoint writes it.

mod annotations;
mod icon;
mod meta;
mod resource_info;

pub use annotations::{Annotations, Role};
pub(crate) use icon::web_address;
pub use icon::{Icon, Icons, Theme, icons};
pub use meta::Meta;
pub(crate) use meta::UNWRITABLE;
pub use resource_info::ResourceInfo;

use serde_json::Value;

/// A content block: text, an image, audio, a link to a resource, or an embedded resource.
///
/// ```
/// use tent::{Annotations, Content, Role};
/// let chart = Content::image(vec![0x89, b'P', b'N', b'G'], "image/png")
///     .annotated(Annotations::new().audience([Role::User]).priority(0.9));
/// let more = Content::link("orders://7", "order 7").title("Order 7").media_type("text/plain");
/// assert_eq!(Content::from("hello"), Content::text("hello"));
/// # let _ = (chart, more);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub(crate) kind: ContentKind,
    pub(crate) annotations: Annotations,
    /// The `_meta` of the block. A link keeps its own in [`ResourceInfo`].
    pub(crate) meta: Meta,
}

/// The kind of a [`Content`], with its data.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ContentKind {
    Text(String),
    Image { data: Vec<u8>, media_type: String },
    Audio { data: Vec<u8>, media_type: String },
    Resource(Resource),
    Link(Box<ResourceInfo>),
}

/// An embedded resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) media_type: String,
    pub(crate) data: ResourceData,
    pub(crate) meta: Meta,
}

/// The contents of a resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResourceData {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        ContentKind::Text(text.into()).into()
    }

    /// An image with this media type, such as `image/png`.
    pub fn image(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        let (data, media_type) = (data.into(), media_type.into());
        ContentKind::Image { data, media_type }.into()
    }

    /// Audio with this media type, such as `audio/wav`.
    pub fn audio(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        let (data, media_type) = (data.into(), media_type.into());
        ContentKind::Audio { data, media_type }.into()
    }

    /// A link to a resource, which the client may read or show. `name` is for programs; set
    /// [`title`](Self::title) for people.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ContentKind::Link(Box::new(ResourceInfo::new(uri, name))).into()
    }

    /// An embedded resource with text.
    pub fn resource_text(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Content::resource(
            uri.into(),
            media_type.into(),
            ResourceData::Text(text.into()),
        )
    }

    /// An embedded resource with binary data.
    pub fn resource_blob(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        data: impl Into<Vec<u8>>,
    ) -> Self {
        Content::resource(
            uri.into(),
            media_type.into(),
            ResourceData::Bytes(data.into()),
        )
    }

    fn resource(uri: String, media_type: String, data: ResourceData) -> Self {
        ContentKind::Resource(Resource {
            uri,
            media_type,
            data,
            meta: Meta::default(),
        })
        .into()
    }

    /// Sets the annotations, hints for the client.
    #[must_use]
    pub fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Sets a member of the block's `_meta`. MCP clients get it from revision 2025-06-18 on; `/api` does not send it. The
    /// block of a resource that is read has it too.
    ///
    /// The key must be valid (`name`, `com.example/name`) and not reserved for MCP or tent. A key that is not valid is
    /// left out, with a line in the log.
    ///
    /// ```
    /// use serde_json::json;
    /// use tent::Content;
    /// let page = Content::text("<p>Hello</p>").meta("ui", json!({"prefersBorder": true}));
    /// assert_ne!(page, Content::text("<p>Hello</p>"));
    /// assert_eq!(Content::text("a").meta("dev.mcp/a", 1), Content::text("a"));
    /// ```
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        match &mut self.kind {
            ContentKind::Link(link) => link.meta.put(key, value),
            _ => self.meta.put(key, value),
        }
        self
    }

    /// Sets a member of the `_meta` of an embedded resource, which MCP keeps apart from the block's own. No effect on other
    /// content.
    #[must_use]
    pub fn resource_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let ContentKind::Resource(resource) = &mut self.kind {
            resource.meta.put(key, value);
        }
        self
    }

    /// Sets the title of a link. No effect on other content.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.map_link(|link| link.title(title))
    }

    /// Sets the description of a link. No effect on other content.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        self.map_link(|link| link.about(about))
    }

    /// Sets the media type of a link's resource. No effect on other content, which has one from the start.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        self.map_link(|link| link.media_type(media_type))
    }

    /// Sets the size in bytes of a link's resource. No effect on other content.
    #[must_use]
    pub fn size(self, bytes: u64) -> Self {
        self.map_link(|link| link.size(bytes))
    }

    /// Adds an icon to a link. No effect on other content.
    #[must_use]
    pub fn icon(self, icon: Icon) -> Self {
        self.map_link(|link| link.icon(icon))
    }

    fn map_link(mut self, change: impl FnOnce(ResourceInfo) -> ResourceInfo) -> Self {
        if let ContentKind::Link(link) = self.kind {
            self.kind = ContentKind::Link(Box::new(change(*link)));
        }
        self
    }

    /// The size of its data in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let kind = match &self.kind {
            ContentKind::Text(text) => text.len(),
            ContentKind::Image { data, .. } | ContentKind::Audio { data, .. } => data.len(),
            ContentKind::Resource(resource) => {
                let data = resource.uri.len() + resource.data.bytes().len();
                data.saturating_add(resource.meta.bytes())
            }
            ContentKind::Link(link) => link.bytes(),
        };
        kind.saturating_add(self.meta.bytes())
    }
}

impl ResourceData {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            ResourceData::Text(text) => text.as_bytes(),
            ResourceData::Bytes(bytes) => bytes,
        }
    }
}

impl From<ContentKind> for Content {
    fn from(kind: ContentKind) -> Self {
        Content {
            kind,
            annotations: Annotations::new(),
            meta: Meta::default(),
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Content::text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Content::text(text)
    }
}
