//! Whether an access rule lets a caller. Sees the caller, never the input.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

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

/// A rule that fails or panics lets nobody: its failure may not tell a caller that the function exists.
async fn asked(rule: &Rule, cx: &Cx) -> bool {
    // A plain `fn` panics while its future is made, so that is done inside too.
    let asking = async { (rule.ask)(cx).await };
    match AssertUnwindSafe(asking).catch_unwind().await {
        Ok(Ok(lets)) => lets,
        Ok(Err(error)) => {
            if error.code() == "T0012" {
                tracing::error!(rule = rule.path, chain = ?error.chain(), "an access rule failed");
            }
            false
        }
        Err(_) => {
            tracing::error!(rule = rule.path, "an access rule panicked");
            false
        }
    }
}
