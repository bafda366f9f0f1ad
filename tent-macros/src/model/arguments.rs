//! The rules for all inputs of a function together: names, headers, the whole input, and what goes with the kind.
//! Part of `model`.

use std::collections::{HashMap, HashSet};

use proc_macro2::Span;
use syn::Ident;

use super::Kind;
use super::parameters::{Argument, Parameter, Source};
use crate::diagnostic::Diagnostics;
use crate::syntax::{Function, attribute_name};
use tent_core::codes;

/// Checks the inputs of a function.
pub(super) fn check(
    kind: Kind,
    function: &Function,
    parameters: &[Parameter<'_>],
    diagnostics: &mut Diagnostics,
) {
    whole_input(kind, function, parameters, diagnostics);
    options_of_kind(kind, parameters, diagnostics);
    names(parameters, diagnostics);
    headers(parameters, diagnostics);
}

/// `#[input]` is the only input (T7010), and of a function (T7008).
fn whole_input(
    kind: Kind,
    function: &Function,
    parameters: &[Parameter<'_>],
    diagnostics: &mut Diagnostics,
) {
    let owned = || {
        parameters
            .iter()
            .filter(|one| !matches!(one.source, Source::App(_)))
    };
    let inputs = owned().count();
    let misplaced = inputs > 1 && owned().any(|one| matches!(one.source, Source::Input(_)));
    let attributes = function
        .parameters
        .iter()
        .flat_map(|parameter| parameter.named("input"));
    for attribute in attributes {
        let place = attribute_name(attribute);
        if misplaced {
            let problem = format!(
                "`#[input]` makes one parameter the whole input, and the function has {inputs} inputs"
            );
            diagnostics.add_from_catalogue(codes::WHOLE_INPUT, place, &problem);
        }
        if !kind.is_function() {
            let problem = format!(
                "`#[input]` on a {}: each argument is one parameter",
                kind.word()
            );
            diagnostics.add(
                codes::CONFLICTING_OPTIONS,
                place,
                &problem,
                "take each argument by value",
            );
        }
    }
}

/// A rule about an option of `#[arg]` that some kinds do not have (T7008).
struct Rule {
    when: fn(&Argument, Kind) -> Option<Span>,
    problem: &'static str,
    help: &'static str,
}

const RULES: &[Rule] = &[
    Rule {
        when: |argument, kind| {
            let complete = argument.options.complete.as_ref();
            complete.filter(|_| kind.is_function()).map(|one| one.span)
        },
        problem: "MCP completes only the arguments of prompts and resources",
        help: "remove `complete`",
    },
    Rule {
        when: |argument, kind| {
            let title = argument.options.title.as_ref();
            title.filter(|_| kind == Kind::Resource).map(|one| one.span)
        },
        problem: "MCP has no titles for the variables of a URI",
        help: "remove `title`",
    },
    Rule {
        when: |argument, kind| {
            let header = argument.options.header.as_ref();
            header.filter(|_| !kind.is_function()).map(|one| one.span)
        },
        problem: "MCP mirrors only the arguments of tools into headers",
        help: "remove `header`",
    },
];

fn options_of_kind(kind: Kind, parameters: &[Parameter<'_>], diagnostics: &mut Diagnostics) {
    for argument in parameters.iter().filter_map(Parameter::argument) {
        for rule in RULES {
            if let Some(span) = (rule.when)(argument, kind) {
                diagnostics.add(codes::CONFLICTING_OPTIONS, span, rule.problem, rule.help);
            }
        }
    }
}

/// No two fields have the same name (T7016), unless `cfg` may select one of them.
fn names(parameters: &[Parameter<'_>], diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<&str, &Parameter<'_>> = HashMap::new();
    for parameter in parameters {
        let Some(argument) = parameter.argument() else {
            continue;
        };
        match seen.insert(&argument.name, parameter) {
            Some(before) if before.cfgs.is_empty() || parameter.cfgs.is_empty() => {
                let span = parameter.name.map_or_else(Span::call_site, Ident::span);
                let problem = format!("two fields have the name {:?}", argument.name);
                let help = "rename one of them with `#[arg(rename = \"…\")]`";
                diagnostics.add(codes::INVALID_FIELD_NAME, span, &problem, help);
            }
            _ => {}
        }
    }
}

/// Header names differ, ignoring case (T7007), and no secret is mirrored (T7008): headers are logged on the way.
fn headers(parameters: &[Parameter<'_>], diagnostics: &mut Diagnostics) {
    let mut seen = HashSet::new();
    for argument in parameters.iter().filter_map(Parameter::argument) {
        let Some(header) = &argument.options.header else {
            continue;
        };
        let name = &header.value.0;
        if !seen.insert(name.to_ascii_lowercase()) {
            let problem = format!("two fields are mirrored into the header {name:?}");
            diagnostics.add_from_catalogue(codes::INVALID_HEADER, header.span, &problem);
        }
        let secret = argument.options.secret.as_ref();
        if secret.is_some_and(|secret| secret.value) {
            let problem = "a secret in a header is visible to every proxy that reads headers";
            diagnostics.add(
                codes::CONFLICTING_OPTIONS,
                header.span,
                problem,
                "remove `header`",
            );
        }
    }
}
