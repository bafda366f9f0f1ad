//! The requests in flight that `notifications/cancelled` can cancel: those of legacy sessions and of connections. A
//! modern client cancels over HTTP by disconnecting.
//! Must not end a request: it notifies the task that serves it.
//!
//! A request without a session is not here: two clients with one API key would use the same request ids.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::caller::Caller;

/// The requests in flight, by session, caller and request id.
#[derive(Default)]
pub(crate) struct InFlight(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    senders: HashMap<RequestKey, watch::Sender<bool>>,
    /// How many there may be before requests that have ended are removed.
    sweep_at: usize,
}

/// Identifies a request of a client. The caller is part of it because a session id does not authenticate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestKey {
    nonce: [u8; 16],
    caller: String,
    id: Box<str>,
}

impl RequestKey {
    /// `id` is the text that the client sent: a client writes the same id in the same way each time.
    pub(crate) fn new(nonce: [u8; 16], caller: &Caller, id: &str) -> Self {
        RequestKey {
            nonce,
            caller: caller.to_string(),
            id: id.into(),
        }
    }

    /// The key of another request of the same session and caller.
    pub(crate) fn with_id(&self, id: &str) -> Self {
        RequestKey {
            id: id.into(),
            ..self.clone()
        }
    }

    /// The caller.
    pub(crate) fn caller(&self) -> &str {
        &self.caller
    }

    /// Whether the request is part of this session or connection.
    pub(crate) fn is_in(&self, nonce: &[u8; 16]) -> bool {
        self.nonce == *nonce
    }

    /// Whether both requests have the same caller.
    pub(crate) fn has_caller_of(&self, other: &RequestKey) -> bool {
        self.caller == other.caller
    }

    /// Whether the request is one of this caller.
    pub(crate) fn is_of(&self, caller: &Caller) -> bool {
        self.caller == caller.to_string()
    }
}

/// The fewest requests among which ended ones are searched.
const MIN_SWEPT: usize = 256;

impl InFlight {
    /// Records that a request is in flight, for as long as a clone of the receiver exists. The receiver turns true when
    /// the request is cancelled.
    pub(crate) fn begin(&self, key: RequestKey) -> watch::Receiver<bool> {
        let mut requests = self.lock();
        // A call goes on in its own task when its client disconnects, after the last `end` of its key. Such entries
        // are removed here. Doubling the limit makes the search O(1) per request.
        if requests.senders.len() >= requests.sweep_at {
            requests.senders.retain(|_, sender| !sender.is_closed());
            requests.sweep_at = (requests.senders.len() * 2).max(MIN_SWEPT);
        }
        // The client may use an id twice, which MCP forbids. A cancellation then cancels every request with it.
        requests.senders.entry(key).or_default().subscribe()
    }

    /// Removes a request that has ended, unless another one with its id is in flight.
    pub(crate) fn end(&self, key: &RequestKey) {
        let mut requests = self.lock();
        if requests
            .senders
            .get(key)
            .is_some_and(watch::Sender::is_closed)
        {
            requests.senders.remove(key);
        }
    }

    /// Cancels the requests with this key.
    pub(crate) fn cancel(&self, key: &RequestKey) {
        if let Some(sender) = self.lock().senders.remove(key) {
            sender.send_replace(true);
        }
    }

    /// Cancels the requests of a connection that has ended.
    pub(crate) fn cancel_connection(&self, nonce: &[u8; 16]) {
        for (_, sender) in self.lock().senders.extract_if(|key, _| key.is_in(nonce)) {
            sender.send_replace(true);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        // No code panics while the lock is held.
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
    fn cancels_by_session_caller_and_id() {
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
    fn an_id_that_is_used_twice_cancels_every_request_with_it() {
        let running = InFlight::default();
        let first = running.begin(key(1, "1"));
        let second = running.begin(key(1, "1"));
        let third = running.begin(key(1, "1"));
        drop(second);
        running.end(&key(1, "1"));
        running.cancel(&key(1, "1"));
        assert!(*first.borrow() && *third.borrow());

        // A request that begins after the cancellation is not cancelled by it.
        let fourth = running.begin(key(1, "1"));
        let fifth = running.begin(key(1, "1"));
        assert!(!*fourth.borrow() && !*fifth.borrow());
        running.cancel_connection(&[1; 16]);
        assert!(*fourth.borrow() && *fifth.borrow());
        assert!(running.lock().senders.is_empty());
    }

    #[test]
    fn an_id_is_in_flight_until_the_last_request_with_it_has_ended() {
        let running = InFlight::default();
        let first = running.begin(key(1, "1"));
        let second = running.begin(key(1, "1"));
        drop(first);
        running.end(&key(1, "1"));
        assert_eq!(running.lock().senders.len(), 1);
        drop(second);
        running.end(&key(1, "1"));
        assert!(running.lock().senders.is_empty());
    }

    #[test]
    fn removes_requests_that_ended_without_notice() {
        let running = InFlight::default();
        let in_flight: Vec<_> = (0..300)
            .map(|n| running.begin(key(1, &n.to_string())))
            .collect();
        for n in 300..10_000 {
            drop(running.begin(key(1, &n.to_string())));
        }
        let left = running.lock().senders.len();
        assert!((300..=700).contains(&left), "{left}");
        running.cancel(&key(1, "7"));
        assert!(*in_flight[7].borrow());
    }
}
