//! [`Response`]: what the server sends back for one message, before a transport encodes it.
//! Must not know any method.

use std::sync::Arc;

use futures_util::{Stream, StreamExt as _, stream::BoxStream};
use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::in_flight::Reservation;
use crate::mcp::protocol::json_rpc;

/// The response to one message.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// JSON; empty where the client gets no message.
    pub(crate) body: Vec<u8>,
    /// A stream of messages in place of the body.
    pub(crate) stream: Option<MessageStream>,
    /// The bytes of the output in the budget of the process; `None` if they have not been counted.
    pub(crate) reservation: Option<Arc<Reservation>>,
}

/// The messages of a response stream or a subscription stream.
pub(crate) type MessageStream = BoxStream<'static, StreamItem>;

/// One item of a stream.
#[derive(Debug)]
pub(crate) enum StreamItem {
    Message(Vec<u8>),
    /// Shows that the stream is alive.
    KeepAlive,
}

impl Response {
    /// A result. `capacity` is about its size as JSON.
    pub(crate) fn result(id: &RawValue, capacity: usize, result: &impl Serialize) -> Self {
        Response::ok(json_rpc::write_result(id, capacity, result))
    }

    /// JSON with status 200.
    pub(crate) fn ok(body: Vec<u8>) -> Self {
        Response {
            status: StatusCode::OK,
            headers: Vec::new(),
            body,
            stream: None,
            reservation: None,
        }
    }

    /// A response without a body, for a message that gets none.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Response {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            stream: None,
            reservation: None,
        }
    }

    /// A stream of messages in place of a body.
    pub(crate) fn stream(messages: impl Stream<Item = StreamItem> + Send + 'static) -> Self {
        let mut response = Response::empty(StatusCode::OK);
        response.stream = Some(messages.boxed());
        // A proxy that buffers a response would hold the messages back.
        response.with(
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        )
    }

    pub(crate) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}
