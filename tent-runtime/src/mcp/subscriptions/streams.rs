//! The streams that clients keep open for what concerns no call: the GET of a legacy session, and
//! `subscriptions/listen` of the modern era. Their beginning, their signs of life and their end.
//!
//! Answers no call. Who hears what is [`listeners`](crate::mcp::subscriptions::listeners)'.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use futures_util::stream;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use serde_json::Value;
use tokio::time::Instant;

use crate::cx::Capabilities;
use crate::error::Error;
use crate::mcp::client::notifications;
use crate::mcp::client::outbox::{Reader, Sink};
use crate::mcp::methods::common;
use crate::mcp::protocol::response::{self, Refusal, Reply, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::Key;
use crate::mcp::subscriptions::filter::Wants;
use crate::mcp::subscriptions::listeners::{Listens, Place, Stream, Streams};
use crate::mcp::transport::sse::{COMMENT, SIGN_OF_LIFE, event};
use crate::mcp::{Agreed, Asked, Mcp};

/// Serves the GET of a legacy session.
pub(crate) fn get(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    nonce: [u8; 16],
    can: Capabilities,
    revision: Revision,
) -> Result<Reply, Refusal> {
    let key = Key::new(nonce, &asked.caller, "");
    let sink = Sink::default();
    let listens = Listens::Session(key, can, Wants::declared(&mcp.dispatcher, revision));
    let place = opened(mcp, asked, sink.clone(), listens, None)?;
    let mut kept = Kept::new(mcp, asked, place, sink, None);
    kept.session = Some(nonce);
    Ok(kept.reply())
}

/// Serves `subscriptions/listen`.
pub(crate) async fn listen(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    agreed: &Agreed,
    id: &str,
    filter: Option<&Value>,
) -> Result<Reply, Refusal> {
    let mut wants = Wants::read(filter)?;
    honour(mcp, asked, agreed, &mut wants).await;
    let mut out = notifications::begin("notifications/subscriptions/acknowledged");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","notifications":"#);
    write(&mut out, &wants.told());
    let acknowledged = notifications::end(out);
    let listens = Listens::Subscription {
        id: id.into(),
        wants,
    };
    let Some(line) = asked.line() else {
        let sink = Sink::default();
        let place = opened(mcp, asked, sink.clone(), listens, Some(acknowledged))?;
        let kept = Kept::new(mcp, asked, place, sink, Some(id.into()));
        return Ok(kept.reply());
    };
    let (Some(sink), Some(nonce)) = (line.sink(), line.nonce()) else {
        // One message at a time is no way to be told things.
        return Err(Refusal::method(
            "subscriptions/listen",
            Revision::V2026_07_28,
        ));
    };
    let key = Key::new(nonce, &asked.caller, id);
    let mut stop = mcp.running.begin(key.clone());
    let place = opened(mcp, asked, sink.clone(), listens, Some(acknowledged))?;
    let ended = tokio::select! {
        // What was cancelled has no answer, also where the line ends right after.
        biased;
        Ok(_) = stop.wait_for(|&stopped| stopped) => None,
        () = mcp.dispatcher.closed() => Some(ENDS),
        () = line.ended() => Some(ENDS),
        () = line.gone(&asked.caller) => Some(UNWELCOME),
    };
    // Nothing is told on it once it is said to be over.
    drop((place, stop));
    mcp.running.end(&key);
    Ok(match ended {
        None => Reply::empty(StatusCode::ACCEPTED),
        Some(reason) => over(mcp, sink, id, reason),
    })
}

/// Leaves out what nobody here is told of, and the resources that this caller may not read; also those whose
/// rules did not end in the request's time, since the acknowledgement says what is left.
async fn honour(mcp: &Mcp, asked: &Asked<'_>, agreed: &Agreed, wants: &mut Wants) {
    let declared = Wants::declared(&mcp.dispatcher, agreed.revision);
    wants.tools &= declared.tools;
    wants.prompts &= declared.prompts;
    wants.resources &= declared.resources;
    let Some(updates) = wants.updates.take() else {
        return;
    };
    let mut honoured = HashSet::new();
    let mut readable = mcp.dispatcher.readable(common::asking(asked, agreed));
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
const UNWELCOME: &str = "Who subscribed may not call any more.";

/// Tells that a subscription is over, which is the server's own end of it, and gives its answer.
fn over(mcp: &Mcp, sink: &Sink, id: &str, reason: &str) -> Reply {
    sink.send_surely(cancelled(id, reason));
    ended(mcp, id)
}

/// The note that the server ends a subscription.
fn cancelled(id: &str, reason: &str) -> Vec<u8> {
    let mut out = notifications::begin("notifications/cancelled");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","requestId":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","reason":"#);
    write(&mut out, reason);
    notifications::end(out)
}

/// The answer to a subscription that the server ended.
fn ended(mcp: &Mcp, id: &str) -> Reply {
    let mut out = response::begin(id, 256);
    out.extend_from_slice(br#"{"resultType":"complete","_meta":{"#);
    out.extend_from_slice(mcp.server.as_bytes());
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
    mcp: &Mcp,
    asked: &Asked<'_>,
    sink: Sink,
    listens: Listens,
    first: Option<Vec<u8>>,
) -> Result<Place, Refusal> {
    let refused = |error: Error| Refusal::of(&error, mcp.realm());
    if mcp.dispatcher.is_closing() {
        return Err(refused(Error::of("T0013")));
    }
    let stream = Stream {
        sink,
        alone: asked.line().is_none(),
        on: asked.counts_on().into(),
        listens,
    };
    let most = mcp.dispatcher.settings().limits.live_connections;
    Streams::open(&mcp.notes, stream, first, most).map_err(refused)
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
    mcp: Arc<Mcp>,
    _place: Place,
    sink: Reader,
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
        mcp: &Arc<Mcp>,
        asked: &Asked<'_>,
        place: Place,
        sink: Sink,
        id: Option<Box<str>>,
    ) -> Self {
        Kept {
            mcp: mcp.clone(),
            _place: place,
            sink: Reader::of(sink),
            // An acknowledgement is there already, and comes first.
            quiet: id.is_none(),
            id,
            session: None,
            next_check: Some(Instant::now() + SIGN_OF_LIFE),
            parts: owned(asked.parts),
            caller: asked.caller.to_string(),
        }
    }

    fn reply(self) -> Reply {
        Reply::stream(Body::from_stream(stream::unfold(self, Kept::next)))
    }

    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        // The first bytes leave before there is anything to tell.
        if std::mem::take(&mut self.quiet) {
            return Some((Ok(Bytes::from_static(COMMENT)), self));
        }
        loop {
            // Asked first: what was sent before it was closed is told.
            let closed = self.sink.is_closed();
            // A stream that is never quiet shows no sign of life, at which it would be asked.
            if !self.sink.is_empty() && !self.is_still_welcome().await {
                self.turn_away();
                continue;
            }
            if let Some(message) = self.sink.take() {
                return Some((Ok(event(&message)), self));
            }
            if closed {
                return None;
            }
            tokio::select! {
                biased;
                () = self.sink.changed() => {}
                () = self.mcp.dispatcher.closed() => {
                    if let Some(id) = &self.id {
                        let answer = over(&self.mcp, &self.sink, id, ENDS);
                        self.sink.send_surely(answer.body);
                    }
                    self.sink.close();
                }
                () = tokio::time::sleep(SIGN_OF_LIFE) => {
                    if !self.is_still_welcome().await {
                        self.turn_away();
                        continue;
                    }
                    return Some((Ok(Bytes::from_static(COMMENT)), self));
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
        self.next_check = Some(now + SIGN_OF_LIFE);
        self.is_welcome().await
    }

    /// Ends it for who may not be here any more: nothing that waits is told, only that a subscription is over.
    fn turn_away(&mut self) {
        self.next_check = None;
        let last = self.id.as_deref().map(|id| {
            let answer = ended(&self.mcp, id).body;
            [cancelled(id, UNWELCOME), answer]
        });
        self.sink.close_with(last.into_iter().flatten());
    }

    /// Whether who opened it may still be here: a key can be revoked, a person can go or sign out, and a session
    /// can be ended by another server.
    async fn is_welcome(&self) -> bool {
        if let Some(nonce) = &self.session
            && !matches!(self.mcp.ended.is_ended(nonce).await, Ok(false))
        {
            return false;
        }
        let caller = self
            .mcp
            .dispatcher
            .identify(&self.parts, "kept-stream")
            .await;
        caller.is_ok_and(|caller| caller.to_string() == self.caller)
    }
}

#[cfg(test)]
mod tests {
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
