//! Regular expressions with the meaning of ECMAScript, which JSON Schema demands: `\d`, `\w` and `\b` match ASCII only.
//! A client and the server must agree on what a pattern matches.

use regex::{Error, Regex};

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    source: Box<str>,
}

impl Pattern {
    /// Whether it matches anywhere in `text`, in time linear in its length.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The pattern as declared.
    pub(super) fn as_str(&self) -> &str {
        &self.source
    }
}

/// Compiles a pattern that matches anywhere in a text.
///
/// # Errors
/// The syntax error. Look-around and back-references are errors too: they prevent a search in linear time.
pub(super) fn compile(pattern: &str) -> Result<Pattern, Error> {
    Ok(Pattern {
        regex: Regex::new(&ascii(pattern))?,
        source: pattern.into(),
    })
}

/// The same pattern, with classes that match ASCII only.
fn ascii(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match (characters.next(), in_class) {
                (Some('d'), false) => out.push_str("[0-9]"),
                (Some('d'), true) => out.push_str("0-9"),
                (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                (Some('D'), false) => out.push_str("[^0-9]"),
                (Some('D'), true) => out.push_str("[^0-9]"),
                (Some('W'), _) => out.push_str("[^0-9A-Za-z_]"),
                (Some('b'), false) => out.push_str(r"(?-u:\b)"),
                (Some('/'), _) => out.push('/'),
                (Some(other), _) => {
                    out.push('\\');
                    out.push(other);
                }
                (None, _) => out.push('\\'),
            },
            '[' if in_class => out.push_str(r"\["),
            '[' => {
                in_class = true;
                out.push('[');
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_ecmascript() {
        let digits = compile(r"^\d+$").expect("a pattern");
        assert!(digits.is_match("12") && !digits.is_match("١٢"));
        let words = compile(r"^[\w-]+$").expect("a pattern");
        assert!(words.is_match("a-b_1") && !words.is_match("größe"));
        let others = compile(r"^[\D]+$").expect("a pattern");
        assert!(others.is_match("ab") && !others.is_match("a1"));
        assert!(compile("(?=a)").is_err() && compile("(").is_err());
    }
}
