//! [`FunctionBuilder`]: makes a [`Function`] at run time, from a schema and a closure.
//!
//! `build` applies the rules that the macros apply at compile time, then those of every function.

mod build;

use std::any::{TypeId, type_name};
use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::definition::{InputSource, OutputSource};
use super::handler::{AsyncHandler, SyncHandler, is_unit};
use super::tool_annotations::Effects;
use super::{
    Access, Function, Handler, Icon, Icons, Input, IntoError, IntoOutput, Kind, Location,
    OutputDeclaration, Owned, StateRequirement,
};
use crate::cx::{Cx, State};
use crate::error::Result;

impl Function {
    /// Starts a function that is made at run time. The name follows the rules of a tool's name.
    ///
    /// ```
    /// use tent::{Access, Error, Function, data};
    ///
    /// #[data]
    /// struct Add {
    ///     a: i64,
    ///     b: i64,
    /// }
    ///
    /// let add = Function::builder("add")
    ///     .about("Add two integers.")
    ///     .access(Access::Anyone)
    ///     .offer_mcp()
    ///     .handler(async |_cx, input: Add| Ok::<_, Error>(input.a + input.b))
    ///     .build()?;
    /// assert_eq!(add.input_schema()["required"], tent::serde_json::json!(["a", "b"]));
    /// # Ok::<(), tent::Diagnostics>(())
    /// ```
    #[track_caller]
    pub fn builder(name: impl Into<Cow<'static, str>>) -> FunctionBuilder {
        FunctionBuilder {
            name: name.into(),
            location: Location::caller(),
            title: None,
            about: Cow::Borrowed(""),
            kind: Kind::Query,
            access: None,
            input: None,
            output: None,
            scope: None,
            effects: Effects::default(),
            icons: Vec::new(),
            meta: None,
            mcp: false,
            api: None,
            retry: false,
            blocking: false,
            structured: true,
            timeout: None,
            limit: None,
            on: None,
            needs: Vec::new(),
            states: Vec::new(),
            handler: (),
        }
    }
}

/// Makes a [`Function`] at run time. [`Function::builder`] starts one.
///
/// Each option has the meaning of the option of the same name of `#[query]`, `#[change]` and `#[action]`. Set a handler
/// before [`build`](Self::build).
#[must_use = "a builder makes nothing until it is built"]
pub struct FunctionBuilder<H = ()> {
    name: Cow<'static, str>,
    location: Location,
    title: Option<Cow<'static, str>>,
    about: Cow<'static, str>,
    kind: Kind,
    access: Option<Access>,
    input: Option<InputSource>,
    output: Option<OutputSource>,
    scope: Option<Cow<'static, str>>,
    effects: Effects,
    icons: Vec<Icon>,
    meta: Option<Value>,
    mcp: bool,
    api: Option<bool>,
    retry: bool,
    blocking: bool,
    structured: bool,
    timeout: Option<Duration>,
    limit: Option<(u32, Duration)>,
    on: Option<Cow<'static, str>>,
    needs: Vec<Cow<'static, str>>,
    states: Vec<StateRequirement>,
    handler: H,
}

/// The handler of a [`FunctionBuilder`], with the schemas of its types.
pub struct Handled {
    handler: Box<dyn FnOnce(bool) -> Arc<dyn Handler>>,
    input: InputSource,
    output: OutputDeclaration,
}

impl<H> FunctionBuilder<H> {
    /// Sets the kind: whether the function reads, changes or acts. The default is [`Kind::Query`].
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the description. A function that is offered to MCP must have one (T7009).
    pub fn about(mut self, about: impl Into<Cow<'static, str>>) -> Self {
        self.about = about.into();
        self
    }

    /// Sets the title. The default is the name in words.
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets the rule that decides which callers may call the function. Required (T7001).
    pub fn access(mut self, access: Access) -> Self {
        self.access = Some(access);
        self
    }

    /// Sets the scope that an API key or an access token must hold. The default is `read` for functions that only
    /// read, `write` for the rest.
    pub fn scope(mut self, scope: impl Into<Cow<'static, str>>) -> Self {
        self.scope = Some(scope.into());
        self
    }

    /// Offers the function to MCP as a tool.
    pub fn offer_mcp(mut self) -> Self {
        self.mcp = true;
        self
    }

    /// Sets whether the function is at `/api`. The default is `true`, except with [`Access::App`].
    pub fn api(mut self, api: bool) -> Self {
        self.api = Some(api);
        self
    }

    /// Requires that a person approves each call: `danger = "ask"`.
    pub fn needs_approval(mut self) -> Self {
        self.effects.needs_approval = true;
        self
    }

    /// Declares that every write adds a row: `writes = "adds"`.
    pub fn additive(mut self) -> Self {
        self.effects.additive = true;
        self
    }

    /// Declares that an action only reads: `changes = false`.
    pub fn read_only(mut self) -> Self {
        self.effects.read_only = true;
        self
    }

    /// Declares that the function sends data out: `sends = true`.
    pub fn sends(mut self) -> Self {
        self.effects.sends = true;
        self
    }

    /// Sets whether the tool sends its value as structured content and lists an output schema: `structured = false` leaves
    /// both out, for clients that would show their model the value in place of the text.
    pub fn structured(mut self, structured: bool) -> Self {
        self.structured = structured;
        self
    }

    /// Declares whether a repeat with the same input changes nothing more.
    pub fn idempotent(mut self, idempotent: bool) -> Self {
        self.effects.idempotent = Some(idempotent);
        self
    }

    /// Allows the same idempotency key to run again after an unexpected end.
    pub fn retry(mut self) -> Self {
        self.retry = true;
        self
    }

    /// Sets the time limit of one call. The default is the setting `limits.call_timeout`.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Limits the calls of one caller to `calls` in each `period`.
    pub fn limit(mut self, calls: u32, period: Duration) -> Self {
        self.limit = Some((calls, period));
        self
    }

    /// Answers this MCP method, such as `acme/status`, in place of being a tool. The function is not at `/api`.
    pub fn on(mut self, method: impl Into<Cow<'static, str>>) -> Self {
        self.on = Some(method.into());
        self
    }

    /// Runs a [`sync_handler`](FunctionBuilder::sync_handler) on the blocking pool, for a closure that may block its
    /// thread.
    pub fn blocking(mut self, blocking: bool) -> Self {
        self.blocking = blocking;
        self
    }

    /// Adds client capabilities that the function requires, such as `sampling`. A call of a client without them fails
    /// before the function runs.
    pub fn needs<N: Into<Cow<'static, str>>>(mut self, needs: impl IntoIterator<Item = N>) -> Self {
        self.needs.extend(needs.into_iter().map(Into::into));
        self
    }

    /// Requires a state of the app. An app without it fails at start (T7011), rather than at the first call of
    /// [`Cx::state`].
    pub fn needs_state<T: State>(mut self) -> Self {
        self.states.push(StateRequirement {
            name: type_name::<T>(),
            id: TypeId::of::<T>(),
        });
        self
    }

    /// Sets the icons of the tool.
    pub fn icons(mut self, icons: impl Icons) -> Self {
        self.icons = icons.icons();
        self
    }

    /// Sets the `_meta` of the tool: a JSON object.
    pub fn meta(mut self, meta: impl Into<Value>) -> Self {
        self.meta = Some(meta.into());
        self
    }

    /// Sets the input schema, in place of the schema of the handler's input type. tent publishes it unchanged and
    /// enforces it. Its root must have `"type": "object"` (T7012).
    pub fn input_schema(mut self, schema: impl Into<Value>) -> Self {
        self.input = Some(InputSource::Schema(schema.into()));
        self
    }

    /// Sets the output schema, in place of the schema of the handler's output type.
    pub fn output_schema(mut self, schema: impl Into<Value>) -> Self {
        self.output = Some(OutputSource::Schema(schema.into()));
        self
    }

    fn with_handler<N>(self, handler: N) -> FunctionBuilder<N> {
        FunctionBuilder {
            name: self.name,
            location: self.location,
            title: self.title,
            about: self.about,
            kind: self.kind,
            access: self.access,
            input: self.input,
            output: self.output,
            scope: self.scope,
            effects: self.effects,
            icons: self.icons,
            meta: self.meta,
            mcp: self.mcp,
            api: self.api,
            retry: self.retry,
            blocking: self.blocking,
            structured: self.structured,
            timeout: self.timeout,
            limit: self.limit,
            on: self.on,
            needs: self.needs,
            states: self.states,
            handler,
        }
    }
}

impl FunctionBuilder {
    /// Sets the closure that answers calls: an async closure of the call and of the input.
    ///
    /// The input is any type that implements `Deserialize` and `JsonSchema`, `tent::Map` for the JSON object as it
    /// is, or `()` for a function without input. The value of the `Result` is what a declared function may return.
    ///
    /// An async closure cannot borrow what it captures, because its future may outlive the call. Clone it for each call
    /// (`move |cx, input: Add| { let shop = shop.clone(); async move { … } }`), or take it from [`Cx::state`].
    pub fn handler<F, Fut, I, T, E, By>(self, run: F) -> FunctionBuilder<Handled>
    where
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        I: Owned + JsonSchema + 'static,
        T: IntoOutput<By> + 'static,
        E: IntoError,
        By: 'static,
    {
        self.with_handler(Handled {
            handler: Box::new(|_| Arc::new(AsyncHandler::new(run))),
            input: input_of::<I>(),
            output: output_of::<T, By>(),
        })
    }

    /// Sets the closure that answers calls: a plain closure. It runs in place and must not block its thread, unless
    /// [`blocking`](Self::blocking) is set.
    ///
    /// ```
    /// use tent::serde_json::json;
    /// use tent::{Access, Error, Function, Map};
    ///
    /// let double = Function::builder("double")
    ///     .access(Access::SignedIn)
    ///     .input_schema(json!({
    ///         "type": "object",
    ///         "properties": {"n": {"type": "integer"}},
    ///         "required": ["n"],
    ///     }))
    ///     .sync_handler(|_cx, input: Map| {
    ///         Ok::<_, Error>(input["n"].as_i64().unwrap_or_default().wrapping_mul(2))
    ///     })
    ///     .build()?;
    /// # let _ = double;
    /// # Ok::<(), tent::Diagnostics>(())
    /// ```
    pub fn sync_handler<F, I, T, E, By>(self, run: F) -> FunctionBuilder<Handled>
    where
        F: Fn(&Cx, I) -> Result<T, E> + Send + Sync + 'static,
        I: Owned + JsonSchema + 'static,
        T: IntoOutput<By> + 'static,
        E: IntoError + 'static,
        By: 'static,
    {
        self.with_handler(Handled {
            handler: Box::new(|blocking| Arc::new(SyncHandler::new(run, blocking))),
            input: input_of::<I>(),
            output: output_of::<T, By>(),
        })
    }

    /// Sets the [`Handler`] that answers calls. Its input and its output are described by
    /// [`input_schema`](Self::input_schema) and [`output_schema`](Self::output_schema). Without the first, the function
    /// takes any JSON object; without the second, it returns content.
    pub fn custom_handler(self, handler: impl Handler) -> FunctionBuilder<Handled> {
        self.with_handler(Handled {
            handler: Box::new(|_| Arc::new(handler)),
            input: input_of::<Map<String, Value>>(),
            output: OutputDeclaration::Content,
        })
    }
}

impl<H> fmt::Debug for FunctionBuilder<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Handled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handled").finish_non_exhaustive()
    }
}

/// The schema of an input type. `()` is an input without fields.
fn input_of<I: JsonSchema + 'static>() -> InputSource {
    InputSource::Types(match is_unit::<I>() {
        true => Input::Fields(&[]),
        false => Input::Whole(|generator| generator.subschema_for::<I>()),
    })
}

/// The shape of an output type; `()` means no output.
fn output_of<T: IntoOutput<By> + 'static, By>() -> OutputDeclaration {
    match is_unit::<T>() {
        true => OutputDeclaration::Nothing,
        false => T::DECLARATION,
    }
}
