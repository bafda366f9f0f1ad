//! Whether an access rule lets a caller. Sees the caller, never the input.

use tent_core::codes;
use tokio::time::Instant;

use super::guard::{Guarded, earlier, guarded, is_over};
use crate::caller::Caller;
use crate::cx::Cx;
use crate::function::{Access, Rule};

/// Whether `access` lets the caller of `cx`. The app itself is let by every rule. A rule of the app's own has
/// until `deadline`, and no longer than `cx`.
pub(super) async fn allows(access: &Access, cx: &Cx, deadline: Option<Instant>) -> bool {
    if let Some(allows) = at_once(access, cx) {
        return allows;
    }
    let deadline = earlier(deadline, cx.deadline());
    for rule in rules(access) {
        // What has no time left is not begun.
        if !is_over(deadline) && asked(rule, cx, deadline).await {
            return true;
        }
    }
    false
}

/// Whether `access` lets the caller of `cx`, where that is known without asking a rule of the app's own.
pub(super) fn at_once(access: &Access, cx: &Cx) -> Option<bool> {
    if matches!(cx.caller(), Caller::App) {
        return Some(true);
    }
    match access {
        Access::Anyone => Some(true),
        Access::SignedIn => Some(cx.caller().is_known()),
        Access::Role(role) => Some(cx.caller().has_role(role)),
        Access::App => Some(false),
        Access::Rule(_) => None,
        Access::Any(list) => {
            let mut known = Some(false);
            for one in list {
                match at_once(one, cx) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => known = None,
                }
            }
            known
        }
    }
}

/// The rules of the app's own in it. A list holds no list: the macro flattens them.
fn rules(access: &Access) -> impl Iterator<Item = &Rule> {
    let all = match access {
        Access::Any(list) => list,
        one => std::slice::from_ref(one),
    };
    all.iter().filter_map(|one| match one {
        Access::Rule(rule) => Some(rule),
        _ => None,
    })
}

/// A rule that fails, panics or does not end lets nobody: its failure may not tell a caller that the
/// function exists.
async fn asked(rule: &Rule, cx: &Cx, deadline: Option<Instant>) -> bool {
    // A plain `fn` panics while its future is made, so that is done inside too.
    let why = match guarded(deadline, async { rule.check(cx).await }).await {
        Guarded::Returned(Ok(allows)) => return allows,
        Guarded::Returned(Err(error)) if !error.is(codes::INTERNAL) => return false,
        Guarded::Returned(Err(error)) | Guarded::Panicked(error) => error.chain(),
        Guarded::TimedOut => vec!["it did not end in time".to_owned()],
    };
    tracing::error!(
        rule = rule.name(),
        ?why,
        "an access rule broke, and lets nobody"
    );
    false
}
