//! Texts of clients and errors: cut for a line of the log, and without a byte order mark.

use std::borrow::Cow;

/// The most bytes of a client's text in a log line.
pub(crate) const LOGGED: usize = 200;

/// The most bytes of each text of an error in a log line. An app's error may repeat what its client sent.
pub(crate) const LOGGED_ERROR: usize = 2000;

/// At most about `max` bytes of a text, with `…` in place of the rest.
pub(crate) fn abridged(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max {
        return text.into();
    }
    format!("{}…", cut(text, max)).into()
}

/// The beginning of a text: at most `max` bytes of whole characters.
pub(crate) fn cut(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A JSON text without the byte order mark that some editors and platforms write first. A reader may skip it (RFC 8259,
/// section 8.1).
pub(crate) fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_text_is_cut() {
        assert_eq!(abridged("abc", 3), "abc");
        assert_eq!(abridged("abcd", 3), "abc…");
        assert_eq!(abridged("aéé", 2), "a…");
    }
}
