//! Who listens on the streams that are kept open: what each of them wants to hear, and whom it counts on.
//!
//! Writes into sinks and reads nothing; the streams themselves are [`kept`](super::kept)'s.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::notes::{Note, Notes};
use super::reply::Refusal;
use super::revision::Revision;
use super::running::Key;
use super::served;
use super::stream::Sink;
use crate::caller::Caller;
use crate::clock::Time;
use crate::cx::Capabilities;
use crate::door::Door;
use crate::error::Error;

/// The most resources that one subscription names, or one session subscribes to.
const MOST_RESOURCES: usize = 1000;

/// The most bytes of a URI that is subscribed to.
pub(super) const MOST_URI: usize = 2048;

/// The most resources that the sessions of one caller subscribe to, all together.
const MOST_OF_ONE: usize = 10_000;

/// So many sessions are subscribed to something.
const MOST_SESSIONS: usize = 10_000;

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
    /// The resources that legacy sessions subscribed to. In this process alone.
    subscribed: HashMap<Key, Subscribed>,
}

#[derive(Debug)]
struct Subscribed {
    uris: HashSet<String>,
    on: Box<str>,
    ends: Option<Time>,
}

/// A session that subscribes to resources.
pub(super) struct Subscriber {
    pub(super) session: Key,
    /// On whom its subscriptions count.
    pub(super) on: Box<str>,
    /// When it ends by itself; one on a line ends with that.
    pub(super) ends: Option<Time>,
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
    /// A legacy session: the lists that were declared to it, the resources that it subscribed to, and requests
    /// that its client can answer.
    Session(Key, Capabilities, Wants),
    /// A subscription: what it named.
    Subscription { id: Box<str>, wants: Wants },
}

/// What a subscription names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wants {
    pub(super) tools: bool,
    pub(super) prompts: bool,
    pub(super) resources: bool,
    pub(super) updates: Option<HashSet<String>>,
}

impl Wants {
    /// The lists that are declared to clients of this revision, and no resource.
    pub(super) fn declared(door: &Door, revision: Revision) -> Self {
        let declared = served::capabilities(door, revision);
        Wants {
            tools: declared.contains_key("tools"),
            prompts: declared.contains_key("prompts"),
            resources: declared.contains_key("resources"),
            updates: None,
        }
    }

    /// From the params of `subscriptions/listen`.
    pub(super) fn read(filter: Option<&Value>) -> Result<Self, Refusal> {
        let misfit = || {
            Refusal::params(format!(
                "subscriptions/listen has notifications, an object: toolsListChanged, promptsListChanged and \
                 resourcesListChanged are true or false, resourceSubscriptions at most {MOST_RESOURCES} URIs \
                 of at most {MOST_URI} bytes."
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
                let uris = uris.iter().map(|uri| {
                    let uri = uri.as_str().filter(|uri| uri.len() <= MOST_URI);
                    uri.map(str::to_owned)
                });
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
    pub(super) fn told(&self) -> Value {
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
        if let Listens::Session(key, ..) = &stream.listens
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
        if let Listens::Session(key, ..) = &stream.listens {
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

    /// Subscribes a session to a resource, which its caller may read. Sessions that have ended by `now` are
    /// forgotten.
    ///
    /// # Errors
    /// T0006 where there are too many subscriptions already.
    pub(super) fn subscribe(
        &self,
        subscriber: Subscriber,
        uri: &str,
        now: Time,
    ) -> Result<(), Error> {
        let Subscriber { session, on, ends } = subscriber;
        let too_many = |most: usize, of: &str| {
            Error::of("T0006").with_message(format!("{most} {of} is the most."))
        };
        let mut open = self.lock();
        // Most sessions are never ended by their clients.
        let goes_on = |one: &Subscribed| one.ends.is_none_or(|ends| now < ends);
        open.subscribed.retain(|_, one| goes_on(one));
        if open.subscribed.len() >= MOST_SESSIONS && !open.subscribed.contains_key(&session) {
            return Err(too_many(MOST_SESSIONS, "sessions with subscriptions"));
        }
        let uris = open.subscribed.get(&session).map(|one| &one.uris);
        if uris.is_some_and(|uris| uris.contains(uri)) {
            return Ok(());
        }
        if uris.is_some_and(|uris| uris.len() >= MOST_RESOURCES) {
            return Err(too_many(MOST_RESOURCES, "subscriptions of one session"));
        }
        let same = open.subscribed.values().filter(|one| one.on == on);
        if same.map(|one| one.uris.len()).sum::<usize>() >= MOST_OF_ONE {
            return Err(too_many(MOST_OF_ONE, "subscriptions of one caller"));
        }
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
    pub(super) fn unsubscribe(&self, session: &Key, uri: &str) {
        let mut open = self.lock();
        if let Some(one) = open.subscribed.get_mut(session) {
            one.uris.remove(uri);
            if one.uris.is_empty() {
                open.subscribed.remove(session);
            }
        }
    }

    /// Ends the stream of a session that has ended, and its subscriptions.
    pub(super) fn end(&self, session: &Key) {
        let mut open = self.lock();
        open.subscribed.remove(session);
        if let Some(place) = open.sessions.get(session).copied() {
            open.remove(place);
        }
    }

    /// Ends the subscriptions of a line, whoever its callers were.
    pub(super) fn end_line(&self, nonce: &[u8; 16]) {
        self.lock().subscribed.retain(|key, _| !key.is_in(nonce));
    }

    /// Tells everybody who wants to hear it.
    pub(super) fn tell(&self, note: Note<'_>) {
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

    /// The streams of this caller's sessions whose clients can be asked this, and on whom each counts.
    pub(super) fn of(
        &self,
        caller: &Caller,
        can: impl Fn(&Capabilities) -> bool,
    ) -> Vec<(Key, Box<str>, Sink)> {
        let open = self.lock();
        let of = open.streams.values().filter_map(|one| match &one.listens {
            Listens::Session(key, said, _) if key.is_of(caller) && can(said) => {
                Some((key.clone(), one.on.clone(), one.sink.clone()))
            }
            _ => None,
        });
        of.collect()
    }

    /// Ends when this stream of a session has, and no newer one has taken over.
    pub(super) async fn left(&self, session: &Key, sink: &Sink) {
        let mut newest = sink.clone();
        loop {
            newest.ended().await;
            let newer = {
                let open = self.lock();
                let place = open.sessions.get(session);
                let stream = place.and_then(|place| open.streams.get(place));
                stream.map(|stream| stream.sink.clone())
            };
            match newer.filter(|newer| !newer.is_closed()) {
                Some(newer) => newest = newer,
                None => return,
            }
        }
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
        if let Listens::Session(key, ..) = &stream.listens {
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
            json!({"resourceSubscriptions": ["a".repeat(MOST_URI + 1)]}),
        ] {
            assert_eq!(read(misfit.clone()), None, "{misfit}");
        }
        assert!(Wants::read(None).is_err());
        let longest = json!({"resourceSubscriptions": ["a".repeat(MOST_URI)]});
        assert!(read(longest).is_some());
    }

    fn subscribe(
        streams: &Streams,
        nonce: u8,
        on: &str,
        ends: Option<i64>,
        uri: &str,
        now: i64,
    ) -> Result<(), String> {
        let subscriber = Subscriber {
            session: Key::new([nonce; 16], &Caller::App, ""),
            on: on.into(),
            ends: ends.map(Time::from_millis),
        };
        let done = streams.subscribe(subscriber, uri, Time::from_millis(now));
        done.map_err(|error| error.code().to_owned())
    }

    #[test]
    fn subscriptions_end_with_their_session() {
        let streams = Streams::default();
        let left = || streams.lock().subscribed.len();
        assert_eq!(subscribe(&streams, 1, "a", Some(100), "a://", 0), Ok(()));
        assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 99), Ok(()));
        assert_eq!(subscribe(&streams, 3, "line", None, "a://", 99), Ok(()));
        assert_eq!(left(), 3);
        assert_eq!(subscribe(&streams, 2, "a", Some(200), "a://", 100), Ok(()));
        assert_eq!(left(), 2);
        assert_eq!(subscribe(&streams, 4, "a", Some(400), "a://", 300), Ok(()));
        assert_eq!(left(), 2);
        streams.end_line(&[3; 16]);
        assert_eq!(left(), 1);
    }

    #[test]
    fn one_caller_leaves_room_for_others() {
        let streams = Streams::default();
        for nonce in 0..10 {
            for n in 0..MOST_RESOURCES {
                let done = subscribe(&streams, nonce, "a", Some(100), &n.to_string(), 0);
                assert_eq!(done, Ok(()));
            }
        }
        let more = |on, uri, now| subscribe(&streams, 11, on, Some(300), uri, now);
        assert_eq!(more("a", "0", 0), Err("T0006".to_owned()));
        let again = subscribe(&streams, 1, "a", Some(100), "0", 0);
        assert_eq!(again, Ok(()), "it is there already");
        assert_eq!(more("b", "0", 0), Ok(()));
        streams.unsubscribe(&Key::new([11; 16], &Caller::App, ""), "0");
        assert_eq!(more("a", "0", 100), Ok(()), "the others have ended");
    }
}
