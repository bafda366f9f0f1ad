//! [`PausedTime`]: the time that a call spends waiting for its client, which does not count against its deadline.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long a call has waited for its client, and whether it is waiting now.
pub(crate) struct PausedTime(watch::Sender<State>);

#[derive(Clone, Copy)]
struct State {
    /// How many waits are open. Waits at the same time count once.
    open: usize,
    /// When the first of the open waits began.
    since: Instant,
    /// The length of the waits that have ended.
    total: Duration,
}

impl PausedTime {
    pub(crate) fn new() -> Self {
        PausedTime(watch::Sender::new(State {
            open: 0,
            since: Instant::now(),
            total: Duration::ZERO,
        }))
    }

    /// Begins a wait. It ends when the guard is dropped.
    pub(crate) fn pause(&self) -> Waiting<'_> {
        self.0.send_modify(|state| {
            if state.open == 0 {
                state.since = Instant::now();
            }
            state.open += 1;
        });
        Waiting(self)
    }

    /// Returns how long the call has waited until now.
    pub(crate) fn total(&self) -> Duration {
        let state = self.0.borrow();
        match state.open {
            0 => state.total,
            _ => state.total + state.since.elapsed(),
        }
    }

    /// Completes at `deadline`, which each wait moves later. It does not complete during a wait.
    pub(crate) async fn deadline_passed(&self, deadline: Instant) {
        let mut changes = self.0.subscribe();
        loop {
            let state = *changes.borrow_and_update();
            let moved = deadline.checked_add(state.total);
            let end = async {
                match moved.filter(|_| state.open == 0) {
                    Some(moved) => sleep_until(moved).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = end => return,
                // The sender lives in `self`, so this completes only when a wait begins or ends.
                _ = changes.changed() => {}
            }
        }
    }
}

/// An open wait.
pub(crate) struct Waiting<'a>(&'a PausedTime);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| {
            state.open -= 1;
            if state.open == 0 {
                state.total += state.since.elapsed();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_deadline_does_not_pass_during_a_wait() {
        let paused = PausedTime::new();
        let start = Instant::now();
        let passed = paused.deadline_passed(start + 3 * SECOND);
        let waiting = async {
            tokio::time::advance(2 * SECOND).await;
            let (first, second) = (paused.pause(), paused.pause());
            tokio::time::advance(60 * SECOND).await;
            drop(first);
            tokio::time::advance(40 * SECOND).await;
            assert_eq!(paused.total(), 100 * SECOND);
            drop(second);
            tokio::time::advance(SECOND / 2).await;
            assert_eq!(paused.total(), 100 * SECOND);
        };
        tokio::join!(passed, waiting);
        let took = start.elapsed();
        assert!(took >= 103 * SECOND && took < 104 * SECOND, "{took:?}");
    }
}
