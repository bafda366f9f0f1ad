//! The identifiers of MCP's extensions: `io.modelcontextprotocol/ui`. A wrong one is told here in words, and
//! reported by whoever read it.

/// What is wrong with the identifier of an extension, as the end of a sentence about it; `None` where nothing is.
///
/// It is a key as `_meta` has them, with a prefix (MCP 2026-07-28, basic, General fields, and basic/versioning,
/// Extension Negotiation). That allows a key without a name behind its prefix; an extension has one.
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
            "has a prefix that is no list of labels with dots between them, each of letters, digits and `-`, from a letter to a letter or digit",
        );
    }
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !(is_ended(name) && name.chars().all(is_inner)) {
        return Some(
            "has a name that is not of letters, digits, `-`, `_` and `.`, from a letter or digit to a letter or digit",
        );
    }
    None
}

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether it begins and ends with a letter or digit.
fn is_ended(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_protocol_lets_be_an_identifier_is_one_and_nothing_else() {
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
