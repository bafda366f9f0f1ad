//! Whether a declaration is a function, a resource or a prompt, and the functions of the app that list resources and
//! complete arguments. Plain data.

use serde_json::{Map, Value};

use super::started::Started;
use super::{Annotations, ResourceInfo};
use crate::cx::Cx;

/// The primitive that a declaration is.
#[derive(Clone, Copy, Debug)]
pub enum Primitive {
    /// A query, a change or an action, which callers call.
    Function,
    /// A resource, which callers read by its URI.
    Resource(Resource),
    /// A prompt, which callers get as the beginning of a conversation.
    Prompt,
}

/// The options of `#[resource]` that functions do not have.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    /// Its URI, or the template of its URIs.
    pub uri: &'static str,
    /// The media type of its contents; `None` leaves it to the contents.
    pub media_type: Option<&'static str>,
    /// Lists the resources of a template.
    pub list: Option<Lister>,
    /// Whether clients can subscribe to it.
    pub subscribe: bool,
    /// Hints for the client, evaluated once at start.
    pub annotations: Option<fn() -> Annotations>,
    /// Its size in bytes, if it is known.
    pub size: Option<u64>,
}

impl Resource {
    /// A resource without options.
    #[doc(hidden)]
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
}

/// A function of the app that lists the resources of a template.
#[derive(Clone, Copy, Debug)]
pub struct Lister {
    /// Its path as written, for logs.
    pub path: &'static str,
    /// Runs it, or tells its kind without a call.
    pub run: for<'a> fn(Option<&'a Cx>) -> Started<'a, Vec<ResourceInfo>>,
}

/// A function of the app that completes one argument.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    /// The name of the argument on the wire.
    pub argument: &'static str,
    /// Its path as written, for logs.
    pub path: &'static str,
    /// Runs it, or tells its kind without a call.
    pub run: Completer,
}

/// A completion function: takes the call, the typed text, and the other arguments that the client has sent.
pub(crate) type Completer =
    for<'a> fn(Option<&'a Cx>, String, Map<String, Value>) -> Started<'a, Vec<String>>;
