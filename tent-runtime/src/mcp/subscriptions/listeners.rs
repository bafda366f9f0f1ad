//! The open streams, and the resources that legacy sessions subscribe to: which client gets which notification.
//! Must not read from a client. It writes into outboxes.
//!
//! | stream | gets |
//! |---|---|
//! | of a legacy session | the lists that were declared to it, the resources that it subscribed to, requests of the app |
//! | of a modern subscription | what the subscription named |

mod guard;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tent_core::codes;
use tent_core::uri::normalized;

use crate::caller::Caller;
use crate::clock::Time;
use crate::cx::Capabilities;
use crate::error::Error;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::subscriptions::filter::Filter;
use crate::mcp::subscriptions::notifier::{Change, Notifier};
use crate::mcp::subscriptions::uris::{SubscribedUris, cost_of};
use crate::quota::{Exceeded, Quota};

pub(crate) use self::guard::StreamGuard;

/// The most resources that one subscription names, or one session subscribes to.
pub(crate) const MAX_RESOURCES: usize = 1000;

/// The most bytes of a URI in a subscription.
pub(crate) const MAX_URI: usize = 2048;

/// The most bytes of one caller's subscriptions, enough for about 10,000 resources, and of all subscriptions.
const MAX_BYTES_OF_ONE: usize = 2 << 20;
const MAX_BYTES: usize = 64 << 20;

/// The bytes that one session takes beside its resources.
const SESSION_OVERHEAD: usize = 512;

/// The open streams of one app, in this process alone.
#[derive(Debug, Default)]
pub(crate) struct OpenStreams(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    streams: HashMap<u64, OpenStream>,
    /// The streams of legacy sessions.
    sessions: HashMap<RequestKey, u64>,
    /// How many streams there are.
    open: Quota,
    next_id: u64,
    /// The resources that legacy sessions subscribe to.
    subscriptions: HashMap<RequestKey, SessionSubscriptions>,
    /// The bytes of the subscriptions to resources.
    bytes: Quota,
}

#[derive(Debug)]
struct SessionSubscriptions {
    uris: SubscribedUris,
    quota_key: Box<str>,
    expires: Option<Time>,
}

impl SessionSubscriptions {
    fn cost(&self) -> usize {
        SESSION_OVERHEAD + self.uris.cost()
    }
}

/// A session that subscribes to resources.
pub(crate) struct Subscriber {
    pub(crate) session: RequestKey,
    pub(crate) quota_key: Box<str>,
    /// When the session expires. The session of a connection ends with the connection.
    pub(crate) expires: Option<Time>,
}

/// One open stream.
#[derive(Debug)]
pub(crate) struct OpenStream {
    pub(crate) outbox: Outbox,
    /// Whether the outbox belongs to this stream alone, so that it closes with the stream.
    pub(crate) owns_outbox: bool,
    pub(crate) quota_key: Box<str>,
    pub(crate) kind: StreamKind,
}

/// What a stream gets.
#[derive(Debug)]
pub(crate) enum StreamKind {
    /// The stream of a legacy session: its client's capabilities, and the lists that were declared to it.
    Session(RequestKey, Capabilities, Filter),
    /// A subscription: the id of its request, and what it named.
    Subscription { id: Box<str>, filter: Filter },
}

impl StreamKind {
    fn cost(&self) -> usize {
        match self {
            StreamKind::Session(..) => 0,
            StreamKind::Subscription { filter, .. } => filter.cost(),
        }
    }
}

impl OpenStreams {
    /// Opens a stream. It replaces an older stream of the same session. `first` is sent before anything else.
    ///
    /// # Errors
    /// T0006 when the quota key has `max` streams already, or too many subscriptions.
    pub(crate) fn open(
        notifier: &Notifier,
        stream: OpenStream,
        first: Option<Vec<u8>>,
        max: usize,
    ) -> Result<StreamGuard, Error> {
        let id = notifier.streams().lock().add(stream, first, max)?;
        Ok(StreamGuard::new(notifier.clone(), id))
    }

    /// Opens the stream of a connection's session, which ends with the connection. A connection has one stream, so it
    /// needs no bound.
    pub(crate) fn open_connection(&self, outbox: Outbox, quota_key: &str, kind: StreamKind) {
        let stream = OpenStream {
            outbox,
            owns_outbox: false,
            quota_key: quota_key.into(),
            kind,
        };
        let opened = self.lock().add(stream, None, usize::MAX);
        debug_assert!(opened.is_ok(), "the stream of a session holds no resources");
    }

    /// Subscribes a session to a resource that its caller may read. Removes the sessions that have expired by `now`.
    ///
    /// # Errors
    /// T0006 when there are too many subscriptions already.
    pub(crate) fn subscribe(
        &self,
        subscriber: Subscriber,
        uri: &str,
        now: Time,
    ) -> Result<(), Error> {
        let Subscriber {
            session,
            quota_key,
            expires,
        } = subscriber;
        let mut state = self.lock();
        // Most clients never end their sessions, so expired ones are removed here.
        state.forget(|_, one| one.expires.is_some_and(|expires| expires <= now));
        let known = state.subscriptions.get(&session);
        if known.is_some_and(|one| one.uris.contains(uri)) {
            return Ok(());
        }
        if known.is_some_and(|one| one.uris.len() >= MAX_RESOURCES) {
            return Err(Error::new(codes::TOO_MANY_REQUESTS).with_message(format!(
                "{MAX_RESOURCES} subscriptions of one session is the most."
            )));
        }
        // All subscriptions of a session count by the quota key of the first one, so that the same key gets the bytes back.
        let (quota_key, bytes) = match known.map(|one| one.quota_key.clone()) {
            Some(quota_key) => (quota_key, cost_of(uri)),
            None => (quota_key, cost_of(uri) + SESSION_OVERHEAD),
        };
        let taken = (state.bytes).take(&quota_key, bytes, MAX_BYTES_OF_ONE, MAX_BYTES);
        taken.map_err(too_many)?;
        let new = || SessionSubscriptions {
            uris: SubscribedUris::default(),
            quota_key,
            expires,
        };
        let one = state.subscriptions.entry(session).or_insert_with(new);
        one.uris.insert(uri);
        Ok(())
    }

    /// Ends a session's subscription to a resource.
    pub(crate) fn unsubscribe(&self, session: &RequestKey, uri: &str) {
        let mut state = self.lock();
        let State {
            subscriptions,
            bytes,
            ..
        } = &mut *state;
        if let Some(one) = subscriptions.get_mut(session) {
            if let Some(removed) = one.uris.remove(uri) {
                bytes.give_back(&one.quota_key, cost_of(&removed));
            }
            if one.uris.is_empty() {
                state.forget(|key, _| key == session);
            }
        }
    }

    /// The resources that a session subscribes to.
    pub(crate) fn subscribed(&self, session: &RequestKey) -> Vec<String> {
        let state = self.lock();
        let one = state.subscriptions.get(session);
        let uris = one.into_iter().flat_map(|one| one.uris.iter());
        uris.map(str::to_owned).collect()
    }

    /// Ends the stream and the subscriptions of a session that has ended.
    pub(crate) fn end(&self, session: &RequestKey) {
        let mut state = self.lock();
        state.forget(|key, _| key == session);
        if let Some(id) = state.sessions.get(session).copied() {
            state.remove(id);
        }
    }

    /// Ends the stream and the subscriptions of a connection, for all of its callers.
    pub(crate) fn end_connection(&self, nonce: &[u8; 16]) {
        let mut state = self.lock();
        state.remove_session(nonce);
        state.forget(|key, _| key.is_in(nonce));
    }

    /// Sends a notification to each stream that gets it.
    pub(crate) fn notify(&self, change: Change<'_>) {
        let uri = match change {
            Change::Updated(uri) => normalized(uri),
            Change::Tools | Change::Prompts | Change::Resources => Cow::default(),
        };
        let change = change.with_uri(&uri);
        let state = self.lock();
        for stream in state.streams.values() {
            let (id, wanted) = match &stream.kind {
                StreamKind::Session(key, _, lists) => match change {
                    Change::Updated(uri) => {
                        let subscriptions = state.subscriptions.get(key);
                        let uri = subscriptions.and_then(|one| one.uris.get(uri));
                        (None, uri.map(Change::Updated))
                    }
                    _ => (None, lists.select(change)),
                },
                StreamKind::Subscription { id, filter } => (Some(&**id), filter.select(change)),
            };
            if let Some(change) = wanted {
                stream.outbox.send(change.write(id));
            }
        }
    }

    /// The streams of this caller's sessions whose clients have the capabilities: session, quota key and outbox.
    pub(crate) fn sessions_of(
        &self,
        caller: &Caller,
        can: impl Fn(&Capabilities) -> bool,
    ) -> Vec<(RequestKey, Box<str>, Outbox)> {
        let state = self.lock();
        let sessions = state.streams.values().filter_map(|one| match &one.kind {
            StreamKind::Session(key, capabilities, _) if key.is_of(caller) && can(capabilities) => {
                Some((key.clone(), one.quota_key.clone(), one.outbox.clone()))
            }
            _ => None,
        });
        sessions.collect()
    }

    /// Resolves when a session's stream has closed and no newer stream has replaced it.
    pub(crate) async fn session_closed(&self, session: &RequestKey, outbox: &Outbox) {
        let mut newest = outbox.clone();
        loop {
            newest.closed().await;
            let newer = {
                let state = self.lock();
                let id = state.sessions.get(session);
                let stream = id.and_then(|id| state.streams.get(id));
                stream.map(|stream| stream.outbox.clone())
            };
            match newer.filter(|newer| !newer.is_closed()) {
                Some(newer) => newest = newer,
                None => return,
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(
        &mut self,
        stream: OpenStream,
        first: Option<Vec<u8>>,
        max: usize,
    ) -> Result<u64, Error> {
        if let StreamKind::Session(key, ..) = &stream.kind
            && let Some(older) = self.sessions.get(key).copied()
        {
            self.remove(older);
        }
        let (key, cost) = (&stream.quota_key, stream.kind.cost());
        let opened = self.open.take(key, 1, max, usize::MAX);
        opened.map_err(|_| {
            Error::new(codes::TOO_MANY_REQUESTS)
                .with_message(format!(
                    "{max} streams are open, which is the most at once."
                ))
                .with_fix("Close one of them first.")
        })?;
        let taken = self.bytes.take(key, cost, MAX_BYTES_OF_ONE, MAX_BYTES);
        taken.map_err(|exceeded| {
            self.open.give_back(key, 1);
            too_many(exceeded)
        })?;
        let id = self.next_id;
        self.next_id += 1;
        if let StreamKind::Session(key, ..) = &stream.kind {
            self.sessions.insert(key.clone(), id);
        }
        if let Some(first) = first {
            stream.outbox.send_required(first);
        }
        self.streams.insert(id, stream);
        Ok(id)
    }

    /// Removes the subscriptions of these sessions.
    fn forget(&mut self, which: impl Fn(&RequestKey, &SessionSubscriptions) -> bool) {
        for (_, one) in self.subscriptions.extract_if(|key, one| which(key, one)) {
            self.bytes.give_back(&one.quota_key, one.cost());
        }
    }

    fn remove_session(&mut self, nonce: &[u8; 16]) {
        let of_connection = self.sessions.iter().filter(|(key, _)| key.is_in(nonce));
        let ids: Vec<u64> = of_connection.map(|(_, id)| *id).collect();
        for id in ids {
            self.remove(id);
        }
    }

    fn remove(&mut self, id: u64) {
        let Some(stream) = self.streams.remove(&id) else {
            return;
        };
        self.bytes.give_back(&stream.quota_key, stream.kind.cost());
        self.open.give_back(&stream.quota_key, 1);
        if let StreamKind::Session(key, ..) = &stream.kind {
            self.sessions.remove(key);
        }
        if stream.owns_outbox {
            stream.outbox.close();
        }
    }
}

/// The error of a caller, or of all callers, with too many subscriptions.
fn too_many(_: Exceeded) -> Error {
    let message = "There are too many subscriptions to resources already.";
    Error::new(codes::TOO_MANY_REQUESTS).with_message(message)
}

#[cfg(test)]
mod tests;
