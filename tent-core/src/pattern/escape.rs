//! Reads escapes: `\d`, `\u{1F600}`, `\p{L}`, `\/`.

use super::{
    Before, Engine, InvalidPattern, NOT_JSON_SCHEMA, Reader, invalid, not_linear, properties,
};

// The members of the classes of ECMAScript, and their complements, as members of a class.
const DIGIT: &str = "0-9";
const NOT_DIGIT: &str = r"\u{0}-\u{2F}\u{3A}-\u{10FFFF}";
const WORD: &str = "0-9A-Za-z_";
const NOT_WORD: &str = r"\u{0}-\u{2F}\u{3A}-\u{40}\u{5B}-\u{5E}\u{60}\u{7B}-\u{10FFFF}";
const SPACE: &str =
    r"\u{9}-\u{D} \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";
const NOT_SPACE: &str = r"\u{0}-\u{8}\u{E}-\u{1F}\u{21}-\u{9F}\u{A1}-\u{167F}\u{1681}-\u{1FFF}\u{200B}-\u{2027}\u{202A}-\u{202E}\u{2030}-\u{205E}\u{2060}-\u{2FFF}\u{3001}-\u{FEFE}\u{FF00}-\u{10FFFF}";

/// A member of a class.
pub(super) enum Member {
    Char(char),
    Set(String),
}

/// The meaning of an escape.
pub(super) enum Escape {
    Member(Member),
    Assertion(&'static str),
    Reference(String),
}

impl<'p> Reader<'p> {
    /// Reads what follows `\` outside of a class.
    pub(super) fn escape(&mut self) -> Result<Before, InvalidPattern> {
        match self.escaped(false)? {
            Escape::Member(Member::Char(c)) => self.literal(c),
            Escape::Member(Member::Set(set))
                if set.starts_with('\\') && set[1..].starts_with(['p', 'P']) =>
            {
                self.out.push_str(&set);
            }
            Escape::Member(Member::Set(set)) => {
                self.out.push('[');
                self.out.push_str(&set);
                self.out.push(']');
            }
            Escape::Assertion(text) => {
                self.out.push_str(text);
                return Ok(Before::Assertion);
            }
            Escape::Reference(text) => self.out.push_str(&text),
        }
        Ok(Before::Atom)
    }

    pub(super) fn escaped(&mut self, in_class: bool) -> Result<Escape, InvalidPattern> {
        let Some(c) = self.next() else {
            return invalid(
                "\\",
                "at the end escapes nothing",
                r"write `\\` for the character",
            );
        };
        let set = |text: &str| Ok(Escape::Member(Member::Set(text.to_owned())));
        let code = match c {
            'd' => return set(DIGIT),
            'D' => return set(NOT_DIGIT),
            'w' => return set(WORD),
            'W' => return set(NOT_WORD),
            's' => return set(SPACE),
            'S' => return set(NOT_SPACE),
            'p' | 'P' => return self.property(c),
            'b' if in_class => 0x08,
            'b' | 'B' if !in_class => return self.boundary(c),
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => 0,
            '0'..='9' => return self.decimal(c, in_class),
            'k' if !in_class => return self.reference(),
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => letter as u32 % 32,
                _ => {
                    return invalid(
                        r"\c",
                        "is not followed by a letter",
                        r"write `\x` and two hexadecimal digits",
                    );
                }
            },
            'x' => match self.hexadecimal(2) {
                Some(code) => code,
                None if self.rest.starts_with('{') => {
                    let inside = self.rest[1..].split('}').next().unwrap_or_default();
                    return invalid(
                        &format!(r"\x{{{inside}}}"),
                        NOT_JSON_SCHEMA,
                        format!(r"write `\u{{{inside}}}`"),
                    );
                }
                None => {
                    return invalid(
                        r"\x",
                        "is not followed by two hexadecimal digits",
                        r"write for example `\x0A`",
                    );
                }
            },
            'u' => return self.unicode(),
            '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|'
            | '/' => c as u32,
            '-' if in_class => c as u32,
            other => return Err(self.foreign_escape(other, in_class)),
        };
        character(code, c)
    }

    fn boundary(&mut self, c: char) -> Result<Escape, InvalidPattern> {
        if self.rest.starts_with('{') {
            let inside = self.rest[1..].split('}').next().unwrap_or_default();
            return invalid(
                &format!(r"\{c}{{{inside}}}"),
                NOT_JSON_SCHEMA,
                r"write `\b`, or `\b\{` for the character",
            );
        }
        // The engine that backtracks has no flag for ASCII, and look-around.
        Ok(Escape::Assertion(match (self.engine, c) {
            (Engine::Linear, 'b') => r"(?-u:\b)",
            (Engine::Linear, _) => r"(?-u:\B)",
            (Engine::Backtracking, 'b') => {
                "(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))"
            }
            (Engine::Backtracking, _) => {
                "(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))"
            }
        }))
    }

    /// Reads a number of `digits` hexadecimal digits.
    fn hexadecimal(&mut self, digits: usize) -> Option<u32> {
        let text = self.rest.get(..digits)?;
        if !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.rest = &self.rest[digits..];
        u32::from_str_radix(text, 16).ok()
    }

    /// Reads what follows `\u`: `{…}`, four digits, or four digits and the escape of the other half of a surrogate pair.
    fn unicode(&mut self) -> Result<Escape, InvalidPattern> {
        let code = if self.take("{") {
            self.until('}')
                .filter(|text| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|text| u32::from_str_radix(text, 16).ok())
        } else {
            let first = self.hexadecimal(4);
            let after = self.rest;
            match first {
                Some(high @ 0xD800..0xDC00) if self.take(r"\u") => match self.hexadecimal(4) {
                    Some(low @ 0xDC00..0xE000) => {
                        Some(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
                    }
                    _ => {
                        self.rest = after;
                        first
                    }
                },
                _ => first,
            }
        };
        match code {
            Some(code) => character(code, 'u'),
            None => invalid(
                r"\u",
                "is not followed by a code point",
                r"write for example `\u00E9` or `\u{1F600}`",
            ),
        }
    }

    fn decimal(&mut self, first: char, in_class: bool) -> Result<Escape, InvalidPattern> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit());
        let (more, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let construct = format!(r"\{first}{more}");
        if first == '0' || in_class {
            let fix = match u32::from_str_radix(&construct[1..], 8) {
                Ok(code) if code < 256 => format!(r"write `\x{code:02X}`"),
                _ => r"write `\x` and two hexadecimal digits".to_owned(),
            };
            return invalid(
                &construct,
                "is an octal escape, which JSON Schema does not have",
                fix,
            );
        }
        if self.engine == Engine::Linear {
            return not_linear(&construct, "a back-reference");
        }
        self.rest = rest;
        self.highest = self.highest.max(construct[1..].parse().unwrap_or(u32::MAX));
        // A digit after it would belong to its number.
        Ok(Escape::Reference(format!("(?:{construct})")))
    }

    fn reference(&mut self) -> Result<Escape, InvalidPattern> {
        let name = if self.take("<") {
            self.until('>')
        } else {
            None
        };
        let Some(name) = name else {
            return invalid(r"\k", "has no name", r"write `\k<name>`");
        };
        let construct = format!(r"\k<{name}>");
        if self.engine == Engine::Linear {
            return not_linear(&construct, "a back-reference");
        }
        self.references.push(name);
        // A reference before its group matches the empty text.
        let known = self.names.iter().find(|(known, _)| *known == name);
        Ok(Escape::Reference(known.map_or_else(
            || "(?:)".to_owned(),
            |(_, number)| format!(r"(?:\{number})"),
        )))
    }

    fn property(&mut self, c: char) -> Result<Escape, InvalidPattern> {
        if !self.take("{") {
            let (construct, fix) = match self.next() {
                Some(name) => (format!(r"\{c}{name}"), format!(r"write `\{c}{{{name}}}`")),
                None => (format!(r"\{c}"), format!(r"write `\{c}{{L}}`")),
            };
            return invalid(&construct, NOT_JSON_SCHEMA, fix);
        }
        let name = self.until('}').unwrap_or_default();
        let construct = format!(r"\{c}{{{name}}}");
        match properties::check(c, name) {
            Ok(()) => Ok(Escape::Member(Member::Set(construct))),
            Err(fix) => invalid(
                &construct,
                "is not a Unicode property with its exact name",
                fix,
            ),
        }
    }

    /// The error for an escape that ECMAScript does not have.
    fn foreign_escape(&self, c: char, in_class: bool) -> InvalidPattern {
        let fix = match c {
            'A' => "write `^`".to_owned(),
            'z' | 'Z' => "write `$`".to_owned(),
            'a' => r"write `\x07`".to_owned(),
            'e' => r"write `\x1B`".to_owned(),
            'h' => r"write `[\t ]`".to_owned(),
            'R' => r"write `\r?\n`".to_owned(),
            'U' => r"write `\u{…}`".to_owned(),
            '<' | '>' => format!(r"write `\b` for the end of a word, or `{c}` for the character"),
            'Q' | 'E' => "write a backslash before each character of the syntax".to_owned(),
            'G' | 'K' | 'X' | 'B' | 'k' => "remove it".to_owned(),
            '&' | '~' if in_class => format!("write `{c}`"),
            c => format!("write `{c}`"),
        };
        InvalidPattern {
            problem: format!(r"`\{c}` {NOT_JSON_SCHEMA}"),
            fix,
        }
    }
}

fn character(code: u32, c: char) -> Result<Escape, InvalidPattern> {
    match char::from_u32(code) {
        Some(c) => Ok(Escape::Member(Member::Char(c))),
        None => invalid(
            &format!(r"\{c}{code:X}"),
            "is not a character",
            r"write a code point, for example `\u{1F600}`",
        ),
    }
}
