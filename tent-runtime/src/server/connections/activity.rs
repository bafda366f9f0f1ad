//! [`Activity`]: what one connection waits for, and since when. The connection, its requests and its responses write it;
//! the table of [open connections](super::open) reads it to find the one to close.
//!
//! ```text
//!                 head read, body follows            body read
//!          ┌────────────────────────────► READING ─────────────► SERVING
//!        IDLE ───────────────────────────────────────────────────►  │
//!          ▲            head read, no body                          │
//!          └────────────────────────────────────────────────────────┘
//!                            response body at its end
//!
//!        any ──► CLOSED: the table closes the connection. No request begins any more.
//! ```

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

use tokio::time::Instant;

const IDLE: u8 = 0;
const READING: u8 = 1;
const SERVING: u8 = 2;
const CLOSED: u8 = 3;

/// How long a client may send nothing of a body, or read nothing of a response, before its connection makes room for
/// another, in microseconds.
const STALLED: u64 = 5_000_000;

/// What one connection waits for.
#[derive(Debug)]
pub(super) struct Activity {
    state: AtomicU8,
    /// Since when, in microseconds after `epoch`.
    since: AtomicU64,
    /// Whether bytes of a response wait because the client reads none.
    unread: AtomicBool,
    has_request: AtomicBool,
    epoch: Instant,
}

/// Which connections make room for others: the first of these is closed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Idleness {
    /// No request is in progress, since this time.
    Idle(u64),
    /// The client stalls in the middle of a request or response, since this time.
    Stalled(u64),
}

impl Activity {
    /// A connection that waits for its first request.
    pub(super) fn new(epoch: Instant) -> Self {
        let activity = Activity {
            state: AtomicU8::new(IDLE),
            since: AtomicU64::new(0),
            unread: AtomicBool::new(false),
            has_request: AtomicBool::new(false),
            epoch,
        };
        activity.touch();
        activity
    }

    /// Records that the client sent or read something.
    pub(super) fn touch(&self) {
        self.since.store(self.now(), Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        let micros = self.epoch.elapsed().as_micros();
        u64::try_from(micros).unwrap_or(u64::MAX)
    }

    /// Begins a request. Returns false if the connection is being closed: the request must not run.
    pub(super) fn begin(&self, has_body: bool) -> bool {
        self.has_request.store(true, Ordering::Relaxed);
        let state = if has_body { READING } else { SERVING };
        self.touch();
        self.change(IDLE, state)
    }

    /// Records that the body of the request was read to its end.
    pub(super) fn body_ended(&self) {
        self.change(READING, SERVING);
    }

    /// Records that the body of the response is at its end. Bytes of it may still wait to be written.
    pub(super) fn response_ended(&self) {
        self.touch();
        let _ = self.change(SERVING, IDLE) || self.change(READING, IDLE);
    }

    pub(super) fn set_unread(&self, unread: bool) {
        self.unread.store(unread, Ordering::Relaxed);
    }

    pub(super) fn is_idle(&self) -> bool {
        self.state.load(Ordering::Acquire) == IDLE
    }

    /// Whether a request was read to its end, and its response is not at its end.
    pub(super) fn is_serving(&self) -> bool {
        self.state.load(Ordering::Acquire) == SERVING
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.load(Ordering::Acquire) == CLOSED
    }

    pub(super) fn has_request(&self) -> bool {
        self.has_request.load(Ordering::Relaxed)
    }

    /// Identifies the current wait: it differs for each request.
    pub(super) fn since(&self) -> u64 {
        self.since.load(Ordering::Relaxed)
    }

    /// How idle the connection is; `None` while the server works or the client keeps up.
    pub(super) fn idleness(&self) -> Option<Idleness> {
        let since = self.since();
        let stalls = self.now().saturating_sub(since) >= STALLED;
        let unread = self.unread.load(Ordering::Relaxed);
        match self.state.load(Ordering::Acquire) {
            IDLE if !unread => Some(Idleness::Idle(since)),
            IDLE | SERVING if unread && stalls => Some(Idleness::Stalled(since)),
            READING if stalls => Some(Idleness::Stalled(since)),
            _ => None,
        }
    }

    /// Marks the connection as closed if it is still as idle as that. From then on no request begins.
    pub(super) fn close(&self, idleness: Idleness) -> bool {
        let state = self.state.load(Ordering::Acquire);
        self.idleness() == Some(idleness) && state != CLOSED && self.change(state, CLOSED)
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.state
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire)
            .is_ok()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_idle_between_its_requests_and_stalls_within_them() {
        let activity = Activity::new(Instant::now());
        assert_eq!(activity.idleness(), Some(Idleness::Idle(0)));
        let stall = async || tokio::time::sleep(Duration::from_micros(STALLED)).await;
        assert!(activity.begin(true));
        assert_eq!(activity.idleness(), None);
        stall().await;
        assert!(matches!(activity.idleness(), Some(Idleness::Stalled(_))));
        activity.touch();
        assert_eq!(activity.idleness(), None, "the body goes on");
        activity.body_ended();
        stall().await;
        assert_eq!(activity.idleness(), None, "the server works");
        activity.set_unread(true);
        assert!(matches!(activity.idleness(), Some(Idleness::Stalled(_))));
        activity.set_unread(false);
        activity.response_ended();
        assert!(matches!(activity.idleness(), Some(Idleness::Idle(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_connection_begins_no_request_and_a_busy_one_is_not_closed() {
        let activity = Activity::new(Instant::now());
        let idle = activity.idleness().expect("it is idle");
        assert!(activity.begin(false));
        assert!(!activity.close(idle), "it serves a request");
        activity.response_ended();
        let idle = activity.idleness().expect("it is idle");
        assert!(activity.close(idle));
        assert!(!activity.begin(false));
        assert!(activity.is_closed() && activity.idleness().is_none());
    }

    #[test]
    fn an_idle_connection_goes_before_one_that_stalls() {
        let mut all = [Idleness::Stalled(1), Idleness::Idle(3), Idleness::Idle(2)];
        all.sort();
        assert_eq!(
            all,
            [Idleness::Idle(2), Idleness::Idle(3), Idleness::Stalled(1)]
        );
    }
}
