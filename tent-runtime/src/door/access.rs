//! Whether an access rule lets a caller. Sees the caller, never the input.

use super::guard::{Ended, guarded};
use crate::caller::Caller;
use crate::cx::Cx;
use crate::function::{Access, Rule};

/// Whether `access` lets the caller of `cx`. The app itself is let by every rule.
pub(super) async fn lets(access: &Access, cx: &Cx) -> bool {
    if matches!(cx.caller(), Caller::App) {
        return true;
    }
    match access {
        Access::Any(list) => {
            for one in *list {
                if lets_one(one, cx).await {
                    return true;
                }
            }
            false
        }
        one => lets_one(one, cx).await,
    }
}

async fn lets_one(access: &Access, cx: &Cx) -> bool {
    match access {
        Access::Anyone => true,
        Access::SignedIn => cx.caller().is_known(),
        Access::Role(role) => cx.caller().has_role(role),
        // A list holds no list: the macro flattens them.
        Access::App | Access::Any(_) => false,
        Access::Rule(rule) => asked(rule, cx).await,
    }
}

/// A rule that fails, panics or does not end lets nobody: its failure may not tell a caller that the
/// function exists.
async fn asked(rule: &Rule, cx: &Cx) -> bool {
    // A plain `fn` panics while its future is made, so that is done inside too.
    let why = match guarded(cx.deadline(), async { (rule.ask)(cx).await }).await {
        Ended::Returned(Ok(lets)) => return lets,
        Ended::Returned(Err(error)) if error.code() != "T0012" => return false,
        Ended::Returned(Err(error)) | Ended::Panicked(error) => error.chain(),
        Ended::TooLate => vec!["it did not end in time".to_owned()],
    };
    tracing::error!(
        rule = rule.path,
        ?why,
        "an access rule broke, and lets nobody"
    );
    false
}
