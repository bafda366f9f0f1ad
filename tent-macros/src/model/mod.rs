//! The rules of a declaration: turns what the author wrote into a checked [`Model`], or reports every problem,
//! each at its place. Contains all rules about what goes together, and generates no code.

mod arguments;
mod clashes;
mod naming;
mod parameters;
mod rules;
mod signature;
mod uri;

pub(crate) use parameters::{Argument, Parameter, Source};
pub(crate) use rules::{Literal, check_pattern, compare, literal};
pub(crate) use signature::is_kind;

use proc_macro2::{Span, TokenStream};
use syn::ext::IdentExt as _;

use crate::diagnostic::Diagnostics;
use crate::docs::Docs;
use crate::options::tables::{CommonOptions, FunctionOptions, PromptOptions, ResourceOptions};
use crate::options::{self, Access, Options};
use crate::syntax::Function;
use tent_core::codes;

/// The attribute on the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Change,
    Action,
    Resource,
    Prompt,
}

impl Kind {
    /// The name of the attribute.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Change => "change",
            Kind::Action => "action",
            Kind::Resource => "resource",
            Kind::Prompt => "prompt",
        }
    }

    /// The attribute as written.
    pub(crate) fn attribute(self) -> String {
        format!("#[{}]", self.word())
    }

    /// Whether callers call it, rather than read a resource or get a prompt.
    pub(crate) fn is_function(self) -> bool {
        matches!(self, Kind::Query | Kind::Change | Kind::Action)
    }
}

/// The options of the attribute. Options that the kind does not have are absent.
#[derive(Default)]
pub(crate) struct Declared {
    pub(crate) common: CommonOptions,
    pub(crate) function: FunctionOptions,
    pub(crate) resource: ResourceOptions,
}

impl Declared {
    /// Whether the function is offered to MCP as a tool.
    pub(crate) fn offers_mcp(&self) -> bool {
        let offer = self.function.offer.as_ref();
        offer.is_some_and(|offer| offer.value.mcp)
    }
}

/// Which required options the author wrote, perhaps with an invalid value.
struct Attempted {
    access: bool,
    uri: bool,
}

/// A declaration without problems that a macro can find.
pub(crate) struct Model<'a> {
    pub(crate) kind: Kind,
    pub(crate) function: &'a Function,
    /// The path of tent's private module.
    pub(crate) private: TokenStream,
    pub(crate) access: Access,
    pub(crate) parameters: Vec<Parameter<'a>>,
    pub(crate) about: Docs,
    pub(crate) declared: Declared,
}

/// What could be made of a declaration.
pub(crate) enum Checked<'a> {
    /// It is valid.
    Valid(Box<Model<'a>>),
    /// It has problems, which are in the diagnostics. The path is that of tent's private module.
    Invalid(TokenStream),
}

/// Checks a declaration, and adds every problem to `diagnostics`.
pub(crate) fn check<'a>(
    kind: Kind,
    options: TokenStream,
    function: &'a Function,
    diagnostics: &mut Diagnostics,
) -> Checked<'a> {
    let (declared, attempted) = read(kind, options, diagnostics);
    if !attempted.access {
        let problem = format!(
            "`{}` does not declare who may call it: `access` is missing",
            function.name
        );
        diagnostics.add_from_catalogue(codes::MISSING_ACCESS, Span::call_site(), &problem);
    }
    signature::check(function, diagnostics);
    let parameters = parameters::check(kind, function, diagnostics);
    clashes::check(kind, function, &declared, diagnostics);
    naming::check_name(kind, function, &declared, diagnostics);
    if kind == Kind::Resource {
        let uri = declared.resource.uri.as_ref();
        uri::check(function, uri, attempted.uri, &parameters, diagnostics);
    }
    let about = naming::about(kind, function, &declared, diagnostics);
    let private = options::private_path(declared.common.krate.as_ref());
    match &declared.common.access {
        Some(access) if diagnostics.is_empty() => Checked::Valid(Box::new(Model {
            kind,
            function,
            private,
            access: access.value.clone(),
            parameters,
            about,
            declared,
        })),
        _ => Checked::Invalid(private),
    }
}

/// Checks the options of an attribute on an item that is not a function.
pub(crate) fn check_options(kind: Kind, options: TokenStream, diagnostics: &mut Diagnostics) {
    let _ = read(kind, options, diagnostics);
}

/// Reads the table of the attribute.
fn read(kind: Kind, options: TokenStream, diagnostics: &mut Diagnostics) -> (Declared, Attempted) {
    fn attempted<T>(options: &Options<T>) -> Attempted {
        Attempted {
            access: options.attempts("access"),
            uri: options.attempts("uri"),
        }
    }
    let attribute = format!("`{}`", kind.attribute());
    let mut declared = Declared::default();
    let attempted = match kind {
        Kind::Query | Kind::Change | Kind::Action => {
            let options = options::read(&attribute, options, diagnostics);
            let attempted = attempted(&options);
            declared.function = options.table;
            declared.common = std::mem::take(&mut declared.function.common);
            attempted
        }
        Kind::Resource => {
            let options = options::read(&attribute, options, diagnostics);
            let attempted = attempted(&options);
            declared.resource = options.table;
            declared.common = std::mem::take(&mut declared.resource.common);
            attempted
        }
        Kind::Prompt => {
            let options = options::read::<PromptOptions>(&attribute, options, diagnostics);
            let attempted = attempted(&options);
            declared.common = options.table.common;
            attempted
        }
    };
    (declared, attempted)
}

impl Model<'_> {
    /// The name of the function in Rust, without `r#`.
    pub(crate) fn own_name(&self) -> String {
        self.function.name.unraw().to_string()
    }
}
