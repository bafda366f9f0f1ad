//! Makes a [`Registry`]: collects the functions that are linked, named or built, and applies the rules that concern more
//! than one function.

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tent_core::codes;

use super::conflicts::{Outline, conflicts};
use super::resources::Resources;
use super::{Diagnostic, Diagnostics, Registry};
use crate::function::{Declaration, Entry, Function, Link, OutputShape, Primitive};

impl Registry {
    /// The functions of these declarations.
    pub(crate) fn of(declarations: &[&'static Declaration]) -> Result<Self, Diagnostics> {
        Self::for_app(Some(declarations), Vec::new(), None)
    }

    /// No function, for what needs an app and none of its functions.
    pub(crate) fn empty() -> Self {
        Registry {
            functions: Vec::new(),
            resources: Resources::default(),
            prompts: Vec::new(),
            by_name: HashMap::new(),
            states: None,
        }
    }

    /// The functions of an app: those of the named declarations, or of all that are linked, and those that were built.
    ///
    /// # Errors
    /// Every problem at once: those of each function, T1001 for names, URIs and methods that are taken, T7011 for each
    /// state that a function takes and that is not among `states`, T7018 without functions or for a crate that
    /// `tent::link!` names and that has none.
    pub(crate) fn for_app(
        named: Option<&[&'static Declaration]>,
        built: Vec<Arc<Function>>,
        states: Option<Arc<HashSet<TypeId>>>,
    ) -> Result<Self, Diagnostics> {
        let (declarations, mut problems) = match named {
            Some(named) => (named.to_vec(), Vec::new()),
            None => linked(),
        };
        if declarations.is_empty() && built.is_empty() {
            let message = "The app has no functions";
            problems.push(Diagnostic::new(codes::NO_FUNCTIONS, message, []));
        }
        let declared = declarations.iter().map(|&one| Outline::from(one));
        let built_outlines = built.iter().map(|function| Outline::from(&**function));
        let outlines: Vec<_> = declared.chain(built_outlines).collect();
        problems.extend(conflicts(&outlines, states.as_deref()));
        drop(outlines);
        let mut functions = built;
        for declaration in declarations {
            match Function::try_from(declaration) {
                Ok(function) => functions.push(Arc::new(function)),
                Err(found) => problems.extend(found.0),
            }
        }
        Self::sorted(functions, states, problems)
    }

    /// Another snapshot of the same app, with these functions, resources and prompts.
    ///
    /// # Errors
    /// T1001 and T7011, as [`for_app`](Self::for_app). An app may have no functions for a time.
    pub(crate) fn with_functions(&self, all: Vec<Arc<Function>>) -> Result<Self, Diagnostics> {
        let outlines: Vec<_> = all.iter().map(|one| Outline::from(&**one)).collect();
        let problems = conflicts(&outlines, self.states.as_deref());
        drop(outlines);
        Self::sorted(all, self.states.clone(), problems)
    }

    fn sorted(
        all: Vec<Arc<Function>>,
        states: Option<Arc<HashSet<TypeId>>>,
        mut problems: Vec<Diagnostic>,
    ) -> Result<Self, Diagnostics> {
        let (mut functions, mut prompts) = (Vec::new(), Vec::new());
        let mut resources = Resources::default();
        for function in all {
            problems.extend(unfit(&function));
            match function.primitive {
                Primitive::Function => functions.push(function),
                Primitive::Resource(declared) => {
                    problems.extend(resources.add(function, declared).err());
                }
                Primitive::Prompt => prompts.push(function),
            }
        }
        functions.sort_by(|a, b| a.name.cmp(&b.name));
        prompts.sort_by(|a, b| a.name.cmp(&b.name));
        resources.sort();
        problems.extend(resources.conflicts());
        problems.sort_by(|a, b| (a.code, &a.message).cmp(&(b.code, &b.message)));
        if !problems.is_empty() {
            return Err(Diagnostics(problems));
        }
        let by_name = functions.iter().enumerate();
        let by_name = by_name.map(|(at, one)| (one.name.clone(), at)).collect();
        Ok(Registry {
            functions,
            resources,
            prompts,
            by_name,
            states,
        })
    }
}

/// The linked declarations, and T7018 for each crate that `tent::link!` names and that has none.
fn linked() -> (Vec<&'static Declaration>, Vec<Diagnostic>) {
    let declarations: Vec<_> = inventory::iter::<Entry>().map(|entry| entry.0).collect();
    let crates: HashSet<_> = declarations.iter().map(|d| d.location.krate()).collect();
    let missing = inventory::iter::<Link>()
        .filter(|link| !crates.contains(link.krate))
        .map(|link| {
            let message = format!(
                "The crate {} was linked for its functions and has none",
                link.krate
            );
            Diagnostic::new(codes::NO_FUNCTIONS, message, [link.location])
        });
    let missing = missing.collect();
    (declarations, missing)
}

/// The problems of a function's schemas with its primitive: T7031, T7032.
fn unfit(function: &Function) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if !matches!(function.primitive, Primitive::Function) {
        let fields = function.input.published().get("properties");
        for (name, schema) in fields.and_then(|f| f.as_object()).into_iter().flatten() {
            if let Some(kind @ ("object" | "array")) = schema.get("type").and_then(|t| t.as_str()) {
                found.push(
                    function
                        .diagnostic(codes::ARGUMENT_TYPE, format_args!("`{name}` is an {kind}")),
                );
            }
        }
    }
    let object = match &function.output {
        OutputShape::Nothing | OutputShape::Value(None) => true,
        OutputShape::Value(Some(schema)) => schema.is_object(),
        OutputShape::Content => false,
    };
    if let (Some(method), false) = (&function.on, object) {
        let message = format_args!("it handles {method} and its output is not an object");
        found.push(function.diagnostic(codes::RESULT_NOT_AN_OBJECT, message));
    }
    found
}
