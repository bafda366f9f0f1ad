//! Stand-in of the registry, replaced at the merge.
use crate::function::{Declaration, Input, Kind, Output};
use crate::schema::{InputSchema, OutputSchema};

#[derive(Debug)]
pub struct Function {
    pub declaration: &'static Declaration,
    pub name: String,
    pub title: String,
    pub about: String,
    pub marks: Marks,
    pub input: InputSchema,
    pub output: Shape,
    pub scope: &'static str,
}

#[derive(Debug)]
pub enum Shape {
    Nothing,
    Content,
    Value(Option<OutputSchema>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    pub read_only: bool,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

#[derive(Debug)]
pub struct Registry {
    functions: Vec<Function>,
}

impl Registry {
    pub fn of(declarations: &[&'static Declaration]) -> Result<Self, Vec<crate::schema::Problem>> {
        let mut functions: Vec<_> = declarations
            .iter()
            .map(|d| {
                let read_only = d.kind == Kind::Query;
                Function {
                    declaration: d,
                    name: d.name.to_owned(),
                    title: tent_core::names::title(d.name),
                    about: d.about.to_owned(),
                    marks: Marks {
                        read_only,
                        destructive: (!read_only && d.asks).then_some(true),
                        idempotent: d.idempotent,
                        open_world: Some(d.sends),
                    },
                    input: match d.input {
                        Input::Fields(fields) => InputSchema::of_fields(fields),
                        Input::Whole(schema) => InputSchema::of_type(schema),
                        Input::Stated(_) => InputSchema::of_fields(&[]),
                    }
                    .expect("stand-in"),
                    output: match d.output {
                        Output::Nothing => Shape::Nothing,
                        Output::Content => Shape::Content,
                        Output::Value(schema) => Shape::Value(OutputSchema::of_type(schema)),
                    },
                    scope: d.scope.unwrap_or(if read_only { "read" } else { "write" }),
                }
            })
            .collect();
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Registry { functions })
    }
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }
    pub fn find(&self, name: &str) -> Option<&Function> {
        self.position(name).map(|at| &self.functions[at])
    }
    pub fn position(&self, name: &str) -> Option<usize> {
        self.functions
            .binary_search_by(|f| f.name.as_str().cmp(name))
            .ok()
    }
}
