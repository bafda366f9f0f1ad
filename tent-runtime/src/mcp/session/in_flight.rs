//! The calls under way that `notifications/cancelled` can end: those of legacy sessions, since in the
//! modern era the client just goes away.
//!
//! A call outside of a session is not among them: the ids of two clients with one key would be the same.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::caller::Caller;

/// Calls by session, caller and id. The caller is part of it because a session's id proves nothing.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<Calls>);

#[derive(Default)]
struct Calls {
    stops: HashMap<RequestKey, watch::Sender<bool>>,
    /// From how many on those that have ended meanwhile are looked for.
    sweep: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey {
    nonce: [u8; 16],
    caller: String,
    id: Box<str>,
}

impl RequestKey {
    /// `id` as it was sent: a client writes the same id the same way each time.
    pub(crate) fn new(nonce: [u8; 16], caller: &Caller, id: &str) -> Self {
        RequestKey {
            nonce,
            caller: caller.to_string(),
            id: id.into(),
        }
    }

    /// The same session and caller, with this id.
    pub(crate) fn with_id(&self, id: &str) -> Self {
        RequestKey {
            id: id.into(),
            ..self.clone()
        }
    }

    /// Whether it is of this session or line.
    pub(crate) fn is_in(&self, nonce: &[u8; 16]) -> bool {
        self.nonce == *nonce
    }

    /// Whether both are the same caller's.
    pub(crate) fn is_of_same(&self, other: &RequestKey) -> bool {
        self.caller == other.caller
    }

    /// Whether it is one of this caller's.
    pub(crate) fn is_of(&self, caller: &Caller) -> bool {
        self.caller == caller.to_string()
    }
}

const FEWEST_SWEPT: usize = 256;

impl InFlight {
    /// Notes a call; what is given turns true when it is cancelled. The call is under way for as long as
    /// a copy of that is somewhere.
    pub(crate) fn begin(&self, key: RequestKey) -> watch::Receiver<bool> {
        let mut calls = self.lock();
        // A call whose client went away is not taken out by who noted it, so that is done here.
        if calls.stops.len() >= calls.sweep {
            calls.stops.retain(|_, stop| !stop.is_closed());
            calls.sweep = (calls.stops.len() * 2).max(FEWEST_SWEPT);
        }
        // An id that is under way already is the client's mistake; a cancellation then means every call that has it.
        calls.stops.entry(key).or_default().subscribe()
    }

    /// Takes a call out that has ended, unless another with its id is under way.
    pub(crate) fn end(&self, key: &RequestKey) {
        let mut calls = self.lock();
        if calls.stops.get(key).is_some_and(watch::Sender::is_closed) {
            calls.stops.remove(key);
        }
    }

    /// Cancels a call, if it is under way; of one id all, since nothing tells which of them is meant.
    pub(crate) fn cancel(&self, key: &RequestKey) {
        if let Some(stop) = self.lock().stops.remove(key) {
            stop.send_replace(true);
        }
    }

    /// Cancels the calls of a line that has ended.
    pub(crate) fn cancel_line(&self, nonce: &[u8; 16]) {
        for (_, stop) in self.lock().stops.extract_if(|key, _| key.is_in(nonce)) {
            stop.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(nonce: u8, id: &str) -> RequestKey {
        RequestKey::new([nonce; 16], &Caller::App, id)
    }

    #[test]
    fn a_call_is_cancelled_by_session_caller_and_id() {
        let running = InFlight::default();
        let stop = running.begin(key(1, "1"));
        for other in [
            key(2, "1"),
            key(1, "\"1\""),
            RequestKey::new([1; 16], &Caller::Anonymous, "1"),
        ] {
            running.cancel(&other);
        }
        assert!(!*stop.borrow());
        running.cancel(&key(1, "1"));
        assert!(*stop.borrow());
        running.cancel(&key(1, "1"));
    }

    #[test]
    fn an_id_that_is_used_again_is_that_of_every_call_under_way() {
        let running = InFlight::default();
        let first = running.begin(key(1, "1"));
        let second = running.begin(key(1, "1"));
        let third = running.begin(key(1, "1"));
        drop(second);
        running.end(&key(1, "1"));
        running.cancel(&key(1, "1"));
        assert!(*first.borrow() && *third.borrow());

        // What is begun after a cancellation is not meant by it.
        let fourth = running.begin(key(1, "1"));
        let fifth = running.begin(key(1, "1"));
        assert!(!*fourth.borrow() && !*fifth.borrow());
        running.cancel_line(&[1; 16]);
        assert!(*fourth.borrow() && *fifth.borrow());
        assert!(running.lock().stops.is_empty());
    }

    #[test]
    fn an_id_is_held_until_the_last_call_with_it_has_ended() {
        let running = InFlight::default();
        let first = running.begin(key(1, "1"));
        let second = running.begin(key(1, "1"));
        drop(first);
        running.end(&key(1, "1"));
        assert_eq!(running.lock().stops.len(), 1);
        drop(second);
        running.end(&key(1, "1"));
        assert!(running.lock().stops.is_empty());
    }

    #[test]
    fn calls_that_ended_do_not_pile_up() {
        let running = InFlight::default();
        let under_way: Vec<_> = (0..300)
            .map(|n| running.begin(key(1, &n.to_string())))
            .collect();
        for n in 300..10_000 {
            drop(running.begin(key(1, &n.to_string())));
        }
        let left = running.lock().stops.len();
        assert!((300..=700).contains(&left), "{left}");
        running.cancel(&key(1, "7"));
        assert!(*under_way[7].borrow());
    }
}
