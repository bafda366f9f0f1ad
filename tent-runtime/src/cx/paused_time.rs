//! [`PausedTime`]: the time that a call spends waiting for its client, which does not count on its deadline.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long a call has waited, and whether it does.
pub(crate) struct PausedTime(watch::Sender<State>);

#[derive(Clone, Copy)]
struct State {
    /// How many waits are under way. Those at the same time count once.
    under_way: usize,
    since: Instant,
    /// Of those that have ended.
    total: Duration,
}

impl PausedTime {
    pub(crate) fn new() -> Self {
        PausedTime(watch::Sender::new(State {
            under_way: 0,
            since: Instant::now(),
            total: Duration::ZERO,
        }))
    }

    /// Waits until what is given is dropped.
    pub(crate) fn begin(&self) -> Waiting<'_> {
        self.0.send_modify(|state| {
            if state.under_way == 0 {
                state.since = Instant::now();
            }
            state.under_way += 1;
        });
        Waiting(self)
    }

    /// How long was waited until now.
    pub(crate) fn total(&self) -> Duration {
        let state = self.0.borrow();
        match state.under_way {
            0 => state.total,
            _ => state.total + state.since.elapsed(),
        }
    }

    /// Ends when `deadline`, put off by all waits, has come. It does not come while a wait is under way.
    pub(crate) async fn late(&self, deadline: Instant) {
        let mut changes = self.0.subscribe();
        loop {
            let state = *changes.borrow_and_update();
            let moved = deadline.checked_add(state.total);
            let end = async {
                match moved.filter(|_| state.under_way == 0) {
                    Some(moved) => sleep_until(moved).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = end => return,
                // The sender is `self`, so it only ever tells of a change.
                _ = changes.changed() => {}
            }
        }
    }
}

/// A wait under way.
pub(crate) struct Waiting<'a>(&'a PausedTime);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|state| {
            state.under_way -= 1;
            if state.under_way == 0 {
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
    async fn a_deadline_stands_still_while_a_wait_is_under_way() {
        let waits = PausedTime::new();
        let start = Instant::now();
        let late = waits.late(start + 3 * SECOND);
        let waiting = async {
            tokio::time::advance(2 * SECOND).await;
            let (first, second) = (waits.begin(), waits.begin());
            tokio::time::advance(60 * SECOND).await;
            drop(first);
            tokio::time::advance(40 * SECOND).await;
            assert_eq!(waits.total(), 100 * SECOND);
            drop(second);
            tokio::time::advance(SECOND / 2).await;
            assert_eq!(waits.total(), 100 * SECOND);
        };
        tokio::join!(late, waiting);
        let took = start.elapsed();
        assert!(took >= 103 * SECOND && took < 104 * SECOND, "{took:?}");
    }
}
