//! [`StoreClock`]: store time, which never goes back.
//!
//! Leases and expiry use store time alone. A clock of the system can jump ahead and be corrected. If expiry followed it
//! back and forth, a record could expire during the jump, and its key could be claimed a second time after the correction.
//! So store time only adds up the steps ahead:
//!
//! ```text
//! system clock   10:00  10:01  11:01 (jump)  10:02 (corrected)  10:03
//! store time     10:00  10:01  11:01         11:01              11:02
//! ```
//!
//! After such a jump, store time stays ahead. That is harmless, since no process compares it with its own clock.

use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::{Clock, Time};

/// Store time as this process knows it.
pub(super) struct StoreClock {
    source: Arc<dyn Clock>,
    state: Mutex<State>,
}

struct State {
    /// The last time of the source.
    source: Time,
    /// The store time that belongs to it.
    store: Time,
}

impl StoreClock {
    /// Makes store time of the steps of `source`.
    pub(super) fn new(source: Arc<dyn Clock>) -> Self {
        let now = source.now();
        let state = Mutex::new(State {
            source: now,
            store: now,
        });
        StoreClock { source, state }
    }

    /// The present store time.
    pub(super) fn now(&self) -> Time {
        self.at_least(Time::from_millis(i64::MIN))
    }

    /// The present store time, which is `mark` or later: another process has seen `mark`.
    pub(super) fn at_least(&self, mark: Time) -> Time {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // Read under the lock: two readings that change places would count one step twice.
        let now = self.source.now();
        if let Some(step) = now.since(state.source) {
            state.store = state.store.plus(step);
        }
        state.source = now;
        state.store = state.store.max(mark);
        state.store
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StillClock;

    #[test]
    fn store_time_never_goes_back_and_never_stands_still() {
        let source = StillClock::at(100);
        let clock = StoreClock::new(source.clone());
        let after = |step| {
            source.go_on(step);
            clock.now().as_millis()
        };
        assert_eq!([after(0), after(5), after(1000)], [100, 105, 1105]);
        assert_eq!([after(-1000), after(1), after(2)], [1105, 1106, 1108]);
        assert_eq!(clock.at_least(Time::from_millis(1000)).as_millis(), 1108);
        assert_eq!(clock.at_least(Time::from_millis(2000)).as_millis(), 2000);
        assert_eq!(after(1), 2001, "it goes on from the time of the other");
    }
}
