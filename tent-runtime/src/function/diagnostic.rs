//! [`Diagnostic`]: one problem or warning that tent finds in the declarations of an app at start.

use std::fmt;

use tent_core::codes::Code;

use super::Location;

/// A problem or a warning that `check` reports. A problem keeps the app from starting; a warning does not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The code of the kind of problem.
    pub code: Code,
    /// The problem.
    pub message: String,
    /// Every source location that the problem concerns.
    pub locations: Vec<Location>,
}

impl Diagnostic {
    /// A problem at these locations. Unknown locations, those of functions built without one, are left out.
    pub(crate) fn new(
        code: Code,
        message: impl Into<String>,
        locations: impl IntoIterator<Item = Location>,
    ) -> Self {
        Diagnostic {
            code,
            message: message.into(),
            locations: locations.into_iter().collect(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, fix) = (self.code.name(), self.code.fix());
        write!(f, "{} {name}: {}\n  help: {fix}", self.code, self.message)?;
        for location in &self.locations {
            write!(f, "\n  at {location}")?;
        }
        Ok(())
    }
}

/// All problems that keep an app from starting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub(crate) Vec<Diagnostic>);

impl Diagnostics {
    /// The problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.0.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
