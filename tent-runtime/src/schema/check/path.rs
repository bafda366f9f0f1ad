//! [`Path`]: the location of a value in an input, such as `lines[0].sku`. It becomes text only for an error.

use std::fmt::{self, Write};

/// The maximum length of a step in the text.
const LONGEST: usize = 64;

/// A location: a linked list of steps on the stack.
#[derive(Clone, Copy)]
pub(in crate::schema) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    step: Step<'a>,
    /// The number of steps.
    pub(super) depth: u16,
    /// Whether the value here, or a value around it, is secret.
    pub(super) secret: bool,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Root,
    /// A property of the schema.
    Known(&'a str),
    /// A key of the caller's.
    Chosen(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    pub(in crate::schema) const ROOT: Path<'static> = Path {
        parent: None,
        step: Step::Root,
        depth: 0,
        secret: false,
    };

    pub(in crate::schema) fn known(&'a self, name: &'a str) -> Path<'a> {
        self.then(Step::Known(name))
    }

    pub(super) fn chosen(&'a self, name: &'a str) -> Path<'a> {
        self.then(Step::Chosen(name))
    }

    pub(super) fn index(&'a self, at: usize) -> Path<'a> {
        self.then(Step::Index(at))
    }

    fn then(&'a self, step: Step<'a>) -> Path<'a> {
        Path {
            parent: Some(self),
            step,
            depth: self.depth.saturating_add(1),
            secret: self.secret,
        }
    }

    pub(super) fn hidden(mut self, secret: bool) -> Self {
        self.secret |= secret;
        self
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parent) = self.parent else {
            return Ok(());
        };
        parent.fmt(f)?;
        match self.step {
            Step::Root => Ok(()),
            Step::Index(at) => write!(f, "[{at}]"),
            // A key of the caller's is part of the secret value.
            Step::Chosen(_) if parent.secret => f.write_str("[secret]"),
            Step::Known(name) | Step::Chosen(name) => {
                let plain = name.len() <= LONGEST
                    && !name.is_empty()
                    && name
                        .chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
                if !plain {
                    f.write_str("[\"")?;
                    for c in name.chars().take(LONGEST) {
                        write!(f, "{}", c.escape_debug())?;
                    }
                    f.write_str(if name.chars().count() > LONGEST {
                        "…\"]"
                    } else {
                        "\"]"
                    })
                } else {
                    if parent.parent.is_some() {
                        f.write_char('.')?;
                    }
                    f.write_str(name)
                }
            }
        }
    }
}
