//! Splits a byte stream into newline-delimited messages of bounded length.
//! Must not parse a message.

use std::io;

use axum::body::Bytes;
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder;

use crate::text;

/// The fewest bytes of a message that are kept to read its id.
const MIN_KEPT: usize = 64 << 10;

/// One message of a byte stream.
#[derive(Debug)]
pub(crate) enum Frame<M = Bytes> {
    Message(M),
    /// A message that is longer than the limit: its beginning, which is the whole message when that is at most twice
    /// the limit.
    TooLong {
        beginning: Bytes,
        is_whole: bool,
    },
}

/// Decodes [`Frame`]s. Blank lines separate messages too, and carry none.
pub(crate) struct Framer {
    max: usize,
    /// How many bytes of the buffer hold no line break.
    scanned: usize,
    /// The beginning of a message whose rest is discarded.
    discarding: Option<Bytes>,
}

impl Framer {
    /// Decodes messages of at most `max` bytes.
    pub(crate) fn new(max: usize) -> Self {
        Framer {
            max,
            scanned: 0,
            discarding: None,
        }
    }

    /// How much of a message stays in the buffer. A client waits for the response to a message that is too long, so
    /// enough is kept to read its id wherever it stands in a message that is not absurdly long.
    fn max_kept(&self) -> usize {
        self.max.saturating_mul(2).max(MIN_KEPT)
    }

    fn end(&mut self, line: Bytes) -> Option<Frame> {
        self.scanned = 0;
        if let Some(beginning) = self.discarding.take() {
            let is_whole = false;
            return Some(Frame::TooLong {
                beginning,
                is_whole,
            });
        }
        if line.len() > self.max {
            return Some(Frame::TooLong {
                beginning: line,
                is_whole: true,
            });
        }
        (!text::without_bom(&line).trim_ascii().is_empty()).then_some(Frame::Message(line))
    }
}

impl Decoder for Framer {
    type Item = Frame;
    type Error = io::Error;

    fn decode(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Frame>> {
        loop {
            let unscanned = &buffer[self.scanned..];
            let Some(end) = unscanned.iter().position(|&byte| byte == b'\n') else {
                self.scanned = buffer.len();
                if self.discarding.is_some() {
                    buffer.clear();
                    self.scanned = 0;
                } else if buffer.len() > self.max_kept() {
                    self.discarding = Some(buffer.split().freeze());
                    self.scanned = 0;
                }
                return Ok(None);
            };
            let mut line = buffer.split_to(self.scanned + end + 1);
            line.truncate(line.len() - 1);
            if let Some(frame) = self.end(line.freeze()) {
                return Ok(Some(frame));
            }
        }
    }

    /// The end of the stream ends a message too.
    fn decode_eof(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Frame>> {
        match self.decode(buffer)? {
            Some(frame) => Ok(Some(frame)),
            None => Ok(self.end(buffer.split().freeze())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames of this text, when it arrives in pieces of `size` bytes.
    fn frames(text: &str, size: usize, max: usize) -> Vec<String> {
        let (mut framer, mut buffer) = (Framer::new(max), BytesMut::new());
        let mut all = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            buffer.extend_from_slice(piece);
            while let Some(frame) = framer.decode(&mut buffer).expect("memory") {
                all.push(frame);
            }
        }
        while let Some(frame) = framer.decode_eof(&mut buffer).expect("memory") {
            all.push(frame);
        }
        let shown = all.into_iter().map(|frame| match frame {
            Frame::Message(line) => String::from_utf8(line.to_vec()).expect("text"),
            Frame::TooLong {
                beginning,
                is_whole,
            } => format!("{} bytes, whole: {is_whole}", beginning.len()),
        });
        shown.collect()
    }

    #[test]
    fn frames_do_not_depend_on_the_pieces_that_they_arrive_in() {
        let text = "0123456789\n\r\n \n01234567890\n{\"id\": 7, \"method\": 1}\nab\r\n\nlast";
        let wanted = [
            "0123456789",
            "11 bytes, whole: true",
            "22 bytes, whole: true",
            "ab\r",
            "last",
        ];
        for size in 1..text.len() {
            assert_eq!(frames(text, size, 10), wanted, "{size}");
        }
        assert_eq!(frames("01234567890", 3, 10), ["11 bytes, whole: true"]);
        assert_eq!(frames("", 3, 10), [""; 0]);
        // P09.
        assert_eq!(frames("\u{feff}\n\u{feff}\r\n", 1, 10), [""; 0]);
    }

    #[test]
    fn no_more_than_the_beginning_of_a_long_message_is_kept() {
        let text = format!("{}\nnext", "x".repeat(10 * MIN_KEPT));
        let all = frames(&text, 1000, 10);
        let kept = all[0].split(' ').next().expect("a number");
        let kept: usize = kept.parse().expect("a number");
        assert!((MIN_KEPT..MIN_KEPT + 1001).contains(&kept), "{}", all[0]);
        assert!(all[0].ends_with("whole: false"), "{}", all[0]);
        assert_eq!(all[1..], ["next"]);
    }
}
