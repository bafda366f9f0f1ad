//! [`Cancellation`]: whether a call was ended before its function, and who hears of it. It is part of the call's own
//! [`Cx`](super::Cx), and holds nothing of its own until somebody waits.
//!
//! Ends nothing itself: whoever runs the call does, when it hears that it was told to stop.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

/// Ends a call before its function does, unless the call has come so far that it runs to its end: from then on
/// whoever told it to stop just gets no answer.
#[derive(Debug, Default)]
pub struct Cancellation {
    state: AtomicU8,
    changed: Notify,
}

/// Its caller has gone, or said that it does not wait any more.
const TOLD: u8 = 1;
/// It runs to its end all the same.
const HELD: u8 = 1 << 1;
/// Its function has come to its own end, so nothing cancels it any more.
const OVER: u8 = 1 << 2;
/// It was ended before that.
const CANCELLED: u8 = 1 << 3;

impl Cancellation {
    /// Keeps the call from being stopped until what is given is dropped, or for good if that is
    /// [kept](CancellationHold::keep). `None` where it was told to stop before: it ends at its next wait.
    pub fn hold(&self) -> Option<CancellationHold<'_>> {
        let was = self.change(|state| match state & TOLD {
            0 => state | HELD,
            _ => state,
        });
        (was & TOLD == 0).then_some(CancellationHold {
            stop: self,
            for_good: false,
        })
    }

    /// Tells it to stop.
    pub(crate) fn tell(&self) {
        self.change(|state| cancelled(state | TOLD));
    }

    /// Notes that its deadline has ended it, which nothing keeps it from.
    pub(crate) fn end(&self) {
        self.change(|state| state | CANCELLED);
    }

    /// Notes that its function has come to its own end.
    fn over(&self) {
        self.state.fetch_or(OVER, Ordering::AcqRel);
    }

    /// Whether it was told to stop, whatever came of that.
    pub(crate) fn is_told(&self) -> bool {
        self.is(|state| state & TOLD != 0)
    }

    /// Ends when the call was told to stop, and nothing keeps it from that.
    pub(crate) async fn stopped(&self) {
        self.until(|state| state & (TOLD | HELD) == TOLD).await;
    }

    /// Ends when the call was told to stop, and goes on all the same.
    pub(crate) async fn left(&self) {
        self.until(|state| state & (TOLD | HELD) == TOLD | HELD)
            .await;
    }

    /// Whether the call was ended before its function.
    pub(super) fn is_cancelled(&self) -> bool {
        self.is(|state| state & CANCELLED != 0)
    }

    /// Ends when the call was ended before its function.
    pub(super) async fn cancelled(&self) {
        self.until(|state| state & CANCELLED != 0).await;
    }

    fn is(&self, what: impl Fn(u8) -> bool) -> bool {
        what(self.state.load(Ordering::Acquire))
    }

    async fn until(&self, what: impl Fn(u8) -> bool) {
        let mut changed = pin!(self.changed.notified());
        loop {
            // Noted as waiting before it is looked at, so that no change is missed.
            changed.as_mut().enable();
            if self.is(&what) {
                return;
            }
            changed.as_mut().await;
            changed.set(self.changed.notified());
        }
    }

    /// Changes the state, and tells those who wait; gives what it was.
    fn change(&self, to: impl Fn(u8) -> u8) -> u8 {
        let changed = |state| Some(to(state));
        let (set, fetch) = (Ordering::AcqRel, Ordering::Acquire);
        let was = self.state.fetch_update(set, fetch, changed);
        self.changed.notify_waiters();
        // It always gives a state, so both are what it was.
        was.unwrap_or_else(|was| was)
    }
}

/// The same, cancelled where it was told to stop and nothing stands against that.
fn cancelled(state: u8) -> u8 {
    match state & (TOLD | HELD | OVER) {
        TOLD => state | CANCELLED,
        _ => state,
    }
}

/// Keeps a call from being stopped.
#[derive(Debug)]
pub struct CancellationHold<'a> {
    stop: &'a Cancellation,
    for_good: bool,
}

impl CancellationHold<'_> {
    /// From now on the call runs to its end.
    pub fn keep(mut self) {
        self.for_good = true;
    }
}

impl Drop for CancellationHold<'_> {
    fn drop(&mut self) {
        if !self.for_good {
            self.stop.change(|state| cancelled(state & !HELD));
        }
    }
}

/// Tells a call to stop when it is dropped before it has come to its end.
pub(crate) struct Unfinished<'a>(&'a Cancellation);

impl<'a> Unfinished<'a> {
    pub(crate) fn new(stop: &'a Cancellation) -> Self {
        Unfinished(stop)
    }

    /// It has come to its end.
    pub(crate) fn finish(self) {
        self.0.over();
        std::mem::forget(self);
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.tell();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_call_that_is_held_is_left_and_one_that_is_not_is_stopped() {
        let stop = Cancellation::default();
        let (stopped, left) = (
            || stop.stopped().now_or_never().is_some(),
            || stop.left().now_or_never().is_some(),
        );
        let held = stop.hold().expect("nobody told it to stop");
        stop.tell();
        assert!(left() && !stopped() && !stop.is_cancelled());
        assert!(stop.hold().is_none(), "it was told before");
        drop(held);
        assert!(stopped() && !left() && stop.is_cancelled());
        assert!(stop.hold().is_none());

        let stop = Cancellation::default();
        stop.hold().expect("nobody told it to stop").keep();
        stop.tell();
        assert!(stop.left().now_or_never().is_some());
        assert!(stop.stopped().now_or_never().is_none());
        assert!(!stop.is_cancelled());
        stop.end();
        assert!(stop.is_cancelled(), "a deadline ends it all the same");
    }

    #[test]
    fn who_leaves_cancels_what_goes_on_and_nothing_that_has_ended() {
        let stop = Cancellation::default();
        let mut waits = [stop.cancelled(), stop.cancelled()].map(Box::pin);
        assert!((&mut waits[0]).now_or_never().is_none());
        drop(Unfinished::new(&stop));
        assert!(stop.is_cancelled() && stop.is_told());
        for wait in waits {
            assert!(wait.now_or_never().is_some());
        }

        let stop = Cancellation::default();
        Unfinished::new(&stop).finish();
        assert!(!stop.is_told());
        stop.tell();
        assert!(!stop.is_cancelled() && stop.is_told());
        assert!(stop.cancelled().now_or_never().is_none());
    }
}
