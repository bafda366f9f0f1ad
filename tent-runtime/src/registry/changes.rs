//! Which of MCP's lists differ between two snapshots, so that clients are notified of those alone.

use std::sync::Arc;

use super::{Registry, Resource};
use crate::function::{Function, OutputShape};

/// The lists that differ between two snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChangedLists {
    pub(crate) tools: bool,
    pub(crate) resources: bool,
    pub(crate) prompts: bool,
}

impl Registry {
    /// The lists that differ from those of `before`.
    pub(crate) fn changed_lists(&self, before: &Registry) -> ChangedLists {
        let tools = self.tools().map(|tool| &**tool);
        let (resources, old_resources) = (self.resources(), before.resources());
        let prompts = self.prompts().iter().map(|prompt| &**prompt);
        ChangedLists {
            tools: !same(tools, before.tools().map(|tool| &**tool)),
            resources: resources.len() != old_resources.len()
                || resources
                    .iter()
                    .zip(old_resources)
                    .any(|(new, old)| !same_resource(new, old)),
            prompts: !same(prompts, before.prompts().iter().map(|prompt| &**prompt)),
        }
    }
}

fn same<'a>(
    new: impl Iterator<Item = &'a Function>,
    old: impl Iterator<Item = &'a Function>,
) -> bool {
    let (mut new, mut old) = (new, old);
    loop {
        match (new.next(), old.next()) {
            (None, None) => return true,
            (Some(new), Some(old)) if same_entry(new, old) => {}
            _ => return false,
        }
    }
}

fn same_resource(new: &Arc<Resource>, old: &Arc<Resource>) -> bool {
    new.uri() == old.uri() && same_entry(&new.function, &old.function)
}

/// Whether two functions have the same entry in a list, for the same callers. Their handlers may differ.
fn same_entry(new: &Function, old: &Function) -> bool {
    std::ptr::eq(new, old)
        || (new.name == old.name
            && new.title == old.title
            && new.about == old.about
            && new.annotations == old.annotations
            && new.scope == old.scope
            && new.icons == old.icons
            && new.meta == old.meta
            && new.access.to_string() == old.access.to_string()
            && new.input.published() == old.input.published()
            && new.structured == old.structured
            && output(new) == output(old))
}

fn output(function: &Function) -> Option<(&serde_json::Value, bool)> {
    match &function.output {
        OutputShape::Value(Some(schema)) => Some((schema.published(), schema.is_object())),
        OutputShape::Value(None) | OutputShape::Nothing | OutputShape::Content => None,
    }
}
