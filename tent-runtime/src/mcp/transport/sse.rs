//! Encodes a stream of messages as server-sent events.
//! Must not know what a message means.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use futures_util::StreamExt as _;

use crate::in_flight::{Reservation, SMALL};
use crate::mcp::protocol::response::{MessageStream, StreamItem};

/// A comment, which carries no event and shows that the stream is alive.
const COMMENT: &[u8] = b":\n\n";

/// The beginning of an event with a message.
const EVENT: &[u8] = b"event: message\ndata: ";

/// The body of an event stream. Its messages count in the budget until they are sent.
pub(crate) fn body(messages: MessageStream, reservation: Reservation) -> Body {
    // What the server holds of the stream beside its outbox: the event that is being sent.
    let encode = move |item| Ok::<_, Infallible>(encode(item, &reservation));
    Body::from_stream(messages.map(encode))
}

fn encode(item: StreamItem, reservation: &Reservation) -> Bytes {
    match item {
        StreamItem::Message(message) => {
            let event = Bytes::from(event(&message));
            if event.len() <= SMALL {
                return event;
            }
            // It was in the budget until now, as a message of an outbox or as the response of a call.
            let mut reservation = reservation.another();
            reservation.force(event.len());
            reservation.attached_to(event)
        }
        StreamItem::KeepAlive => Bytes::from_static(COMMENT),
    }
}

/// One event with a message. It names its type, although `message` is the default: some clients take only events that
/// name it.
fn event(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + EVENT.len() + 2);
    out.extend_from_slice(EVENT);
    on_one_line(&mut out, message);
    out.extend_from_slice(b"\n\n");
    out
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

    // P01.
    #[test]
    fn a_message_is_one_line_of_an_event_that_names_its_type() {
        let message = b"{\"a\":\r\n\"b\\n\"}";
        let expected = b"event: message\ndata: {\"a\":  \"b\\n\"}\n\n";
        assert_eq!(event(message), expected);
    }
}
