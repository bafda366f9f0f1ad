//! Decides whether the log has colours. Decides by the variables that other programs know, and by what stderr is.

use std::ffi::OsString;

/// Whether to write colours, where stderr is a terminal or not.
///
/// | variable | means |
/// |---|---|
/// | `NO_COLOR`, not empty | never, whatever the others are |
/// | `CLICOLOR_FORCE`, neither empty nor `0` | always |
/// | `CLICOLOR=0`, `TERM=dumb` | never |
/// | none of these | only on a terminal |
pub(super) fn wanted(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    let is_off = set("CLICOLOR").is_some_and(|value| value == "0");
    let is_dumb = set("TERM").is_some_and(|value| value == "dumb");
    is_terminal && !is_off && !is_dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    /// P10.
    #[test]
    fn colours_are_for_terminals_and_never_with_no_color() {
        for (variables, on_terminal, in_file) in [
            (&[][..], true, false),
            (&[("NO_COLOR", "1")], false, false),
            (&[("NO_COLOR", "")], true, false),
            (&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false, false),
            (&[("CLICOLOR_FORCE", "1")], true, true),
            (&[("CLICOLOR_FORCE", "0")], true, false),
            (&[("CLICOLOR", "0")], false, false),
            (&[("CLICOLOR", "1")], true, false),
            (&[("TERM", "dumb")], false, false),
            (&[("TERM", "xterm-256color")], true, false),
            (&[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")], true, true),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| OsString::from(value))
            };
            assert_eq!(
                (wanted(variable, true), wanted(variable, false)),
                (on_terminal, in_file),
                "{variables:?}"
            );
        }
    }
}
