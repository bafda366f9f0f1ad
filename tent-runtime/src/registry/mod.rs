//! [`Registry`]: the functions, the resources and the prompts of an app, checked, sorted and immutable.
//!
//! Runs nothing and knows no wire format: `dispatch` decides which callers see what, the endpoints how it looks.

mod build;
mod changes;
mod conflicts;
mod resources;
mod warnings;

pub use resources::Resource;

use std::any::TypeId;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::function::Function;
pub(crate) use crate::function::{Diagnostic, Diagnostics};
use resources::Resources;
pub(crate) use warnings::too_long;

/// An immutable snapshot of the functions of an app, sorted by name, with its resources and its prompts.
#[derive(Debug)]
pub struct Registry {
    functions: Vec<Arc<Function>>,
    resources: Resources,
    /// Sorted by name.
    prompts: Vec<Arc<Function>>,
    by_name: HashMap<String, usize>,
    /// The types of the states that the app has; `None` for a registry without an app.
    states: Option<Arc<HashSet<TypeId>>>,
}

impl Registry {
    /// All functions, sorted by name.
    pub fn functions(&self) -> &[Arc<Function>] {
        &self.functions
    }

    /// The functions that are offered to MCP, sorted by name.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<Function>> {
        self.functions.iter().filter(|function| function.mcp)
    }

    /// The function of this name.
    pub fn find(&self, name: &str) -> Option<&Arc<Function>> {
        self.position(name).map(|at| &self.functions[at])
    }

    /// The index in [`functions`](Self::functions) of the function of this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The function that answers this MCP method.
    pub fn method(&self, method: &str) -> Option<&Arc<Function>> {
        let mut functions = self.functions.iter();
        functions.find(|function| function.on.as_deref() == Some(method))
    }

    /// All prompts, sorted by name.
    pub fn prompts(&self) -> &[Arc<Function>] {
        &self.prompts
    }

    /// The prompt of this name.
    pub fn prompt(&self, name: &str) -> Option<&Arc<Function>> {
        let at = self
            .prompts
            .binary_search_by(|one| one.name.as_str().cmp(name));
        at.ok().map(|at| &self.prompts[at])
    }

    /// Whether any resource or prompt completes an argument.
    pub fn completes(&self) -> bool {
        let resources = self.resources().iter().map(|resource| &resource.function);
        let mut functions = resources.chain(&self.prompts);
        functions.any(|function| !function.completes.is_empty())
    }

    /// All functions, resources and prompts.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Function>> {
        let resources = self.resources().iter().map(|resource| &resource.function);
        self.functions.iter().chain(resources).chain(&self.prompts)
    }
}
