//! Decides whether a call may run without a person's approval.
//!
//! No endpoint can ask a person yet, so a function that requires an approval runs for a call that already has one,
//! and for the app itself.

use crate::error::{Error, Result};
use crate::function::Function;
use tent_core::codes;

/// Whether a call has a person's approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Approval {
    /// No person approved it.
    Missing,
    /// A person approved it, or the call around it; or the app itself calls, which needs none.
    NotNeeded,
}

/// Checks the approval of a call.
///
/// # Errors
/// T7120 if the function requires an approval and the call has none.
pub(super) fn check(function: &Function, approval: Approval) -> Result<()> {
    if !function.needs_approval || approval == Approval::NotNeeded {
        return Ok(());
    }
    Err(Error::new(codes::APPROVAL_NEEDED).with_message(format!(
        "{} requires a person's approval, and this server cannot ask for it yet.",
        function.title
    )))
}
