//! Encodes a stream of messages as server-sent events.
//! Must not know what a message means.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use futures_util::StreamExt as _;

use crate::mcp::protocol::response::{MessageStream, StreamItem};

/// A comment, which carries no event and shows that the stream is alive.
const COMMENT: &[u8] = b":\n\n";

/// The body of an event stream.
pub(crate) fn body(messages: MessageStream) -> Body {
    Body::from_stream(messages.map(|item| Ok::<_, Infallible>(encode(item))))
}

fn encode(item: StreamItem) -> Bytes {
    match item {
        StreamItem::Message(message) => event(&message),
        StreamItem::KeepAlive => Bytes::from_static(COMMENT),
    }
}

/// One event with a message.
fn event(message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 8);
    out.extend_from_slice(b"data: ");
    on_one_line(&mut out, message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// Writes a JSON text without line breaks. In JSON a line break stands only between two tokens, so a space replaces
/// it.
pub(crate) fn on_one_line(out: &mut Vec<u8>, message: &[u8]) {
    let start = out.len();
    out.extend_from_slice(message);
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        let message = b"{\"a\":\r\n\"b\\n\"}";
        assert_eq!(event(message), "data: {\"a\":  \"b\\n\"}\n\n");
    }
}
