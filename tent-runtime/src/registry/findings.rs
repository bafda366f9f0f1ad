//! [`Finding`]: what `check` says of functions, problems and warnings, and the rules that take more than one
//! function to see. Judges no schema; that is done where one is made.

use std::collections::BTreeMap;
use std::fmt;

use tent_core::{codes, names};

use super::Function;
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

/// What known clients cut, refuse or misread, though the standard allows it.
pub(super) fn warnings(functions: &[Function]) -> Vec<Finding> {
    let tools = || functions.iter().filter(|f| f.declaration.mcp);
    let mut warnings: Vec<_> = tools().flat_map(name_and_text_warnings).collect();
    warnings.extend(functions.iter().filter_map(not_kept_yet));
    let many = tools().count();
    if many > WELL_TAKEN {
        warnings.push(Finding {
            code: "T7004",
            message: format!("{many} tools are offered; above {WELL_TAKEN} models choose worse, and some clients cut the list at 40 or 128"),
            locations: Vec::new(),
        });
    }
    warnings
}

/// How many tools a client and its model take without harm.
const WELL_TAKEN: usize = 20;

/// The most characters of a description that known clients keep.
const LONGEST_ABOUT: usize = 2_000;

fn name_and_text_warnings(function: &Function) -> Vec<Finding> {
    let name = &function.name;
    let mut found = Vec::new();
    let mut warn = |code, message| {
        found.push(Finding {
            code,
            message,
            locations: vec![function.declaration.location],
        });
    };
    let characters = name.chars().count();
    if characters > names::SAFE_CHARACTERS {
        warn(
            "T1014",
            format!(
                "`{name}` has {characters} characters; clients that put the server's name in front cut a name over {}",
                names::SAFE_CHARACTERS
            ),
        );
    }
    if name.contains("__") {
        warn(
            "T1015",
            format!(
                "`{name}` holds `__`, at which some clients split the server's name from the tool's"
            ),
        );
    }
    if name.contains('.') {
        warn(
            "T1015",
            format!("`{name}` holds a dot, which some model interfaces refuse"),
        );
    }
    let about = function.about.chars().count();
    if about > LONGEST_ABOUT {
        warn(
            "T7009",
            format!(
                "The about of `{name}` has {about} characters; clients cut it at {LONGEST_ABOUT}"
            ),
        );
    }
    found
}

/// What a declaration promises and no part of the door keeps yet. What fails closed is not among it: a
/// function that asks a person refuses every call, and one that answers a method is at no door.
fn not_kept_yet(function: &Function) -> Option<Finding> {
    let declaration = function.declaration;
    let promised = [
        ("limit", declaration.limit.is_some()),
        ("retry", declaration.retry),
        ("needs", !declaration.needs.is_empty()),
    ];
    let promised: Vec<_> = promised
        .iter()
        .filter(|(_, stated)| *stated)
        .map(|(option, _)| *option)
        .collect();
    (!promised.is_empty()).then(|| Finding {
        code: "T7022",
        message: format!("`{}` states {}", function.name, promised.join(" and ")),
        locations: vec![declaration.location],
    })
}

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
