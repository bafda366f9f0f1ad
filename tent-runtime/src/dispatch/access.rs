//! Decides whether an access rule accepts a caller. It sees the caller, never the input.

use tokio::time::Instant;

use super::blocking::{BlockingThreads, ready};
use super::guard::{Guarded, earlier, guarded, is_over, until};
use crate::caller::Caller;
use crate::cx::Cx;
use crate::function::{Access, Rule};
use tent_core::codes;

/// Runs the app's own rules of `access` until one of them accepts the caller of `cx`. They have until `deadline`, and
/// never longer than `cx`.
///
/// Call [`without_rules`] first: it decides every access without a rule of the app.
pub(super) async fn by_rules(
    access: &Access,
    cx: &Cx,
    deadline: Option<Instant>,
    threads: &BlockingThreads,
) -> bool {
    let deadline = earlier(deadline, cx.deadline());
    for rule in rules(access) {
        // A rule without time does not start.
        if !is_over(deadline) && accepts(rule, cx, deadline, threads).await {
            return true;
        }
    }
    false
}

/// Whether `access` accepts `caller`; `None` if only a rule of the app can tell. Every access accepts the app itself.
pub(super) fn without_rules(access: &Access, caller: &Caller) -> Option<bool> {
    if matches!(caller, Caller::App) {
        return Some(true);
    }
    match access {
        Access::Anyone => Some(true),
        Access::SignedIn => Some(caller.is_known()),
        Access::Role(role) => Some(caller.has_role(role)),
        Access::App => Some(false),
        Access::Rule(_) => None,
        Access::Any(list) => {
            let mut decided = Some(false);
            for one in list {
                match without_rules(one, caller) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => decided = None,
                }
            }
            decided
        }
    }
}

/// The app's own rules of an access. A list never holds a list: the macro flattens them.
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

/// Runs one rule. A rule that fails, panics or times out rejects: its failure must not show that the function exists.
async fn accepts(
    rule: &Rule,
    cx: &Cx,
    deadline: Option<Instant>,
    threads: &BlockingThreads,
) -> bool {
    let work = async {
        if !rule.is_plain() {
            // A rule may panic before it returns its future, so it is called inside the guard.
            return rule.check(cx).await;
        }
        let rule = rule.clone();
        let decided = threads.run(cx, move |cx| ready(rule.check(cx)));
        decided.await.flatten()
    };
    let why = match guarded(until(deadline), work).await {
        Guarded::Returned(Ok(accepted)) => return accepted,
        Guarded::Returned(Err(error)) if !error.is(codes::INTERNAL) => return false,
        Guarded::Returned(Err(error)) | Guarded::Panicked(error) => error.logged_chain(),
        Guarded::TimedOut => vec!["it did not return before the deadline".to_owned()],
    };
    tracing::error!(
        rule = rule.name(),
        ?why,
        "an access rule failed, and rejects the caller"
    );
    false
}
