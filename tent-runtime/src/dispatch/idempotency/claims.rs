//! [`Claims`]: a claimed call runs once, in whatever processes its repeats arrive, and its repeats wait for its end.
//!
//! The store decides who runs a call. This module limits what that costs: of the repeats of one call in one process, one at a
//! time asks the store, and none asks while the call runs in this process.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tent_core::codes::{self, Code};
use tent_core::count::counted;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use crate::clock::Time;
use crate::cx::Cancellation;
use crate::error::{Error, Result};
use crate::json::hex;
use crate::quota::Quota;
use crate::store::idempotency::{BOUNDS, ClaimResult, Claimed, NewClaim, State};
use crate::store::{Bounds, Fence, Owner, Store, idempotency as stored};

/// How soon a repeat asks the store again about a call that runs in another process: twice as long each time, up to the
/// last.
const FIRST_POLL: Duration = Duration::from_millis(50);
const LAST_POLL: Duration = Duration::from_secs(1);

/// The most repeats that wait for one call, of one caller, and in total.
const MOST_WAITING_FOR_ONE: usize = 16;
const MOST_WAITING_OF_ONE: usize = 128;
const MOST_WAITING: usize = 1024;

/// How long after its deadline a call may take to write its outcome: the rest of its lease.
const GRACE: Duration = Duration::from_secs(5);

/// The rest of the lease that an attempt must have to run. Less is left where the store took very long to claim.
const MARGIN: Duration = Duration::from_secs(2);

/// How long after a call expires it can still be claimed. Not a setting: a change would let a call be claimed again after
/// its record has expired.
const LATE: Duration = Duration::from_secs(600);

/// How much longer a record lasts: the store times of two processes may differ by this much.
const SKEW: Duration = Duration::from_secs(60);

/// The claimed calls of this process.
pub(crate) struct Claims {
    store: Arc<dyn Store>,
    bounds: Bounds,
    /// The turns that are taken, by key. A sender is dropped when its turn ends.
    turns: Mutex<HashMap<Box<[u8]>, watch::Sender<()>>>,
    waiting: Mutex<Quota>,
}

/// A call to claim.
pub(crate) struct ToClaim<'a> {
    /// The key of the call.
    pub(crate) key: &'a [u8],
    /// The caller that it counts against.
    pub(crate) owner: Owner,
    /// The fingerprint of the input.
    pub(crate) fingerprint: [u8; 32],
    /// The store time at which the call expires, such as that of a `requestState`.
    pub(crate) expires: Time,
    /// The deadline of the request.
    pub(crate) deadline: Option<Instant>,
    /// Held from the claim on, since a claimed call runs to its end.
    pub(crate) cancellation: &'a Cancellation,
}

/// The result of [`Claims::take`].
pub(crate) enum Taken {
    /// The call is to run.
    Now(Claim),
    /// The call ran before, with this outcome.
    Before(Vec<u8>),
}

/// A claim that this process holds. Its repeats wait until it is dropped.
pub(crate) struct Claim {
    turn: Turn,
    fence: Fence,
}

/// The right to ask the store about a call, which one request at a time has in this process.
struct Turn {
    claims: Arc<Claims>,
    key: Box<[u8]>,
}

/// A place among the repeats that wait, until it is dropped.
struct Place<'a> {
    claims: &'a Claims,
    owner: String,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.claims.waiting().give_back(&self.owner, 1);
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.claims.lock().remove(&self.key);
    }
}

impl Claim {
    /// Writes the outcome, and wakes the repeats.
    ///
    /// # Errors
    /// Those of the store. Then the outcome is unknown once the lease is over.
    pub(crate) async fn complete(self, outcome: Vec<u8>) -> Result<()> {
        let turn = &self.turn;
        stored::complete(&*turn.claims.store, &turn.key, self.fence, outcome).await
    }

    /// The key of the call.
    pub(crate) fn key(&self) -> &[u8] {
        &self.turn.key
    }
}

impl Claims {
    /// Uses this store.
    pub(crate) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Claims {
            store,
            bounds: BOUNDS,
            turns: Mutex::default(),
            waiting: Mutex::default(),
        })
    }

    /// Claims a call, or waits for the end of an earlier attempt.
    ///
    /// # Errors
    /// T0002 where an earlier attempt had another input; T0006 where a bound is reached; T0009 where an earlier attempt
    /// still runs at the deadline, or too many repeats wait; T0010 where the store takes longer than the deadline; T0011
    /// where the outcome of an earlier attempt is unknown; T0015 where the call expired so long ago that the record of an
    /// earlier attempt may be gone.
    pub(crate) async fn take(self: &Arc<Self>, call: ToClaim<'_>) -> Result<Taken> {
        let turn = self.turn(&call).await?;
        let mut pause = FIRST_POLL;
        let mut place = None;
        loop {
            // Read before claiming: a read waits for no other process, so repeats hold up no writer.
            let found = stored::find(&*self.store, call.key);
            let claimed = match within(call.deadline, codes::TIMEOUT, found).await?? {
                Some(claimed) => claimed,
                None => match self.claim(&call).await? {
                    Ok(fence) => return Ok(Taken::Now(Claim { turn, fence })),
                    Err(claimed) => claimed,
                },
            };
            if claimed
                .fingerprint
                .is_some_and(|one| one != call.fingerprint)
            {
                return Err(Error::new(codes::MISMATCH)
                    .with_status(422)
                    .with_message("An earlier call with this key had another input.")
                    .with_fix("Use a new key for another input."));
            }
            match claimed.state {
                State::Completed(outcome) => return Ok(Taken::Before(outcome)),
                State::Unknown => return Err(Error::new(codes::OUTCOME_UNKNOWN)),
                State::Running => {}
            }
            if place.is_none() {
                place = Some(self.place(&call.owner)?);
            }
            within(call.deadline, codes::STILL_RUNNING, sleep(pause)).await?;
            pause = (pause * 2).min(LAST_POLL);
        }
    }

    /// Claims a call in the store. `Err`: how far an earlier attempt is.
    async fn claim(&self, call: &ToClaim<'_>) -> Result<Result<Fence, Claimed>> {
        let now = self.store.now();
        let not_after = last_claim(call.expires);
        if now > not_after {
            return Err(too_late());
        }
        let sent = Instant::now();
        let left = call.deadline.map_or(Duration::ZERO, |deadline| {
            deadline.saturating_duration_since(sent)
        });
        let lease = left + GRACE;
        let Some(held) = call.cancellation.hold() else {
            // The call is cancelled, so dispatch drops this future.
            return std::future::pending().await;
        };
        let fence = Fence::random();
        let claim = NewClaim {
            key: call.key,
            owner: call.owner,
            fence,
            fingerprint: call.fingerprint,
            lease,
            keep: record_end(call.expires, now.plus(lease))
                .since(now)
                .unwrap_or_default(),
            not_after: Some(not_after),
        };
        // From here to the answer the claim may be made without anyone to run it.
        let release = ReleaseOnDrop {
            store: &self.store,
            key: call.key,
            fence,
            armed: true,
        };
        let claiming = stored::claim(&*self.store, claim, self.bounds);
        let result = within(call.deadline, codes::TIMEOUT, claiming).await??;
        match result {
            // The lease is counted from when the store made the claim, which is later than `sent`.
            ClaimResult::Taken if sent.elapsed() + MARGIN <= lease => {
                release.disarm();
                held.keep();
                Ok(Ok(fence))
            }
            ClaimResult::Taken => Err(Error::new(codes::TIMEOUT)),
            other => {
                release.disarm();
                match other {
                    ClaimResult::Before(claimed) => Ok(Err(claimed)),
                    ClaimResult::Full { of_caller, wait } => Err(full(of_caller, wait)),
                    _ => Err(too_late()),
                }
            }
        }
    }

    /// Waits for the turn of a call.
    async fn turn(self: &Arc<Self>, call: &ToClaim<'_>) -> Result<Turn> {
        let (key, deadline) = (call.key, call.deadline);
        loop {
            let mut over = match self.lock().entry(key.into()) {
                Entry::Vacant(free) => {
                    free.insert(watch::Sender::new(()));
                    return Ok(Turn {
                        claims: self.clone(),
                        key: key.into(),
                    });
                }
                Entry::Occupied(taken) => {
                    if taken.get().receiver_count() >= MOST_WAITING_FOR_ONE {
                        return Err(Error::new(codes::STILL_RUNNING));
                    }
                    taken.get().subscribe()
                }
            };
            let _place = self.place(&call.owner)?;
            // Nothing is ever sent: the wait ends when the sender is dropped.
            let _ = within(deadline, codes::STILL_RUNNING, over.changed()).await?;
        }
    }

    /// A place among the repeats that wait.
    fn place(&self, owner: &Owner) -> Result<Place<'_>> {
        let owner = hex(owner);
        let taken = self
            .waiting()
            .take(&owner, 1, MOST_WAITING_OF_ONE, MOST_WAITING);
        match taken {
            Ok(()) => Ok(Place {
                claims: self,
                owner,
            }),
            Err(_) => Err(Error::new(codes::STILL_RUNNING)),
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Quota> {
        // Nothing panics while it is locked.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, watch::Sender<()>>> {
        // Nothing panics while it is locked.
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Releases a claim whose answer did not arrive: because the deadline passed, or the request was dropped. Where the store did
/// not make the claim, the release changes nothing.
struct ReleaseOnDrop<'a> {
    store: &'a Arc<dyn Store>,
    key: &'a [u8],
    fence: Fence,
    armed: bool,
}

impl ReleaseOnDrop<'_> {
    /// The answer has arrived, so there is nothing to release.
    fn disarm(mut self) {
        self.armed = false;
    }
}

impl Drop for ReleaseOnDrop<'_> {
    fn drop(&mut self) {
        let runtime = self.armed.then(Handle::try_current);
        let Some(Ok(runtime)) = runtime else {
            return;
        };
        let (store, key, fence) = (Arc::clone(self.store), self.key.to_vec(), self.fence);
        runtime.spawn(async move {
            if let Err(error) = stored::release(&*store, &key, fence).await {
                tracing::warn!(chain = ?error.logged_chain(), "a claim that did not run was not released");
            }
        });
    }
}

/// The last store time at which a call is claimed that expires at `expires`.
fn last_claim(expires: Time) -> Time {
    expires.plus(LATE)
}

/// The end of a record: after the last time at which its call can be claimed again or its outcome asked for.
fn record_end(expires: Time, lease: Time) -> Time {
    last_claim(expires.max(lease)).plus(SKEW)
}

fn too_late() -> Error {
    Error::new(codes::INVALID_STATE)
        .with_message("The state of this request expired too long ago.")
        .with_fix("Send the request again without it.")
}

fn full(of_caller: bool, wait: Duration) -> Error {
    let wait = Duration::from_secs(wait.as_secs() + 1);
    let whose = match of_caller {
        true => "This caller has too many claimed calls",
        false => "This server has too many claimed calls",
    };
    Error::new(codes::TOO_MANY_REQUESTS)
        .with_message(format!("{whose}, so this call did not run."))
        .with_fix(format!(
            "Wait {}, then send the same request again.",
            counted(
                usize::try_from(wait.as_secs()).unwrap_or(usize::MAX),
                "second"
            )
        ))
        .with_retry_after(wait)
}

/// The output of `work`, or an error of this code where the deadline passes first.
async fn within<T>(
    deadline: Option<Instant>,
    code: Code,
    work: impl Future<Output = T>,
) -> Result<T> {
    match deadline {
        Some(deadline) => timeout_at(deadline, work)
            .await
            .map_err(|_| Error::new(code)),
        None => Ok(work.await),
    }
}

#[cfg(test)]
mod tests;
