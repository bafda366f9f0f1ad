//! Limits how many requests a caller or an address may send.
//!
//! This is the place of the rate limit among the steps of dispatch: [`admit`](super::admit) runs it once for each
//! request, after the caller is known and before anything is looked up. It permits every request for now.

use super::Admitted;
use crate::error::Result;

/// Counts a request against its [quota key](Admitted::quota_key).
///
/// # Errors
/// T0006 once a limit exists and the request exceeds it. Today every request passes.
pub(super) fn check(_request: &Admitted) -> Result<()> {
    Ok(())
}
