//! Calls in tasks of their own, which go on when their caller goes away; their [`Cancellation`](crate::cx::Cancellation) still ends
//! them. [`UnderWay`] counts them, so that nobody ends the process under them.

use std::sync::Arc;

use tokio::sync::watch;
use tracing::Instrument as _;

use super::{Call, Dispatcher, span};
use crate::cx::{Cx, Era};
use crate::error::{Error, Result};
use crate::function::Output;

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
struct Leaving(Cx);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.stop().tell();
    }
}

/// Tells a call to stop when `told` turns true. Never ends.
async fn hears(cx: &Cx, mut told: watch::Receiver<bool>) {
    if told.wait_for(|&told| told).await.is_ok() {
        cx.stop().tell();
    }
    std::future::pending().await
}

impl Dispatcher {
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
    ) -> Option<Result<Output>> {
        // A legacy client's lost connection cancels nothing.
        let leaves = call.client.era != Era::Legacy;
        let span = span::of(&call);
        let begun = self.begin(call);
        let cx = begun.cx.clone();
        let _leaving = leaves.then(|| Leaving(cx.clone()));
        let running = {
            let (dispatcher, cx, told) = (self.clone(), cx.clone(), told.clone());
            let counted = self.under_way.begin();
            async move {
                let _counted = counted;
                tokio::select! {
                    biased;
                    // Before the function goes on, which so hears of it in time for a last word.
                    () = hears(&cx, told) => None,
                    ended = dispatcher.pass(begun) => (!cx.stop().is_told()).then_some(ended),
                    () = cx.stop().stopped() => None,
                }
            }
        };
        let running = tokio::spawn(running.instrument(span));
        tokio::select! {
            biased;
            // Heard here too, so that whoever said it gets no answer from then on, however late the task hears it.
            () = hears(&cx, told) => None,
            () = cx.stop().left() => None,
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
    use super::*;

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
