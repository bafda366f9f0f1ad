//! What functions take of the app, compared with what it was handed.
//!
//! Reads declarations alone, so that it can tell of those that have something else wrong with them too.

use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};

use super::Diagnostic;
use crate::function::Declaration;

/// T7011 for each state that a function takes and that is not among `handed`.
pub(super) fn missing(
    declarations: &[&'static Declaration],
    handed: &HashSet<TypeId>,
) -> Vec<Diagnostic> {
    let mut missing: BTreeMap<&'static str, Vec<&Declaration>> = BTreeMap::new();
    for declaration in declarations {
        for need in declaration.states.iter().filter_map(|state| state()) {
            if !handed.contains(&need.id) {
                missing.entry(need.name).or_default().push(declaration);
            }
        }
    }
    missing.into_iter().map(finding).collect()
}

fn finding((state, mut takers): (&'static str, Vec<&Declaration>)) -> Diagnostic {
    takers.sort_by_key(|d| (d.name, d.location.file, d.location.line));
    let mut named: Vec<_> = takers.iter().map(|d| format!("`{}`", d.name)).collect();
    // Two of one name are another problem, and one word here.
    named.dedup();
    Diagnostic {
        code: "T7011",
        message: format!(
            "The app was handed no {state}, which {} {}",
            named.join(", "),
            if takers.len() == 1 { "takes" } else { "take" },
        ),
        locations: takers.iter().map(|d| d.location).collect(),
    }
}
