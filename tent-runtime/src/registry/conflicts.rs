//! The rules that concern several functions of one app: names and methods that are taken (T1001), and states that are
//! missing (T7011).
//!
//! Reads an [`Outline`] of each function, so that a function with another problem takes part too.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use tent_core::codes;
use tent_core::names;

use super::Diagnostic;
use crate::function::{Declaration, Function, Location, Primitive, StateRequirement};

/// What these rules read of a function.
pub(super) struct Outline<'a> {
    name: &'a str,
    location: Option<Location>,
    primitive: Primitive,
    /// The MCP method that it answers.
    on: Option<&'a str>,
    completes: bool,
    states: Vec<StateRequirement>,
}

impl From<&'static Declaration> for Outline<'_> {
    fn from(declaration: &'static Declaration) -> Self {
        Outline {
            name: declaration.name,
            location: Some(declaration.location),
            primitive: declaration.primitive,
            on: declaration.on,
            completes: !declaration.completions.is_empty(),
            states: declaration
                .states
                .iter()
                .filter_map(|state| state())
                .collect(),
        }
    }
}

impl<'a> From<&'a Function> for Outline<'a> {
    fn from(function: &'a Function) -> Self {
        Outline {
            name: &function.name,
            location: function.location,
            primitive: function.primitive,
            on: function.on.as_deref(),
            completes: !function.completes.is_empty(),
            states: function.states.clone(),
        }
    }
}

/// Every problem of these functions together. `states` are the types of the states that the app has.
pub(super) fn conflicts(
    outlines: &[Outline<'_>],
    states: Option<&HashSet<TypeId>>,
) -> Vec<Diagnostic> {
    let mut found = name_conflicts(outlines);
    found.extend(method_conflicts(outlines));
    if let Some(states) = states {
        found.extend(missing_states(outlines, states));
    }
    found
}

/// The locations of these, sorted.
fn locations(of: &[&Outline<'_>]) -> Vec<Location> {
    let mut locations: Vec<_> = of.iter().filter_map(|one| one.location).collect();
    locations.sort_by_key(|location| (location.file, location.line));
    locations
}

/// T1001 for each name that more than one function, resource or prompt has. Names that differ in case and punctuation
/// alone are the same name.
fn name_conflicts(outlines: &[Outline<'_>]) -> Vec<Diagnostic> {
    type Of = fn(&Primitive) -> bool;
    let kinds: [(&str, Of); 3] = [
        ("functions", |one| matches!(one, Primitive::Function)),
        ("resources", |one| matches!(one, Primitive::Resource(_))),
        ("prompts", |one| matches!(one, Primitive::Prompt)),
    ];
    let mut found = Vec::new();
    for (kind, of) in kinds {
        let mut taken: BTreeMap<String, Vec<&Outline<'_>>> = BTreeMap::new();
        for outline in outlines.iter().filter(|one| of(&one.primitive)) {
            let same = taken.entry(names::folded(outline.name)).or_default();
            same.push(outline);
        }
        for same in taken.into_values().filter(|same| same.len() > 1) {
            let mut spelled: Vec<_> = same.iter().map(|one| format!("`{}`", one.name)).collect();
            spelled.sort();
            spelled.dedup();
            let message = match spelled.as_slice() {
                [one] => format!("{} {kind} are named {one}", same.len()),
                _ => format!(
                    "{} differ in case and punctuation alone",
                    spelled.join(" and ")
                ),
            };
            found.push(Diagnostic::new(
                codes::DUPLICATE_NAME,
                message,
                locations(&same),
            ));
        }
    }
    found
}

/// The methods that tent answers from resources, prompts and completions.
const BY_RESOURCES: [&str; 5] = [
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
];
const BY_PROMPTS: [&str; 2] = ["prompts/get", "prompts/list"];
const BY_COMPLETIONS: [&str; 1] = ["completion/complete"];

/// T1001 for each MCP method that more than one function answers, or that a function answers beside tent.
fn method_conflicts(outlines: &[Outline<'_>]) -> Vec<Diagnostic> {
    let mut answers: BTreeMap<&str, Vec<&Outline<'_>>> = BTreeMap::new();
    for outline in outlines {
        if let Some(method) = outline.on {
            answers.entry(method).or_default().push(outline);
        }
    }
    for (method, answers) in &mut answers {
        // One of the resources or prompts from which tent answers the method, for its location.
        let other = outlines.iter().find(|one| match one.primitive {
            Primitive::Resource(_) if BY_RESOURCES.contains(method) => true,
            Primitive::Prompt if BY_PROMPTS.contains(method) => true,
            _ => BY_COMPLETIONS.contains(method) && one.completes,
        });
        answers.extend(other);
    }
    let several = answers.into_iter().filter(|(_, same)| same.len() > 1);
    let diagnostic = |(method, same): (&str, Vec<&Outline<'_>>)| {
        let named: Vec<_> = same.iter().map(|one| format!("`{}`", one.name)).collect();
        let message = format!("{} both answer {method}", named.join(" and "));
        let locations = same.iter().filter_map(|one| one.location);
        Diagnostic::new(codes::DUPLICATE_NAME, message, locations)
    };
    several.map(diagnostic).collect()
}

/// T7011 for each state that a function takes and that is not among `provided`.
fn missing_states(outlines: &[Outline<'_>], provided: &HashSet<TypeId>) -> Vec<Diagnostic> {
    let mut missing: BTreeMap<&'static str, Vec<&Outline<'_>>> = BTreeMap::new();
    for outline in outlines {
        for state in outline
            .states
            .iter()
            .filter(|state| !provided.contains(&state.id))
        {
            missing.entry(state.name).or_default().push(outline);
        }
    }
    let diagnostic = |(state, mut takers): (&'static str, Vec<&Outline<'_>>)| {
        takers.sort_by_key(|one| (one.name, one.location.map(|at| (at.file, at.line))));
        let mut named: Vec<_> = takers.iter().map(|one| format!("`{}`", one.name)).collect();
        // Two of one name are another problem.
        named.dedup();
        let message = format!(
            "The app was handed no {state}, which {} {}",
            named.join(", "),
            if takers.len() == 1 { "takes" } else { "take" },
        );
        let locations = takers.iter().filter_map(|one| one.location);
        Diagnostic::new(codes::MISSING_STATE, message, locations)
    };
    missing.into_iter().map(diagnostic).collect()
}
