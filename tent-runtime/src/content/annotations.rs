//! [`Annotations`]: the hints of MCP for content and resources, and [`Role`].

use crate::clock;

/// The sender of a message, or the audience of content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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

/// Hints for a client that shows content or a resource. A client may ignore them, so they protect nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotations {
    pub(crate) audience: Vec<Role>,
    pub(crate) priority: Option<f64>,
    pub(crate) last_modified: Option<String>,
}

impl Annotations {
    /// Annotations without any hint.
    pub const fn new() -> Self {
        Annotations {
            audience: Vec::new(),
            priority: None,
            last_modified: None,
        }
    }

    /// Sets the audience: the user, the model, or both.
    #[must_use]
    pub fn audience(mut self, audience: impl IntoIterator<Item = Role>) -> Self {
        self.audience = audience.into_iter().collect();
        self
    }

    /// Sets the importance, from 0 (optional) to 1 (required). A value outside of that range counts as the nearer bound; a
    /// NaN sets no hint.
    ///
    /// ```
    /// use tent::Annotations;
    /// assert_eq!(Annotations::new().priority(7.0), Annotations::new().priority(1.0));
    /// assert_eq!(Annotations::new().priority(f64::NAN), Annotations::new());
    /// ```
    #[must_use]
    pub fn priority(mut self, priority: f64) -> Self {
        self.priority = (!priority.is_nan()).then(|| priority.clamp(0.0, 1.0));
        self
    }

    /// Sets the time of the last change, in RFC 3339 with an offset: `2025-01-12T15:00:58Z`. Text in another form is left
    /// out, with a line in the log, because some clients reject the whole response for it.
    ///
    /// ```
    /// use tent::Annotations;
    /// let changed = Annotations::new().last_modified("2025-01-12T16:00:58.250+01:00");
    /// assert_ne!(changed, Annotations::new());
    /// assert_eq!(changed.last_modified("yesterday"), Annotations::new());
    /// ```
    #[must_use]
    pub fn last_modified(mut self, time: impl Into<String>) -> Self {
        let time = time.into();
        self.last_modified = if clock::is_common_date_time(&time) {
            Some(time)
        } else {
            tracing::warn!(
                time = %time.chars().take(64).collect::<String>().escape_debug(),
                "last_modified is not an RFC 3339 time, so it is left out"
            );
            None
        };
        self
    }
}
