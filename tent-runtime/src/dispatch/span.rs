//! The log span of a call. It holds nothing of the input, and nothing of a request that is not escaped.

use super::Resolved;

/// Makes the span of a call.
pub(super) fn of(resolved: &Resolved) -> tracing::Span {
    let admitted = resolved.admitted();
    tracing::info_span!(
        "call",
        function = %resolved.function().name,
        caller = %admitted.caller(),
        at = ?resolved.endpoint(),
        trace = %admitted.trace(),
    )
}
