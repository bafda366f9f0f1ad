//! Calls in tasks of their own, which go on when their caller goes away: [`Stop`], by which such a call is still
//! ended, and [`UnderWay`], which counts them, so that nobody ends the process under them.

use std::sync::Arc;

use tokio::sync::watch;
use tracing::Instrument as _;

use super::{Call, Door, span};
use crate::cx::Era;
use crate::error::{Error, Result};
use crate::function::Answer;

/// Ends a call before its function does, unless the call has come so far that it runs to its end: from then on
/// whoever told it to stop just gets no answer.
#[derive(Debug, Default)]
pub struct Stop(watch::Sender<State>);

#[derive(Clone, Copy, Debug, Default)]
struct State {
    told: bool,
    held: bool,
}

impl Stop {
    /// Keeps the call from being stopped until what is given is dropped, or for good if that is
    /// [kept](Held::keep). `None` where it was told to stop before: it ends at its next wait.
    pub fn hold(&self) -> Option<Held<'_>> {
        let held = self.0.send_if_modified(|state| {
            state.held |= !state.told;
            !state.told
        });
        held.then_some(Held {
            stop: self,
            for_good: false,
        })
    }

    fn tell(&self) {
        self.0.send_modify(|state| state.told = true);
    }

    /// Tells it when `told` turns true. Never ends.
    async fn hears(&self, mut told: watch::Receiver<bool>) {
        if told.wait_for(|&told| told).await.is_ok() {
            self.tell();
        }
        std::future::pending().await
    }

    /// Ends when the call was told to stop, and nothing keeps it from that.
    async fn stopped(&self) {
        self.until(|state| state.told && !state.held).await;
    }

    /// Ends when the call was told to stop, and goes on all the same.
    async fn left(&self) {
        self.until(|state| state.told && state.held).await;
    }

    async fn until(&self, is: impl Fn(&State) -> bool) {
        // The sender lives in `self`, so the wait can only end by the state.
        let _ = self.0.subscribe().wait_for(|state| is(state)).await;
    }
}

/// Keeps a call from being stopped.
#[derive(Debug)]
pub struct Held<'a> {
    stop: &'a Stop,
    for_good: bool,
}

impl Held<'_> {
    /// From now on the call runs to its end.
    pub fn keep(mut self) {
        self.for_good = true;
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if !self.for_good {
            self.stop.0.send_modify(|state| state.held = false);
        }
    }
}

/// The calls that run in tasks of their own.
#[derive(Default)]
pub(super) struct UnderWay(Arc<watch::Sender<usize>>);

impl UnderWay {
    /// One more, until what is given is dropped.
    fn begin(&self) -> Counted {
        self.0.send_modify(|count| *count += 1);
        Counted(self.0.clone())
    }
}

struct Counted(Arc<watch::Sender<usize>>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Tells a call to stop when its caller is gone.
struct Leaving(Arc<Stop>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.tell();
    }
}

impl Door {
    /// Runs a call in a task of its own, which goes on when its caller goes away, and ends it when `told` turns
    /// true: then there is no answer. Where the sender of `told` is gone nobody can stop it any more.
    ///
    /// A round that runs once is ended before it is claimed alone; from then on it runs to its end, and its caller
    /// gets no answer at once. Before, it ends with its caller too.
    ///
    /// # Errors
    /// As [`call`](Self::call).
    pub async fn call_until(
        self: &Arc<Self>,
        call: Call,
        told: watch::Receiver<bool>,
    ) -> Option<Result<Answer>> {
        let stop = Arc::new(Stop::default());
        // A legacy client's lost connection cancels nothing.
        let leaves = call.client.era != Era::Legacy;
        let _leaving = leaves.then(|| Leaving(stop.clone()));
        let span = span::of(&call);
        let running = {
            let (door, stop, told) = (self.clone(), stop.clone(), told.clone());
            let counted = self.under_way.begin();
            async move {
                let _counted = counted;
                tokio::select! {
                    biased;
                    ended = door.pass(call, Some(told.clone()), &stop) => Some(ended),
                    () = stop.hears(told) => None,
                    () = stop.stopped() => None,
                }
            }
        };
        let running = tokio::spawn(running.instrument(span));
        tokio::select! {
            biased;
            // Heard here too, so that whoever said it gets no answer from then on, however late the task hears it.
            () = stop.hears(told) => None,
            () = stop.left() => None,
            ended = running => {
                ended.unwrap_or_else(|lost| Some(Err(Error::unexpected(lost))))
            }
        }
    }

    /// Ends when no call is under way in a task of its own any more: those of legacy clients and the rounds that run
    /// once, which go on when their caller is gone.
    pub async fn drained(&self) {
        // The sender lives in `self`, so the wait can only end by the count.
        let mut count = self.under_way.0.subscribe();
        let _ = count.wait_for(|&count| count == 0).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn a_call_that_is_held_is_left_and_one_that_is_not_is_stopped() {
        let stop = Stop::default();
        let (stopped, left) = (
            || stop.stopped().now_or_never().is_some(),
            || stop.left().now_or_never().is_some(),
        );
        let held = stop.hold().expect("nobody told it to stop");
        stop.tell();
        assert!(left() && !stopped());
        assert!(stop.hold().is_none(), "it was told before");
        drop(held);
        assert!(stopped() && !left());
        assert!(stop.hold().is_none());

        let stop = Stop::default();
        stop.hold().expect("nobody told it to stop").keep();
        stop.tell();
        assert!(stop.left().now_or_never().is_some());
        assert!(stop.stopped().now_or_never().is_none());
    }

    #[test]
    fn all_are_ended_when_the_last_one_is() {
        let under_way = UnderWay::default();
        let (first, second) = (under_way.begin(), under_way.begin());
        drop(first);
        assert_eq!(*under_way.0.borrow(), 1);
        drop(second);
        assert_eq!(*under_way.0.borrow(), 0);
    }
}
