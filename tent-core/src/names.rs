//! The rules for a tool's name, and the title that is made from a name.
//!
//! The macros apply them to what is written, the runtime to what settings give; both report with
//! the codes that [`problems`] returns, so a name is judged the same wherever it comes from.

use crate::codes::{self, Code};

/// The most characters a tool's name may have. Clients put the server's name in front of it, and the
/// model interfaces behind them stop at 64.
pub const MOST_CHARACTERS: usize = 64;

/// Above this many characters a name is known to be cut by clients that prefix it with the server's.
pub const SAFE_CHARACTERS: usize = 40;

/// The names tent keeps for its own tools, in the two spellings that a client could confuse.
pub const RESERVED: [&str; 4] = [
    "findFunction",
    "callFunction",
    "find_function",
    "call_function",
];

/// Where a name comes from: what a person wrote as `name = "…"` may hold dots, a function's own may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The function's own identifier, without a raw identifier's `r#`.
    Function,
    /// Stated: by `name = "…"` or by the project's settings.
    Stated,
}

/// What is wrong with a tool's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// T1014: over [`MOST_CHARACTERS`].
    TooLong {
        /// How many characters it has.
        characters: usize,
    },
    /// T1009: one of [`RESERVED`].
    Reserved,
    /// T1015: empty, a digit first, or a character that model interfaces refuse.
    Characters {
        /// The first character that does not fit; `None` for an empty name.
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

/// Everything that is wrong with `name` as a tool's name; empty for a good one.
///
/// ```
/// use tent_core::names::{Origin, Problem, problems};
/// assert_eq!(problems("mark_paid", Origin::Function), []);
/// assert_eq!(problems("findFunction", Origin::Stated), [Problem::Reserved]);
/// assert_eq!(problems("größe", Origin::Function), [Problem::Characters { found: Some('ö') }]);
/// ```
pub fn problems(name: &str, origin: Origin) -> Vec<Problem> {
    let mut found = Vec::new();
    let characters = name.chars().count();
    if characters > MOST_CHARACTERS {
        found.push(Problem::TooLong { characters });
    }
    if RESERVED.contains(&name) {
        found.push(Problem::Reserved);
    }
    let fits = |(at, c): (usize, char)| match c {
        'A'..='Z' | 'a'..='z' | '_' => true,
        '0'..='9' | '-' => at > 0,
        '.' => at > 0 && origin == Origin::Stated,
        _ => false,
    };
    match name.chars().enumerate().find(|&each| !fits(each)) {
        Some((_, c)) => found.push(Problem::Characters { found: Some(c) }),
        None if name.is_empty() => found.push(Problem::Characters { found: None }),
        None => {}
    }
    found
}

/// The name with case and punctuation folded away: two tools that are equal so are taken for one
/// another by people and by models, and count as one name taken twice (T1001).
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

/// The name in words, the first letter large: the title where none is stated.
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

/// Of `known`, the one that `word` was most likely meant to be: at most a third of its letters differ.
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

/// How many letters must be put in, taken out, changed or swapped with their neighbour.
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
    fn a_digit_first_or_a_dot_in_a_functions_own_name_does_not_fit() {
        assert_eq!(
            problems("7days", Origin::Stated),
            [Problem::Characters { found: Some('7') }]
        );
        assert_eq!(problems("orders.get", Origin::Stated), []);
        assert_eq!(
            problems("orders.get", Origin::Function),
            [Problem::Characters { found: Some('.') }]
        );
        assert_eq!(
            problems("", Origin::Stated),
            [Problem::Characters { found: None }]
        );
    }

    #[test]
    fn every_problem_of_a_name_is_found_at_once() {
        let name = format!("9{}", "x".repeat(64));
        assert_eq!(
            problems(&name, Origin::Function),
            [
                Problem::TooLong { characters: 65 },
                Problem::Characters { found: Some('9') }
            ]
        );
        assert_eq!(problems(&"x".repeat(64), Origin::Function), []);
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
