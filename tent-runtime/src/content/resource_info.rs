//! [`ResourceInfo`]: the description of a resource, without its contents.

use serde_json::Value;

use super::{Annotations, Icon, Meta};

/// The description of a resource, as a list of resources or a link has it.
///
/// ```
/// use tent::ResourceInfo;
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
    /// A resource with this URI. `name` is for programs; set [`title`](Self::title) for people.
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

    /// Sets the title, the name for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the description.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Self {
        self.about = Some(about.into());
        self
    }

    /// Sets the media type.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Sets the size in bytes.
    #[must_use]
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// Sets the annotations, hints for the client.
    #[must_use]
    pub fn annotated(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Adds an icon. An icon that clients reject is left out, with a line in the log.
    ///
    /// ```
    /// use tent::{Icon, ResourceInfo};
    /// let order = ResourceInfo::new("orders://7", "order 7").icon(Icon::svg("<svg/>"));
    /// # let _ = order;
    /// ```
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        match icon.problem() {
            None => self.icons.push(icon),
            Some(problem) => {
                let uri = &self.uri;
                tracing::warn!(
                    "T7034: the icon {:?} of {uri} {problem}",
                    icon.abridged_src()
                );
            }
        }
        self
    }

    /// Sets a member of `_meta`, by the rules of [`Content::meta`](super::Content::meta).
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.put(key, value);
        self
    }

    /// The size of its text in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let texts = [&self.title, &self.about, &self.media_type];
        let texts = texts.into_iter().flatten().map(String::len);
        let icons = self.icons.iter().map(Icon::bytes);
        let all = texts.chain(icons).chain([self.meta.bytes()]);
        all.fold(self.uri.len() + self.name.len(), usize::saturating_add)
    }
}
