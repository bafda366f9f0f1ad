//! Patterns: regular expressions that the server and its clients read alike. Must not compile or run one.
//!
//! JSON Schema demands the dialect of ECMAScript, and clients compile a published pattern with `new RegExp(pattern, "u")`. So
//! [`translate`] parses the grammar of ECMAScript, and writes every construct in a form with the same meaning in the dialect of
//! the crate `regex`. A construct that only `regex` has is an error that names its replacement.
//!
//! | In a pattern | ECMAScript, flag `u` | Crate `regex` | Here |
//! |---|---|---|---|
//! | `\d` `\w` `\b` | ASCII | Unicode | written as ASCII ranges |
//! | `\s` | with U+FEFF, without U+0085 | the reverse | written as ranges |
//! | `.` | all but `\n` `\r` U+2028 U+2029 | all but `\n` | written as a class |
//! | `^` `$` | the ends of the text | the ends of the text | unchanged |
//! | `[a[b]` | `[` is a literal | a nested class | `[` is a literal |
//! | `[]` `[^]` | nothing, everything | `]` is a literal | an error |
//! | `&&` `--` `~~` in a class | literals or a range | operations on sets | an error |
//! | `a++` `a{2}{3}` | an error | repeats the repetition | an error |
//! | `\uD83D\uDE00` | one character | an error | one character |
//! | `\p{greek}` `\pL` | an error | loose names | an error: exact names only |
//! | `(?i)` `(?P<n>a)` `\A` `\z` `\x{41}` `\@` `[[:alpha:]]` | an error | allowed | an error |
//! | `(?=a)` `\1` | allowed | an error | allowed with [`Engine::Backtracking`] |

use std::fmt;

mod class;
mod escape;
mod properties;

/// The engine that a translated pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Matches in linear time, without look-around and back-references.
    Linear,
    /// Backtracks, and has look-around and back-references.
    Backtracking,
}

/// A construct that a pattern may not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidPattern {
    /// The construct, and the rule that it breaks.
    pub problem: String,
    /// The replacement.
    pub fix: String,
}

impl fmt::Display for InvalidPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem, self.fix)
    }
}

impl std::error::Error for InvalidPattern {}

/// Translates a pattern of ECMAScript into the dialect of the crate `regex`.
///
/// # Errors
/// The first construct that ECMAScript does not have, that both read differently, or that `engine` does not have.
///
/// ```
/// use tent_core::pattern::{Engine, translate};
///
/// assert_eq!(translate(r"^\d+$", Engine::Linear).unwrap(), "^[0-9]+$");
/// let error = translate("(?i)yes", Engine::Linear).unwrap_err();
/// assert!(error.problem.starts_with("`(?i)`"));
/// ```
pub fn translate(pattern: &str, engine: Engine) -> Result<String, InvalidPattern> {
    let mut reader = Reader {
        rest: pattern,
        engine,
        out: String::with_capacity(pattern.len()),
        groups: 0,
        names: Vec::new(),
        highest: 0,
        references: Vec::new(),
    };
    reader.pattern()?;
    Ok(reader.out)
}

/// The part before the current position, which decides whether a quantifier may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Atom,
    Assertion,
    Quantifier,
}

struct Reader<'p> {
    rest: &'p str,
    engine: Engine,
    out: String,
    /// The number of groups that capture.
    groups: u32,
    /// The names of groups, with their numbers. The translation has numbers only.
    names: Vec<(&'p str, u32)>,
    /// The highest number of a back-reference.
    highest: u32,
    /// The names of back-references.
    references: Vec<&'p str>,
}

fn invalid<T>(construct: &str, rule: &str, fix: impl Into<String>) -> Result<T, InvalidPattern> {
    Err(InvalidPattern {
        problem: format!("`{construct}` {rule}"),
        fix: fix.into(),
    })
}

const NOT_JSON_SCHEMA: &str = "is not in the regular expressions of JSON Schema";

impl<'p> Reader<'p> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The text before `end`, which is skipped too. `None` if there is no `end`.
    fn until(&mut self, end: char) -> Option<&'p str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn pattern(&mut self) -> Result<(), InvalidPattern> {
        // The open groups; true for look-around, which no quantifier may follow.
        let mut open = Vec::new();
        let mut before = Before::Nothing;
        while let Some(c) = self.next() {
            before = match c {
                '^' | '$' => {
                    self.out.push(c);
                    Before::Assertion
                }
                '|' => {
                    self.out.push('|');
                    Before::Nothing
                }
                '(' => {
                    open.push(self.group()?);
                    Before::Nothing
                }
                ')' => match open.pop() {
                    Some(look_around) => {
                        self.out.push(')');
                        if look_around {
                            Before::Assertion
                        } else {
                            Before::Atom
                        }
                    }
                    None => return invalid(")", "has no `(`", r"remove it, or write `\)`"),
                },
                '[' => {
                    self.class()?;
                    Before::Atom
                }
                '.' => {
                    self.out.push_str(r"[^\n\r\u{2028}\u{2029}]");
                    Before::Atom
                }
                '*' | '+' | '?' | '{' => self.quantifier(c, before)?,
                ']' => {
                    let rule = "has no `[`: a class cannot contain another class";
                    return invalid(
                        "]",
                        rule,
                        r"write `\]`, or one class without classes inside",
                    );
                }
                '}' => return invalid("}", "has no `{`", r"write `\}`"),
                '\\' => self.escape()?,
                c => {
                    self.literal(c);
                    Before::Atom
                }
            };
        }
        if !open.is_empty() {
            return invalid("(", "has no `)`", r"add `)`, or write `\(`");
        }
        if self.highest > self.groups {
            let reference = format!(r"\{}", self.highest);
            let fix = "write `\\x` and two hexadecimal digits for a character, or remove it";
            return invalid(&reference, "refers to a group that does not exist", fix);
        }
        match self
            .references
            .iter()
            .find(|name| self.names.iter().all(|(known, _)| known != *name))
        {
            Some(name) => {
                let fix = format!("name a group: `(?<{name}>…)`");
                invalid(
                    &format!(r"\k<{name}>"),
                    "refers to a group that does not exist",
                    fix,
                )
            }
            None => Ok(()),
        }
    }

    /// Writes a character that is meant as itself.
    fn literal(&mut self, c: char) {
        if c.is_ascii_alphanumeric()
            || matches!(c, ' ' | '_' | '/' | '@' | '"' | '\'')
            || c as u32 >= 0xA1
        {
            self.out.push(c);
        } else {
            self.out.push_str(&format!(r"\u{{{:X}}}", c as u32));
        }
    }

    /// Reads what follows `(`, up to the first part inside. Returns whether the group is look-around.
    fn group(&mut self) -> Result<bool, InvalidPattern> {
        if !self.rest.starts_with('?') {
            self.groups += 1;
            self.out.push('(');
            return Ok(false);
        }
        for start in ["?=", "?!", "?<=", "?<!"] {
            if self.take(start) {
                if self.engine == Engine::Linear {
                    return not_linear(&format!("({start}"), "look-around");
                }
                self.out.push('(');
                self.out.push_str(start);
                return Ok(true);
            }
        }
        if self.take("?:") {
            self.out.push_str("(?:");
            return Ok(false);
        }
        if self.take("?<") {
            let Some(name) = self.until('>') else {
                return invalid("(?<", "has no `>`", "write `(?<name>…)`");
            };
            let construct = format!("(?<{name}>");
            let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !first || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let fix = "start it with a letter, and use ASCII letters, digits and `_`";
                return invalid(&construct, "is not a portable name of a group", fix);
            }
            if self.names.iter().any(|(known, _)| *known == name) {
                return invalid(&construct, "is the name of two groups", "rename one");
            }
            self.groups += 1;
            self.names.push((name, self.groups));
            self.out.push('(');
            return Ok(false);
        }
        Err(self.foreign_group())
    }

    /// The error for a group that ECMAScript does not have.
    fn foreign_group(&self) -> InvalidPattern {
        let rest = &self.rest[1..];
        let (construct, fix) = if let Some(rest) = rest.strip_prefix("P<") {
            let name = rest.split('>').next().unwrap_or_default();
            (format!("(?P<{name}>"), format!("write `(?<{name}>`"))
        } else if let Some(rest) = rest.strip_prefix("P=") {
            let name = rest.split(')').next().unwrap_or_default();
            (format!("(?P={name})"), format!(r"write `\k<{name}>`"))
        } else if rest.starts_with('#') {
            ("(?#".to_owned(), "remove the comment".to_owned())
        } else if rest.starts_with('>') {
            ("(?>".to_owned(), "write `(?:`".to_owned())
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-');
            let (flags, after) = rest.split_at(end.unwrap_or(rest.len()));
            let end = match after.chars().next() {
                Some(end @ (')' | ':')) => end.to_string(),
                _ => String::new(),
            };
            (format!("(?{flags}{end}"), flag_fix(flags).to_owned())
        };
        InvalidPattern {
            problem: format!("`{construct}` {NOT_JSON_SCHEMA}"),
            fix,
        }
    }

    fn quantifier(&mut self, c: char, before: Before) -> Result<Before, InvalidPattern> {
        let counts;
        let construct = if c == '{' {
            let Some((inside, rest)) = self.rest.split_once('}') else {
                return invalid("{", "has no `}`", r"write `\{` for the character");
            };
            counts = format!("{{{inside}}}");
            let (least, most) = match inside.split_once(',') {
                Some((least, "")) => (least, None),
                Some((least, most)) => (least, Some(most)),
                None => (inside, None),
            };
            let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            if least.is_empty() && most.is_some_and(number) {
                return invalid(&counts, NOT_JSON_SCHEMA, format!("write `{{0{inside}}}`"));
            }
            if !number(least) || !most.is_none_or(number) {
                let rule = "is not a valid number of repetitions";
                return invalid(
                    &counts,
                    rule,
                    r"write `{2}`, `{2,}` or `{2,5}`, or `\{` for the character",
                );
            }
            if let (Ok(least), Some(Ok(most))) = (least.parse::<u32>(), most.map(str::parse::<u32>))
                && least > most
            {
                let fix = format!("write `{{{most},{least}}}`");
                return invalid(&counts, "has a minimum above its maximum", fix);
            }
            self.rest = rest;
            counts.as_str()
        } else {
            match c {
                '*' => "*",
                '+' => "+",
                _ => "?",
            }
        };
        match before {
            Before::Atom => {}
            Before::Nothing => {
                let fix = format!("put it after what repeats, or write `\\{c}` for the character");
                return invalid(construct, "has nothing to repeat", fix);
            }
            Before::Assertion => {
                return invalid(construct, "cannot repeat an assertion", "remove it");
            }
            Before::Quantifier => {
                let rule =
                    "cannot follow another quantifier: JSON Schema has no possessive quantifiers";
                return invalid(
                    construct,
                    rule,
                    "keep one of the two, or put the first part into `(?:…)`",
                );
            }
        }
        self.out.push_str(construct);
        if self.take("?") {
            self.out.push('?');
        }
        Ok(Before::Quantifier)
    }
}

fn not_linear<T>(construct: &str, what: &str) -> Result<T, InvalidPattern> {
    let fix =
        "write the pattern without it, or declare the whole schema and enable the feature `schema`";
    invalid(
        construct,
        &format!("is {what}, which is not supported here"),
        fix,
    )
}

/// The replacement of inline flags.
fn flag_fix(flags: &str) -> &'static str {
    match flags.chars().next() {
        Some('i') => "write both cases, for example `[Aa]`",
        Some('x') => "write the pattern without spaces and comments",
        Some('s') => r"write `[\s\S]` for any character",
        Some('m') => r"write `(?:^|\n)` and `(?:$|\n)` for the ends of a line",
        Some('U') => "write `*?` instead of `*`, and `*` instead of `*?`",
        Some('R') => r"write `\r?\n` for the end of a line",
        Some('u' | '-') => r"remove it: `\d`, `\w` and `\b` match ASCII only",
        _ => "write `(?:…)` for a group, or `(?<name>…)` for a group with a name",
    }
}

#[cfg(test)]
mod tests;
