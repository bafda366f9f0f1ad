//! The streams that clients keep open for what concerns no call: the GET of a legacy session, and
//! `subscriptions/listen` of the modern era. Their beginning, their signs of life and their end.
//!
//! Answers no call. Who hears what is [`listeners`](crate::mcp::subscriptions::listeners)'.

use std::collections::HashSet;
use std::sync::Arc;

use futures_util::stream;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use serde_json::Value;
use tent_core::codes;
use tokio::time::Instant;

use crate::cx::Capabilities;
use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::outbox::{Outbox, Reader};
use crate::mcp::client::response_stream::KEEP_ALIVE;
use crate::mcp::protocol::notification;
use crate::mcp::protocol::response::{self, Response, RpcError, StreamItem, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::ServerState;
use crate::mcp::subscriptions::filter::Filter;
use crate::mcp::subscriptions::listeners::{Listens, Place, Stream, Streams};
use crate::mcp::subscriptions::notifier::Notifier;

/// Serves the GET of a legacy session.
pub(crate) fn get(
    (state, notifier): (&Arc<ServerState>, &Notifier),
    asked: &RequestContext<'_>,
    nonce: [u8; 16],
    can: Capabilities,
    revision: Revision,
) -> Result<Response, RpcError> {
    let key = RequestKey::new(nonce, &asked.caller, "");
    let outbox = Outbox::default();
    let listens = Listens::Session(key, can, Filter::declared(&state.dispatcher, revision));
    let place = opened((state, notifier), asked, outbox.clone(), listens, None)?;
    let mut kept = Kept::new(state, asked, place, outbox, None);
    kept.session = Some(nonce);
    Ok(kept.reply())
}

/// Serves `subscriptions/listen`.
pub(crate) async fn listen(
    (state, notifier): (&Arc<ServerState>, &Notifier),
    asked: &RequestContext<'_>,
    negotiated: &Negotiated,
    id: &str,
    filter: Option<&Value>,
) -> Result<Response, RpcError> {
    let mut wants = Filter::read(filter)?;
    honour(state, asked, negotiated, &mut wants).await;
    let mut out = notification::begin("notifications/subscriptions/acknowledged");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","notifications":"#);
    write(&mut out, &wants.told());
    let acknowledged = notification::end(out);
    let listens = Listens::Subscription {
        id: id.into(),
        wants,
    };
    let Some(line) = asked.connection() else {
        let outbox = Outbox::default();
        let place = opened(
            (state, notifier),
            asked,
            outbox.clone(),
            listens,
            Some(acknowledged),
        )?;
        let kept = Kept::new(state, asked, place, outbox, Some(id.into()));
        return Ok(kept.reply());
    };
    let (Some(outbox), Some(nonce)) = (line.outbox(), line.nonce()) else {
        // One message at a time is no way to be told things.
        return Err(RpcError::method(
            "subscriptions/listen",
            Revision::V2026_07_28,
        ));
    };
    let key = RequestKey::new(nonce, &asked.caller, id);
    let mut stop = state.in_flight.begin(key.clone());
    let place = opened(
        (state, notifier),
        asked,
        outbox.clone(),
        listens,
        Some(acknowledged),
    )?;
    let ended = tokio::select! {
        // What was cancelled has no answer, also where the line ends right after.
        biased;
        Ok(_) = stop.wait_for(|&stopped| stopped) => None,
        () = state.dispatcher.closed() => Some(ENDS),
        () = line.ended() => Some(ENDS),
        () = line.revoked(&asked.caller) => Some(UNWELCOME),
    };
    // Nothing is told on it once it is said to be over.
    drop((place, stop));
    state.in_flight.end(&key);
    Ok(match ended {
        None => Response::empty(StatusCode::ACCEPTED),
        Some(reason) => over(state, outbox, id, reason),
    })
}

/// Leaves out what nobody here is told of, and the resources that this caller may not read; also those whose
/// rules did not end in the request's time, since the acknowledgement says what is left.
async fn honour(
    state: &ServerState,
    asked: &RequestContext<'_>,
    negotiated: &Negotiated,
    wants: &mut Filter,
) {
    let declared = Filter::declared(&state.dispatcher, negotiated.revision);
    wants.tools &= declared.tools;
    wants.prompts &= declared.prompts;
    wants.resources &= declared.resources;
    let Some(updates) = wants.updates.take() else {
        return;
    };
    let mut honoured = HashSet::new();
    let mut readable = state.dispatcher.readable(asked.for_dispatch(negotiated));
    for uri in updates {
        let found = readable.find(&uri).await;
        if found.is_ok_and(|(resource, _)| resource.stated.subscribe) {
            honoured.insert(uri);
        }
    }
    wants.updates = (!honoured.is_empty()).then_some(honoured);
}

/// Why a subscription is over.
const ENDS: &str = "The server ends.";
const UNWELCOME: &str = "The caller may no longer use this server.";

/// Tells that a subscription is over, which is the server's own end of it, and gives its answer.
fn over(state: &ServerState, outbox: &Outbox, id: &str, reason: &str) -> Response {
    outbox.send_required(cancelled(id, reason));
    ended(state, id)
}

/// The note that the server ends a subscription.
fn cancelled(id: &str, reason: &str) -> Vec<u8> {
    let mut out = notification::begin("notifications/cancelled");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","requestId":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","reason":"#);
    write(&mut out, reason);
    notification::end(out)
}

/// The answer to a subscription that the server ended.
fn ended(state: &ServerState, id: &str) -> Response {
    let mut out = response::begin(id, 256);
    out.extend_from_slice(br#"{"resultType":"complete","_meta":{"#);
    out.extend_from_slice(state.server.as_bytes());
    out.extend_from_slice(br#","io.modelcontextprotocol/subscriptionId":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b"}}");
    response::end(out)
}

/// The member `_meta` of what is told on a subscription.
pub(crate) fn subscription(id: &str) -> Vec<u8> {
    format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#).into_bytes()
}

fn opened(
    (state, notifier): (&ServerState, &Notifier),
    asked: &RequestContext<'_>,
    outbox: Outbox,
    listens: Listens,
    first: Option<Vec<u8>>,
) -> Result<Place, RpcError> {
    let refused = |error: Error| RpcError::of(&error, state.realm());
    if state.dispatcher.is_closing() {
        return Err(refused(Error::new(codes::SHUTTING_DOWN)));
    }
    let stream = Stream {
        outbox,
        alone: asked.connection().is_none(),
        on: asked.quota_key().into(),
        listens,
    };
    let most = state.dispatcher.settings().limits.streams_per_caller;
    Streams::open(notifier, stream, first, most).map_err(refused)
}

/// The head of a request with bytes of its own: a plain copy shares those of its connection, a block of 8 KiB that
/// each stream would hold for as long as it is open.
fn owned(parts: &Parts) -> Parts {
    let mut owned = parts.clone();
    for value in owned.headers.values_mut() {
        if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
            copy.set_sensitive(value.is_sensitive());
            *value = copy;
        }
    }
    if let Ok(uri) = parts.uri.to_string().parse() {
        owned.uri = uri;
    }
    owned
}

/// A stream over HTTP.
struct Kept {
    state: Arc<ServerState>,
    _place: Place,
    outbox: Reader,
    /// Nothing was sent yet.
    quiet: bool,
    /// Of a subscription.
    id: Option<Box<str>>,
    /// Of a legacy session.
    session: Option<[u8; 16]>,
    /// When it is asked again whether who opened it may still be here; not any more where it was told that it
    /// may not.
    next_check: Option<Instant>,
    parts: Parts,
    /// Who opened it.
    caller: String,
}

impl Kept {
    fn new(
        state: &Arc<ServerState>,
        asked: &RequestContext<'_>,
        place: Place,
        outbox: Outbox,
        id: Option<Box<str>>,
    ) -> Self {
        Kept {
            state: state.clone(),
            _place: place,
            outbox: Reader::of(outbox),
            // An acknowledgement is there already, and comes first.
            quiet: id.is_none(),
            id,
            session: None,
            next_check: Some(Instant::now() + KEEP_ALIVE),
            parts: owned(asked.parts),
            caller: asked.caller.to_string(),
        }
    }

    fn reply(self) -> Response {
        Response::stream(stream::unfold(self, Kept::next))
    }

    async fn next(mut self) -> Option<(StreamItem, Self)> {
        // The first bytes leave before there is anything to tell.
        if std::mem::take(&mut self.quiet) {
            return Some((StreamItem::KeepAlive, self));
        }
        loop {
            // RequestContext first: what was sent before it was closed is told.
            let closed = self.outbox.is_closed();
            // A stream that is never quiet shows no sign of life, at which it would be asked.
            if !self.outbox.is_empty() && !self.is_still_welcome().await {
                self.turn_away();
                continue;
            }
            if let Some(message) = self.outbox.take() {
                return Some((StreamItem::Message(message), self));
            }
            if closed {
                return None;
            }
            tokio::select! {
                biased;
                () = self.outbox.ready() => {}
                () = self.state.dispatcher.closed() => {
                    if let Some(id) = &self.id {
                        let answer = over(&self.state, &self.outbox, id, ENDS);
                        self.outbox.send_required(answer.body);
                    }
                    self.outbox.close();
                }
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    if !self.is_still_welcome().await {
                        self.turn_away();
                        continue;
                    }
                    return Some((StreamItem::KeepAlive, self));
                }
            }
        }
    }

    /// Whether who opened it may still be here, as far as it is time to ask again.
    async fn is_still_welcome(&mut self) -> bool {
        let now = Instant::now();
        if self.next_check.is_none_or(|check| now < check) {
            return true;
        }
        self.next_check = Some(now + KEEP_ALIVE);
        self.is_welcome().await
    }

    /// Ends it for who may not be here any more: nothing that waits is told, only that a subscription is over.
    fn turn_away(&mut self) {
        self.next_check = None;
        let last = self.id.as_deref().map(|id| {
            let answer = ended(&self.state, id).body;
            [cancelled(id, UNWELCOME), answer]
        });
        self.outbox.close_with(last.into_iter().flatten());
    }

    /// Whether who opened it may still be here: a key can be revoked, a person can go or sign out, and a session
    /// can be ended by another server.
    async fn is_welcome(&self) -> bool {
        if let Some(nonce) = &self.session
            && !matches!(self.state.ended.is_ended(nonce).await, Ok(false))
        {
            return false;
        }
        let caller = self
            .state
            .dispatcher
            .identify(&self.parts, "kept-stream")
            .await;
        caller.is_ok_and(|caller| caller.to_string() == self.caller)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use http::Request;

    use super::*;

    #[test]
    fn a_head_that_is_kept_says_the_same_with_bytes_of_its_own() {
        let block = Bytes::from("Bearer tk_a /mcp?a=%20b é".to_owned());
        let value = |range| {
            let mut value = HeaderValue::from_maybe_shared(block.slice(range)).expect("a value");
            value.set_sensitive(true);
            value
        };
        let (mut parts, ()) = Request::get("/mcp?a=%20b")
            .body(())
            .expect("a head")
            .into_parts();
        parts.headers.append("authorization", value(0..11));
        parts.headers.append("cookie", value(0..6));
        parts.headers.append("cookie", value(12..26));
        parts.extensions.insert(7_u8);
        let kept = owned(&parts);
        assert_eq!((&kept.headers, &kept.uri), (&parts.headers, &parts.uri));
        assert!(kept.headers.values().all(HeaderValue::is_sensitive));
        assert_eq!(kept.extensions.get(), Some(&7_u8));
        drop(parts);
        assert!(block.is_unique(), "nothing of the block is held any more");
    }
}
