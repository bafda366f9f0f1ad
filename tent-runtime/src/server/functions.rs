//! [`Functions`]: the functions of a running app, which the app can change.
//!
//! A change makes a new snapshot of the registry and checks it as a whole. Requests see the snapshot before the change
//! or the one after it, never a part of it. A running call keeps its function.

use std::sync::Arc;

use super::Tent;
use crate::function::{Diagnostics, Function, Primitive};
use crate::registry::Registry;

impl Tent {
    /// The current snapshot of the functions, the resources and the prompts. A later change does not affect it.
    pub fn registry(&self) -> Arc<Registry> {
        self.dispatcher.registry()
    }

    /// Changes the functions of the running app: see [`Functions`].
    pub fn functions(&self) -> Functions<'_> {
        Functions(self)
    }
}

/// Changes the functions of a running app. MCP clients with a subscription stream are notified of the lists that changed
/// (`notifications/tools/list_changed` and its like).
///
/// ```
/// # async fn changed(tent: tent::Tent) -> tent::Result<()> {
/// use tent::{Access, Error, Function};
/// let hours = Function::builder("hours")
///     .about("When the shop is open.")
///     .access(Access::Anyone)
///     .offer_mcp()
///     .handler(async |_cx, ()| Ok::<_, Error>("9 to 5"));
/// tent.functions().add(hours.build()?)?;
/// assert!(tent.registry().find("hours").is_some());
/// tent.functions().remove("hours");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Functions<'t>(&'t Tent);

impl Functions<'_> {
    /// Adds a function.
    ///
    /// # Errors
    /// T1001 if its name is taken, and T7011 if the app lacks a state that it requires. Nothing has changed then.
    pub fn add(&self, function: Function) -> Result<(), Diagnostics> {
        self.update(|all| all.push(Arc::new(function)))
    }

    /// Adds a function, in place of the one of the same name if there is one. Returns that one.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn replace(&self, function: Function) -> Result<Option<Arc<Function>>, Diagnostics> {
        self.update(|all| {
            let old = take(all, &function.name);
            all.push(Arc::new(function));
            old
        })
    }

    /// Removes the function of this name and returns it. Its running calls go on.
    pub fn remove(&self, name: &str) -> Option<Arc<Function>> {
        // What is left of a valid registry is valid.
        self.update(|all| take(all, name)).unwrap_or_default()
    }

    /// Makes several changes in one snapshot. `change` gets all functions, resources and prompts. It must not change the
    /// functions of the app in another way, which would wait for itself.
    ///
    /// # Errors
    /// Every problem of the new snapshot, as `check` reports them. Nothing has changed then.
    pub fn update<R>(
        &self,
        change: impl FnOnce(&mut Vec<Arc<Function>>) -> R,
    ) -> Result<R, Diagnostics> {
        let Functions(tent) = self;
        let change = |registry: &Registry| {
            let mut all: Vec<_> = registry.all().cloned().collect();
            let result = change(&mut all);
            Ok((registry.with_functions(all)?, result))
        };
        tent.dispatcher.change_registry(change, |before, after| {
            let changed = after.changed_lists(before);
            tent.mcp.renew(after);
            if changed.tools {
                tent.notifier.tools_changed();
            }
            if changed.resources {
                tent.notifier.resources_changed();
            }
            if changed.prompts {
                tent.notifier.prompts_changed();
            }
        })
    }
}

/// Takes the function of this name out of a list, which also has resources and prompts.
fn take(all: &mut Vec<Arc<Function>>, name: &str) -> Option<Arc<Function>> {
    let is_it =
        |one: &Arc<Function>| one.name == name && matches!(one.primitive, Primitive::Function);
    let at = all.iter().position(is_it)?;
    Some(all.remove(at))
}
