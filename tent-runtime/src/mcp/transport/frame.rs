//! [`Frame`]: what comes on a line, taken out of bytes that come in pieces of any length.
//!
//! Reads nothing itself. Of a line no more is kept than a message may have.

use crate::mcp::protocol::request_id::Salvage;

/// What came.
#[derive(Debug)]
pub(crate) enum Frame<M = Vec<u8>> {
    Whole(M),
    /// It is longer than any may be, and was not kept; its id was, where it is one.
    TooLong(Option<String>),
}

/// Bytes on their way to be lines.
pub(crate) struct Lines {
    most: usize,
    line: Vec<u8>,
    /// What is found of a line that is too long.
    salvage: Option<Salvage>,
}

impl Lines {
    /// Of lines that may have `most` bytes.
    pub(crate) fn new(most: usize) -> Self {
        Lines {
            most,
            line: Vec::new(),
            salvage: None,
        }
    }

    /// Takes bytes up to the end of a line; gives how many, and the line where it has ended and is not empty.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> (usize, Option<Frame>) {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let text = &bytes[..end.unwrap_or(bytes.len())];
        match &mut self.salvage {
            Some(salvage) => salvage.read(text),
            None if self.line.len() + text.len() > self.most => {
                let salvage = self.salvage.insert(Salvage::default());
                salvage.read(&self.line);
                salvage.read(text);
                self.line = Vec::new();
            }
            None => self.line.extend_from_slice(text),
        }
        match end {
            Some(end) => (end + 1, self.end()),
            None => (bytes.len(), None),
        }
    }

    /// The line as it stands, where it is not empty: it has ended, or the bytes have.
    pub(crate) fn end(&mut self) -> Option<Frame> {
        if let Some(salvage) = self.salvage.take() {
            return Some(Frame::TooLong(salvage.id()));
        }
        let line = std::mem::take(&mut self.line);
        (!line.trim_ascii().is_empty()).then_some(Frame::Whole(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All lines of this text, as it comes in pieces of so many bytes.
    fn lines(text: &str, piece: usize, most: usize) -> Vec<String> {
        let mut lines = Lines::new(most);
        let mut all = Vec::new();
        for mut piece in text.as_bytes().chunks(piece) {
            while !piece.is_empty() {
                let (taken, came) = lines.take(piece);
                all.extend(came);
                piece = &piece[taken..];
            }
        }
        all.extend(lines.end());
        let told = all.into_iter().map(|came| match came {
            Frame::Whole(line) => String::from_utf8(line).expect("a text"),
            Frame::TooLong(id) => format!("{id:?}"),
        });
        told.collect()
    }

    #[test]
    fn lines_are_the_same_in_whatever_pieces_they_come() {
        let most = 10;
        let text = "0123456789\n\r\n \n01234567890\n{\"id\": 7, \"method\": 1}\nab\r\n\nlast";
        for piece in 1..text.len() {
            assert_eq!(
                lines(text, piece, most),
                ["0123456789", "None", "Some(\"7\")", "ab\r", "last"],
                "{piece}"
            );
        }
        assert_eq!(lines("01234567890", 3, most), ["None"]);
        assert_eq!(lines("", 3, most), [""; 0]);
    }
}
