//! The rules: from what was written to a checked [`Model`], or to **all** that is wrong with it, each
//! at its word. The only module with rules about what goes together; writes no code.

mod parameters;
mod rules;
mod stated;
mod uri;

pub(crate) use parameters::{Field, Parameter, Taken};
pub(crate) use stated::Options;

use proc_macro2::TokenStream;
use syn::Path;
use syn::ext::IdentExt as _;
use tent_core::codes;

use crate::docs::Docs;
use crate::fault::{Faults, usual};
use crate::options;
use crate::syntax::Function;
use crate::values::{self, Access};

/// Which attribute stands on the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Change,
    Action,
    Resource,
    Prompt,
}

impl Kind {
    /// The attribute as it is written.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Query => "query",
            Kind::Change => "change",
            Kind::Action => "action",
            Kind::Resource => "resource",
            Kind::Prompt => "prompt",
        }
    }

    /// Whether it is called, rather than read or got.
    pub(crate) fn is_called(self) -> bool {
        matches!(self, Kind::Query | Kind::Change | Kind::Action)
    }
}

/// A declaration that nothing is wrong with, as far as a macro can know.
pub(crate) struct Model<'a> {
    pub(crate) kind: Kind,
    pub(crate) function: &'a Function,
    pub(crate) krate: Path,
    pub(crate) access: Access,
    pub(crate) parameters: Vec<Parameter<'a>>,
    pub(crate) about: Docs,
    pub(crate) stated: Options,
}

/// Checks a declaration.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn check(
    kind: Kind,
    options: TokenStream,
    function: &Function,
) -> syn::Result<Model<'_>> {
    let mut faults = Faults::default();
    let written = options::read(options, stated::known(kind), &mut faults);
    let mentions_access = written.iter().any(|one| one.name == "access");
    // A mistake in the form may have been the `access`: then nothing is said of its absence.
    let whole = faults.len() == 0;

    let mut options = Options::default();
    for one in &written {
        faults.handle(stated::take(one, &mut options));
    }
    if !mentions_access && whole {
        let what = format!(
            "#[{}] does not say who may call `{}`",
            kind.word(),
            function.name
        );
        faults.push(usual(codes::MISSING_ACCESS, values::here(), &what));
    }
    rules::signature(function, &mut faults);
    rules::twice(function, &mut faults);
    let parameters = parameters::parameters(kind, function, &mut faults);
    rules::clashes(kind, function, &options, &mut faults);
    rules::name(kind, function, &options, &mut faults);
    if kind == Kind::Resource {
        let mentioned = written.iter().any(|one| one.name == "uri");
        uri::check(
            function,
            &options,
            mentioned || !whole,
            &parameters,
            &mut faults,
        );
    }
    let about = rules::about(kind, function, &options, &mut faults);
    let krate = options
        .krate
        .clone()
        .unwrap_or_else(|| syn::parse_quote!(::tent));
    let access = options.access.as_ref().map(|access| access.value.clone());
    faults.finish_with(())?;
    match access {
        Some(access) => Ok(Model {
            kind,
            function,
            krate,
            access,
            parameters,
            about,
            stated: options,
        }),
        None => Err(usual(
            codes::MISSING_ACCESS,
            values::here(),
            "`access` is missing",
        )),
    }
}

impl Model<'_> {
    /// The function's own name, as it is on the wire.
    pub(crate) fn own_name(&self) -> String {
        self.function.name.unraw().to_string()
    }
}
