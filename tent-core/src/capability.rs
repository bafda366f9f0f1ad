//! The client capabilities of MCP that a function can need: `needs = ["sampling"]`.
//!
//! The macros check the names, the runtime checks that the client declared them. Reads no wire format.

use crate::extension;
use crate::names::nearest;

/// A capability, or a part of one, in the words of MCP's schema (`ClientCapabilities`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// `elicitation`, in any mode.
    Elicitation,
    /// `elicitation.form`.
    ElicitationForm,
    /// `elicitation.url`.
    ElicitationUrl,
    /// `roots`.
    Roots,
    /// `sampling`.
    Sampling,
    /// `sampling.context`.
    SamplingContext,
    /// `sampling.tools`.
    SamplingTools,
}

impl Capability {
    /// All capabilities, sorted by name.
    pub const ALL: [Capability; 7] = [
        Capability::Elicitation,
        Capability::ElicitationForm,
        Capability::ElicitationUrl,
        Capability::Roots,
        Capability::Sampling,
        Capability::SamplingContext,
        Capability::SamplingTools,
    ];

    /// The name: the capability and, after a dot, its part.
    pub const fn name(self) -> &'static str {
        match self {
            Capability::Elicitation => "elicitation",
            Capability::ElicitationForm => "elicitation.form",
            Capability::ElicitationUrl => "elicitation.url",
            Capability::Roots => "roots",
            Capability::Sampling => "sampling",
            Capability::SamplingContext => "sampling.context",
            Capability::SamplingTools => "sampling.tools",
        }
    }

    /// The capability of this name.
    ///
    /// ```
    /// use tent_core::capability::Capability;
    /// assert_eq!(Capability::find("sampling.tools"), Some(Capability::SamplingTools));
    /// assert_eq!(Capability::find("simpling"), None);
    /// ```
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// Why a text is not a client capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownCapability {
    /// MCP has no such capability.
    Name {
        /// The capability that was probably meant.
        nearest: Option<Capability>,
    },
    /// The text has a `/` and is not the identifier of an extension; see [`extension::problem`].
    Extension(&'static str),
}

/// Checks the name of a capability, or the identifier of an extension, which has a `/`.
///
/// ```
/// use tent_core::capability::{Capability, UnknownCapability, check};
/// assert_eq!(check("roots"), Ok(()));
/// assert_eq!(check("io.modelcontextprotocol/ui"), Ok(()));
/// let nearest = Some(Capability::Sampling);
/// assert_eq!(check("simpling"), Err(UnknownCapability::Name { nearest }));
/// ```
///
/// # Errors
/// What is wrong with it.
pub fn check(text: &str) -> Result<(), UnknownCapability> {
    if Capability::find(text).is_some() {
        return Ok(());
    }
    if text.contains('/') {
        return extension::problem(text)
            .map_or(Ok(()), |problem| Err(UnknownCapability::Extension(problem)));
    }
    let nearest = nearest(text, Capability::ALL.map(Capability::name)).and_then(Capability::find);
    Err(UnknownCapability::Name { nearest })
}
