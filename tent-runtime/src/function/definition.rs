//! [`Function`]: one function of an app, checked, with everything that the endpoints need to know of it.
//!
//! A function is made in two ways: from the [`Declaration`] that a macro writes, and by a
//! [`FunctionBuilder`](super::FunctionBuilder) at run time. Both collect a [`Draft`], and [`Draft::check`] applies the
//! same rules to it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use serde_json::Value;
use tent_core::codes::{self, Code};
use tent_core::names;

use super::handler::DeclaredHandler;
use super::tool_annotations::{Effects, ToolAnnotations};
use super::{
    Access, Complete, Declaration, Diagnostic, Diagnostics, Handler, Icon, Input, Kind, Location,
    Meta, OutputDeclaration, Primitive, StateRequirement,
};
use crate::schema::{InputSchema, OutputSchema};

/// One function of an app. A resource and a prompt are functions too, with another [`Primitive`].
///
/// A function is immutable: replace it in the registry to change it.
#[non_exhaustive]
pub struct Function {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) about: String,
    pub(crate) kind: Kind,
    pub(crate) access: Access,
    pub(crate) location: Option<Location>,
    pub(crate) input: InputSchema,
    /// The names of the parameters in their order; empty where one type is the whole input.
    pub(crate) parameters: Vec<&'static str>,
    pub(crate) output: OutputShape,
    /// Whether a tool sends its value as structured content and lists an output schema.
    pub(crate) structured: bool,
    pub(crate) scope: Cow<'static, str>,
    pub(crate) annotations: ToolAnnotations,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Meta,
    /// Whether the function is a tool.
    pub(crate) mcp: bool,
    /// Whether the function is at `/api`.
    pub(crate) api: bool,
    /// Whether a person must approve each call.
    pub(crate) needs_approval: bool,
    pub(crate) retry: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) limit: Option<(u32, Duration)>,
    /// The capabilities that a client must have.
    pub(crate) needs: Vec<Cow<'static, str>>,
    /// The MCP method that the function answers.
    pub(crate) on: Option<Cow<'static, str>>,
    pub(crate) primitive: Primitive,
    pub(crate) completes: &'static [Complete],
    /// The states that the function takes by reference.
    pub(crate) states: Vec<StateRequirement>,
    pub(crate) handler: Arc<dyn Handler>,
    /// How many bytes its last output had.
    pub(crate) last_output: Arc<AtomicUsize>,
}

impl Function {
    /// The name at every endpoint.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The title: the declared one, or the name in words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The description; empty where there is none.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The rule that decides which callers may call it.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The source location of the declaration, or of the call of [`Function::builder`].
    pub fn location(&self) -> Option<Location> {
        self.location
    }

    /// The input schema that clients get.
    pub fn input_schema(&self) -> &Value {
        self.input.published()
    }

    /// The output schema that clients get, of the value before MCP wraps it; `None` for a function without a
    /// value or without a known schema.
    pub fn output_schema(&self) -> Option<&Value> {
        match &self.output {
            OutputShape::Value(Some(schema)) => Some(schema.published()),
            OutputShape::Value(None) | OutputShape::Nothing | OutputShape::Content => None,
        }
    }

    /// The scope that an API key or an access token must hold.
    pub fn scope(&self) -> &str {
        &self.scope
    }

    /// MCP's tool annotations.
    pub fn annotations(&self) -> ToolAnnotations {
        self.annotations
    }

    /// The `_meta` of its entry in MCP's lists.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Whether the function is an MCP tool.
    pub fn is_tool(&self) -> bool {
        self.mcp
    }

    /// Whether the function only reads: a query, or an action with `changes = false`.
    pub fn is_read_only(&self) -> bool {
        self.annotations.read_only
    }

    /// A problem of this function.
    pub(crate) fn diagnostic(&self, code: Code, message: impl fmt::Display) -> Diagnostic {
        Diagnostic::new(code, format!("`{}`: {message}", self.name), self.location)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("access", &self.access)
            .finish_non_exhaustive()
    }
}

/// The shape of a function's output.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum OutputShape {
    /// The function returns nothing.
    Nothing,
    /// The function returns content, which no schema describes.
    Content,
    /// The function returns a value; `None` where its schema is unknown.
    Value(Option<OutputSchema>),
}

impl TryFrom<&'static Declaration> for Function {
    type Error = Diagnostics;

    fn try_from(declaration: &'static Declaration) -> Result<Self, Diagnostics> {
        Draft::from(declaration).check()
    }
}

/// A function before it is checked.
pub(super) struct Draft {
    pub(super) name: Cow<'static, str>,
    /// The rules that the name follows; `None` for a name that no MCP client calls.
    pub(super) name_rules: Option<names::Origin>,
    pub(super) title: Option<Cow<'static, str>>,
    pub(super) about: Cow<'static, str>,
    pub(super) kind: Kind,
    pub(super) access: Access,
    pub(super) location: Option<Location>,
    pub(super) input: InputSource,
    pub(super) output: OutputSource,
    pub(super) structured: bool,
    pub(super) scope: Option<Cow<'static, str>>,
    pub(super) effects: Effects,
    pub(super) icons: Vec<Icon>,
    pub(super) meta: Option<Value>,
    pub(super) mcp: bool,
    pub(super) api: bool,
    pub(super) retry: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) limit: Option<(u32, Duration)>,
    pub(super) needs: Vec<Cow<'static, str>>,
    pub(super) on: Option<Cow<'static, str>>,
    pub(super) primitive: Primitive,
    pub(super) completes: &'static [Complete],
    pub(super) states: Vec<StateRequirement>,
    pub(super) handler: Arc<dyn Handler>,
}

/// Where an input schema comes from.
pub(super) enum InputSource {
    /// From Rust types.
    Types(Input),
    /// From a JSON Schema.
    Schema(Value),
}

/// Where an output schema comes from.
pub(super) enum OutputSource {
    /// From a Rust type.
    Type(OutputDeclaration),
    /// From a JSON Schema.
    Schema(Value),
}

impl From<&'static Declaration> for Draft {
    fn from(declaration: &'static Declaration) -> Self {
        let name_rules = declaration.mcp.then_some(match declaration.explicit_name {
            true => names::Origin::Explicit,
            false => names::Origin::Identifier,
        });
        Draft {
            name: declaration.name.into(),
            name_rules,
            title: declaration.title.map(Cow::from),
            about: declaration.about.into(),
            kind: declaration.kind,
            access: declaration.access.into(),
            location: Some(declaration.location),
            input: InputSource::Types(declaration.input),
            output: OutputSource::Type(declaration.output),
            structured: declaration.structured,
            scope: declaration.scope.map(Cow::from),
            effects: Effects {
                needs_approval: declaration.needs_approval,
                additive: declaration.additive,
                read_only: declaration.read_only,
                sends: declaration.sends,
                idempotent: declaration.idempotent,
            },
            icons: declaration.icons.map(|icons| icons()).unwrap_or_default(),
            meta: declaration.meta.map(|meta| meta()),
            mcp: declaration.mcp,
            api: declaration.api,
            retry: declaration.retry,
            timeout: declaration.timeout,
            limit: declaration.limit,
            needs: declaration.needs.iter().copied().map(Cow::from).collect(),
            on: declaration.on.map(Cow::from),
            primitive: declaration.primitive,
            completes: declaration.completions,
            states: declaration
                .states
                .iter()
                .filter_map(|state| state())
                .collect(),
            handler: Arc::new(DeclaredHandler {
                body: declaration.body,
                blocking: declaration.blocking,
            }),
        }
    }
}

impl Draft {
    /// Applies the rules that hold for every function, however it is made, and makes its schemas.
    ///
    /// # Errors
    /// Every problem: T1009, T1014 and T1015 for the name of a tool; T7033 for `_meta`; T7034 for icons; T7007, T7012,
    /// T7016 and T7017 for the schemas.
    pub(super) fn check(self) -> Result<Function, Diagnostics> {
        let mut problems = Vec::new();
        let mut add = |code, message: String| {
            let message = format!("`{}`: {message}", self.name);
            problems.push(Diagnostic::new(code, message, self.location));
        };
        for problem in self
            .name_rules
            .iter()
            .flat_map(|&rules| names::problems(&self.name, rules))
        {
            add(
                problem.code(),
                "the name is not valid for a tool".to_owned(),
            );
        }
        for icon in &self.icons {
            if let Some(problem) = icon.problem() {
                add(
                    codes::INVALID_ICON,
                    format!("the icon {:?} {problem}", icon.abridged_src()),
                );
            }
        }
        let meta = self
            .meta
            .map_or_else(|| Ok(Meta::default()), Meta::from_declared);
        let meta = meta.unwrap_or_else(|wrong| {
            wrong
                .into_iter()
                .for_each(|what| add(codes::INVALID_META, what));
            Meta::default()
        });
        let parameters = match &self.input {
            InputSource::Types(Input::Fields(fields)) => {
                fields.iter().map(|field| field.name).collect()
            }
            _ => Vec::new(),
        };
        let input = match self.input {
            InputSource::Types(Input::Fields(fields)) => InputSchema::from_fields(fields),
            InputSource::Types(Input::Whole(schema)) => InputSchema::from_type(schema),
            InputSource::Types(Input::Custom(schema)) => InputSchema::from_declared(schema()),
            InputSource::Schema(schema) => InputSchema::from_declared(schema),
        };
        let input = input.map_err(|found| {
            found
                .into_iter()
                .for_each(|problem| add(problem.code, problem.message));
        });
        let mut output = match self.output {
            OutputSource::Type(OutputDeclaration::Nothing) => OutputShape::Nothing,
            OutputSource::Type(OutputDeclaration::Content) => OutputShape::Content,
            OutputSource::Type(OutputDeclaration::Value(schema)) => {
                OutputShape::Value(OutputSchema::from_type(schema))
            }
            OutputSource::Schema(schema) => match OutputSchema::from_declared(schema) {
                Ok(schema) => OutputShape::Value(Some(schema)),
                Err(problem) => {
                    add(problem.code, problem.message);
                    OutputShape::Value(None)
                }
            },
        };
        if let OutputShape::Value(Some(schema)) = &mut output {
            for problem in schema.take_problems() {
                add(problem.code, problem.message);
            }
        }
        let (Ok(input), true) = (input, problems.is_empty()) else {
            return Err(Diagnostics(problems));
        };
        let annotations = ToolAnnotations::derive(self.kind, self.effects);
        let scope = if annotations.read_only {
            "read"
        } else {
            "write"
        };
        let title = self
            .title
            .map_or_else(|| names::title(&self.name), Cow::into_owned);
        Ok(Function {
            title,
            name: self.name.into_owned(),
            about: self.about.trim().to_owned(),
            kind: self.kind,
            access: self.access,
            location: self.location,
            input,
            parameters,
            output,
            structured: self.structured,
            scope: self.scope.unwrap_or(scope.into()),
            annotations,
            icons: self.icons,
            meta,
            mcp: self.mcp,
            api: self.api,
            needs_approval: self.effects.needs_approval,
            retry: self.retry,
            timeout: self.timeout,
            limit: self.limit,
            needs: self.needs,
            on: self.on,
            primitive: self.primitive,
            completes: self.completes,
            states: self.states,
            handler: self.handler,
            last_output: Arc::default(),
        })
    }
}
