//! The revisions of the protocol that are served, and what each of them can say.
//!
//! Each method below names something that one revision brought; nothing else in the crate compares
//! revisions by date.

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
    /// Every revision, the newest first, as clients are told them.
    pub(crate) const ALL: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// The newest that has a handshake: what `initialize` offers a client whose own is unknown.
    pub(crate) const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

    /// What a request without any word of a revision is taken to speak.
    pub(crate) const UNSAID: Revision = Revision::V2025_03_26;

    /// The revision of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Its name on the wire.
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

    /// Whether several messages may come as one array. One revision had it, the next took it back.
    pub(crate) fn has_batches(self) -> bool {
        self == Revision::V2025_03_26
    }

    /// Whether a tool has `annotations`, and a content may be audio.
    pub(crate) fn has_annotations_and_audio(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are icons, and a server has a description and a website.
    pub(crate) fn has_icons(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether forms can be asked for.
    pub(crate) fn has_elicitation(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether a message of sampling has several parts, calls of tools and their results among them.
    pub(crate) fn has_messages_of_parts(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether an elicitation has a mode, and choices have titles of their own, and defaults, and can be several.
    pub(crate) fn has_modes_of_elicitation(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a note of progress says what is being done.
    pub(crate) fn has_progress_messages(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are titles, output schemas, structured content and links to resources.
    pub(crate) fn has_titles_and_structure(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// What a client that said `said` can do when this revision is negotiated on: what the revision does not have was
    /// said for another one.
    pub(crate) fn masked(self, said: Capabilities) -> Capabilities {
        let modes = self.has_modes_of_elicitation();
        let parts = self.has_messages_of_parts();
        Capabilities {
            // Before there were modes, whoever could ask its person could do it by a form.
            form: self.has_elicitation() && (said.form || (said.url && !modes)),
            url: said.url && modes,
            sampling: said.sampling,
            sampling_tools: said.sampling_tools && parts,
            // Before it could be said apart, it was a part of sampling.
            sampling_context: if parts {
                said.sampling_context
            } else {
                said.sampling
            },
            roots: said.roots,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_nothing_else_is() {
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
    fn what_a_revision_does_not_have_no_client_of_it_can_do() {
        let all = Capabilities {
            form: true,
            url: true,
            sampling: true,
            sampling_tools: true,
            sampling_context: true,
            roots: true,
        };
        for (revision, wanted) in [
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
            assert_eq!(revision.masked(all), wanted, "{}", revision.name());
            let nothing = Capabilities::default();
            assert_eq!(revision.masked(nothing), nothing);
        }
        let urls = Capabilities {
            url: true,
            ..Capabilities::default()
        };
        assert!(Revision::V2025_06_18.masked(urls).form);
        assert!(!Revision::V2025_11_25.masked(urls).form);
        let sampling = Capabilities {
            sampling: true,
            ..Capabilities::default()
        };
        assert!(Revision::V2025_06_18.masked(sampling).sampling_context);
        assert!(!Revision::V2025_11_25.masked(sampling).sampling_context);
    }
}
