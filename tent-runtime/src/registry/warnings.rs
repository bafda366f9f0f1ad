//! What `check` warns of: what the standard allows, and known clients and models take badly. Keeps no app from
//! starting.

use tent_core::names;

use super::{Finding, Function, Registry, Shape};

/// How many tools a client and its model take without harm.
const WELL_TAKEN: usize = 20;

/// The most characters of a description that known clients keep.
const LONGEST_ABOUT: usize = 2_000;

impl Registry {
    /// What known clients cut, refuse or misread, though the standard allows it.
    pub fn warnings(&self) -> Vec<Finding> {
        let tools = || self.functions.iter().filter(|f| f.declaration.mcp);
        let of_one = |tool| {
            let mut found = name_and_text_warnings(tool);
            found.extend(huge_integers(tool));
            found
        };
        let mut warnings: Vec<_> = tools().flat_map(of_one).collect();
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
}

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
            "T7023",
            format!(
                "The about of `{name}` has {about} characters; clients cut it at {LONGEST_ABOUT}"
            ),
        );
    }
    found
}

/// T7022 for a tool with integers of more than 64 bits.
fn huge_integers(function: &Function) -> Option<Finding> {
    let mut places: Vec<_> = function.input.huge_integers();
    for place in &mut places {
        *place = format!("the field `{place}`");
    }
    if let Shape::Value(Some(output)) = &function.output
        && output.has_huge_integers()
    {
        places.push("what it gives".to_owned());
    }
    (!places.is_empty()).then(|| Finding {
        code: "T7022",
        message: format!(
            "`{}` has integers of more than 64 bits: {}",
            function.name,
            places.join(", ")
        ),
        locations: vec![function.declaration.location],
    })
}
