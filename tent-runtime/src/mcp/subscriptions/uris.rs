//! [`SubscribedUris`]: the resources of a subscription, found by any equal URI (RFC 3986, section 6.2.2).
//! Must not know whose they are.

use std::collections::HashMap;

use tent_core::uri::normalized;

/// The URIs that a subscription names. A notification has the URI as the client wrote it, which it compares with others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SubscribedUris(HashMap<String, Option<Box<str>>>);

/// The bytes that one resource takes beside its URI.
const OVERHEAD: usize = 96;

/// The bytes that a subscription to one resource takes.
pub(crate) fn cost_of(uri: &str) -> usize {
    let written = match normalized(uri) == uri {
        true => 0,
        false => uri.len(),
    };
    uri.len() + written + OVERHEAD
}

impl SubscribedUris {
    /// Adds a URI, unless an equal one is there. Returns whether it was added.
    pub(crate) fn insert(&mut self, uri: &str) -> bool {
        let key = normalized(uri).into_owned();
        if self.0.contains_key(&key) {
            return false;
        }
        let written = (key != uri).then(|| uri.into());
        self.0.insert(key, written);
        true
    }

    /// Removes the URI that equals this one, and returns it as the client wrote it.
    pub(crate) fn remove(&mut self, uri: &str) -> Option<String> {
        let (key, written) = self.0.remove_entry(&*normalized(uri))?;
        Some(written.map_or(key, String::from))
    }

    /// The URI that equals this normalized one, as the client wrote it.
    pub(crate) fn get(&self, normalized: &str) -> Option<&str> {
        let (key, written) = self.0.get_key_value(normalized)?;
        Some(written.as_deref().unwrap_or(key))
    }

    /// Whether it has a URI that equals this one.
    pub(crate) fn contains(&self, uri: &str) -> bool {
        self.0.contains_key(&*normalized(uri))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The URIs as the client wrote them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let written = self.0.iter();
        written.map(|(key, written)| written.as_deref().unwrap_or(key))
    }

    /// The bytes that they take.
    pub(crate) fn cost(&self) -> usize {
        self.iter().map(cost_of).sum()
    }
}

impl<S: AsRef<str>> FromIterator<S> for SubscribedUris {
    fn from_iter<I: IntoIterator<Item = S>>(uris: I) -> Self {
        let mut all = SubscribedUris::default();
        for uri in uris {
            all.insert(uri.as_ref());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // P22.
    #[test]
    fn equal_uris_are_one_which_stays_as_it_was_written() {
        let mut uris = SubscribedUris::from_iter(["notes://%c3%a9", "notes://b"]);
        assert!(!uris.insert("Notes://%C3%A9"));
        assert_eq!(uris.get("notes://%C3%A9"), Some("notes://%c3%a9"));
        assert!(uris.contains("NOTES://%62"));
        assert_eq!(
            uris.cost(),
            cost_of("notes://%c3%a9") + cost_of("notes://b")
        );
        assert_eq!(
            uris.remove("notes://%C3%A9").as_deref(),
            Some("notes://%c3%a9")
        );
        assert_eq!((uris.len(), uris.remove("notes://c")), (1, None));
    }
}
