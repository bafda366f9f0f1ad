//! The context of one message: who sent it, how it arrived, and until when it must be served.
//! Must not decide anything about the message.

use http::request::Parts;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::SemaphorePermit;

use crate::caller::Caller;
use crate::cx::{Client, TraceId};
use crate::dispatch::{Admitted, Requester};
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;

/// The context of one message whose caller is known.
pub(crate) struct RequestContext<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) admitted: Admitted,
    pub(crate) transport: Transport<'a>,
}

/// How a message arrived.
#[derive(Clone, Copy)]
pub(crate) enum Transport<'a> {
    /// By POST. `streams`: the response may be an event stream.
    Http { streams: bool },
    /// On a connection, where messages have no headers.
    Connection(&'a ConnectionState),
}

impl<'a> RequestContext<'a> {
    /// The same context for another message, of a batch.
    pub(crate) fn with_admitted(&self, admitted: Admitted) -> RequestContext<'a> {
        RequestContext {
            parts: self.parts,
            admitted,
            transport: self.transport,
        }
    }

    pub(crate) fn caller(&self) -> &Caller {
        self.admitted.caller()
    }

    pub(crate) fn trace(&self) -> TraceId {
        self.admitted.trace()
    }

    /// Where the notifications of a call go, if the client accepts any.
    pub(crate) fn outbox(&self) -> Option<Outbox> {
        match self.transport {
            Transport::Http { streams } => streams.then(Outbox::default),
            Transport::Connection(connection) => connection.outbox().cloned(),
        }
    }

    /// The key that quotas count this caller by.
    pub(crate) fn quota_key(&self) -> String {
        self.admitted.quota_key()
    }

    /// The key that `notifications/cancelled` finds this request by. Only a request of a session or a connection has
    /// one.
    pub(crate) fn key(&self, negotiated: &Negotiated, id: &RawValue) -> Option<RequestKey> {
        let nonce = negotiated.nonce?;
        Some(RequestKey::new(nonce, self.caller(), id.get()))
    }

    pub(crate) fn connection(&self) -> Option<&ConnectionState> {
        match self.transport {
            Transport::Http { .. } => None,
            Transport::Connection(connection) => Some(connection),
        }
    }

    /// A permit of the connection for one more request; `None` by HTTP, which has other limits. Dropping it returns the
    /// permit.
    ///
    /// # Errors
    /// T0006 when too many requests of the connection run already.
    pub(crate) fn permit(&self) -> Result<Option<SemaphorePermit<'_>>, RpcError> {
        self.connection().map(ConnectionState::permit).transpose()
    }

    /// Adapts an error to the transport.
    pub(crate) fn adapt(&self, error: RpcError) -> RpcError {
        match self.connection() {
            None => error,
            Some(connection) => connection.adapt(error),
        }
    }

    /// Whether headers must repeat members of the body.
    pub(crate) fn requires_headers(&self, revision: Revision) -> bool {
        revision.is_modern() && self.connection().is_none()
    }

    /// The sender of the message, as dispatch knows it. `meta` is the `_meta` of a call.
    pub(crate) fn requester<'b>(
        &'b self,
        client: &'b Client,
        meta: Option<&'b Map<String, Value>>,
    ) -> Requester<'b> {
        Requester {
            admitted: &self.admitted,
            client,
            meta,
        }
    }
}
