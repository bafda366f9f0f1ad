//! Who listens on the streams that are kept open: what each of them wants to hear, and whom it counts on.
//!
//! Writes into sinks and reads nothing; the streams themselves are [`kept`](crate::mcp::subscriptions::streams)'s.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tent_core::codes;

use crate::caller::Caller;
use crate::clock::Time;
use crate::cx::Capabilities;
use crate::error::Error;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::subscriptions::filter::Filter;
use crate::mcp::subscriptions::notifier::{Note, Notifier};

/// The most resources that one subscription names, or one session subscribes to.
pub(crate) const MOST_RESOURCES: usize = 1000;

/// The most bytes of a URI that is subscribed to.
pub(crate) const MOST_URI: usize = 2048;

/// The most bytes that the subscriptions of one caller hold, all together: enough for some 10,000 resources.
const MOST_OF_ONE: usize = 2 << 20;

/// The most bytes that the subscriptions of everybody hold.
const MOST: usize = 64 << 20;

/// What one resource costs beside its URI, and what one session costs beside its resources.
const EACH: usize = 96;
const EACH_SESSION: usize = 512;

/// Which streams there are.
#[derive(Debug, Default)]
pub(crate) struct Streams(Mutex<Open>);

#[derive(Debug, Default)]
struct Open {
    streams: HashMap<u64, Stream>,
    /// Those of legacy sessions.
    sessions: HashMap<RequestKey, u64>,
    /// How many there are by whom they count on.
    counts: HashMap<Box<str>, usize>,
    next: u64,
    /// The resources that legacy sessions subscribed to. In this process alone.
    subscribed: HashMap<RequestKey, Subscribed>,
    held: Held,
}

/// The bytes that subscriptions hold.
#[derive(Debug, Default)]
struct Held {
    all: usize,
    /// By whom they count on.
    of: HashMap<Box<str>, usize>,
}

impl Held {
    fn take(&mut self, on: &str, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let of_one = self.of.get(on).copied().unwrap_or_default() + bytes;
        if of_one > MOST_OF_ONE || self.all + bytes > MOST {
            let message = "There are too many subscriptions to resources already.";
            return Err(Error::new(codes::TOO_MANY_REQUESTS).with_message(message));
        }
        self.all += bytes;
        self.of.insert(on.into(), of_one);
        Ok(())
    }

    fn give_back(&mut self, on: &str, bytes: usize) {
        self.all = self.all.saturating_sub(bytes);
        if let Some(of_one) = self.of.get_mut(on) {
            *of_one = of_one.saturating_sub(bytes);
            if *of_one == 0 {
                self.of.remove(on);
            }
        }
    }
}

pub(crate) fn cost_of(uri: &str) -> usize {
    uri.len() + EACH
}

#[derive(Debug)]
struct Subscribed {
    uris: HashSet<String>,
    on: Box<str>,
    ends: Option<Time>,
}

impl Subscribed {
    fn cost(&self) -> usize {
        EACH_SESSION + self.uris.iter().map(|uri| cost_of(uri)).sum::<usize>()
    }
}

/// A session that subscribes to resources.
pub(crate) struct Subscriber {
    pub(crate) session: RequestKey,
    /// On whom its subscriptions count.
    pub(crate) on: Box<str>,
    /// When it ends by itself; one on a line ends with that.
    pub(crate) ends: Option<Time>,
}

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) outbox: Outbox,
    /// Whether the outbox is of this stream alone, and ends with it.
    pub(crate) alone: bool,
    /// On whom it counts.
    pub(crate) on: Box<str>,
    pub(crate) listens: Listens,
}

/// What a stream is told.
#[derive(Debug)]
pub(crate) enum Listens {
    /// A legacy session: the lists that were declared to it, the resources that it subscribed to, and requests
    /// that its client can answer.
    Session(RequestKey, Capabilities, Filter),
    /// A subscription: what it named.
    Subscription { id: Box<str>, wants: Filter },
}

impl Listens {
    fn cost(&self) -> usize {
        match self {
            Listens::Session(..) => 0,
            Listens::Subscription { wants, .. } => wants.cost(),
        }
    }
}

impl Streams {
    /// Puts a stream among them, on which `first` goes before everything that is told. One of the same
    /// session before it is ended.
    ///
    /// # Errors
    /// T0006 where `most` count on the same already, or too many resources are subscribed to.
    pub(crate) fn open(
        notes: &Notifier,
        stream: Stream,
        first: Option<Vec<u8>>,
        most: usize,
    ) -> Result<Place, Error> {
        let mut open = notes.streams().lock();
        let place = open.add(stream, first, most)?;
        Ok(Place {
            notes: notes.clone(),
            place,
        })
    }

    /// Opens the stream of a connection's session, which ends with the connection. A connection has one stream, so it
    /// needs no bound.
    pub(crate) fn open_connection(&self, outbox: Outbox, listens: Listens) {
        let stream = Stream {
            outbox,
            alone: false,
            on: "connection".into(),
            listens,
        };
        let opened = self.lock().add(stream, None, usize::MAX);
        debug_assert!(opened.is_ok(), "the stream of a session holds no resources");
    }

    /// Subscribes a session to a resource, which its caller may read. Sessions that have ended by `now` are
    /// forgotten.
    ///
    /// # Errors
    /// T0006 where there are too many subscriptions already.
    pub(crate) fn subscribe(
        &self,
        subscriber: Subscriber,
        uri: &str,
        now: Time,
    ) -> Result<(), Error> {
        let Subscriber { session, on, ends } = subscriber;
        let mut open = self.lock();
        // Most sessions are never ended by their clients.
        open.forget(|_, one| one.ends.is_some_and(|ends| ends <= now));
        let uris = open.subscribed.get(&session).map(|one| &one.uris);
        if uris.is_some_and(|uris| uris.contains(uri)) {
            return Ok(());
        }
        if uris.is_some_and(|uris| uris.len() >= MOST_RESOURCES) {
            return Err(Error::new(codes::TOO_MANY_REQUESTS).with_message(format!(
                "{MOST_RESOURCES} subscriptions of one session is the most."
            )));
        }
        // A session goes on counting on whom its first subscription counted on.
        let known = open.subscribed.get(&session).map(|one| one.on.clone());
        let (on, bytes) = match known {
            Some(on) => (on, cost_of(uri)),
            None => (on, cost_of(uri) + EACH_SESSION),
        };
        open.held.take(&on, bytes)?;
        let new = || Subscribed {
            uris: HashSet::new(),
            on,
            ends,
        };
        let one = open.subscribed.entry(session).or_insert_with(new);
        one.uris.insert(uri.to_owned());
        Ok(())
    }

    /// Takes a subscription of a session back, if there is one.
    pub(crate) fn unsubscribe(&self, session: &RequestKey, uri: &str) {
        let mut open = self.lock();
        let Open {
            subscribed, held, ..
        } = &mut *open;
        if let Some(one) = subscribed.get_mut(session) {
            if one.uris.remove(uri) {
                held.give_back(&one.on, cost_of(uri));
            }
            if one.uris.is_empty() {
                open.forget(|key, _| key == session);
            }
        }
    }

    /// Ends the stream of a session that has ended, and its subscriptions.
    pub(crate) fn end(&self, session: &RequestKey) {
        let mut open = self.lock();
        open.forget(|key, _| key == session);
        if let Some(place) = open.sessions.get(session).copied() {
            open.remove(place);
        }
    }

    /// Ends the stream of a connection's session, before another one starts.
    pub(crate) fn end_session(&self, nonce: &[u8; 16]) {
        self.lock().remove_session(nonce);
    }

    /// Ends the stream and the subscriptions of a connection, whoever its callers were.
    pub(crate) fn end_connection(&self, nonce: &[u8; 16]) {
        let mut open = self.lock();
        open.remove_session(nonce);
        open.forget(|key, _| key.is_in(nonce));
    }

    /// How many sessions have subscribed to something.
    #[cfg(test)]
    pub(crate) fn subscribed(&self) -> usize {
        self.lock().subscribed.len()
    }

    /// Tells everybody who wants to hear it.
    pub(crate) fn tell(&self, note: Note<'_>) {
        let open = self.lock();
        for stream in open.streams.values() {
            match &stream.listens {
                Listens::Session(key, _, lists) => {
                    let wanted = match note {
                        Note::Updated(uri) => {
                            let subscribed = open.subscribed.get(key);
                            subscribed.is_some_and(|one| one.uris.contains(uri))
                        }
                        _ => lists.has(note),
                    };
                    if wanted {
                        stream.outbox.send(note.write(None));
                    }
                }
                Listens::Subscription { id, wants } if wants.has(note) => {
                    stream.outbox.send(note.write(Some(id)));
                }
                Listens::Subscription { .. } => {}
            }
        }
    }

    /// The streams of this caller's sessions whose clients can be asked this, and on whom each counts.
    pub(crate) fn of(
        &self,
        caller: &Caller,
        can: impl Fn(&Capabilities) -> bool,
    ) -> Vec<(RequestKey, Box<str>, Outbox)> {
        let open = self.lock();
        let of = open.streams.values().filter_map(|one| match &one.listens {
            Listens::Session(key, said, _) if key.is_of(caller) && can(said) => {
                Some((key.clone(), one.on.clone(), one.outbox.clone()))
            }
            _ => None,
        });
        of.collect()
    }

    /// Ends when this stream of a session has, and no newer one has taken over.
    pub(crate) async fn left(&self, session: &RequestKey, outbox: &Outbox) {
        let mut newest = outbox.clone();
        loop {
            newest.closed().await;
            let newer = {
                let open = self.lock();
                let place = open.sessions.get(session);
                let stream = place.and_then(|place| open.streams.get(place));
                stream.map(|stream| stream.outbox.clone())
            };
            match newer.filter(|newer| !newer.is_closed()) {
                Some(newer) => newest = newer,
                None => return,
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().streams.len()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Adds a stream, and ends an older one of the same session.
    fn add(&mut self, stream: Stream, first: Option<Vec<u8>>, most: usize) -> Result<u64, Error> {
        if let Listens::Session(key, ..) = &stream.listens
            && let Some(old) = self.sessions.get(key).copied()
        {
            self.remove(old);
        }
        let count = self.counts.get(&stream.on).copied().unwrap_or_default();
        if count >= most {
            return Err(Error::new(codes::TOO_MANY_REQUESTS)
                .with_message(format!(
                    "{most} streams are open, which is the most at once."
                ))
                .with_fix("Close one of them first."));
        }
        self.held.take(&stream.on, stream.listens.cost())?;
        self.counts.insert(stream.on.clone(), count + 1);
        let place = self.next;
        self.next += 1;
        if let Listens::Session(key, ..) = &stream.listens {
            self.sessions.insert(key.clone(), place);
        }
        if let Some(first) = first {
            stream.outbox.send_required(first);
        }
        self.streams.insert(place, stream);
        Ok(place)
    }

    /// Takes the subscriptions of such sessions out.
    fn forget(&mut self, which: impl Fn(&RequestKey, &Subscribed) -> bool) {
        for (_, one) in self.subscribed.extract_if(|key, one| which(key, one)) {
            self.held.give_back(&one.on, one.cost());
        }
    }

    fn remove_session(&mut self, nonce: &[u8; 16]) {
        let of_connection = self.sessions.iter().filter(|(key, _)| key.is_in(nonce));
        let streams: Vec<u64> = of_connection.map(|(_, stream)| *stream).collect();
        for stream in streams {
            self.remove(stream);
        }
    }

    fn remove(&mut self, id: u64) {
        let Some(stream) = self.streams.remove(&id) else {
            return;
        };
        self.held.give_back(&stream.on, stream.listens.cost());
        if let Listens::Session(key, ..) = &stream.listens {
            self.sessions.remove(key);
        }
        if stream.alone {
            stream.outbox.close();
        }
        if let Some(count) = self.counts.get_mut(&stream.on) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&stream.on);
            }
        }
    }
}

/// The place of a stream among the others, which it has until this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    notes: Notifier,
    place: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.notes.streams().lock().remove(self.place);
    }
}

#[cfg(test)]
mod tests;
