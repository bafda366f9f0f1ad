//! The span of a call: what the log has of it. Nothing of an input is in it, and nothing that a caller sends as it
//! stands.

use std::fmt;

use super::Call;

/// The span of a call: what the log has of it.
pub(super) fn of(call: &Call) -> tracing::Span {
    tracing::info_span!(
        "call",
        function = %Named(&call.name),
        caller = %call.caller,
        at = ?call.at,
        trace = %call.trace,
    )
}

/// A name as the log shows it. Anybody may call anything, so it is cut, and ends no line.
struct Named<'a>(&'a str);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut letters = self.0.chars();
        for letter in letters.by_ref().take(128) {
            write!(f, "{}", letter.escape_debug())?;
        }
        f.write_str(if letters.next().is_some() { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_caller_makes_up_is_cut_and_ends_no_line() {
        let shown = |name: &str| Named(name).to_string();
        assert_eq!(shown("mark_paid"), "mark_paid");
        assert_eq!(shown("a\nERROR b\u{1b}[2J"), "a\\nERROR b\\u{1b}[2J");
        assert_eq!(shown(&"x".repeat(4 << 20)), "x".repeat(128) + "…");
    }
}
