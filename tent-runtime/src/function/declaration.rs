//! The declaration of a function: plain data that the macros write into a `static`, and the link-time inventory that
//! holds it. Contains no logic; `registry` builds functions from declarations.
//!
//! This is the ABI between generated code and the runtime. Generated code writes a declaration as a struct update of
//! [`Declaration::new`], so that a new field with a default needs no change of the macros.

use std::time::Duration;

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::{BoxFuture, Complete, Icon, Output, Primitive, StateRequirement};
use crate::cx::Cx;
use crate::error::Result;
use crate::schema::Field;

/// The kind of a function, which decides its tool annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Only reads.
    Query,
    /// Writes the app's own data.
    Change,
    /// Reaches outside, or fits neither of the other kinds.
    Action,
}

impl Kind {
    /// The name of the attribute that declares it.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Change => "change",
            Kind::Action => "action",
        }
    }
}

/// The callers that may call a function, as a macro declares them.
#[derive(Clone, Copy, Debug)]
pub enum AccessDeclaration {
    /// All callers, also anonymous ones.
    Anyone,
    /// All callers with an identity.
    SignedIn,
    /// Callers with this role.
    Role(&'static str),
    /// The app itself.
    App,
    /// Callers that any of these accepts.
    Any(&'static [AccessDeclaration]),
    /// Callers that a rule function of the app accepts.
    Rule(RuleDeclaration),
}

/// An access rule of the app. It sees the caller, never the input.
#[derive(Clone, Copy, Debug)]
pub struct RuleDeclaration {
    /// Its path as written, for lists and logs.
    pub path: &'static str,
    /// Runs it.
    pub run: for<'a> fn(&'a Cx) -> BoxFuture<'a, Result<bool>>,
}

/// The place of a declaration in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// The module, from `module_path!()`; its first segment is the crate.
    pub module: &'static str,
    /// The file, from `file!()`.
    pub file: &'static str,
    /// The line, from `line!()`.
    pub line: u32,
}

impl Location {
    /// The location of the caller of the function that has `#[track_caller]`. The module is unknown.
    #[track_caller]
    pub(super) fn caller() -> Self {
        let caller = std::panic::Location::caller();
        Location {
            module: "",
            file: caller.file(),
            line: caller.line(),
        }
    }
}

impl Location {
    /// The name of the crate, as in Rust code.
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

/// The input of a function.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    /// Each owned parameter is a field.
    Fields(&'static [Field]),
    /// One parameter is the whole input.
    Whole(fn(&mut SchemaGenerator) -> Schema),
    /// One parameter is the whole input, and the author's own schema is published unchanged.
    Custom(fn() -> Value),
}

/// Runs a function with a validated input.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// An `async fn`.
    Async(for<'a> fn(&'a Cx, Map<String, Value>) -> BoxFuture<'a, Result<Output>>),
    /// A plain `fn`.
    Sync(fn(&Cx, Map<String, Value>) -> Result<Output>),
}

/// What a function returns.
#[derive(Clone, Copy, Debug)]
pub enum OutputDeclaration {
    /// `()`: no value.
    Nothing,
    /// A value, with the schema of its type.
    Value(fn(&mut SchemaGenerator) -> Schema),
    /// [`Content`](super::Content), which no schema describes.
    Content,
}

/// The declaration of one annotated function.
///
/// The fields are the options of the attribute; an option that the author did not set has its default.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The kind; a resource or a prompt is a query.
    pub kind: Kind,
    /// The name at both endpoints.
    pub name: &'static str,
    /// Whether `name` was set, rather than taken from the function.
    pub explicit_name: bool,
    /// The place in the source.
    pub location: Location,
    /// `access`.
    pub access: AccessDeclaration,
    /// The input; by default, no fields.
    pub input: Input,
    /// What the function returns.
    pub output: OutputDeclaration,
    /// The app state that the parameters take by reference; each gives `None` for a parameter that is not state.
    pub states: &'static [fn() -> Option<StateRequirement>],
    /// Runs the function.
    pub body: Body,
    /// `title`.
    pub title: Option<&'static str>,
    /// `about`, or the doc comment; empty without either.
    pub about: &'static str,
    /// `offer = "mcp"`.
    pub mcp: bool,
    /// `api`; by default `true` for functions, `false` for resources and prompts.
    pub api: bool,
    /// `danger = "ask"`.
    pub needs_approval: bool,
    /// `asks = "page"`.
    pub approval_on_page: bool,
    /// `scope`.
    pub scope: Option<&'static str>,
    /// `writes = "adds"`.
    pub additive: bool,
    /// `changes = false` on an action.
    pub read_only: bool,
    /// `sends`.
    pub sends: bool,
    /// `structured`.
    pub structured: bool,
    /// `idempotent`.
    pub idempotent: Option<bool>,
    /// `retry`.
    pub retry: bool,
    /// `timeout`.
    pub timeout: Option<Duration>,
    /// `limit`: a number of calls per duration.
    pub limit: Option<(u32, Duration)>,
    /// `blocking`: whether the function runs on the blocking pool.
    pub blocking: bool,
    /// `needs`: the client capabilities that the function requires.
    pub needs: &'static [&'static str],
    /// `on`: the MCP method that the function answers.
    pub on: Option<&'static str>,
    /// `icons`, evaluated once at start.
    pub icons: Option<fn() -> Vec<Icon>>,
    /// Whether it is a function, a resource or a prompt.
    pub primitive: Primitive,
    /// `meta`: the `_meta` of its list entry, evaluated once at start.
    pub meta: Option<fn() -> Value>,
    /// The completion functions of its arguments.
    pub completions: &'static [Complete],
}

impl Declaration {
    /// A function without input and without options.
    #[doc(hidden)]
    pub const fn new(
        kind: Kind,
        name: &'static str,
        location: Location,
        access: AccessDeclaration,
        output: OutputDeclaration,
        body: Body,
    ) -> Self {
        Declaration {
            kind,
            name,
            explicit_name: false,
            location,
            access,
            input: Input::Fields(&[]),
            output,
            states: &[],
            body,
            title: None,
            about: "",
            mcp: false,
            api: true,
            needs_approval: false,
            approval_on_page: false,
            scope: None,
            additive: false,
            read_only: false,
            sends: false,
            structured: true,
            idempotent: None,
            retry: false,
            timeout: None,
            limit: None,
            blocking: false,
            needs: &[],
            on: None,
            icons: None,
            primitive: Primitive::Function,
            meta: None,
            completions: &[],
        }
    }
}

/// A declaration in the link-time inventory.
#[derive(Clone, Copy, Debug)]
pub struct Entry(pub &'static Declaration);

inventory::collect!(Entry);

/// The entry of `tent::link!` in the inventory: a crate that must contribute functions.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The name of the crate, as in Rust code.
    pub krate: &'static str,
    /// The place of the `link!`.
    pub location: Location,
}

inventory::collect!(Link);
