//! Checks the names of tools, and makes titles from names.
//!
//! The macros check names in source code, the runtime checks names that are set at run time. Both report the codes that
//! [`problems`] returns, so the same rules apply everywhere.

use crate::codes::{self, Code};

/// The greatest number of characters in a tool's name. Model APIs accept 64, including the server's name that clients
/// put in front.
pub const MAX_CHARACTERS: usize = 64;

/// The greatest number of characters that clients do not cut when they put the server's name in front.
pub const SAFE_CHARACTERS: usize = 40;

/// The names of tent's own tools. Names that [`folded`] makes equal to one of them are reserved too.
pub const RESERVED: [&str; 2] = ["findFunction", "callFunction"];

/// Where a name comes from. An explicit name may have dots, an identifier may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The identifier of the function, without the `r#` of a raw identifier.
    Identifier,
    /// `name = "…"`, or a name that is set at run time.
    Explicit,
}

/// A problem of a tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// T1014: longer than [`MAX_CHARACTERS`].
    TooLong {
        /// The number of characters.
        characters: usize,
    },
    /// T1009: one of [`RESERVED`], perhaps with another case and punctuation.
    Reserved,
    /// T1015: the name is empty, starts with a digit, or has a character that model APIs reject.
    Characters {
        /// The first invalid character; `None` for an empty name.
        found: Option<char>,
    },
}

impl Problem {
    /// The code of this problem.
    pub fn code(self) -> Code {
        match self {
            Problem::TooLong { .. } => codes::NAME_TOO_LONG,
            Problem::Reserved => codes::RESERVED_NAME,
            Problem::Characters { .. } => codes::INVALID_NAME,
        }
    }
}

/// All problems of `name` as a tool's name; empty for a valid name.
///
/// ```
/// use tent_core::names::{Origin, Problem, problems};
/// assert_eq!(problems("mark_paid", Origin::Identifier), []);
/// assert_eq!(problems("findFunction", Origin::Explicit), [Problem::Reserved]);
/// assert_eq!(problems("größe", Origin::Identifier), [Problem::Characters { found: Some('ö') }]);
/// ```
pub fn problems(name: &str, origin: Origin) -> Vec<Problem> {
    let mut found = Vec::new();
    let characters = name.chars().count();
    if characters > MAX_CHARACTERS {
        found.push(Problem::TooLong { characters });
    }
    if RESERVED
        .iter()
        .any(|reserved| folded(reserved) == folded(name))
    {
        found.push(Problem::Reserved);
    }
    let is_valid = |(at, c): (usize, char)| match c {
        'A'..='Z' | 'a'..='z' | '_' => true,
        '0'..='9' | '-' => at > 0,
        '.' => at > 0 && origin == Origin::Explicit,
        _ => false,
    };
    match name.chars().enumerate().find(|&each| !is_valid(each)) {
        Some((_, c)) => found.push(Problem::Characters { found: Some(c) }),
        None if name.is_empty() => found.push(Problem::Characters { found: None }),
        None => {}
    }
    found
}

/// The name in lower case without punctuation. People and models confuse two tools whose folded names are equal, so tent
/// reports them as duplicates (T1001).
///
/// ```
/// use tent_core::names::folded;
/// assert_eq!(folded("mark_paid"), folded("markPaid"));
/// ```
pub fn folded(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The name in words with a capital first letter: the title of a function that sets none.
///
/// ```
/// use tent_core::names::title;
/// assert_eq!(title("mark_paid"), "Mark paid");
/// assert_eq!(title("markPaid"), "Mark paid");
/// assert_eq!(title("parse_http2_url"), "Parse http2 url");
/// assert_eq!(title("parseHTTPUrl"), "Parse http url");
/// ```
pub fn title(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut words = String::with_capacity(name.len() + 4);
    for (at, &c) in characters.iter().enumerate() {
        if matches!(c, '_' | '-' | '.' | ' ') {
            if !words.is_empty() && !words.ends_with(' ') {
                words.push(' ');
            }
            continue;
        }
        let before = at.checked_sub(1).map(|at| characters[at]);
        let after = characters.get(at + 1);
        let starts_a_word = c.is_uppercase()
            && before.is_some_and(|b| {
                b.is_lowercase()
                    || b.is_ascii_digit()
                    || (b.is_uppercase() && after.is_some_and(|a| a.is_lowercase()))
            });
        if starts_a_word && !words.ends_with(' ') {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    let words = words.trim_end();
    let mut rest = words.chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => String::new(),
    }
}

/// The item of `known` that is nearest to `word`, for "did you mean": at most a third of the letters differ.
///
/// ```
/// use tent_core::names::nearest;
/// assert_eq!(nearest("signdIn", ["anyone", "signedIn", "app"]), Some("signedIn"));
/// assert_eq!(nearest("zebra", ["anyone", "signedIn", "app"]), None);
/// ```
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    known
        .into_iter()
        .map(|one| (distance(&folded, &one.to_lowercase()), one))
        .filter(|&(distance, one)| distance * 3 <= one.len().max(word.len()))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, one)| one)
}

/// The number of letters to insert, delete, replace or swap with a neighbour (the restricted Damerau-Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0usize; b.len() + 1]; a.len() + 1];
    rows[0] = (0..=b.len()).collect();
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let mut least = (rows[i - 1][j] + 1)
                .min(rows[i][j - 1] + 1)
                .min(rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_a_leading_digit_and_a_dot_in_an_identifier() {
        assert_eq!(
            problems("7days", Origin::Explicit),
            [Problem::Characters { found: Some('7') }]
        );
        assert_eq!(problems("orders.get", Origin::Explicit), []);
        assert_eq!(
            problems("orders.get", Origin::Identifier),
            [Problem::Characters { found: Some('.') }]
        );
        assert_eq!(
            problems("", Origin::Explicit),
            [Problem::Characters { found: None }]
        );
    }

    // P36
    #[test]
    fn a_reserved_name_is_reserved_in_every_case_and_punctuation() {
        for name in [
            "find_function",
            "Call-Function",
            "CALLFUNCTION",
            "_find__function_",
            "call.function",
        ] {
            assert_eq!(
                problems(name, Origin::Explicit),
                [Problem::Reserved],
                "{name}"
            );
        }
        for name in ["find_functions", "call", "recall_function"] {
            assert_eq!(problems(name, Origin::Explicit), [], "{name}");
        }
    }

    #[test]
    fn reports_all_problems_of_a_name_at_once() {
        let name = format!("9{}", "x".repeat(64));
        assert_eq!(
            problems(&name, Origin::Identifier),
            [
                Problem::TooLong { characters: 65 },
                Problem::Characters { found: Some('9') }
            ]
        );
        assert_eq!(problems(&"x".repeat(64), Origin::Identifier), []);
    }

    #[test]
    fn titles_keep_numbers_in_their_word() {
        assert_eq!(title("sales__by_region"), "Sales by region");
        assert_eq!(title("_private"), "Private");
        assert_eq!(title("orders.getItem"), "Orders get item");
        assert_eq!(title("a"), "A");
        assert_eq!(title(""), "");
    }
}
