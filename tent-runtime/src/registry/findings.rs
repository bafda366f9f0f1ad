//! [`Finding`]: what `check` reports, problems and warnings alike, and the one rule for functions that takes
//! more than one of them to see. Judges no schema; that is done where one is made.

use std::collections::BTreeMap;
use std::fmt;

use tent_core::{codes, names};

use crate::function::{Declaration, Location};

/// Something that `check` reports: a problem keeps the app from starting, a warning does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The code of its kind.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Every place that it concerns.
    pub locations: Vec<Location>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fix) = codes::find(self.code).map_or(("", ""), |e| (e.name, e.fix));
        write!(f, "{} {name}: {}\n  help: {fix}", self.code, self.message)?;
        for location in &self.locations {
            write!(f, "\n  at {location}")?;
        }
        Ok(())
    }
}

/// Everything that keeps an app from starting, at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Finding>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, finding) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{finding}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// T1001 for each name that more than one declaration has, case and punctuation folded away.
pub(super) fn names_taken(declarations: &[&'static Declaration]) -> Vec<Finding> {
    let mut taken: BTreeMap<String, Vec<&Declaration>> = BTreeMap::new();
    for declaration in declarations {
        taken
            .entry(names::folded(declaration.name))
            .or_default()
            .push(declaration);
    }
    let finding = |same: Vec<&Declaration>| {
        let mut spelled: Vec<_> = same.iter().map(|d| format!("`{}`", d.name)).collect();
        spelled.sort();
        spelled.dedup();
        let mut locations: Vec<_> = same.iter().map(|d| d.location).collect();
        locations.sort_by_key(|l| (l.file, l.line));
        Finding {
            code: "T1001",
            message: match spelled.as_slice() {
                [one] => format!("{} functions are named {one}", same.len()),
                _ => format!(
                    "{} differ in case and punctuation alone",
                    spelled.join(" and ")
                ),
            },
            locations,
        }
    };
    taken
        .into_values()
        .filter(|same| same.len() > 1)
        .map(finding)
        .collect()
}
