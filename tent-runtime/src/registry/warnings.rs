//! What `check` warns of: what the standard allows, and known clients and models take badly. Keeps no app from
//! starting.

use tent_core::names;

use super::{Diagnostic, Function, OutputShape, Registry};
use crate::function::Icon;

/// How many tools a client and its model take without harm.
const WELL_TAKEN: usize = 20;

/// The most characters of a description that known clients keep.
const LONGEST_ABOUT: usize = 2_000;

impl Registry {
    /// What known clients cut, refuse or misread, though the standard allows it.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let of_one = |tool| {
            let mut found = name_and_text_warnings(tool);
            found.extend(huge_integers(tool));
            found
        };
        let mut warnings: Vec<_> = self.tools().flat_map(of_one).collect();
        warnings.extend(self.all().filter_map(not_kept_yet));
        warnings.extend(self.all().flat_map(unfetched_icons));
        let many = self.tools().count();
        if many > WELL_TAKEN {
            warnings.push(Diagnostic {
                code: "T7004",
                message: format!("{many} tools are offered; above {WELL_TAKEN} models choose worse, and some clients cut the list at 40 or 128"),
                locations: Vec::new(),
            });
        }
        warnings
    }
}

fn name_and_text_warnings(function: &Function) -> Vec<Diagnostic> {
    let name = &function.name;
    let mut found = Vec::new();
    let mut warn = |code, message| {
        found.push(Diagnostic {
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
                "`{name}` holds `__`, at which some clients split the server's name from the tool's: write one `_`"
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
            "T7024",
            format!(
                "The about of `{name}` has {about} characters; clients cut it at {LONGEST_ABOUT}"
            ),
        );
    }
    found
}

/// T7023 for a tool with integers of more than 64 bits.
fn huge_integers(function: &Function) -> Option<Diagnostic> {
    let mut places: Vec<_> = function.input.huge_integers();
    for place in &mut places {
        *place = format!("the field `{place}`");
    }
    if let OutputShape::Value(Some(output)) = &function.output
        && output.has_huge_integers()
    {
        places.push("what it gives".to_owned());
    }
    (!places.is_empty()).then(|| Diagnostic {
        code: "T7023",
        message: format!(
            "`{}` has integers of more than 64 bits: {}",
            function.name,
            places.join(", ")
        ),
        locations: vec![function.declaration.location],
    })
}

/// T7034 for an icon that is not encrypted on its way.
fn unfetched_icons(function: &Function) -> Vec<Diagnostic> {
    let unfetched = function.icons.iter().filter(|icon| !icon.is_fetched());
    let finding = |icon: &Icon| Diagnostic {
        code: "T7034",
        message: format!(
            "`{}`: the icon {:?} is not over https:, and clients fetch no other",
            function.name,
            icon.shown()
        ),
        locations: vec![function.declaration.location],
    };
    unfetched.map(finding).collect()
}

/// What a declaration promises and no part of the door keeps yet. What fails closed is not among it: a
/// function that asks a person refuses every call.
fn not_kept_yet(function: &Function) -> Option<Diagnostic> {
    let declaration = function.declaration;
    let promised = [
        ("limit", declaration.limit.is_some()),
        ("retry", declaration.retry),
    ];
    let promised: Vec<_> = promised
        .iter()
        .filter(|(_, stated)| *stated)
        .map(|(option, _)| *option)
        .collect();
    (!promised.is_empty()).then(|| Diagnostic {
        code: "T7022",
        message: format!("`{}` states {}", function.name, promised.join(" and ")),
        locations: vec![declaration.location],
    })
}
