//! What a declaration is beside a function that is called: a resource that is read, or a prompt that is
//! got; and the functions of the app's own that list resources and complete arguments.

use serde_json::{Map, Value};

use super::{Annotations, BoxFuture, ResourceInfo};
use crate::cx::Cx;
use crate::error::Result;

/// What a declared function is for.
#[derive(Clone, Copy, Debug)]
pub enum Primitive {
    /// It is called: a query, a change or an action.
    Function,
    /// It is read, under the URIs of its template.
    Resource(Resource),
    /// It is got, as the beginning of a conversation.
    Prompt,
}

/// What `#[resource]` states beyond what every function has.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    /// Its URI, or the template of its URIs.
    pub uri: &'static str,
    /// The media type of what it gives; `None`, and what it gives decides.
    pub media_type: Option<&'static str>,
    /// What lists the resources of a template.
    pub list: Option<Lister>,
    /// Whether a client may be told when it changes.
    pub subscribe: bool,
    /// Hints for the client, evaluated once at start.
    pub annotations: Option<fn() -> Annotations>,
    /// How many bytes it has, where that is known beforehand.
    pub size: Option<u64>,
}

#[doc(hidden)]
impl Resource {
    pub const fn new(uri: &'static str) -> Self {
        Resource {
            uri,
            media_type: None,
            list: None,
            subscribe: false,
            annotations: None,
            size: None,
        }
    }

    pub const fn media_type(mut self, media_type: &'static str) -> Self {
        self.media_type = Some(media_type);
        self
    }

    pub const fn list(mut self, list: Lister) -> Self {
        self.list = Some(list);
        self
    }

    pub const fn subscribe(mut self, subscribe: bool) -> Self {
        self.subscribe = subscribe;
        self
    }

    pub const fn annotations(mut self, annotations: fn() -> Annotations) -> Self {
        self.annotations = Some(annotations);
        self
    }

    pub const fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }
}

/// A function of the app's own that lists the resources of a template.
#[derive(Clone, Copy, Debug)]
pub struct Lister {
    /// The path that was written, for logs.
    pub path: &'static str,
    /// Asks it.
    pub ask: for<'a> fn(&'a Cx) -> BoxFuture<'a, Result<Vec<ResourceInfo>>>,
}

/// A function of the app's own that completes one argument.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    /// The argument, by its name on the wire.
    pub argument: &'static str,
    /// The path that was written, for logs.
    pub path: &'static str,
    /// Asks it, with what was typed so far and the other arguments that are known.
    pub ask: Completer,
}

/// What completes: from the call, what was typed, and the other arguments.
pub type Completer =
    for<'a> fn(&'a Cx, String, Map<String, Value>) -> BoxFuture<'a, Result<Vec<String>>>;
