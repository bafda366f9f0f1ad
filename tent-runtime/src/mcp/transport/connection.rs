//! A connection: messages that arrive and leave without HTTP, on stdin and stdout or on the app's own transport.
//! Must not read or write bytes. It gets one message at a time and returns the response.

use std::sync::Arc;
use tent_core::codes;

use crate::dispatch::{Admitted, Identity};
use crate::error::{Error, Result};
use crate::mcp::client::connection::{CallerGone, ConnectionState};
use crate::mcp::client::context::{RequestContext, Transport};
use crate::mcp::client::outbox::Outbox;
use crate::mcp::client::response_stream::CHECK;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{batch, router};
use crate::mcp::protocol::message::{self, Kind, Payload};
use crate::mcp::protocol::request_id;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::subscriptions::lost::lost;

/// One client on a connection.
pub(crate) struct Connection {
    mcp: Arc<Mcp>,
    state: ConnectionState,
}

impl Connection {
    /// A connection whose requests can be cancelled, and whose notifications go to `outbox`.
    pub(crate) fn new(mcp: Arc<Mcp>, identity: Identity, outbox: Outbox) -> Self {
        let state = ConnectionState::new(mcp.dispatcher.clone(), identity, outbox);
        Connection { mcp, state }
    }

    /// A connection that carries one message and its response.
    pub(crate) fn of_one(mcp: Arc<Mcp>, identity: Identity) -> Self {
        let state = ConnectionState::of_one(mcp.dispatcher.clone(), identity);
        Connection { mcp, state }
    }

    /// Sets the fix of an error that asks the client to sign in.
    pub(crate) fn with_sign_in(mut self, sign_in: &'static str) -> Self {
        self.state.set_sign_in(sign_in);
        self
    }

    /// The most bytes of one response.
    pub(crate) fn max_response(&self) -> usize {
        self.mcp.dispatcher.settings().limits.max_response
    }

    /// How long running requests have to end when no more messages are read.
    pub(crate) fn grace(&self) -> std::time::Duration {
        self.mcp.dispatcher.settings().limits.grace_time()
    }

    /// Admits the next message.
    ///
    /// # Errors
    /// T0004 for a key that is not valid or a user that does not exist.
    pub(crate) async fn admit(&self) -> Result<Admitted> {
        self.state.admit().await
    }

    /// The response to one message; `None` where it gets none.
    pub(crate) async fn answer(
        &self,
        admitted: Result<Admitted>,
        message: &[u8],
    ) -> Option<Vec<u8>> {
        let message = message.strip_suffix(b"\n").unwrap_or(message);
        if message.len() > self.mcp.dispatcher.settings().limits.max_body {
            return Some(self.too_long(message, true));
        }
        let payload = match message::read(message) {
            Ok(payload) => payload,
            Err(why) => {
                return Some(RpcError::from(why).write(request_id::of(message)));
            }
        };
        let admitted = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                let error = self.state.adapt(RpcError::of(&error, self.mcp.realm()));
                return match payload {
                    Payload::One(message) => match message.kind() {
                        Kind::Request(request) => Some(error.write(Some(request.id))),
                        Kind::Invalid(id, _) => Some(error.write(id)),
                        Kind::Notification(_) | Kind::Response(..) => None,
                    },
                    Payload::Batch(_) => Some(error.write(None)),
                };
            }
        };
        let context = RequestContext {
            parts: self.state.parts(),
            admitted,
            transport: Transport::Connection(&self.state),
        };
        let response = match payload {
            Payload::One(message) => router::serve(&self.mcp, &context, message).await,
            Payload::Batch(messages) => {
                batch::serve(&self.mcp, &context, messages, &self.state.negotiated()).await
            }
        };
        let bytes = response.map_or_else(|error| error.write(None), |response| response.body);
        (!bytes.is_empty()).then_some(bytes)
    }

    /// The response to a message that is too long, with its id where that can be read.
    pub(crate) fn too_long(&self, beginning: &[u8], is_whole: bool) -> Vec<u8> {
        let id = match is_whole {
            true => request_id::of(beginning),
            false => request_id::of_beginning(beginning),
        };
        RpcError::of(&Error::new(codes::TOO_LARGE), self.mcp.realm()).write(id)
    }

    /// Records that no more messages arrive. Ends the subscriptions and the requests to the client.
    pub(crate) fn end(&self) {
        self.state.end();
        if let (Some(outbox), Some(nonce)) = (self.state.outbox(), self.state.nonce()) {
            // The outbox refuses requests first, so that none is added after the others have ended.
            outbox.refuse_requests();
            self.mcp.notifier.pending().end_connection(&nonce);
        }
    }

    /// Ends the notifications of the session when its caller is no longer valid, and those of a resource that the caller may
    /// not read any more. Never resolves.
    pub(crate) async fn watch_session(&self) {
        loop {
            tokio::time::sleep(CHECK).await;
            let Some((key, caller, client)) = self.state.session() else {
                continue;
            };
            let streams = self.mcp.notifier.streams();
            match self.state.check(&caller).await {
                Ok(Some(admitted)) => {
                    let (dispatcher, subscribed) = (&self.mcp.dispatcher, streams.subscribed(&key));
                    for uri in lost(dispatcher, &admitted, &client, subscribed).await {
                        streams.unsubscribe(&key, &uri);
                    }
                }
                Ok(None) => {}
                Err(CallerGone) => streams.end(&key),
            }
        }
    }

    /// Cancels the requests in flight, since the client can no longer get their responses.
    pub(crate) fn stop(&self) {
        if let Some(nonce) = self.state.nonce() {
            self.mcp.state.in_flight.cancel_connection(&nonce);
        }
    }

    /// Resolves when no call of this app runs without its client any more.
    pub(crate) async fn drained(&self) {
        self.mcp.dispatcher.drained().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // The task that served the connection may have been dropped before it ended the connection.
        self.end();
        self.stop();
        if let Some(nonce) = self.state.nonce() {
            self.mcp.notifier.streams().end_connection(&nonce);
        }
    }
}

#[cfg(test)]
mod tests;
