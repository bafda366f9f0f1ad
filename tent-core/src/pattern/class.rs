//! Reads classes: `[a-z\d]`.

use super::escape::{Escape, Member};
use super::{InvalidPattern, Reader, invalid};

const OPERATIONS: [&str; 3] = ["&&", "--", "~~"];

impl Reader<'_> {
    /// Reads what follows `[`.
    pub(super) fn class(&mut self) -> Result<(), InvalidPattern> {
        let negated = self.take("^");
        self.out.push_str(if negated { "[^" } else { "[" });
        if self.rest.starts_with(']') {
            let (construct, fix) = match negated {
                true => ("[^]", r"write `[\s\S]` for any character, or `[^\]]`"),
                false => ("[]", r"write `\]` for the character"),
            };
            return invalid(construct, "is read differently by regex engines", fix);
        }
        loop {
            if self.take("]") {
                self.out.push(']');
                return Ok(());
            }
            let start = self.rest;
            let first = self.member()?;
            // A `-` before the end is a literal.
            if !self.rest.starts_with('-') || self.rest.starts_with("-]") {
                self.write(first);
                continue;
            }
            self.operations()?;
            self.take("-");
            let last = self.member()?;
            let range = &start[..start.len() - self.rest.len()];
            match (first, last) {
                (Member::Char(from), Member::Char(to)) if from <= to => {
                    self.literal(from);
                    self.out.push('-');
                    self.literal(to);
                }
                (Member::Char(_), Member::Char(_)) => {
                    return invalid(
                        range,
                        "is a range whose start is after its end",
                        "swap the two",
                    );
                }
                _ => {
                    let fix = r"write `\-` for the character, or characters on both sides";
                    return invalid(range, "is not a range of characters", fix);
                }
            }
        }
    }

    fn write(&mut self, member: Member) {
        match member {
            Member::Char(c) => self.literal(c),
            Member::Set(set) => self.out.push_str(&set),
        }
    }

    fn member(&mut self) -> Result<Member, InvalidPattern> {
        self.operations()?;
        if let Some(inside) = self.rest.strip_prefix("[:")
            && let Some((name, _)) = inside.split_once(":]")
            && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'^')
        {
            return invalid(
                &format!("[:{name}:]"),
                "is a POSIX class, which JSON Schema does not have",
                posix_fix(name),
            );
        }
        match self.next() {
            Some('\\') => match self.escaped(true)? {
                Escape::Member(member) => Ok(member),
                Escape::Assertion(_) | Escape::Reference(_) => invalid(
                    "\\",
                    "is not valid in a class",
                    r"write `\\` for the character",
                ),
            },
            Some(c) => Ok(Member::Char(c)),
            None => invalid(
                "[",
                "has no `]`",
                r"add `]`, or write `\[` for the character",
            ),
        }
    }

    /// Refuses an operation on sets, which later versions of ECMAScript have too.
    fn operations(&self) -> Result<(), InvalidPattern> {
        match OPERATIONS.iter().find(|one| self.rest.starts_with(**one)) {
            Some(operation) => {
                let c = &operation[..1];
                let fix = match c {
                    "-" => r"write `\-` for the character, or list the characters of the result"
                        .to_owned(),
                    _ => format!(
                        "write `{c}` once for the character, or list the characters of the result"
                    ),
                };
                invalid(
                    operation,
                    "in a class is an operation on sets, which JSON Schema does not have",
                    fix,
                )
            }
            None => Ok(()),
        }
    }
}

/// The members of a POSIX class.
fn posix_fix(name: &str) -> &'static str {
    match name.trim_start_matches('^') {
        "alnum" => "write `0-9A-Za-z`",
        "alpha" => "write `A-Za-z`",
        "ascii" => r"write `\x00-\x7F`",
        "blank" => r"write `\t` and a space",
        "cntrl" => r"write `\x00-\x1F\x7F`",
        "digit" => r"write `\d`",
        "graph" => "write `!-~`",
        "lower" => "write `a-z`",
        "print" => r"write `\x20-~`",
        "punct" => r"write `!-\/:-@\[-`{-~`",
        "space" => r"write `\t-\r` and a space",
        "upper" => "write `A-Z`",
        "word" => r"write `\w`",
        "xdigit" => "write `0-9A-Fa-f`",
        _ => r"write `\[` for the character",
    }
}
