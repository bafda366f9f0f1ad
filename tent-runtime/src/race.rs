//! [`race`]: waits for the first of two futures.
//!
//! In place of `tokio::select!` on the path of each call. An `async fn` stores a future that it takes as an argument
//! and then awaits twice, so a few nested waits make a call's future many times as large as the work in it. This
//! future holds each of the two once.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::Either;
use pin_project_lite::pin_project;

/// Waits for the first of two futures, and drops both before it is ready. If both are ready, `first` wins.
pub(crate) fn race<A: Future, B: Future>(first: A, second: B) -> Race<A, B> {
    Race {
        first: Some(first),
        second: Some(second),
    }
}

pin_project! {
    /// The future of [`race`].
    #[must_use = "futures do nothing unless they are awaited"]
    pub(crate) struct Race<A, B> {
        #[pin]
        first: Option<A>,
        #[pin]
        second: Option<B>,
    }
}

impl<A: Future, B: Future> Future for Race<A, B> {
    type Output = Either<A::Output, B::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let done = match (
            this.first.as_mut().as_pin_mut(),
            this.second.as_mut().as_pin_mut(),
        ) {
            (Some(first), Some(second)) => match first.poll(cx) {
                Poll::Ready(output) => Either::Left(output),
                Poll::Pending => match second.poll(cx) {
                    Poll::Ready(output) => Either::Right(output),
                    Poll::Pending => return Poll::Pending,
                },
            },
            // Polled after it was ready, which no `.await` does.
            _ => return Poll::Pending,
        };
        // Here, and not where the caller drops this: a panic in `Drop` is then part of the poll that the caller guards.
        this.first.set(None);
        this.second.set(None);
        Poll::Ready(done)
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn the_first_ready_future_wins_and_both_are_dropped() {
        let held = Arc::new(());
        let holding = |held: Arc<()>| async move {
            let _held = held;
            pending::<()>().await
        };
        let mut one = Box::pin(race(holding(held.clone()), ready(7)));
        assert!(matches!((&mut one).now_or_never(), Some(Either::Right(7))));
        assert_eq!(
            Arc::strong_count(&held),
            1,
            "the loser is dropped before the race is"
        );
        let mut other = Box::pin(race(ready(1), ready(2)));
        assert!(matches!((&mut other).now_or_never(), Some(Either::Left(1))));
        let mut neither = Box::pin(race(holding(held.clone()), pending::<()>()));
        assert!((&mut neither).now_or_never().is_none());
        assert_eq!(Arc::strong_count(&held), 2);
    }
}
