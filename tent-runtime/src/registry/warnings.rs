//! The warnings of `check`: declarations that the standard allows, and that known clients and models handle badly. A
//! warning does not keep the app from starting.

use tent_core::codes;
use tent_core::names;

use super::{Diagnostic, Registry};
use crate::function::{Function, Location, OutputShape, Primitive};

/// The number of tools that clients and models handle well.
const MANY_TOOLS: usize = 20;

/// The most characters of a description, and of the instructions of an app, that known clients show.
const MAX_TEXT: usize = 2_000;

impl Registry {
    /// The warnings for this registry.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        for tool in self.tools() {
            warnings.extend(name(tool));
            warnings.extend(wide_integers(tool));
        }
        warnings.extend(self.all().filter_map(|function| about(function)));
        warnings.extend(self.all().filter_map(|function| not_enforced(function)));
        warnings.extend(self.all().flat_map(|function| insecure_icons(function)));
        let many = self.tools().count();
        if many > MANY_TOOLS {
            let message = format!(
                "{many} tools are offered; above {MANY_TOOLS} models choose worse, and some clients cut the list at 40 or 128"
            );
            warnings.push(Diagnostic::new(codes::TOO_MANY_TOOLS, message, []));
        }
        warnings
    }
}

/// T7024 for a text with more characters than clients show. `text` begins a sentence, and names what `content` is.
pub(crate) fn too_long(
    text: &str,
    content: &str,
    location: Option<Location>,
) -> Option<Diagnostic> {
    let characters = content.chars().count();
    let message = format!("{text} has {characters} characters; clients cut it at {MAX_TEXT}");
    (characters > MAX_TEXT).then(|| Diagnostic::new(codes::DESCRIPTION_TOO_LONG, message, location))
}

/// T7024 for a function that MCP lists with a long description.
fn about(function: &Function) -> Option<Diagnostic> {
    let listed = function.mcp || !matches!(function.primitive, Primitive::Function);
    let text = format!("The about of `{}`", function.name);
    listed
        .then(|| too_long(&text, &function.about, function.location))
        .flatten()
}

fn name(function: &Function) -> Vec<Diagnostic> {
    let name = &function.name;
    let mut found = Vec::new();
    let mut warn = |code, message: String| {
        found.push(Diagnostic::new(code, message, function.location));
    };
    let characters = name.chars().count();
    if characters > names::SAFE_CHARACTERS {
        warn(
            codes::NAME_TOO_LONG,
            format!(
                "`{name}` has {characters} characters; clients that put the server's name in front cut a name over {}",
                names::SAFE_CHARACTERS
            ),
        );
    }
    if name.contains("__") {
        warn(
            codes::INVALID_NAME,
            format!(
                "`{name}` holds `__`, at which some clients split the server's name from the tool's: write one `_`"
            ),
        );
    }
    if name.contains('.') {
        warn(
            codes::INVALID_NAME,
            format!("`{name}` holds a dot, which some model interfaces refuse"),
        );
    }
    found
}

/// T7023 for a tool with integers of more than 64 bits.
fn wide_integers(function: &Function) -> Option<Diagnostic> {
    let mut places: Vec<_> = function.input.huge_integers();
    for place in &mut places {
        *place = format!("the field `{place}`");
    }
    if let OutputShape::Value(Some(output)) = &function.output
        && output.has_huge_integers()
    {
        places.push("its output".to_owned());
    }
    let message = format_args!("has integers of more than 64 bits: {}", places.join(", "));
    let message = format!("`{}` {message}", function.name);
    (!places.is_empty()).then(|| Diagnostic::new(codes::WIDE_INTEGER, message, function.location))
}

/// T7034 for each icon with an address that is not encrypted.
fn insecure_icons(function: &Function) -> Vec<Diagnostic> {
    let insecure = function.icons.iter().filter(|icon| !icon.is_fetched());
    let diagnostic = |src: &str| {
        let message = format_args!("the icon {src:?} does not use https: clients do not fetch it");
        function.diagnostic(codes::INVALID_ICON, message)
    };
    insecure
        .map(|icon| diagnostic(&icon.abridged_src()))
        .collect()
}

/// T7022 for options that no step of `dispatch` enforces yet. Options that fail closed are not among them: a function
/// that asks a person rejects every call.
fn not_enforced(function: &Function) -> Option<Diagnostic> {
    let options = [
        ("limit", function.limit.is_some()),
        ("retry", function.retry),
    ];
    let declared = options.iter().filter(|(_, declared)| *declared);
    let declared: Vec<_> = declared.map(|(option, _)| *option).collect();
    let message = format!("`{}` sets {}", function.name, declared.join(" and "));
    (!declared.is_empty()).then(|| Diagnostic::new(codes::NOT_ENFORCED, message, function.location))
}
