//! [`Cancellation`]: whether a call was cancelled before its function returned. Each [`Cx`](super::Cx) holds one; it
//! allocates nothing until something waits for it.
//!
//! It ends no call. Dispatch runs the call beside [`Cancellation::takes_effect`] and drops it then.
//!
//! A request to cancel (the caller disconnected, or the client sent `notifications/cancelled`) and the end of the
//! function race. A call that was claimed in the store must run to its end, so a claim holds the cancellation off:
//!
//! ```text
//!             request()                              deadline
//!   running ─────────────► requested ─► CANCELLED ◄──────────── (any state but finished)
//!    │  ▲                     ▲
//!    │  │ hold dropped        │ hold dropped (the claim did not succeed)
//!    ▼  │                     │
//!   held ──────────────► held, requested ──► the function returns ──► finished
//!    │        request()       the caller gets no response,
//!    │                        the call goes on
//!    └─ keep(): held until the function returns or the deadline passes
//! ```
//!
//! `finished` wins over a later request: a task that the function left behind is not cancelled by it.

use std::pin::pin;
use std::sync::atomic::{AtomicU8, Ordering};

use tokio::sync::Notify;

use super::Cx;

/// Cancels a call before its function returns, unless the call is held: it then runs to its end, and only its
/// response is dropped.
#[derive(Debug, Default)]
pub(crate) struct Cancellation {
    /// The bits below.
    state: AtomicU8,
    changed: Notify,
}

/// The caller disconnected, or asked to cancel.
const REQUESTED: u8 = 1;
/// A request does not end the call.
const HELD: u8 = 1 << 1;
/// The function returned, so that nothing cancels the call from now on.
const FINISHED: u8 = 1 << 2;
/// The call ended before its function.
const CANCELLED: u8 = 1 << 3;

impl Cancellation {
    /// Holds cancellation off until the guard is dropped, or until the call ends if the guard is
    /// [kept](CancellationHold::keep). `None` if cancellation was requested before: the call ends at its next await.
    pub(crate) fn hold(&self) -> Option<CancellationHold<'_>> {
        let before = self.change(|state| match state & REQUESTED {
            0 => state | HELD,
            _ => state,
        });
        (before & REQUESTED == 0).then_some(CancellationHold {
            cancellation: self,
            is_kept: false,
        })
    }

    /// Requests cancellation.
    pub(crate) fn request(&self) {
        self.change(|state| cancelled_unless_held(state | REQUESTED));
    }

    /// Notes that the deadline ended the call. No hold prevents that.
    pub(crate) fn expire(&self) {
        self.change(|state| state | CANCELLED);
    }

    fn finish(&self) {
        self.state.fetch_or(FINISHED, Ordering::AcqRel);
    }

    /// Whether cancellation was requested, whether or not it had an effect.
    pub(crate) fn is_requested(&self) -> bool {
        self.is(|state| state & REQUESTED != 0)
    }

    /// Completes when cancellation was requested and nothing holds it off.
    pub(crate) async fn takes_effect(&self) {
        self.until(|state| state & (REQUESTED | HELD) == REQUESTED)
            .await;
    }

    /// Completes when cancellation was requested but is held off: the call goes on without its caller.
    pub(crate) async fn is_held_off(&self) {
        self.until(|state| state & (REQUESTED | HELD) == REQUESTED | HELD)
            .await;
    }

    /// Whether the call ended before its function.
    pub(super) fn is_cancelled(&self) -> bool {
        self.is(|state| state & CANCELLED != 0)
    }

    /// Completes when the call ends before its function.
    pub(super) async fn cancelled(&self) {
        self.until(|state| state & CANCELLED != 0).await;
    }

    fn is(&self, condition: impl Fn(u8) -> bool) -> bool {
        condition(self.state.load(Ordering::Acquire))
    }

    async fn until(&self, condition: impl Fn(u8) -> bool) {
        let mut changed = pin!(self.changed.notified());
        loop {
            // Registered before the state is read, so that no change between the two is missed.
            changed.as_mut().enable();
            if self.is(&condition) {
                return;
            }
            changed.as_mut().await;
            changed.set(self.changed.notified());
        }
    }

    /// Changes the state and wakes all waiters. Returns the state before.
    fn change(&self, to: impl Fn(u8) -> u8) -> u8 {
        let changed = |state| Some(to(state));
        let (set, fetch) = (Ordering::AcqRel, Ordering::Acquire);
        let before = self.state.fetch_update(set, fetch, changed);
        self.changed.notify_waiters();
        // The closure always returns a state, so both variants hold the state before.
        before.unwrap_or_else(|before| before)
    }
}

/// Adds `CANCELLED` where a request has its effect.
fn cancelled_unless_held(state: u8) -> u8 {
    match state & (REQUESTED | HELD | FINISHED) {
        REQUESTED => state | CANCELLED,
        _ => state,
    }
}

/// Holds cancellation off until it is dropped.
#[derive(Debug)]
pub(crate) struct CancellationHold<'a> {
    cancellation: &'a Cancellation,
    is_kept: bool,
}

impl CancellationHold<'_> {
    /// Holds cancellation off until the call ends.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for CancellationHold<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // A request that came during the hold takes effect now.
            self.cancellation
                .change(|state| cancelled_unless_held(state & !HELD));
        }
    }
}

/// Requests cancellation when it is dropped before the call has finished.
pub(crate) struct CancelOnDrop<'a>(&'a Cancellation);

impl<'a> CancelOnDrop<'a> {
    pub(crate) fn new(cancellation: &'a Cancellation) -> Self {
        CancelOnDrop(cancellation)
    }

    /// Notes that the call has finished, so that nothing cancels it any more.
    pub(crate) fn finish(self) {
        self.0.finish();
        std::mem::forget(self);
    }
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.request();
    }
}

impl Cx {
    /// Completes when the call ends before its function does: its caller disconnected, its client cancelled it, or its
    /// [`deadline`](Self::deadline) passed. The result of the function is then discarded.
    ///
    /// tent drops an async function at its next await. This method is for what outlives it: a task that the function
    /// spawned, or a blocking function. It never completes if the function returned, so wait for something else
    /// beside it.
    ///
    /// A disconnect cancels the calls of `/api` and of clients of 2026-07-28. It cancels no call of an older client;
    /// `notifications/cancelled` does. On a connection such as stdio, that notification cancels the calls of both eras,
    /// and the end of the connection cancels its calls when their grace time is over. A retry of a change or an action
    /// with the responses to its input requests runs once, so only its deadline ends it.
    ///
    /// ```
    /// # async fn refresh() {}
    /// # fn serve(cx: &tent::Cx) {
    /// let cx = cx.clone();
    /// tokio::spawn(async move {
    ///     tokio::select! {
    ///         () = refresh() => {}
    ///         () = cx.cancelled() => println!("the call {} was cancelled", cx.trace()),
    ///     }
    /// });
    /// # }
    /// ```
    pub async fn cancelled(&self) {
        self.parts.cancellation.cancelled().await;
    }

    /// Whether the call was cancelled ([`cancelled`](Self::cancelled)): for a blocking function, which checks it
    /// between two steps.
    ///
    /// ```
    /// # fn serve(cx: &tent::Cx, rows: Vec<u32>) -> tent::Result<u64> {
    /// let mut sum = 0;
    /// for row in rows {
    ///     if cx.is_cancelled() {
    ///         break;
    ///     }
    ///     sum += u64::from(row);
    /// }
    /// # Ok(sum)
    /// # }
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.parts.cancellation.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn takes_effect(cancellation: &Cancellation) -> bool {
        cancellation.takes_effect().now_or_never().is_some()
    }

    fn is_held_off(cancellation: &Cancellation) -> bool {
        cancellation.is_held_off().now_or_never().is_some()
    }

    #[test]
    fn a_request_during_a_hold_takes_effect_when_the_hold_is_dropped() {
        let call = Cancellation::default();
        let held = call.hold().expect("nothing requested cancellation");
        call.request();
        assert!(is_held_off(&call) && !takes_effect(&call) && !call.is_cancelled());
        assert!(call.hold().is_none(), "cancellation was requested before");
        drop(held);
        assert!(takes_effect(&call) && !is_held_off(&call) && call.is_cancelled());
        assert!(call.hold().is_none());
    }

    #[test]
    fn a_kept_hold_ends_by_the_deadline_alone() {
        let call = Cancellation::default();
        call.hold().expect("nothing requested cancellation").keep();
        call.request();
        assert!(is_held_off(&call));
        assert!(!takes_effect(&call));
        assert!(!call.is_cancelled());
        call.expire();
        assert!(call.is_cancelled());
    }

    #[test]
    fn dropping_a_running_call_cancels_it() {
        let call = Cancellation::default();
        let mut waits = [call.cancelled(), call.cancelled()].map(Box::pin);
        assert!((&mut waits[0]).now_or_never().is_none());
        drop(CancelOnDrop::new(&call));
        assert!(call.is_cancelled() && call.is_requested());
        for wait in waits {
            assert!(wait.now_or_never().is_some());
        }
    }

    #[test]
    fn nothing_cancels_a_finished_call() {
        let call = Cancellation::default();
        CancelOnDrop::new(&call).finish();
        assert!(!call.is_requested());
        call.request();
        assert!(!call.is_cancelled() && call.is_requested());
        assert!(call.cancelled().now_or_never().is_none());
    }
}
