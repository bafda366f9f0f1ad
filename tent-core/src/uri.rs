//! Parses the URI templates of resources and matches URIs against them: [`Template`].
//!
//! A template has simple (`{id}`) and reserved (`{+path}`) expansions of one variable (RFC 6570). The macros parse
//! templates to check them, the runtime matches URIs. No value of a variable is used to open anything here.

mod normalized;

use std::fmt;

pub use normalized::normalized;

use self::normalized::normalized_escapes;

/// A parsed URI template. A URI without variables is a template that matches one URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable {
        name: String,
        /// `{+name}`: its value in the URI may contain `/`, `?` and `#`.
        reserved: bool,
    },
}

/// Why a text is not a valid template. `Display` gives a clause about the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidTemplate {
    /// The template does not start with a scheme such as `orders:`.
    NoScheme,
    /// A brace is unbalanced.
    UnbalancedBrace,
    /// The text in braces is not a variable.
    UnsupportedExpression(String),
    /// A variable occurs twice.
    DuplicateVariable(String),
    /// Two variables have no text between them, so the end of the first is ambiguous. Names the second.
    AdjacentVariables(String),
    /// A character that URIs do not allow.
    InvalidCharacter(char),
}

impl fmt::Display for InvalidTemplate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidTemplate::NoScheme => f.write_str("it does not start with a scheme"),
            InvalidTemplate::UnbalancedBrace => f.write_str("it has an unbalanced brace"),
            InvalidTemplate::UnsupportedExpression(text) => {
                write!(f, "{{{text}}} is not a variable")
            }
            InvalidTemplate::DuplicateVariable(name) => write!(f, "{{{name}}} occurs twice"),
            InvalidTemplate::AdjacentVariables(name) => {
                write!(f, "{{{name}}} directly follows another variable")
            }
            InvalidTemplate::InvalidCharacter(c) => {
                write!(f, "{c:?} must be percent-encoded in a URI")
            }
        }
    }
}

impl Template {
    /// Parses a template.
    ///
    /// ```
    /// use tent_core::uri::{InvalidTemplate, Template};
    /// let order = Template::parse("orders://{year}/{id}")?;
    /// assert_eq!(order.variables().collect::<Vec<_>>(), ["year", "id"]);
    /// let id = Some(vec![("year", "2026".to_owned()), ("id", "ä 7".to_owned())]);
    /// assert_eq!(order.match_uri("orders://2026/%C3%A4%207"), id);
    /// assert_eq!(order.match_uri("orders://2026/7/8"), None);
    /// assert_eq!(Template::parse("orders"), Err(InvalidTemplate::NoScheme));
    /// # Ok::<(), InvalidTemplate>(())
    /// ```
    ///
    /// # Errors
    /// The first problem of the template.
    pub fn parse(text: &str) -> Result<Self, InvalidTemplate> {
        check_scheme(text)?;
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = rest.find(['{', '}']).unwrap_or(rest.len());
            let (literal, more) = rest.split_at(at);
            if let Some(c) = literal.chars().find(|&c| !in_uri(c)) {
                return Err(InvalidTemplate::InvalidCharacter(c));
            }
            if !literal.is_empty() {
                // The scheme is part of the first literal.
                let literal = match parts.is_empty() {
                    true => normalized(literal),
                    false => normalized_escapes(literal),
                };
                parts.push(Part::Literal(literal.into_owned()));
            }
            if more.is_empty() {
                break;
            }
            let more = more
                .strip_prefix('{')
                .ok_or(InvalidTemplate::UnbalancedBrace)?;
            let (inside, more) = more
                .split_once('}')
                .ok_or(InvalidTemplate::UnbalancedBrace)?;
            let (name, reserved) = match inside.strip_prefix('+') {
                Some(name) => (name, true),
                None => (inside, false),
            };
            if name.is_empty() || !name.chars().all(in_name) {
                return Err(InvalidTemplate::UnsupportedExpression(inside.to_owned()));
            }
            if parts.iter().any(|part| part.name() == Some(name)) {
                return Err(InvalidTemplate::DuplicateVariable(name.to_owned()));
            }
            if parts.last().is_some_and(|part| part.name().is_some()) {
                return Err(InvalidTemplate::AdjacentVariables(name.to_owned()));
            }
            parts.push(Part::Variable {
                name: name.to_owned(),
                reserved,
            });
            rest = more;
        }
        Ok(Template { parts })
    }

    /// The names of the variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::name)
    }

    /// Whether the template has no variables and matches one URI.
    pub fn is_literal(&self) -> bool {
        self.variables().next().is_none()
    }

    /// The template without the names of its variables. Templates with equal shapes match the same URIs.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let shape = |text| Template::parse(text).map(|template| template.shape());
    /// assert_eq!(shape("orders://{id}"), shape("orders://{number}"));
    /// assert_ne!(shape("orders://{id}"), shape("orders://{+id}"));
    /// ```
    pub fn shape(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.as_str(),
            Part::Variable { reserved: true, .. } => "{+}",
            Part::Variable { .. } => "{}",
        });
        parts.collect()
    }

    /// The specificity of the template: if two templates match a URI, the one with the greater value applies. A template
    /// without variables is the most specific, then those with more literal text.
    pub fn specificity(&self) -> impl Ord + use<> {
        let reserved = |part: &&Part| matches!(part, Part::Variable { reserved: true, .. });
        let literal = self.parts.iter().map(|part| match part {
            Part::Literal(text) => text.len(),
            Part::Variable { .. } => 0,
        });
        let literal: usize = literal.sum();
        let reserved = self.parts.iter().filter(reserved).count();
        (
            self.is_literal(),
            std::cmp::Reverse(reserved),
            literal,
            std::cmp::Reverse(self.variables().count()),
        )
    }

    /// Matches `uri` and returns the percent-decoded values of the variables; `None` if it does not match. A value is
    /// never empty. In the URI, the value of a simple variable contains no `/`, `?` or `#`. If several matches exist,
    /// earlier variables take the longest values.
    ///
    /// A decoded value can contain any character, because simple expansion encodes those three (RFC 6570, section
    /// 3.2.2). Never join a value to a path without a check.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let file = Template::parse("notes://{name}")?;
    /// assert_eq!(file.match_uri("notes://../keys"), None);
    /// let name = Some(vec![("name", "../keys".to_owned())]);
    /// assert_eq!(file.match_uri("notes://..%2Fkeys"), name);
    /// # Ok::<(), tent_core::uri::InvalidTemplate>(())
    /// ```
    ///
    /// The caller chooses the values: check a value before you open a file or fetch a page with it. Some dangerous values
    /// never match: a NUL in any scheme; in the scheme `file` also a `\`, a segment `.` or `..`, a percent-encoded `/`
    /// in a simple variable, and a leading `/` after a `/`.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let docs = Template::parse("file:///docs/{+path}")?;
    /// assert!(docs.match_uri("file:///docs/guide/start.md").is_some());
    /// for uri in ["file:///docs/../etc/passwd", "file:///docs/%2E%2E/etc/passwd", "file:///docs//etc/passwd"] {
    ///     assert_eq!(docs.match_uri(uri), None);
    /// }
    /// # Ok::<(), tent_core::uri::InvalidTemplate>(())
    /// ```
    ///
    /// Equal URIs match alike: see [`normalized`].
    ///
    /// The time is proportional to the length of `uri` times the number of parts of the template.
    pub fn match_uri(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        let uri = normalized(uri);
        let bytes = uri.as_bytes();
        // ends[i][at]: whether the first i parts can match uri[..at]. A table instead of backtracking keeps the time
        // linear in the URI for every template.
        let mut ends = vec![vec![false; bytes.len() + 1]];
        ends[0][0] = true;
        for part in &self.parts {
            let before = ends.last()?;
            let mut after = vec![false; bytes.len() + 1];
            match part {
                Part::Literal(text) => {
                    for at in (0..bytes.len()).filter(|&at| before[at]) {
                        if bytes[at..].starts_with(text.as_bytes()) {
                            after[at + text.len()] = true;
                        }
                    }
                }
                Part::Variable { reserved, .. } => {
                    let mut open = false;
                    for at in 0..bytes.len() {
                        open = (open || before[at]) && (*reserved || !is_delimiter(bytes[at]));
                        after[at + 1] = open;
                    }
                }
            }
            ends.push(after);
        }
        // Walk back from the end and give each variable the shortest value that leaves the parts before it a match.
        let mut end = bytes.len();
        if !ends.last()?[end] {
            return None;
        }
        let mut values = Vec::new();
        let is_file = self.is_file();
        if is_file && !self.is_literal() && has_dots(&decoded(bytes)?) {
            return None;
        }
        for (at, part) in self.parts.iter().enumerate().rev() {
            match part {
                Part::Literal(text) => end -= text.len(),
                Part::Variable { name, reserved } => {
                    let start = (0..end).rev().find(|&start| ends[at][start])?;
                    let value = decoded(&bytes[start..end])?;
                    // The path starts after `file://`.
                    let is_below = start > "file://".len() && bytes[..start].ends_with(b"/");
                    if value.contains('\0')
                        || (is_file && leaves_directory(&value, *reserved, is_below))
                    {
                        return None;
                    }
                    values.push((name.as_str(), value));
                    end = start;
                }
            }
        }
        values.reverse();
        Some(values)
    }
}

impl Template {
    /// Whether the scheme is `file`, whose variables are paths.
    fn is_file(&self) -> bool {
        match self.parts.first() {
            Some(Part::Literal(text)) => text
                .split_once(':')
                .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("file")),
            _ => false,
        }
    }
}

/// Whether a segment of the path is `.` or `..`.
fn has_dots(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Whether the value of a variable can lead out of the directory before it. `is_below`: the text before the variable
/// ends with a `/`, so a leading `/` would start again at the root.
fn leaves_directory(value: &str, reserved: bool, is_below: bool) -> bool {
    value.contains('\\')
        || has_dots(value)
        || (!reserved && value.contains('/'))
        || (is_below && value.starts_with('/'))
}

impl Part {
    fn name(&self) -> Option<&str> {
        match self {
            Part::Literal(_) => None,
            Part::Variable { name, .. } => Some(name),
        }
    }
}

/// Checks that the text starts with a scheme (RFC 3986, section 3.1).
fn check_scheme(text: &str) -> Result<(), InvalidTemplate> {
    let (scheme, _) = text.split_once(':').ok_or(InvalidTemplate::NoScheme)?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (first && rest)
        .then_some(())
        .ok_or(InvalidTemplate::NoScheme)
}

/// Whether URIs allow the character without encoding (RFC 3986, section 2).
fn in_uri(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

/// Whether variable names allow the character (RFC 6570, section 2.3, without percent-encoding).
fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// Percent-decodes the bytes; `None` if the result is not UTF-8. A `%` without two hex digits stays as it is.
fn decoded(bytes: &[u8]) -> Option<String> {
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|&byte| char::from(byte).to_digit(16))
    };
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if let (b'%', Some(high), Some(low)) = (byte, digit(at + 1), digit(at + 2)) {
            out.push(u8::try_from(high * 16 + low).ok()?);
            at += 3;
        } else {
            out.push(byte);
            at += 1;
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests;
