//! [`EndedSessions`]: the sessions that ended before their time.
//!
//! A session carries its own state in its id, so that any process can serve it. That it was ended is the only fact about it
//! in the store.

use std::sync::Arc;
use std::time::Duration;

use tent_core::codes;

use super::record::{Bounds, Fence, Key, Most, Op, Owner, Put, Refusal, Space, When, Written};
use super::{Store, TtlCache};
use crate::clock::{Clock, Time};
use crate::error::{Error, Result};

/// The value of a record: its format.
const FORMAT: u8 = 1;

/// How many answers of the store are cached.
const MOST_CACHED: usize = 4096;

/// The most sessions that are ended at once. A record lasts for as long as its session would have, seven days at most.
pub(super) const BOUNDS: Bounds = Bounds {
    per_owner: Most {
        records: 4096,
        bytes: 4096,
    },
    in_total: Most {
        records: 1 << 16,
        bytes: 1 << 16,
    },
};

/// Asks the store which sessions were ended, and caches its answers for less than a second.
///
/// A session that this process ends is ended at once; one that another process ends, within a second.
pub(crate) struct EndedSessions {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    answers: TtlCache<Box<[u8]>, bool>,
}

impl EndedSessions {
    /// Uses this store. The clock decides how old a cached answer is.
    pub(crate) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        EndedSessions {
            store,
            clock,
            answers: TtlCache::new(MOST_CACHED),
        }
    }

    /// Ends the session of this nonce, which would have ended by itself at `until`, for this caller.
    ///
    /// # Errors
    /// T0006 where this caller or all callers have ended too many sessions, T0012 where the store fails. In both cases the
    /// session goes on.
    pub(crate) async fn end(&self, nonce: &[u8], until: Time, owner: Owner) -> Result<()> {
        let left = until.since(self.clock.now()).unwrap_or_default();
        let ended = end(&*self.store, nonce, left, owner, BOUNDS).await;
        // All answers, since the lock is shared and ends are rare.
        self.answers.clear();
        ended
    }

    /// Whether the session of this nonce was ended.
    ///
    /// # Errors
    /// T0012 where the store fails.
    pub(crate) async fn is_ended(&self, nonce: &[u8]) -> Result<bool> {
        let now = self.clock.now();
        if let Some(ended) = self.answers.get(nonce, now) {
            return Ok(ended);
        }
        let lookup = self.answers.begin(now);
        let ended = is_ended(&*self.store, nonce).await?;
        self.answers.insert(nonce.into(), ended, lookup);
        Ok(ended)
    }
}

pub(super) async fn is_ended(store: &dyn Store, nonce: &[u8]) -> Result<bool> {
    let found = store.read(vec![key(nonce)]).await?;
    Ok(found.records.iter().any(Option::is_some))
}

pub(super) async fn end(
    store: &dyn Store,
    nonce: &[u8],
    keep: Duration,
    owner: Owner,
    bounds: Bounds,
) -> Result<()> {
    // A read waits for no other process, so a session that is ended again and again holds up no writer.
    if is_ended(store, nonce).await? {
        return Ok(());
    }
    let put = Put {
        key: key(nonce),
        owner,
        fence: Fence::random(),
        value: vec![FORMAT],
        keep: Some(keep),
        when: When::Absent,
        bounds: Some(bounds),
    };
    match store.write(vec![Op::Put(put)]).await? {
        Written::Done { .. }
        | Written::Refused {
            why: Refusal::Exists(_),
            ..
        } => Ok(()),
        Written::Refused {
            at,
            why: Refusal::Full { free_at, .. },
            ..
        } => {
            let wait = free_at.and_then(|free| free.since(at)).unwrap_or_default();
            let wait = Duration::from_secs(wait.as_secs() + 1);
            Err(Error::new(codes::TOO_MANY_REQUESTS)
                .with_message("Too many sessions were ended, so this session goes on.")
                .with_fix("Leave the session alone: it ends by itself within seven days.")
                .with_retry_after(wait))
        }
        Written::Refused { why, .. } => Err(Error::unexpected(format!(
            "the store refused to end a session: {why:?}"
        ))),
    }
}

fn key(nonce: &[u8]) -> Key {
    Key::new(Space::ENDED_SESSIONS, nonce)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StillClock;
    use crate::store::Memory;

    #[tokio::test]
    async fn a_session_ended_here_is_ended_at_once_and_one_ended_elsewhere_within_a_second() {
        let store: Arc<dyn Store> = Arc::new(Memory::default());
        let clock = StillClock::at(0);
        let here = EndedSessions::new(store.clone(), clock.clone());
        let there = EndedSessions::new(store, clock.clone());
        let until = Time::from_millis(3_600_000);
        for sessions in [&here, &there] {
            assert!(!sessions.is_ended(b"a").await.expect("memory"));
        }
        here.end(b"a", until, [1; 32]).await.expect("memory");
        assert!(here.is_ended(b"a").await.expect("memory"));
        assert!(!here.is_ended(b"b").await.expect("memory"));
        assert!(!there.is_ended(b"a").await.expect("memory"), "cached");
        clock.go_on(1000);
        assert!(there.is_ended(b"a").await.expect("memory"));
    }

    // S08
    #[tokio::test]
    async fn one_caller_ends_a_bounded_number_of_sessions_and_leaves_room_for_others() {
        let store = Memory::default();
        let bounds = Bounds {
            per_owner: Most {
                records: 2,
                bytes: 2,
            },
            in_total: Most {
                records: 3,
                bytes: 3,
            },
        };
        let keep = Duration::from_secs(60);
        let end = async |nonce: &[u8], owner: u8| {
            let ended = end(&store, nonce, keep, [owner; 32], bounds).await;
            ended.map_err(|error| (error.code(), error.retry_after()))
        };
        let full = Err(("T0006", Some(keep + Duration::from_secs(1))));
        let short = Err(("T0006", Some(keep)));
        for nonce in [b"a", b"b", b"a"] {
            assert_eq!(end(nonce, 1).await, Ok(()));
        }
        let refused = end(b"c", 1).await;
        assert!(refused == full || refused == short, "{refused:?}");
        assert!(!is_ended(&store, b"c").await.expect("memory"));
        assert_eq!(end(b"c", 2).await, Ok(()));
        assert!(end(b"d", 2).await.is_err(), "the bound of all callers");
    }
}
