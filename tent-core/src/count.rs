//! Numbers with their nouns.

/// A number with its noun in the singular or the plural: `1 function`, `2 functions`. The plural must end in `s`.
///
/// ```
/// use tent_core::count::counted;
/// assert_eq!(counted(1, "function"), "1 function");
/// assert_eq!(counted(0, "function"), "0 functions");
/// ```
pub fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
