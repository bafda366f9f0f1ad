//! [`EndedSessions`]: which sessions were ended before their time.

use std::sync::Arc;

use super::{Kept, Store};
use crate::clock::{Clock, Time};
use crate::error::Result;

/// So many answers are kept of each kind.
const MOST: usize = 4096;

/// Asks the store which sessions were ended, and gives its answers again for less than a second.
///
/// A session carries its own state in its id, so that any process can serve it; that it was ended is the one
/// thing about it that has to be written down. One that another process ended is seen as ended within
/// a second, one that this process ended at once.
pub struct EndedSessions {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    answers: Kept<Box<[u8]>, bool>,
}

impl EndedSessions {
    /// Over this store, by this clock.
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        EndedSessions {
            store,
            clock,
            answers: Kept::new(MOST),
        }
    }

    /// Ends the session of this nonce, which would have ended by itself at `until`.
    ///
    /// # Errors
    /// T0012 where the store fails; then the session goes on.
    pub async fn end(&self, nonce: &[u8], until: Time) -> Result<()> {
        let now = self.clock.now();
        self.store.end_session(nonce, until, now).await?;
        // Forgets the answers of others too, which costs each of them one question more.
        self.answers.forget();
        Ok(())
    }

    /// Whether the session of this nonce was ended.
    ///
    /// # Errors
    /// T0012 where the store fails.
    pub async fn is_ended(&self, nonce: &[u8]) -> Result<bool> {
        let now = self.clock.now();
        if let Some(ended) = self.answers.fresh(nonce, now) {
            return Ok(ended);
        }
        let asked = self.answers.ask(now);
        let ended = self.store.session_ended(nonce).await?;
        self.answers.keep(nonce.into(), ended, asked);
        Ok(ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StillClock;
    use crate::store::Memory;

    #[tokio::test]
    async fn one_ended_here_is_ended_at_once_and_one_ended_elsewhere_within_a_second() {
        let store: Arc<dyn Store> = Arc::new(Memory::default());
        let clock = StillClock::at(0);
        let here = EndedSessions::new(store.clone(), clock.clone());
        let there = EndedSessions::new(store, clock.clone());
        let until = Time::from_millis(3_600_000);
        for sessions in [&here, &there] {
            assert!(!sessions.is_ended(b"a").await.expect("memory"));
        }
        here.end(b"a", until).await.expect("memory");
        assert!(here.is_ended(b"a").await.expect("memory"));
        assert!(!here.is_ended(b"b").await.expect("memory"));
        assert!(!there.is_ended(b"a").await.expect("memory"), "kept");
        clock.go_on(1000);
        assert!(there.is_ended(b"a").await.expect("memory"));
    }
}
