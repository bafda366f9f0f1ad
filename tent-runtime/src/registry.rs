//! [`Registry`]: the functions of an app, its resources and its prompts, found at link time or named one by one, checked, sorted by name,
//! and never changed after. Schemas are made here, once.
//!
//! Knows no caller and no wire: who may call is the door's to ask, how it looks the envelopes'.

mod served;
mod states;
mod warnings;

pub use served::Resource;

use std::any::TypeId;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use tent_core::{codes, names};

use crate::function::{
    Access, Declaration, Entry, Icon, Input, Kind, Link, Location, Meta, OutputDeclaration,
    Primitive,
};
use crate::schema::{InputSchema, OutputSchema};

/// A function as the app has it: what was declared, and what was made from that once.
#[derive(Debug)]
pub struct Function {
    /// What the macro wrote.
    pub declaration: &'static Declaration,
    /// The name at both doors.
    pub name: String,
    /// The title: stated, or the name in words.
    pub title: String,
    /// What it does, in words; empty where nobody said.
    pub about: String,
    /// The pictures that clients show beside it.
    pub icons: Vec<Icon>,
    /// What clients are told of its effects.
    pub marks: ToolAnnotations,
    /// What MCP clients are told in `_meta` where it is listed.
    pub meta: Meta,
    /// What it takes.
    pub input: InputSchema,
    /// What it gives.
    pub output: OutputShape,
    /// The scope that a key must hold.
    pub scope: &'static str,
}

impl Function {
    /// The names of its fields in the order of its parameters; none where one type is the whole input.
    pub(crate) fn input_order(&self) -> impl Iterator<Item = &'static str> + use<> {
        let fields: &[_] = match self.declaration.input {
            Input::Fields(fields) => fields,
            Input::Whole(_) | Input::Stated(_) => &[],
        };
        fields.iter().map(|field| field.name)
    }

    /// Whether the function only reads: a query, or an action with `changes = false`.
    pub fn only_reads(&self) -> bool {
        self.marks.read_only
    }
}

/// What a function's answer is.
#[derive(Debug)]
pub enum OutputShape {
    /// Nothing.
    Nothing,
    /// Content, which no schema describes.
    Content,
    /// A value; `None` where nothing can be said of its schema.
    Value(Option<OutputSchema>),
}

/// MCP's tool annotations: hints for a client, and no guard. `None` is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolAnnotations {
    /// `readOnlyHint`.
    pub read_only: bool,
    /// `destructiveHint`.
    pub destructive: Option<bool>,
    /// `idempotentHint`.
    pub idempotent: Option<bool>,
    /// `openWorldHint`.
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// The marks that a declaration's kind and options come to.
    pub fn of(declaration: &Declaration) -> Self {
        let read_only = declaration.kind == Kind::Query || declaration.only_reads;
        ToolAnnotations {
            read_only,
            destructive: match (read_only, declaration.asks, declaration.adds) {
                (true, ..) => None,
                (_, true, _) => Some(true),
                (_, _, true) => Some(false),
                _ => None,
            },
            idempotent: declaration.idempotent,
            open_world: match (declaration.sends, declaration.kind) {
                (true, _) => Some(true),
                (false, Kind::Query | Kind::Change) => Some(false),
                (false, Kind::Action) => None,
            },
        }
    }
}

/// Something that `check` reports: a problem keeps the app from starting, a warning does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The code of its kind.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// Every place that it concerns.
    pub locations: Vec<Location>,
}

impl fmt::Display for Diagnostic {
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
pub struct Diagnostics(pub Vec<Diagnostic>);

impl fmt::Display for Diagnostics {
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

impl std::error::Error for Diagnostics {}

/// The functions of an app, sorted by name, with its resources and its prompts.
#[derive(Debug)]
pub struct Registry {
    functions: Vec<Function>,
    served: served::Served,
    by_name: HashMap<String, usize>,
}

impl Registry {
    /// Every function that is linked into this binary.
    ///
    /// # Errors
    /// Every problem at once: T1001, T7012, T7016 and T7017 of the functions, T7018 where there are none
    /// or where a crate that [`Link`] names brought none.
    pub fn linked() -> Result<Self, Diagnostics> {
        let (declarations, problems) = linked();
        Self::made_of(&declarations, problems)
    }

    /// These functions alone: for tests, and for several apps in one binary.
    ///
    /// # Errors
    /// As [`linked`](Self::linked).
    pub fn of(declarations: &[&'static Declaration]) -> Result<Self, Diagnostics> {
        Self::made_of(declarations, Vec::new())
    }

    /// The functions of an app: those that are named, or all that are linked.
    ///
    /// # Errors
    /// As [`linked`](Self::linked), and at the same time T7011 for each state that a function takes and the
    /// app was not `handed`.
    pub(crate) fn for_app(
        named: Option<&[&'static Declaration]>,
        handed: &HashSet<TypeId>,
    ) -> Result<Self, Diagnostics> {
        let (declarations, mut problems) = match named {
            Some(named) => (named.to_vec(), Vec::new()),
            None => linked(),
        };
        problems.extend(states::missing(&declarations, handed));
        Self::made_of(&declarations, problems)
    }

    fn made_of(
        declarations: &[&'static Declaration],
        mut problems: Vec<Diagnostic>,
    ) -> Result<Self, Diagnostics> {
        if declarations.is_empty() {
            problems.push(Diagnostic {
                code: "T7018",
                message: "The app has no functions".to_owned(),
                locations: Vec::new(),
            });
        }
        let mut functions = Vec::with_capacity(declarations.len());
        let mut served = served::Served::default();
        for declaration in declarations {
            let function = match made(declaration) {
                Ok(function) => function,
                Err(found) => {
                    problems.extend(found);
                    continue;
                }
            };
            problems.extend(served::misfits(&function));
            match declaration.serves {
                Primitive::Function => functions.push(function),
                Primitive::Resource(stated) => {
                    problems.extend(served.resource(function, stated).err())
                }
                Primitive::Prompt => served.prompt(function),
            }
        }
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        served.sort();
        type Of = fn(&Primitive) -> bool;
        let kinds: [(&str, Of); 3] = [
            ("functions", |serves| matches!(serves, Primitive::Function)),
            ("resources", |serves| {
                matches!(serves, Primitive::Resource(_))
            }),
            ("prompts", |serves| matches!(serves, Primitive::Prompt)),
        ];
        for (word, of) in kinds {
            let these = declarations.iter().filter(|d| of(&d.serves));
            problems.extend(names_taken(word, these.copied()));
        }
        problems.extend(served.uris_taken());
        problems.extend(served::methods_taken(declarations));
        problems.sort_by(|a, b| (a.code, &a.message).cmp(&(b.code, &b.message)));
        if !problems.is_empty() {
            return Err(Diagnostics(problems));
        }
        let by_name = functions.iter().enumerate();
        let by_name = by_name.map(|(at, f)| (f.name.clone(), at)).collect();
        Ok(Registry {
            functions,
            served,
            by_name,
        })
    }

    /// All functions, sorted by name.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// Those that are offered to MCP, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|f| f.declaration.mcp)
    }

    /// The function of this name.
    pub fn find(&self, name: &str) -> Option<&Function> {
        self.position(name).map(|at| &self.functions[at])
    }

    /// Where in [`functions`](Self::functions) the function of this name stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// What is linked into this binary, and T7018 for each crate that was to bring functions and has none.
fn linked() -> (Vec<&'static Declaration>, Vec<Diagnostic>) {
    let declarations: Vec<_> = inventory::iter::<Entry>().map(|entry| entry.0).collect();
    let bringing: HashSet<_> = declarations.iter().map(|d| d.location.krate()).collect();
    let missing = inventory::iter::<Link>()
        .filter(|link| !bringing.contains(link.krate))
        .map(|link| Diagnostic {
            code: "T7018",
            message: format!(
                "The crate {} was linked for its functions and has none",
                link.krate
            ),
            locations: vec![link.location],
        });
    let missing = missing.collect();
    (declarations, missing)
}

/// T1001 for each name that more than one declaration of a kind has, case and punctuation folded away.
fn names_taken(
    kind: &str,
    declarations: impl Iterator<Item = &'static Declaration>,
) -> Vec<Diagnostic> {
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
        Diagnostic {
            code: "T1001",
            message: match spelled.as_slice() {
                [one] => format!("{} {kind} are named {one}", same.len()),
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

fn made(declaration: &'static Declaration) -> Result<Function, Vec<Diagnostic>> {
    let at = |code, message| Diagnostic {
        code,
        message: format!("`{}`: {message}", declaration.name),
        locations: vec![declaration.location],
    };
    let mut problems = Vec::new();
    if declaration.mcp {
        let origin = match declaration.name_stated {
            true => names::Origin::Stated,
            false => names::Origin::Function,
        };
        let found = names::problems(declaration.name, origin);
        problems.extend(
            found
                .into_iter()
                .map(|p| at(p.code(), "the name does not fit a tool".to_owned())),
        );
    }
    let icons = declaration.icons.map(|icons| icons()).unwrap_or_default();
    problems.extend(icons.iter().filter_map(|icon| {
        let problem = icon.problem()?;
        Some(at(
            "T7034",
            format!("the icon {:?} {problem}", icon.shown()),
        ))
    }));
    let meta = declaration
        .meta
        .map_or_else(|| Ok(Meta::default()), |meta| Meta::stated(meta()));
    let meta = meta.unwrap_or_else(|wrong| {
        problems.extend(wrong.into_iter().map(|what| at("T7033", what)));
        Meta::default()
    });
    let input = match declaration.input {
        Input::Fields(fields) => InputSchema::from_fields(fields),
        Input::Whole(schema) => InputSchema::from_type(schema),
        Input::Stated(schema) => InputSchema::from_declared(schema()),
    };
    let input = match input {
        Ok(input) if problems.is_empty() => input,
        Ok(_) => return Err(problems),
        Err(found) => {
            problems.extend(found.into_iter().map(|p| at(p.code, p.message)));
            return Err(problems);
        }
    };
    let marks = ToolAnnotations::of(declaration);
    Ok(Function {
        declaration,
        name: declaration.name.to_owned(),
        title: declaration
            .title
            .map_or_else(|| names::title(declaration.name), str::to_owned),
        about: declaration.about.trim().to_owned(),
        icons,
        marks,
        meta,
        input,
        output: match declaration.output {
            OutputDeclaration::Nothing => OutputShape::Nothing,
            OutputDeclaration::Content => OutputShape::Content,
            OutputDeclaration::Value(schema) => OutputShape::Value(OutputSchema::from_type(schema)),
        },
        scope: declaration
            .scope
            .unwrap_or(if marks.read_only { "read" } else { "write" }),
    })
}

/// The access rule in words, for listings.
impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Access::Anyone => f.write_str("anyone"),
            Access::SignedIn => f.write_str("signedIn"),
            Access::Role(role) => write!(f, "role:{role}"),
            Access::App => f.write_str("app"),
            Access::Rule(rule) => f.write_str(rule.path),
            Access::Any(list) => {
                for (at, one) in list.iter().enumerate() {
                    write!(f, "{}{one}", if at > 0 { " or " } else { "" })?;
                }
                Ok(())
            }
        }
    }
}
