//! The rules for scopes: which texts are scopes, which scope a function needs by default, and which scope covers another.
//!
//! Scopes restrict API keys and access tokens. Attributes, `keys create` and dispatch apply the rules of this module.

/// The scope that a function needs if it only reads.
pub const READ: &str = "read";

/// The scope that a function needs if it does more than read.
pub const WRITE: &str = "write";

/// The scope that covers every scope.
pub const ALL: &str = "*";

/// The greatest number of characters in a scope.
pub const MAX_CHARACTERS: usize = 200;

/// How to write a scope, for the fix of an error.
pub const HELP: &str = "use 1 to 200 visible ASCII characters without quotes and backslashes, for example orders:write";

/// Whether `text` is a scope token of OAuth 2.0 (RFC 6749, section 3.3) of at most [`MAX_CHARACTERS`] characters.
///
/// ```
/// use tent_core::scope::is_valid;
/// assert!(is_valid("orders:write") && is_valid("*"));
/// assert!(!is_valid("") && !is_valid("orders write") && !is_valid("\"orders\""));
/// ```
pub fn is_valid(text: &str) -> bool {
    (1..=MAX_CHARACTERS).contains(&text.len())
        && text
            .bytes()
            .all(|byte| matches!(byte, b'!' | b'#'..=b'[' | b']'..=b'~'))
}

/// Whether a key with the scope `held` may do what requires the scope `required`: they are equal, `held` is `*`, or `held`
/// is the part of `required` before a colon.
///
/// ```
/// use tent_core::scope::covers;
/// assert!(covers("orders", "orders:write") && covers("*", "read") && covers("read", "read"));
/// assert!(!covers("orders:write", "orders") && !covers("ord", "orders:write"));
/// ```
pub fn covers(held: &str, required: &str) -> bool {
    held == ALL
        || held == required
        || required
            .strip_prefix(held)
            .is_some_and(|rest| rest.starts_with(':'))
}
