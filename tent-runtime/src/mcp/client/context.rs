//! The context of one message: who sent it, how it arrived, and until when it must be served.
//! Must not decide anything about the message.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use http::request::Parts;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::dispatch;
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::protocol::response::RpcError;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;

/// The context of one message whose caller is known.
pub(crate) struct RequestContext<'a> {
    pub(crate) parts: &'a Parts,
    pub(crate) caller: Caller,
    pub(crate) trace: &'a str,
    pub(crate) deadline: Option<Instant>,
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
    /// The context of one message of a batch, which has its own deadline.
    pub(crate) fn with_deadline(&self, deadline: Option<Instant>) -> RequestContext<'a> {
        RequestContext {
            parts: self.parts,
            caller: self.caller.clone(),
            trace: self.trace,
            deadline,
            transport: self.transport,
        }
    }

    /// Where the notifications of a call go, if the client accepts any.
    pub(crate) fn outbox(&self) -> Option<Outbox> {
        match self.transport {
            Transport::Http { streams } => streams.then(Outbox::default),
            Transport::Connection(connection) => connection.outbox().cloned(),
        }
    }

    /// The key that quotas count this caller by: the caller itself, or the address of an anonymous one.
    pub(crate) fn quota_key(&self) -> String {
        if self.caller.is_known() {
            return self.caller.to_string();
        }
        let peer = self.parts.extensions.get::<ConnectInfo<SocketAddr>>();
        match peer.map(|ConnectInfo(addr)| addr.ip().to_canonical()) {
            // IPv6 addresses count per /64 network: a client that has one of its addresses has all of them.
            Some(IpAddr::V6(ip)) => format!("{:x?}", &ip.segments()[..4]),
            Some(IpAddr::V4(ip)) => ip.to_string(),
            None => String::new(),
        }
    }

    /// The key that `notifications/cancelled` finds this request by. Only a request of a session or a connection has
    /// one.
    pub(crate) fn key(&self, negotiated: &Negotiated, id: &str) -> Option<RequestKey> {
        let nonce = negotiated.nonce?;
        Some(RequestKey::new(nonce, &self.caller, id))
    }

    pub(crate) fn connection(&self) -> Option<&ConnectionState> {
        match self.transport {
            Transport::Http { .. } => None,
            Transport::Connection(connection) => Some(connection),
        }
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

    /// The same context as dispatch takes it.
    pub(crate) fn for_dispatch<'b>(
        &'b self,
        negotiated: &'b Negotiated,
    ) -> dispatch::RequestContext<'b> {
        dispatch::RequestContext {
            caller: &self.caller,
            client: &negotiated.client,
            trace: self.trace,
            deadline: self.deadline,
        }
    }
}
