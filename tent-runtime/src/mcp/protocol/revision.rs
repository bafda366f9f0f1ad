//! The revisions of MCP that tent serves, and the features of each.
//! Must be the only place that compares revisions: each method below names a feature that one revision added.

use crate::cx::Capabilities;

/// A revision of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// Every revision, the newest first, as `server/discover` lists them.
    pub(crate) const ALL: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// The newest revision with a handshake, which `initialize` offers to a client of an unknown revision.
    pub(crate) const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

    /// The revision of a request that names none (2025-06-18, basic/transports).
    pub(crate) const ASSUMED: Revision = Revision::V2025_03_26;

    /// The revision of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// The name in messages and headers.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether each request carries its own metadata, instead of a handshake.
    pub(crate) fn is_modern(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Whether messages can be sent in batches. One revision added batches, the next one removed them.
    pub(crate) fn has_batches(self) -> bool {
        self == Revision::V2025_03_26
    }

    /// Whether tools have annotations, and content can be audio.
    pub(crate) fn has_annotations_and_audio(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are icons, and `Implementation` has a description and a website.
    pub(crate) fn has_icons(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether there is elicitation.
    pub(crate) fn has_elicitation(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether a sampling message can have several content blocks, tool calls and tool results included.
    pub(crate) fn has_message_lists(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether elicitation has modes, and enum fields have titles, defaults and multiple selection.
    pub(crate) fn has_elicitation_modes(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a progress notification has a message.
    pub(crate) fn has_progress_messages(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are titles, output schemas, structured content, resource links and `_meta` on most types.
    pub(crate) fn has_titles_and_structure(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// The capabilities of a client that declares these in a handshake for this revision: a capability that the revision
    /// does not have is for another one.
    pub(crate) fn restrict(self, declared: Capabilities) -> Capabilities {
        let modes = self.has_elicitation_modes();
        let parts = self.has_message_lists();
        Capabilities {
            // Before there were modes, elicitation meant forms.
            form: self.has_elicitation() && (declared.form || (declared.url && !modes)),
            url: declared.url && modes,
            sampling: declared.sampling,
            sampling_tools: declared.sampling_tools && parts,
            // Before it was a separate capability, it was part of sampling.
            sampling_context: if parts {
                declared.sampling_context
            } else {
                declared.sampling
            },
            roots: declared.roots,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_revision_by_its_exact_name() {
        for one in Revision::ALL {
            assert_eq!(Revision::find(one.name()), Some(one));
        }
        for name in ["", "2026-07-29", "2025-11-25 ", "draft"] {
            assert_eq!(Revision::find(name), None, "{name}");
        }
        assert!(Revision::ALL.is_sorted_by(|a, b| a > b), "newest first");
        assert!(!Revision::NEWEST_LEGACY.is_modern());
    }

    #[test]
    fn restricts_capabilities_to_those_of_the_revision() {
        let all = Capabilities {
            form: true,
            url: true,
            sampling: true,
            sampling_tools: true,
            sampling_context: true,
            roots: true,
        };
        for (revision, expected) in [
            (Revision::V2026_07_28, all),
            (Revision::V2025_11_25, all),
            (
                Revision::V2025_06_18,
                Capabilities {
                    url: false,
                    sampling_tools: false,
                    ..all
                },
            ),
            (
                Revision::V2024_11_05,
                Capabilities {
                    form: false,
                    url: false,
                    sampling_tools: false,
                    ..all
                },
            ),
        ] {
            assert_eq!(revision.restrict(all), expected, "{}", revision.name());
            let nothing = Capabilities::default();
            assert_eq!(revision.restrict(nothing), nothing);
        }
        let urls = Capabilities {
            url: true,
            ..Capabilities::default()
        };
        assert!(Revision::V2025_06_18.restrict(urls).form);
        assert!(!Revision::V2025_11_25.restrict(urls).form);
        let sampling = Capabilities {
            sampling: true,
            ..Capabilities::default()
        };
        assert!(Revision::V2025_06_18.restrict(sampling).sampling_context);
        assert!(!Revision::V2025_11_25.restrict(sampling).sampling_context);
    }
}
