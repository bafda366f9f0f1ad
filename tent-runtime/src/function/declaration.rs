//! The declaration of a function: plain data that the macros write into a `static`, and the link-time
//! inventory that it is found in.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{BoxFuture, Complete, Icon, Output, Primitive, Resource, StateRequirement};
use crate::cx::Cx;
use crate::error::Result;
use crate::schema::Field;

/// What a function does, which decides its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only reads.
    Query,
    /// Writes the app's own data.
    Change,
    /// Reaches outside, or is none of the others.
    Action,
}

impl Kind {
    /// The word of the attribute that declares it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Change => "change",
            Kind::Action => "action",
        }
    }
}

/// The callers that may call a function, as a macro declares it.
#[derive(Clone, Copy, Debug)]
pub enum AccessDeclaration {
    /// Every caller, also an anonymous one.
    Anyone,
    /// Every caller with a known identity.
    SignedIn,
    /// Callers with this role.
    Role(&'static str),
    /// The app itself.
    App,
    /// Callers that any of these allows.
    Any(&'static [AccessDeclaration]),
    /// Callers that a rule of the app allows.
    Rule(RuleDeclaration),
}

/// An access rule of the app. It sees the caller, never the input.
#[derive(Clone, Copy, Debug)]
pub struct RuleDeclaration {
    /// The path as written, for listings and logs.
    pub path: &'static str,
    /// Runs the rule.
    pub ask: for<'a> fn(&'a Cx) -> BoxFuture<'a, Result<bool>>,
}

/// Where a declaration stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The module, from `module_path!()`; its first part is the crate.
    pub module: &'static str,
    /// The file, from `file!()`.
    pub file: &'static str,
    /// The line, from `line!()`.
    pub line: u32,
}

impl Location {
    /// The crate that the declaration stands in, as Rust spells it.
    pub fn krate(&self) -> &'static str {
        self.module.split("::").next().unwrap_or(self.module)
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.module {
            "" => Ok(()),
            module => write!(f, " ({module})"),
        }
    }
}

/// What a function takes from its caller.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Each owned parameter is a field.
    Fields(&'static [Field]),
    /// One parameter is the whole input.
    Whole(fn(&mut SchemaGenerator) -> Schema),
    /// One parameter is the whole input, and its schema is the author's own, published untouched.
    Stated(fn() -> Value),
}

/// How a function is run, with an input that was checked.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// An `async fn`.
    Async(for<'a> fn(&'a Cx, Map<String, Value>) -> BoxFuture<'a, Result<Output>>),
    /// A plain `fn`.
    Sync(fn(&Cx, Map<String, Value>) -> Result<Output>),
}

/// One annotated function. Made by the macros, with [`Declaration::new`] and one call for each option.
#[derive(Clone, Copy, Debug)]
#[expect(
    missing_docs,
    reason = "each is the option of the same name, documented at the macros"
)]
pub struct Declaration {
    pub kind: Kind,
    pub name: &'static str,
    /// Whether the name was stated, rather than the function's own.
    pub name_stated: bool,
    pub location: Location,
    pub access: AccessDeclaration,
    pub input: Input,
    pub output: OutputDeclaration,
    pub needs_parts: fn() -> Vec<StateRequirement>,
    pub body: Body,
    pub title: Option<&'static str>,
    pub about: &'static str,
    pub mcp: bool,
    pub api: bool,
    pub asks: bool,
    pub asks_page: bool,
    pub scope: Option<&'static str>,
    pub adds: bool,
    /// `changes = false` on an action.
    pub only_reads: bool,
    pub sends: bool,
    pub idempotent: Option<bool>,
    pub retry: bool,
    pub timeout: Option<Duration>,
    pub limit: Option<(u32, Duration)>,
    pub blocking: bool,
    pub needs: &'static [&'static str],
    pub on: Option<&'static str>,
    /// Gives the icons; asked once, at start.
    pub icons: Option<fn() -> Vec<Icon>>,
    /// Which list it is on: that of functions, of resources or of prompts.
    pub serves: Primitive,
    /// What is told of it in `_meta`, evaluated once at start.
    pub meta: Option<fn() -> Value>,
    /// What completes its arguments, one for each `complete = …`.
    pub completes: &'static [Complete],
}

/// What a function gives.
#[derive(Clone, Copy, Debug)]
pub enum OutputDeclaration {
    /// `()`: nothing.
    Nothing,
    /// A value, with the schema of its type.
    Value(fn(&mut SchemaGenerator) -> Schema),
    /// [`Content`](super::Content), which no schema describes.
    Content,
}

impl Declaration {
    /// A declaration with nothing stated beyond what every function has.
    #[expect(clippy::too_many_arguments, reason = "only generated code calls it")]
    pub const fn new(
        kind: Kind,
        name: &'static str,
        location: Location,
        access: AccessDeclaration,
        input: Input,
        output: OutputDeclaration,
        needs_parts: fn() -> Vec<StateRequirement>,
        body: Body,
    ) -> Self {
        Declaration {
            kind,
            name,
            name_stated: false,
            location,
            access,
            input,
            output,
            needs_parts,
            body,
            title: None,
            about: "",
            mcp: false,
            api: true,
            asks: false,
            asks_page: false,
            scope: None,
            adds: false,
            only_reads: false,
            sends: false,
            idempotent: None,
            retry: false,
            timeout: None,
            limit: None,
            blocking: false,
            needs: &[],
            on: None,
            icons: None,
            serves: Primitive::Function,
            meta: None,
            completes: &[],
        }
    }

    /// `name = "…"`.
    #[doc(hidden)]
    pub const fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self.name_stated = true;
        self
    }

    #[doc(hidden)]
    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    #[doc(hidden)]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    #[doc(hidden)]
    pub const fn api(mut self, api: bool) -> Self {
        self.api = api;
        self
    }

    #[doc(hidden)]
    pub const fn scope(mut self, scope: &'static str) -> Self {
        self.scope = Some(scope);
        self
    }

    #[doc(hidden)]
    pub const fn sends(mut self, sends: bool) -> Self {
        self.sends = sends;
        self
    }

    #[doc(hidden)]
    pub const fn idempotent(mut self, idempotent: bool) -> Self {
        self.idempotent = Some(idempotent);
        self
    }

    #[doc(hidden)]
    pub const fn retry(mut self, retry: bool) -> Self {
        self.retry = retry;
        self
    }

    #[doc(hidden)]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    #[doc(hidden)]
    pub const fn limit(mut self, limit: (u32, Duration)) -> Self {
        self.limit = Some(limit);
        self
    }

    #[doc(hidden)]
    pub const fn blocking(mut self, blocking: bool) -> Self {
        self.blocking = blocking;
        self
    }

    #[doc(hidden)]
    pub const fn needs(mut self, needs: &'static [&'static str]) -> Self {
        self.needs = needs;
        self
    }

    #[doc(hidden)]
    pub const fn on(mut self, on: &'static str) -> Self {
        self.on = Some(on);
        self
    }

    #[doc(hidden)]
    pub const fn icons(mut self, icons: fn() -> Vec<Icon>) -> Self {
        self.icons = Some(icons);
        self
    }

    #[doc(hidden)]
    pub const fn resource(mut self, resource: Resource) -> Self {
        self.serves = Primitive::Resource(resource);
        self.api = false;
        self
    }

    #[doc(hidden)]
    pub const fn prompt(mut self) -> Self {
        self.serves = Primitive::Prompt;
        self.api = false;
        self
    }

    #[doc(hidden)]
    pub const fn meta(mut self, meta: fn() -> Value) -> Self {
        self.meta = Some(meta);
        self
    }

    #[doc(hidden)]
    pub const fn completes(mut self, completes: &'static [Complete]) -> Self {
        self.completes = completes;
        self
    }

    #[doc(hidden)]
    pub const fn mcp(mut self) -> Self {
        self.mcp = true;
        self
    }

    #[doc(hidden)]
    pub const fn asks(mut self) -> Self {
        self.asks = true;
        self
    }

    #[doc(hidden)]
    pub const fn asks_page(mut self) -> Self {
        self.asks_page = true;
        self
    }

    #[doc(hidden)]
    pub const fn adds(mut self) -> Self {
        self.adds = true;
        self
    }

    #[doc(hidden)]
    pub const fn only_reads(mut self) -> Self {
        self.only_reads = true;
        self
    }
}

/// A declaration in the link-time inventory.
#[derive(Clone, Copy, Debug)]
pub struct Entry(pub &'static Declaration);

inventory::collect!(Entry);

/// The word of `tent::link!`: this crate brings functions.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The crate, as Rust spells it.
    pub krate: &'static str,
    /// Where it was said.
    pub location: Location,
}

inventory::collect!(Link);
