//! [`Content`]: what a function gives that is no value, with the hints that a client shows it by, and
//! [`ResourceInfo`]: one resource of many. Plain data; how it looks on a wire is an envelope's to know.

mod icon;
mod meta;

pub(crate) use icon::web_address;
pub use icon::{Icon, Icons, Theme, icons};
pub use meta::Meta;

use serde_json::Value;

use crate::clock;

/// Something to show that is no value: a text, an image, a sound, a link to a resource, or a resource.
///
/// ```
/// use tent_runtime::function::{Annotations, Content, Role};
/// let chart = Content::image(vec![0x89, b'P', b'N', b'G'], "image/png")
///     .annotated(Annotations::new().audience([Role::User]).priority(0.9));
/// let more = Content::link("orders://7", "order 7").title("Order 7").media_type("text/plain");
/// assert_eq!(Content::from("hello"), Content::text("hello"));
/// # let _ = (chart, more);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Content {
    pub(crate) piece: Piece,
    pub(crate) annotations: Annotations,
    /// Of what is no link, which has its own.
    pub(crate) meta: Meta,
}

/// What a [`Content`] is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Image { data: Vec<u8>, media_type: String },
    Audio { data: Vec<u8>, media_type: String },
    Resource(Resource),
    Link(Box<ResourceInfo>),
}

/// A resource with what it holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    pub(crate) media_type: String,
    pub(crate) held: Held,
    pub(crate) meta: Meta,
}

/// What a resource holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Held {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    /// A text, as it is.
    pub fn text(text: impl Into<String>) -> Self {
        Piece::Text(text.into()).into()
    }

    /// An image of this media type, such as `image/png`.
    pub fn image(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        let (data, media_type) = (data.into(), media_type.into());
        Piece::Image { data, media_type }.into()
    }

    /// A sound of this media type, such as `audio/wav`.
    pub fn audio(data: impl Into<Vec<u8>>, media_type: impl Into<String>) -> Self {
        let (data, media_type) = (data.into(), media_type.into());
        Piece::Audio { data, media_type }.into()
    }

    /// A link to a resource, which the client may read or show. Its name is for programs;
    /// [`title`](Self::title) is the one for people.
    pub fn link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Piece::Link(Box::new(ResourceInfo::new(uri, name))).into()
    }

    /// A resource that is a text.
    pub fn resource_text(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Content::resource(uri.into(), media_type.into(), Held::Text(text.into()))
    }

    /// A resource of any bytes.
    pub fn resource_blob(
        uri: impl Into<String>,
        media_type: impl Into<String>,
        data: impl Into<Vec<u8>>,
    ) -> Self {
        Content::resource(uri.into(), media_type.into(), Held::Bytes(data.into()))
    }

    fn resource(uri: String, media_type: String, held: Held) -> Self {
        Piece::Resource(Resource {
            uri,
            media_type,
            held,
            meta: Meta::default(),
        })
        .into()
    }

    /// With hints for the client, in place of any before.
    #[must_use]
    pub fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// With a member of its `_meta`, which MCP clients are told from 2025-06-18 on, and nobody else. Of a resource that is
    /// read, it stands with what was read.
    ///
    /// A key has the form that the specification gives it (`name`, `com.example/name`) and is neither MCP's nor tent's
    /// own; any other is left out, and the log says so.
    ///
    /// ```
    /// use serde_json::json;
    /// use tent_runtime::function::Content;
    /// let page = Content::text("<p>Hello</p>").meta("ui", json!({"prefersBorder": true}));
    /// assert_ne!(page, Content::text("<p>Hello</p>"));
    /// assert_eq!(Content::text("a").meta("dev.mcp/a", 1), Content::text("a"));
    /// ```
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        match &mut self.piece {
            Piece::Link(link) => link.meta.put(key, value),
            _ => self.meta.put(key, value),
        }
        self
    }

    /// The same of the resource itself, within content that has one: MCP tells the two apart. Other content stays as it
    /// is.
    #[must_use]
    pub fn resource_meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        if let Piece::Resource(resource) = &mut self.piece {
            resource.meta.put(key, value);
        }
        self
    }

    /// The title of a link. Other content has none, and stays as it is.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        self.linked(|link| link.title(title))
    }

    /// What a link leads to, in words. Other content stays as it is.
    #[must_use]
    pub fn about(self, about: impl Into<String>) -> Self {
        self.linked(|link| link.about(about))
    }

    /// The media type of what a link leads to. Other content has its own from the start, and stays as it is.
    #[must_use]
    pub fn media_type(self, media_type: impl Into<String>) -> Self {
        self.linked(|link| link.media_type(media_type))
    }

    /// How many bytes a link leads to. Other content stays as it is.
    #[must_use]
    pub fn size(self, bytes: u64) -> Self {
        self.linked(|link| link.size(bytes))
    }

    /// A picture beside a link, one more with each call. Other content stays as it is.
    #[must_use]
    pub fn icon(self, icon: Icon) -> Self {
        self.linked(|link| link.icon(icon))
    }

    fn linked(mut self, change: impl FnOnce(ResourceInfo) -> ResourceInfo) -> Self {
        if let Piece::Link(link) = self.piece {
            self.piece = Piece::Link(Box::new(change(*link)));
        }
        self
    }

    /// How many bytes it is made of.
    pub(crate) fn bytes(&self) -> usize {
        let piece = match &self.piece {
            Piece::Text(text) => text.len(),
            Piece::Image { data, .. } | Piece::Audio { data, .. } => data.len(),
            Piece::Resource(resource) => {
                let held = resource.uri.len() + resource.held.bytes().len();
                held.saturating_add(resource.meta.bytes())
            }
            Piece::Link(link) => link.bytes(),
        };
        piece.saturating_add(self.meta.bytes())
    }
}

impl Held {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Held::Text(text) => text.as_bytes(),
            Held::Bytes(bytes) => bytes,
        }
    }
}

impl From<Piece> for Content {
    fn from(piece: Piece) -> Self {
        Content {
            piece,
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

/// The sender of a message, or the audience of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// MCP's name of the role.
    pub fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}

/// Hints to a client on how to show or weigh content or a resource. None of them is a guard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    pub(crate) audience: Vec<Role>,
    pub(crate) priority: Option<f64>,
    pub(crate) last_modified: Option<String>,
}

impl Annotations {
    /// No hint.
    pub const fn new() -> Self {
        Annotations {
            audience: Vec::new(),
            priority: None,
            last_modified: None,
        }
    }

    /// Whom it is for.
    #[must_use]
    pub fn audience(mut self, audience: impl IntoIterator<Item = Role>) -> Self {
        self.audience = audience.into_iter().collect();
        self
    }

    /// How much it matters: 0 is optional, 1 is needed. What lies outside is taken for the nearer of the two,
    /// what is no number for no hint.
    ///
    /// ```
    /// use tent_runtime::function::Annotations;
    /// assert_eq!(Annotations::new().priority(7.0), Annotations::new().priority(1.0));
    /// assert_eq!(Annotations::new().priority(f64::NAN), Annotations::new());
    /// ```
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0));
        self
    }

    /// When it was last changed, as RFC 3339 writes a time, with an offset: `2025-01-12T15:00:58Z`. Any other
    /// text is left out, and the log says so: there are clients that refuse the whole answer for it.
    ///
    /// ```
    /// use tent_runtime::function::Annotations;
    /// let changed = Annotations::new().last_modified("2025-01-12T16:00:58.250+01:00");
    /// assert_ne!(changed, Annotations::new());
    /// assert_eq!(changed.last_modified("yesterday"), Annotations::new());
    /// ```
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Self {
        let time = time.into();
        self.last_modified = if clock::is_rfc3339(&time) {
            Some(time)
        } else {
            tracing::warn!(
                time = %time.chars().take(64).collect::<String>().escape_debug(),
                "what is said to be the time of the last change is no time of RFC 3339 and is left out"
            );
            None
        };
        self
    }
}

/// One resource, as a list of resources or a link shows it.
///
/// ```
/// use tent_runtime::function::ResourceInfo;
/// let order = ResourceInfo::new("orders://7", "order 7").title("Order 7").media_type("text/plain");
/// # let _ = order;
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceInfo {
    pub(crate) uri: String,
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) about: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) annotations: Annotations,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Meta,
}

impl ResourceInfo {
    /// The resource of this address. The name is for programs; [`title`](Self::title) is the one for people.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        ResourceInfo {
            uri: uri.into(),
            name: name.into(),
            title: None,
            about: None,
            media_type: None,
            size: None,
            annotations: Annotations::new(),
            icons: Vec::new(),
            meta: Meta::default(),
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What it is, in words.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Its media type.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// How many bytes it has.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// With hints for the client.
    #[must_use]
    pub fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// A picture of it, one more with each call. One that clients refuse is left out, and the log says so.
    ///
    /// ```
    /// use tent_runtime::function::{Icon, ResourceInfo};
    /// let order = ResourceInfo::new("orders://7", "order 7").icon(Icon::svg("<svg/>"));
    /// # let _ = order;
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        match icon.problem() {
            None => self.icons.push(icon),
            Some(problem) => {
                let uri = &self.uri;
                tracing::warn!("T7034: the icon {:?} of {uri} {problem}", icon.shown());
            }
        }
        self
    }

    /// With a member of its `_meta`, by the rules of [`Content::meta`].
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.title, &self.about, &self.media_type];
        let texts = texts.into_iter().flatten().map(String::len);
        let icons = self.icons.iter().map(Icon::bytes);
        let all = texts.chain(icons).chain([self.meta.bytes()]);
        all.fold(self.uri.len() + self.name.len(), usize::saturating_add)
    }
}
