//! The revisions of the protocol that are served, and what each of them can say.
//!
//! Each method below names something that one revision brought; nothing else in the crate compares
//! revisions by date.

/// A revision of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    /// Every revision, the newest first, as clients are told them.
    pub(super) const ALL: [Revision; 5] = [
        Revision::V2026_07_28,
        Revision::V2025_11_25,
        Revision::V2025_06_18,
        Revision::V2025_03_26,
        Revision::V2024_11_05,
    ];

    /// The newest that has a handshake: what `initialize` offers a client whose own is unknown.
    pub(super) const NEWEST_LEGACY: Revision = Revision::V2025_11_25;

    /// What a request without any word of a revision is taken to speak.
    pub(super) const UNSAID: Revision = Revision::V2025_03_26;

    /// The revision of this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Its name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether each request carries its own metadata, instead of a handshake.
    pub(super) fn is_modern(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Whether several messages may come as one array. One revision had it, the next took it back.
    pub(super) fn has_batches(self) -> bool {
        self == Revision::V2025_03_26
    }

    /// Whether a tool has `annotations`, and a content may be audio.
    pub(super) fn has_annotations_and_audio(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are icons, and a server has a description and a website.
    pub(super) fn has_icons(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether an elicitation has a mode, and choices have titles of their own.
    pub(super) fn has_modes_of_elicitation(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a note of progress says what is being done.
    pub(super) fn has_progress_messages(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether there are titles, output schemas, structured content and links to resources.
    pub(super) fn has_titles_and_structure(self) -> bool {
        self >= Revision::V2025_06_18
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
}
