//! Checks the identifiers of MCP extensions, such as `io.modelcontextprotocol/ui`.

/// The problem of an identifier, as the end of a sentence about it; `None` if it is valid.
///
/// An identifier is a key of `_meta` with a prefix (MCP 2026-07-28, basic, General fields, and basic/versioning,
/// Extension Negotiation). Keys of `_meta` may have an empty name after the prefix, extensions may not.
///
/// ```
/// use tent_core::extension::problem;
/// assert_eq!(problem("io.modelcontextprotocol/ui"), None);
/// assert_eq!(problem("com.example/price_list.v2"), None);
/// assert!(problem("ui").is_some() && problem("com.1example/ui").is_some());
/// ```
pub fn problem(id: &str) -> Option<&'static str> {
    let Some((prefix, name)) = id.split_once('/') else {
        return Some("has no prefix, such as `com.example/`");
    };
    if !prefix.split('.').all(is_label) {
        return Some(
            "has an invalid prefix: use labels of letters, digits and `-`, separated by dots, each of which starts with a letter and ends with a letter or digit",
        );
    }
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(has_valid_ends(name) && name.chars().all(is_inner)) {
        return Some(
            "has an invalid name: use letters, digits, `-`, `_` and `.`, starting and ending with a letter or digit",
        );
    }
    None
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether the name starts and ends with a letter or digit.
fn has_valid_ends(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_exactly_the_identifiers_of_the_protocol() {
        for good in [
            "a/b",
            "io.modelcontextprotocol/oauth-client-credentials",
            "com.example-2/My_list.v2",
            "x1.y/0",
        ] {
            assert_eq!(problem(good), None, "{good}");
        }
        for (bad, part) in [
            ("", "prefix, such"),
            ("sampling", "prefix, such"),
            ("/ui", "labels"),
            (".example/ui", "labels"),
            ("com..example/ui", "labels"),
            ("1com/ui", "labels"),
            ("com-/ui", "labels"),
            ("com.exa mple/ui", "labels"),
            ("größe.de/ui", "labels"),
            ("com.example/", "name"),
            ("com.example/-ui", "name"),
            ("com.example/ui.", "name"),
            ("com.example/u/i", "name"),
            ("com.example/ui\n", "name"),
        ] {
            let found = problem(bad).unwrap_or_default();
            assert!(found.contains(part), "{bad:?}: {found}");
        }
    }
}
