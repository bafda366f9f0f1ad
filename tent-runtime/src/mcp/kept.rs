//! The streams that clients keep open for what concerns no call: the GET of a legacy session, and
//! `subscriptions/listen` of the modern era. Which there are, what each wants to hear, and their end.
//!
//! Answers no call. What is told on them is [`notes`](super::notes)'s.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use futures_util::stream;
use http::StatusCode;
use http::request::Parts;
use serde_json::{Value, json};

use super::notes::{Note, Notes};
use super::reply::{self, Refusal, Reply, write};
use super::revision::Revision;
use super::running::Key;
use super::stream::{COMMENT, SIGN_OF_LIFE, Sink, event};
use super::{Agreed, Asked, Mcp, peer, subscribed};
use crate::caller::Caller;
use crate::cx::Capabilities;
use crate::error::Error;

/// The most resources that one subscription names.
pub(super) const MOST_RESOURCES: usize = 1000;

/// Which streams there are.
#[derive(Debug, Default)]
pub(super) struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    streams: HashMap<u64, Stream>,
    /// Those of legacy sessions.
    sessions: HashMap<Key, u64>,
    /// How many there are by whom they count on.
    counts: HashMap<Box<str>, usize>,
    next: u64,
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) sink: Sink,
    /// Whether the sink is of this stream alone, and ends with it.
    pub(super) alone: bool,
    /// On whom it counts.
    pub(super) on: Box<str>,
    pub(super) listens: Listens,
}

/// What a stream is told.
#[derive(Debug)]
pub(super) enum Listens {
    /// A legacy session: every list, and requests that its client can answer.
    Session(Key, Capabilities),
    /// A subscription: what it named.
    Subscription { id: Box<str>, wants: Wants },
}

/// What a subscription names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    tools: bool,
    prompts: bool,
    resources: bool,
    updates: Option<HashSet<String>>,
}

impl Wants {
    /// From the params of `subscriptions/listen`.
    fn read(filter: Option<&Value>) -> Result<Self, Refusal> {
        let misfit = || {
            Refusal::params(format!(
                "subscriptions/listen has notifications, an object: toolsListChanged, promptsListChanged and \
                 resourcesListChanged are true or false, resourceSubscriptions at most {MOST_RESOURCES} URIs."
            ))
        };
        let filter = filter.and_then(Value::as_object).ok_or_else(misfit)?;
        let flag = |name: &str| match filter.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(misfit()),
        };
        let updates = match filter.get("resourceSubscriptions") {
            None | Some(Value::Null) => None,
            Some(Value::Array(uris)) if uris.len() <= MOST_RESOURCES => {
                let uris = uris.iter().map(|uri| uri.as_str().map(str::to_owned));
                Some(uris.collect::<Option<_>>().ok_or_else(misfit)?)
            }
            Some(_) => return Err(misfit()),
        };
        Ok(Wants {
            tools: flag("toolsListChanged")?,
            prompts: flag("promptsListChanged")?,
            resources: flag("resourcesListChanged")?,
            updates,
        })
    }

    /// As the acknowledgement says it: what is told, and nothing else.
    fn told(&self) -> Value {
        let mut told = json!({});
        for (name, wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if wanted {
                told[name] = true.into();
            }
        }
        if let Some(updates) = &self.updates {
            let mut uris: Vec<_> = updates.iter().collect();
            uris.sort();
            told["resourceSubscriptions"] = json!(uris);
        }
        told
    }

    fn has(&self, note: Note<'_>) -> bool {
        match note {
            Note::Tools => self.tools,
            Note::Prompts => self.prompts,
            Note::Resources => self.resources,
            Note::Updated(uri) => self.updates.as_ref().is_some_and(|all| all.contains(uri)),
        }
    }
}

impl Streams {
    /// Puts a stream among them, on which `first` goes before everything that is told. One of the same
    /// session before it is ended.
    ///
    /// # Errors
    /// T0006 where `most` count on the same already.
    pub(super) fn open(
        notes: &Notes,
        stream: Stream,
        first: Option<Vec<u8>>,
        most: usize,
    ) -> Result<Place, Error> {
        let mut open = notes.streams().lock();
        if let Listens::Session(key, _) = &stream.listens
            && let Some(old) = open.sessions.get(key).copied()
        {
            open.remove(old);
        }
        let count = open.counts.get(&stream.on).copied().unwrap_or_default();
        if count >= most {
            return Err(Error::of("T0006")
                .with_message(format!(
                    "{most} streams are open, which is the most at once."
                ))
                .with_fix("Close one of them first."));
        }
        open.counts.insert(stream.on.clone(), count + 1);
        let place = open.next;
        open.next += 1;
        if let Listens::Session(key, _) = &stream.listens {
            open.sessions.insert(key.clone(), place);
        }
        if let Some(first) = first {
            stream.sink.send_surely(first);
        }
        open.streams.insert(place, stream);
        Ok(Place {
            notes: notes.clone(),
            place,
        })
    }

    /// Tells everybody who wants to hear it. `updates`: whether a legacy session subscribed to a resource.
    pub(super) fn tell(&self, note: Note<'_>, updates: impl Fn(&Key, &str) -> bool) {
        for stream in self.lock().streams.values() {
            match &stream.listens {
                Listens::Session(key, _) => {
                    let wanted = match note {
                        Note::Updated(uri) => updates(key, uri),
                        _ => true,
                    };
                    if wanted {
                        stream.sink.send(note.write(None));
                    }
                }
                Listens::Subscription { id, wants } if wants.has(note) => {
                    stream.sink.send(note.write(Some(id)));
                }
                Listens::Subscription { .. } => {}
            }
        }
    }

    /// The streams of this caller's sessions whose clients can be asked this.
    pub(super) fn of(
        &self,
        caller: &Caller,
        can: impl Fn(&Capabilities) -> bool,
    ) -> Vec<(Key, Sink)> {
        let open = self.lock();
        let of = open.streams.values().filter_map(|one| match &one.listens {
            Listens::Session(key, said) if key.is_of(caller) && can(said) => {
                Some((key.clone(), one.sink.clone()))
            }
            _ => None,
        });
        of.collect()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().streams.len()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn remove(&mut self, id: u64) {
        let Some(stream) = self.streams.remove(&id) else {
            return;
        };
        if let Listens::Session(key, _) = &stream.listens {
            self.sessions.remove(key);
        }
        if stream.alone {
            stream.sink.close();
        }
        if let Some(count) = self.counts.get_mut(&stream.on) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&stream.on);
            }
        }
    }
}

/// Serves the GET of a legacy session.
pub(super) fn get(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    nonce: [u8; 16],
    can: Capabilities,
) -> Result<Reply, Refusal> {
    let key = Key::new(nonce, &asked.caller, "");
    let sink = Sink::default();
    let place = opened(mcp, asked, sink.clone(), Listens::Session(key, can), None)?;
    Ok(Kept::new(mcp, asked, place, sink, None).reply())
}

/// Serves `subscriptions/listen`.
pub(super) async fn listen(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    agreed: &Agreed,
    id: &str,
    filter: Option<&Value>,
) -> Result<Reply, Refusal> {
    let mut wants = Wants::read(filter)?;
    honour(mcp, asked, agreed, &mut wants).await;
    let mut out = peer::begin("notifications/subscriptions/acknowledged");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","notifications":"#);
    write(&mut out, &wants.told());
    let acknowledged = peer::end(out);
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
        Ok(_) = stop.wait_for(|&stopped| stopped) => Reply::empty(StatusCode::ACCEPTED),
        () = mcp.door.closed() => over(mcp, sink, id),
        () = line.ended() => over(mcp, sink, id),
    };
    drop((place, stop));
    mcp.running.end(&key);
    Ok(ended)
}

/// Leaves out what nobody here is told of, and this caller may not be told of.
async fn honour(mcp: &Mcp, asked: &Asked<'_>, agreed: &Agreed, wants: &mut Wants) {
    let registry = mcp.door.registry();
    wants.tools &= registry.tools().next().is_some();
    wants.prompts &= !registry.prompts().is_empty();
    wants.resources &= !registry.resources().is_empty();
    if let Some(uris) = wants.updates.take() {
        let mut told = HashSet::new();
        for uri in uris {
            if subscribed::may(mcp, asked, agreed, &uri)
                .await
                .unwrap_or(false)
            {
                told.insert(uri);
            }
        }
        wants.updates = Some(told).filter(|told| !told.is_empty());
    }
}

/// Tells that a subscription is over, which is the server's own end of it, and gives its answer.
fn over(mcp: &Mcp, sink: &Sink, id: &str) -> Reply {
    let mut out = peer::begin("notifications/cancelled");
    out.extend_from_slice(&subscription(id));
    out.extend_from_slice(br#","requestId":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","reason":"The server ends.""#);
    sink.send_surely(peer::end(out));
    let mut out = reply::begin(id, 256);
    out.extend_from_slice(br#"{"resultType":"complete","_meta":{"#);
    out.extend_from_slice(mcp.server.as_bytes());
    out.extend_from_slice(br#","io.modelcontextprotocol/subscriptionId":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(b"}}");
    reply::end(out)
}

/// The member `_meta` of what is told on a subscription.
pub(super) fn subscription(id: &str) -> Vec<u8> {
    format!(r#""_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}"#).into_bytes()
}

/// The place of a stream among the others, which it has until this is dropped.
#[derive(Debug)]
pub(super) struct Place {
    notes: Notes,
    place: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.notes.streams().lock().remove(self.place);
    }
}

fn opened(
    mcp: &Mcp,
    asked: &Asked<'_>,
    sink: Sink,
    listens: Listens,
    first: Option<Vec<u8>>,
) -> Result<Place, Refusal> {
    let refused = |error: Error| Refusal::of(&error, mcp.realm());
    if mcp.door.is_closing() {
        return Err(refused(Error::of("T0013")));
    }
    let stream = Stream {
        sink,
        alone: asked.line().is_none(),
        on: asked.counts_on().into(),
        listens,
    };
    let most = mcp.door.settings().limits.live_connections;
    Streams::open(&mcp.notes, stream, first, most).map_err(refused)
}

/// A stream over HTTP.
struct Kept {
    mcp: Arc<Mcp>,
    _place: Place,
    sink: Sink,
    /// Nothing was sent yet.
    quiet: bool,
    /// Of a subscription.
    id: Option<Box<str>>,
    parts: Parts,
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
            sink,
            // An acknowledgement is there already, and comes first.
            quiet: id.is_none(),
            id,
            parts: asked.parts.clone(),
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
            if let Some(message) = self.sink.take() {
                return Some((Ok(event(&message)), self));
            }
            if closed {
                return None;
            }
            tokio::select! {
                biased;
                () = self.sink.changed() => {}
                () = self.mcp.door.closed() => {
                    if let Some(id) = &self.id {
                        let answer = over(&self.mcp, &self.sink, id);
                        self.sink.send_surely(answer.body);
                    }
                    self.sink.close();
                }
                () = tokio::time::sleep(SIGN_OF_LIFE) => {
                    if !self.is_welcome().await {
                        return None;
                    }
                    return Some((Ok(Bytes::from_static(COMMENT)), self));
                }
            }
        }
    }

    /// Whether who opened it may still be here: a key can be revoked, a person can go.
    async fn is_welcome(&self) -> bool {
        let caller = self.mcp.door.identify(&self.parts, "kept-stream").await;
        caller.is_ok_and(|caller| caller.is_known() || self.mcp.door.settings().mcp.anyone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_read_and_told_as_it_is() {
        let read = |filter: Value| Wants::read(Some(&filter)).ok();
        let wants = read(json!({
            "toolsListChanged": true,
            "promptsListChanged": false,
            "resourcesListChanged": null,
            "resourceSubscriptions": ["b://", "a://", "b://"],
            "more": 1,
        }));
        let wants = wants.expect("it fits");
        let told = json!({"toolsListChanged": true, "resourceSubscriptions": ["a://", "b://"]});
        assert_eq!(wants.told(), told);
        assert!(wants.has(Note::Tools) && wants.has(Note::Updated("a://")));
        assert!(!wants.has(Note::Prompts) && !wants.has(Note::Updated("c://")));
        assert_eq!(read(json!({})), Some(Wants::default()));
        for misfit in [
            json!([]),
            json!({"toolsListChanged": "yes"}),
            json!({"resourceSubscriptions": "a://"}),
            json!({"resourceSubscriptions": [1]}),
            json!({"resourceSubscriptions": vec!["a://"; MOST_RESOURCES + 1]}),
        ] {
            assert_eq!(read(misfit.clone()), None, "{misfit}");
        }
        assert!(Wants::read(None).is_err());
    }
}
