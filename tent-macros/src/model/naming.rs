//! The rules for the name and the description of a declaration. Part of `model`.

use syn::ext::IdentExt as _;
use tent_core::names::{self, Origin, Problem};

use super::{Declared, Kind};
use crate::diagnostic::Diagnostics;
use crate::docs::{self, Docs};
use crate::syntax::Function;
use tent_core::codes;

/// The description: `about`, or else the doc comment. MCP requires one (T7009).
pub(super) fn about(
    kind: Kind,
    function: &Function,
    declared: &Declared,
    diagnostics: &mut Diagnostics,
) -> Docs {
    let (about, span) = match &declared.common.about {
        Some(about) => (Docs::Text(about.value.trim().to_owned()), about.span),
        None => (docs::docs(&function.attributes), function.name.span()),
    };
    let empty = matches!(&about, Docs::Text(text) if text.is_empty());
    if empty && (declared.offers_mcp() || !kind.is_function()) {
        let name = &function.name;
        let problem = match kind {
            Kind::Resource => format!("the resource `{name}` has no description"),
            Kind::Prompt => format!("the prompt `{name}` has no description"),
            _ => format!("`{name}` is offered to MCP but has no description"),
        };
        diagnostics.add_from_catalogue(codes::MISSING_DESCRIPTION, span, &problem);
    }
    about
}

/// The rules for the name of a tool or a prompt: T1009, T1014, T1015.
pub(super) fn check_name(
    kind: Kind,
    function: &Function,
    declared: &Declared,
    diagnostics: &mut Diagnostics,
) {
    let explicit = declared.common.name.as_ref();
    // Clients address a resource by its URI, so its name is free text.
    if kind == Kind::Resource {
        if let Some(name) = explicit.filter(|name| name.value.trim().is_empty()) {
            diagnostics.add_from_catalogue(codes::INVALID_NAME, name.span, "the name is empty");
        }
        return;
    }
    let own = function.name.unraw().to_string();
    let (name, origin, span) = match explicit {
        Some(name) => (name.value.as_str(), Origin::Explicit, name.span),
        None if declared.offers_mcp() || kind == Kind::Prompt => {
            (own.as_str(), Origin::Identifier, function.name.span())
        }
        None => return,
    };
    for problem in names::problems(name, origin) {
        let text = match problem {
            // Only tools share their names with tent's own tools.
            Problem::Reserved if kind == Kind::Prompt => continue,
            Problem::TooLong { characters } => format!(
                "the name has {characters} characters; the maximum is {}",
                names::MAX_CHARACTERS
            ),
            Problem::Reserved => format!("`{name}` is the name of a tool of tent"),
            Problem::Characters { found: None } => "the name is empty".to_owned(),
            Problem::Characters { found: Some(c) } if c.is_ascii_digit() => {
                format!("the name {name:?} begins with a digit")
            }
            Problem::Characters { found: Some(c) } => {
                format!("the name {name:?} contains the character {c:?}")
            }
        };
        diagnostics.add_from_catalogue(problem.code(), span, &text);
    }
}
