//! [`Claims`]: that a round of what does more than read runs once, in whatever processes it arrives, and how its
//! repeats wait for its end.
//!
//! What claims is in the store. Here is what this process has under way: of the repeats of one round one alone asks
//! the store, and nobody asks for one that runs here. Knows nothing of what a round holds.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tent_core::codes;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tokio::time::{Instant, sleep, timeout_at};

use crate::clock::{Clock, SystemClock, Time};
use crate::cx::Cancellation;
use crate::error::{Error, Result};
use crate::store::{Claim, RoundClaim, RoundState, Store};

/// How soon the store is asked again whether a round that runs elsewhere has ended: twice as long each time, up to
/// the last.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
const LOOK_LATEST: Duration = Duration::from_secs(1);

/// So many repeats of one round wait for it, and so many of all rounds.
const MOST_WAITING_FOR_ONE: usize = 16;
const MOST_WAITING: usize = 1024;

/// How long after its deadline a call may still be writing its outcome down.
const GRACE: Duration = Duration::from_secs(5);

/// How long after its end a state can still be claimed, to be asked again. No setting, since whoever changes it
/// would have states come back after their claims were forgotten.
const LATE: Duration = Duration::from_secs(600);

/// By how much the clocks of two processes on one store may differ, and a claim be delayed on its way there.
const ASKEW: Duration = Duration::from_secs(60);

/// The rounds that this process has under way.
pub(crate) struct Claims {
    /// By nonce; dropped when whoever has the turn has done with it.
    under_way: Mutex<HashMap<Box<[u8]>, watch::Sender<()>>>,
    room: Semaphore,
}

impl Default for Claims {
    fn default() -> Self {
        Claims {
            under_way: Mutex::default(),
            room: Semaphore::new(MOST_WAITING),
        }
    }
}

/// A round that is to be claimed.
pub(super) struct Wanted<'a> {
    pub(super) store: &'a dyn Store,
    pub(super) nonce: &'a [u8],
    /// Whom it counts on.
    pub(super) caller: &'a [u8; 32],
    /// When the state ends that it came with.
    pub(super) until: Time,
    /// When the call is ended that it is.
    pub(super) deadline: Option<Instant>,
    pub(super) stop: &'a Cancellation,
}

/// What came of it.
pub(super) enum Claimed {
    /// It is to be run, and the turn to be kept until its outcome is in the store.
    Now(Turn),
    /// It came before, with this outcome.
    Before(Vec<u8>),
}

/// The right to ask the store about a round, which one has in this process.
pub(super) struct Turn {
    claims: Arc<Claims>,
    nonce: Box<[u8]>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.claims.lock().remove(&self.nonce);
    }
}

impl Claims {
    /// Claims a round, or waits for its end where it came before.
    ///
    /// # Errors
    /// T0009 where it is under way for longer than this call has time, or too many wait; T0011 where whoever claimed
    /// it has ended without an outcome; T0006 where there are too many; T0015 where its state is so old that it
    /// cannot be told whether it came before.
    pub(super) async fn take(self: &Arc<Self>, wanted: Wanted<'_>) -> Result<Claimed> {
        let turn = self.turn(wanted.nonce, wanted.deadline).await?;
        let mut pause = LOOK_AGAIN;
        let mut place = None;
        loop {
            // Read first: what reads waits for no other process, so repeats hold up nobody.
            let state = match wanted.store.round(wanted.nonce).await? {
                Some(state) => state,
                None => match wanted.claim().await? {
                    None => return Ok(Claimed::Now(turn)),
                    Some(state) => state,
                },
            };
            match state {
                RoundState::Ended(outcome) => return Ok(Claimed::Before(outcome)),
                RoundState::Running(lease) if SystemClock.now() > lease => {
                    return Err(Error::new(codes::OUTCOME_UNKNOWN));
                }
                RoundState::Running(_) => {}
            }
            if place.is_none() {
                place = Some(self.place()?);
            }
            in_time(wanted.deadline, sleep(pause)).await?;
            pause = (pause * 2).min(LOOK_LATEST);
        }
    }

    async fn turn(self: &Arc<Self>, nonce: &[u8], deadline: Option<Instant>) -> Result<Turn> {
        loop {
            let mut over = match self.lock().entry(nonce.into()) {
                Entry::Vacant(free) => {
                    free.insert(watch::Sender::new(()));
                    return Ok(Turn {
                        claims: self.clone(),
                        nonce: nonce.into(),
                    });
                }
                Entry::Occupied(taken) => {
                    if taken.get().receiver_count() >= MOST_WAITING_FOR_ONE {
                        return Err(Error::new(codes::STILL_RUNNING));
                    }
                    taken.get().subscribe()
                }
            };
            let _place = self.place()?;
            // Nothing is ever sent: it ends when the sender is gone.
            let _ = in_time(deadline, over.changed()).await?;
        }
    }

    /// A place among those who wait.
    fn place(&self) -> Result<SemaphorePermit<'_>> {
        self.room
            .try_acquire()
            .map_err(|_| Error::new(codes::STILL_RUNNING))
    }

    /// How many wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        MOST_WAITING - self.room.available_permits()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, watch::Sender<()>>> {
        // Nothing panics while it is held.
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wanted<'_> {
    /// Claims it: `None`. How it stands, where it was claimed before.
    async fn claim(&self) -> Result<Option<RoundState>> {
        let now = SystemClock.now();
        if now > last_claimed(self.until) {
            return Err(Error::new(codes::INVALID_STATE)
                .with_message("The state that this request carries ended too long ago.")
                .with_fix("Begin again, without it."));
        }
        let left = self.deadline.map_or(Duration::ZERO, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        let lease = now.plus(left).plus(GRACE);
        let Some(held) = self.stop.hold() else {
            // The door ends the call here.
            return std::future::pending().await;
        };
        let claim = RoundClaim {
            nonce: self.nonce,
            caller: self.caller,
            lease,
            until: forgotten(self.until, lease),
            now,
        };
        match self.store.claim_round(claim).await? {
            Claim::Taken => {
                held.keep();
                Ok(None)
            }
            Claim::Before(state) => Ok(Some(state)),
            Claim::Full { of_caller, until } => Err(full(of_caller, until, now)),
        }
    }
}

/// The last moment at which a state is claimed that ends at `until`.
fn last_claimed(until: Time) -> Time {
    until.plus(LATE)
}

/// Until when a claim is kept: for longer than its state can be claimed again, and its outcome asked for.
fn forgotten(until: Time, lease: Time) -> Time {
    last_claimed(until.max(lease)).plus(ASKEW)
}

fn full(of_caller: bool, until: Time, now: Time) -> Error {
    let wait = until.since(now).unwrap_or_default();
    let wait = Duration::from_secs(wait.as_secs() + 1);
    let whose = match of_caller {
        true => {
            "This caller has answered more questions of calls lately than the outcomes of which are kept for one"
        }
        false => {
            "More questions of calls were answered lately than this server keeps the outcomes of"
        }
    };
    Error::new(codes::TOO_MANY_REQUESTS)
        .with_message(format!("{whose}, so this call did not go on."))
        .with_fix(format!(
            "Wait {} seconds, then send the same request again.",
            wait.as_secs()
        ))
        .with_retry_after(wait)
}

/// What `work` gives, if it does before the deadline.
///
/// # Errors
/// T0009 where it does not.
async fn in_time<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Result<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, work)
            .await
            .map_err(|_| Error::new(codes::STILL_RUNNING)),
        None => Ok(work.await),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Memory;

    async fn take(
        claims: &Arc<Claims>,
        store: &Memory,
        nonce: &[u8],
        until: Time,
    ) -> Result<Claimed> {
        let wanted = Wanted {
            store,
            nonce,
            caller: &[0; 32],
            until,
            deadline: Some(Instant::now()),
            stop: &Cancellation::default(),
        };
        claims.take(wanted).await
    }

    fn ago(duration: Duration) -> Time {
        let millis = i64::try_from(duration.as_millis()).expect("it is short");
        Time::from_millis(SystemClock.now().as_millis() - millis)
    }

    #[tokio::test]
    async fn a_state_whose_claim_may_be_forgotten_is_refused_and_never_run_again() {
        let (claims, store) = (Arc::<Claims>::default(), Memory::default());
        let minute = Duration::from_secs(60);
        let late = take(&claims, &store, b"late", ago(LATE - minute)).await;
        assert!(matches!(late, Ok(Claimed::Now(_))), "it is asked again");
        let Err(error) = take(&claims, &store, b"too late", ago(LATE + minute)).await else {
            panic!("nobody knows whether it came before");
        };
        assert_eq!(error.code(), "T0015");
        assert!(store.round(b"too late").await.expect("memory").is_none());

        // As long as its outcome is kept it is answered that.
        let recorded = store.record_round(b"late", b"x".to_vec()).await;
        recorded.expect("memory");
        drop(late);
        let again = take(&claims, &store, b"late", ago(LATE + minute)).await;
        assert!(matches!(again, Ok(Claimed::Before(outcome)) if outcome == b"x"));
    }

    #[test]
    fn a_claim_is_kept_for_longer_than_its_state_can_be_claimed_again() {
        let times = [i64::MIN, -1, 0, 1_780_000_000_000, i64::MAX - 660_000].map(Time::from_millis);
        for until in times {
            for lease in times {
                let forgotten = forgotten(until, lease);
                assert!(forgotten >= last_claimed(until).plus(ASKEW));
                assert!(
                    forgotten >= lease.plus(LATE),
                    "and its outcome can be asked for"
                );
            }
        }
    }

    #[tokio::test]
    async fn a_round_whose_process_died_is_of_unknown_outcome_after_its_lease() {
        let (claims, store) = (Arc::<Claims>::default(), Memory::default());
        let now = SystemClock.now();
        let claim = |nonce, lease| RoundClaim {
            nonce,
            caller: &[0; 32],
            lease,
            until: now.plus(LATE),
            now,
        };
        for (nonce, lease, code) in [
            (&b"dead"[..], ago(Duration::from_millis(1)), "T0011"),
            (&b"alive"[..], now.plus(LATE), "T0009"),
        ] {
            let claimed = store.claim_round(claim(nonce, lease)).await;
            assert_eq!(claimed.expect("memory"), Claim::Taken);
            let taken = take(&claims, &store, nonce, now).await;
            assert_eq!(taken.err().map(|error| error.code()), Some(code));
        }
        assert_eq!(claims.waiting(), 0);
        assert!(claims.lock().is_empty());
    }
}
