//! [`TraceId`]: the id of a request, in the log and in the `X-Request-Id` header. Held inline, since each request
//! has one and copies it several times.

use std::fmt::{self, Write as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::random;

/// The most characters of an id.
const MAX_LEN: usize = 64;

/// The id of a request: 1 to 64 ASCII letters, digits, `-`, `_` or `.`, so that it is safe to log and to send back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceId {
    text: [u8; MAX_LEN],
    len: u8,
}

impl TraceId {
    /// Reads an id; `None` for a text that is not a safe one.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let is_safe = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        if text.is_empty() || text.len() > MAX_LEN || !text.bytes().all(is_safe) {
            return None;
        }
        let mut id = TraceId::empty();
        id.text[..text.len()].copy_from_slice(text.as_bytes());
        // At most 64.
        id.len = text.len() as u8;
        Some(id)
    }

    /// Makes an id from a counter that starts at a random number in each process. It is unique enough to find a
    /// request in a log, and costs neither a system call nor an allocation.
    pub(crate) fn generate() -> Self {
        static START: OnceLock<u64> = OnceLock::new();
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // Without the system's randomness two processes may use the same numbers. Nothing relies on them.
        let start =
            START.get_or_init(|| u64::from_le_bytes(random::try_bytes().unwrap_or_default()));
        let number = start.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
        let mut id = TraceId::empty();
        // 16 digits always fit.
        let _ = write!(id, "{number:016x}");
        id
    }

    /// Returns the text of the id.
    pub(crate) fn as_str(&self) -> &str {
        // Only ASCII is ever written to it.
        std::str::from_utf8(&self.text[..usize::from(self.len)]).unwrap_or_default()
    }

    const fn empty() -> Self {
        TraceId {
            text: [0; MAX_LEN],
            len: 0,
        }
    }
}

/// The id of a call that no request made: `internal`.
impl Default for TraceId {
    fn default() -> Self {
        TraceId::parse("internal").unwrap_or(TraceId::empty())
    }
}

impl fmt::Write for TraceId {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let start = usize::from(self.len);
        let end = start + text.len();
        let room = self.text.get_mut(start..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.len = end as u8;
        Ok(())
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_safe_texts_of_up_to_64_characters() {
        let read = |text: &str| TraceId::parse(text).map(|id| id.to_string());
        assert_eq!(read("abc-1.2_3").as_deref(), Some("abc-1.2_3"));
        let longest = "x".repeat(64);
        assert_eq!(read(&longest), Some(longest));
        for unsafe_text in ["", "a b", "a\"b", "ä", &"x".repeat(65)] {
            assert_eq!(read(unsafe_text), None, "{unsafe_text:?}");
        }
    }

    #[test]
    fn generates_a_new_id_of_16_characters_each_time() {
        let (first, second) = (TraceId::generate(), TraceId::generate());
        assert_eq!(first.as_str().len(), 16);
        assert_ne!(first, second);
        assert_eq!(TraceId::parse(first.as_str()), Some(first));
    }
}
