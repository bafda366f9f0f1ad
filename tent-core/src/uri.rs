//! URI templates as resources state them: [`Template`], of RFC 6570 the simple (`{id}`) and the reserved
//! (`{+path}`) expansion of one variable. The macros check them, the runtime matches by them.

use std::fmt;

/// A template, or a URI without variables, which is a template of one URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    Variable {
        name: String,
        /// `{+name}`: in the URI it may hold `/`, `?` and `#`.
        reserved: bool,
    },
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// It begins with no scheme, such as `orders:`.
    Scheme,
    /// A brace is not closed, or closes nothing.
    Brace,
    /// An expansion that is none of the two, by what stands in its braces.
    Expression(String),
    /// A variable stands twice.
    Twice(String),
    /// Nothing stands between two variables, so that nobody can tell where one ends.
    Adjacent(String),
    /// A character that no URI has.
    Character(char),
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Scheme => f.write_str("it begins with no scheme"),
            Wrong::Brace => f.write_str("a brace is not closed, or closes nothing"),
            Wrong::Expression(text) => write!(f, "{{{text}}} is no variable"),
            Wrong::Twice(name) => write!(f, "{{{name}}} stands twice"),
            Wrong::Adjacent(name) => {
                write!(
                    f,
                    "nothing stands between {{{name}}} and the variable before it"
                )
            }
            Wrong::Character(c) => write!(f, "{c:?} has to be percent-encoded in a URI"),
        }
    }
}

impl Template {
    /// Reads a template.
    ///
    /// ```
    /// use tent_core::uri::{Template, Wrong};
    /// let order = Template::read("orders://{year}/{id}")?;
    /// assert_eq!(order.variables().collect::<Vec<_>>(), ["year", "id"]);
    /// let id = Some(vec![("year", "2026".to_owned()), ("id", "ä 7".to_owned())]);
    /// assert_eq!(order.matched("orders://2026/%C3%A4%207"), id);
    /// assert_eq!(order.matched("orders://2026/7/8"), None);
    /// assert_eq!(Template::read("orders"), Err(Wrong::Scheme));
    /// # Ok::<(), Wrong>(())
    /// ```
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn read(text: &str) -> Result<Self, Wrong> {
        scheme(text)?;
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let at = rest.find(['{', '}']).unwrap_or(rest.len());
            let (literal, more) = rest.split_at(at);
            if let Some(c) = literal.chars().find(|&c| !in_uri(c)) {
                return Err(Wrong::Character(c));
            }
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.to_owned()));
            }
            if more.is_empty() {
                break;
            }
            let more = more.strip_prefix('{').ok_or(Wrong::Brace)?;
            let (inside, more) = more.split_once('}').ok_or(Wrong::Brace)?;
            let (name, reserved) = match inside.strip_prefix('+') {
                Some(name) => (name, true),
                None => (inside, false),
            };
            if name.is_empty() || !name.chars().all(in_name) {
                return Err(Wrong::Expression(inside.to_owned()));
            }
            if parts.iter().any(|part| part.name() == Some(name)) {
                return Err(Wrong::Twice(name.to_owned()));
            }
            if parts.last().is_some_and(|part| part.name().is_some()) {
                return Err(Wrong::Adjacent(name.to_owned()));
            }
            parts.push(Part::Variable {
                name: name.to_owned(),
                reserved,
            });
            rest = more;
        }
        Ok(Template { parts })
    }

    /// The names of its variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::name)
    }

    /// Whether it has no variables, and is one URI.
    pub fn is_literal(&self) -> bool {
        self.variables().next().is_none()
    }

    /// The template with its variables' names left out: two that are equal so have the same URIs.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let shape = |text| Template::read(text).map(|template| template.shape());
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

    /// How much it says of its URIs: of two templates that match one URI, the greater is the more exact.
    /// One without variables is the greatest, then those of which more is literal.
    pub fn exactness(&self) -> impl Ord + use<> {
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

    /// The values of its variables in `uri`, percent-decoded; `None` where it is not one of its URIs. A
    /// variable is never empty, and in the URI it holds no `/`, `?` or `#` unless it is reserved. Of several
    /// readings the one counts in which the variables before are longest.
    ///
    /// A value can hold any character all the same: simple expansion encodes those three (RFC 6570, 3.2.2), and
    /// decoding gives them back. So no value is a path that may be joined to another as it is.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let file = Template::read("notes://{name}")?;
    /// assert_eq!(file.matched("notes://../keys"), None);
    /// let name = Some(vec![("name", "../keys".to_owned())]);
    /// assert_eq!(file.matched("notes://..%2Fkeys"), name);
    /// # Ok::<(), tent_core::uri::Wrong>(())
    /// ```
    ///
    /// A value is what a caller sent: before a file is opened or a page is fetched by it, check where it leads. Some
    /// is refused here, so that the URI matches nothing: a NUL everywhere; of the scheme `file` also a `\`, a `.`
    /// or `..` between slashes, a `/` that came percent-encoded in a simple variable, and one at the beginning
    /// of what follows a `/`.
    ///
    /// ```
    /// use tent_core::uri::Template;
    /// let docs = Template::read("file:///docs/{+path}")?;
    /// assert!(docs.matched("file:///docs/guide/start.md").is_some());
    /// for uri in ["file:///docs/../etc/passwd", "file:///docs/%2E%2E/etc/passwd", "file:///docs//etc/passwd"] {
    ///     assert_eq!(docs.matched(uri), None);
    /// }
    /// # Ok::<(), tent_core::uri::Wrong>(())
    /// ```
    ///
    /// It takes time in proportion to the length of `uri` and of the template.
    pub fn matched(&self, uri: &str) -> Option<Vec<(&str, String)>> {
        let bytes = uri.as_bytes();
        // For each part, at which places of the URI what stands before it can end.
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
                    // After `file://` the path has not begun.
                    let is_below = start > "file://".len() && bytes[..start].ends_with(b"/");
                    if value.contains('\0') || (is_file && leads_away(&value, *reserved, is_below))
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
    /// Whether its URIs are of the scheme `file`, whose variables are paths.
    fn is_file(&self) -> bool {
        match self.parts.first() {
            Some(Part::Literal(text)) => text
                .split_once(':')
                .is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("file")),
            _ => false,
        }
    }
}

/// Whether a segment of a path stands for the directory itself or for the one above.
fn has_dots(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Whether the value of a variable in a path can lead elsewhere than below what stands before it. `is_below`:
/// that ends with a `/`, and the value is not to begin anew at the root.
fn leads_away(value: &str, reserved: bool, is_below: bool) -> bool {
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

/// A scheme of RFC 3986, 3.1, as a literal.
fn scheme(text: &str) -> Result<(), Wrong> {
    let (scheme, _) = text.split_once(':').ok_or(Wrong::Scheme)?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    (first && rest).then_some(()).ok_or(Wrong::Scheme)
}

/// Whether a character may stand in a URI as it is (RFC 3986, 2).
fn in_uri(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=%".contains(c)
}

/// A character of a variable's name, such as a parameter of Rust has (RFC 6570, 2.3 without percent-encoding).
fn in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'/' | b'?' | b'#')
}

/// `None` for what is no UTF-8. A `%` without two digits after it stands for itself.
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
mod tests {
    use super::*;

    fn values(template: &str, uri: &str) -> Option<Vec<String>> {
        let template = Template::read(template).expect("a template");
        let found = template.matched(uri)?;
        Some(found.into_iter().map(|(_, value)| value).collect())
    }

    #[test]
    fn what_is_no_template_is_told_apart() {
        for (text, wrong) in [
            ("", Wrong::Scheme),
            ("{scheme}://x", Wrong::Scheme),
            ("1a://x", Wrong::Scheme),
            ("a://{", Wrong::Brace),
            ("a://}", Wrong::Brace),
            ("a://{id", Wrong::Brace),
            ("a://{}", Wrong::Expression(String::new())),
            ("a://{?q}", Wrong::Expression("?q".to_owned())),
            ("a://{x*}", Wrong::Expression("x*".to_owned())),
            ("a://{x}/{x}", Wrong::Twice("x".to_owned())),
            ("a://{x}{y}", Wrong::Adjacent("y".to_owned())),
            ("a://b c", Wrong::Character(' ')),
        ] {
            assert_eq!(Template::read(text), Err(wrong), "{text}");
        }
    }

    #[test]
    fn a_variable_ends_at_what_delimits_and_is_never_empty() {
        assert_eq!(values("a://{x}", "a://"), None);
        assert_eq!(values("a://{x}", "a://b/c"), None);
        assert_eq!(values("a://{x}", "a://b?c"), None);
        assert_eq!(values("a://{x}", "a://b%2Fc"), Some(vec!["b/c".to_owned()]));
        assert_eq!(values("a://{x}", "a://%ff"), None);
        assert_eq!(values("a://{x}", "a://100%"), Some(vec!["100%".to_owned()]));
        assert_eq!(
            values("a://{+x}", "a://b/c?d"),
            Some(vec!["b/c?d".to_owned()])
        );
        assert_eq!(values("a://x", "a://x"), Some(vec![]));
        assert_eq!(values("a://x", "a://xy"), None);
        assert_eq!(values("a://{x}", "b://x"), None);
        assert_eq!(
            values("a://{+dir}/{name}", "a://b/c/d"),
            Some(vec!["b/c".to_owned(), "d".to_owned()])
        );
        assert_eq!(
            values("a://{x}-{y}.txt", "a://1-2-3.txt"),
            Some(vec!["1-2".to_owned(), "3".to_owned()])
        );
    }

    #[test]
    fn a_value_never_leads_out_of_the_path_of_a_file() {
        for (template, uri) in [
            ("file:///d/{x}", "file:///d/.."),
            ("file:///d/{x}", "file:///d/."),
            ("file:///d/{x}", "file:///d/%2e%2E"),
            ("file:///d/{x}", "file:///d/..%2Fetc"),
            ("file:///d/{x}", "file:///d/a%2Fb"),
            ("file:///d/{x}", "file:///d/%2Fetc"),
            ("file:///d/{x}", "file:///d/..%5Cetc"),
            ("file:///d/{x}", "file:///d/a\\b"),
            ("file:///d/{x}", "file:///d/a%00.txt"),
            ("file:///d/{+x}", "file:///d/../etc"),
            ("file:///d/{+x}", "file:///d/a/../../etc"),
            ("file:///d/{+x}", "file:///d/a%2F..%2F..%2Fetc"),
            ("file:///d/{+x}", "file:///d/a/.."),
            ("file:///d/{+x}", "file:///d/./a"),
            ("file:///d/{+x}", "file:///d//etc"),
            ("file:///d/{+x}", "file:///d/%2Fetc"),
            ("file:///d/{+x}", "file:///d/a%5C..%5Cb"),
            ("file:///d/{+x}", "file:///d/a%00"),
            ("file:///d/.{+x}", "file:///d/../etc"),
            ("file:///d/{x}./{y}", "file:///d/../y"),
            ("FILE:///d/{+x}", "FILE:///d/../etc"),
            ("file:{+x}", "file:/d/../etc"),
        ] {
            assert_eq!(values(template, uri), None, "{template} {uri}");
        }
        for (template, uri, value) in [
            ("file:///d/{x}", "file:///d/a.txt", "a.txt"),
            ("file:///d/{x}", "file:///d/..a", "..a"),
            ("file:///d/{x}", "file:///d/a..", "a.."),
            ("file:///d/{x}", "file:///d/...", "..."),
            ("file:///d/{x}", "file:///d/%252e%252e", "%2e%2e"),
            ("file:///d/{+x}", "file:///d/a/b%20c/.d", "a/b c/.d"),
            ("file://{+x}", "file:///d/a", "/d/a"),
            ("files:///d/{+x}", "files:///d/../a", "../a"),
            ("orders://{x}", "orders://..%2Fa", "../a"),
            ("orders://{x}", "orders://a%5Cb", "a\\b"),
        ] {
            let value = Some(vec![value.to_owned()]);
            assert_eq!(values(template, uri), value, "{template} {uri}");
        }
        assert_eq!(values("file:///d/../a", "file:///d/../a"), Some(vec![]));
    }

    #[test]
    fn no_value_holds_a_nul() {
        for template in ["orders://{x}", "orders://{+x}"] {
            assert_eq!(values(template, "orders://a%00"), None, "{template}");
            assert_eq!(values(template, "orders://a\0"), None, "{template}");
        }
    }

    #[test]
    fn what_is_encoded_is_part_of_a_value_and_delimits_nothing() {
        let one = |template: &str, uri: &str| values(template, uri).map(|all| all.concat());
        let is = |value: &str| Some(value.to_owned());
        for template in ["a://{x}", "a://{+x}"] {
            assert_eq!(one(template, "a://b%2Fc%3Fd%23e"), is("b/c?d#e"));
            assert_eq!(one(template, "a://b%2fc"), is("b/c"), "in either case");
            assert_eq!(one(template, "a://%2E%2E%2F..%2Fkeys"), is("../../keys"));
            assert_eq!(one(template, "a://b%252Fc"), is("b%2Fc"), "decoded once");
        }
        assert_eq!(one("a://{+x}", "a://../keys"), is("../keys"));
        assert_eq!(one("a://{x}", "a://../keys"), None);
        assert_eq!(one("a://{x}/{y}", "a://b%2Fc"), None);
    }

    #[test]
    fn a_long_uri_takes_time_in_proportion_to_it() {
        let long = "a/".repeat(100_000);
        assert_eq!(
            values("a://{+a}a{+b}a{+c}a{+d}b", &format!("a://{long}")),
            None
        );
    }

    #[test]
    fn the_more_exact_is_the_greater() {
        let ordered = ["a://{+x}", "a://{x}", "a://b/{x}", "a://b"];
        let exact: Vec<_> = ordered
            .iter()
            .map(|text| Template::read(text).expect("a template").exactness())
            .collect();
        assert!(exact.is_sorted_by(|a, b| a < b));
    }
}
