//! Claimed calls in a [`Store`]: who runs a call that runs once, and its outcome.
//!
//! ```text
//!           claim                    complete
//!   free ──────────► claimed ────────────────────► completed ──► free, once `until` has passed
//!    ▲                  │ │                            ▲
//!    │    release       │ │ lease over                 │ complete: the process lives after all
//!    └──────────────────┘ └─────────► unknown ─────────┘
//!                                        └──────────► free, once `until` has passed
//! ```
//!
//! A claim counts against its caller while its lease lasts, and a completed one until it expires: see
//! [`Bounds`]. Outcomes are opaque bytes here.

use std::time::Duration;

use super::Store;
use super::record::{Bounds, Claim, Fence, Key, Most, Op, Owner, Record, Refusal, Space, Written};
use crate::clock::Time;
use crate::error::{Error, Result};

/// The most bytes of one outcome. A claim reserves them, so that each outcome finds a place.
pub(crate) const MOST_OUTCOME: usize = 256 << 10;

/// The bounds of claims and outcomes.
///
/// The record of an MRTR call lasts about ten minutes longer than `limits.ask_time`. So by default one caller may answer
/// three input requests each second without end, and have 128 claimed calls run at once.
pub(crate) const BOUNDS: Bounds = Bounds {
    per_owner: Most {
        records: 4096,
        bytes: 32 << 20,
    },
    in_total: Most {
        records: 1 << 16,
        bytes: 1 << 30,
    },
};

/// A claim to make.
#[derive(Clone, Debug)]
pub(crate) struct NewClaim<'a> {
    /// The key of the call.
    pub(crate) key: &'a [u8],
    /// The caller.
    pub(crate) owner: Owner,
    /// The fence of this attempt.
    pub(crate) fence: Fence,
    /// The fingerprint of the input.
    pub(crate) fingerprint: [u8; 32],
    /// The time after which the call has ended, one way or the other.
    pub(crate) lease: Duration,
    /// The time until the record expires.
    pub(crate) keep: Duration,
    /// The last store time at which the key may be claimed.
    pub(crate) not_after: Option<Time>,
}

/// The state of a claimed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    /// The fingerprint that it is bound to; `None` for a claim from before there were any.
    pub(crate) fingerprint: Option<[u8; 32]>,
    /// How far it is.
    pub(crate) state: State,
}

/// How far a claimed call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its lease lasts.
    Running,
    /// Its lease is over, and it has no outcome: its process has died, or could not write the outcome.
    Unknown,
    /// It has ended with this outcome.
    Completed(Vec<u8>),
}

/// The result of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ClaimResult {
    /// The call is this attempt's to run.
    Taken,
    /// Another attempt claimed it before.
    Before(Claimed),
    /// `not_after` has passed.
    Late,
    /// A bound is reached.
    Full {
        /// Whether it is the caller's own bound.
        of_caller: bool,
        /// The time until the first of the records that count stops counting.
        wait: Duration,
    },
}

/// Reads how far a call is, and the store time; `None` for a call that no attempt has claimed.
///
/// # Errors
/// Those of the store.
pub(crate) async fn find(store: &dyn Store, id: &[u8]) -> Result<Option<Claimed>> {
    let found = store.read(vec![key(id)]).await?;
    let record = found.records.into_iter().next().flatten();
    Ok(record.map(|record| claimed(record, found.at)))
}

/// Claims a call, in one step: of any number of attempts, in any number of processes, one gets [`ClaimResult::Taken`].
///
/// # Errors
/// Those of the store.
pub(crate) async fn claim(
    store: &dyn Store,
    claim: NewClaim<'_>,
    bounds: Bounds,
) -> Result<ClaimResult> {
    let op = Op::Claim(Claim {
        key: key(claim.key),
        owner: claim.owner,
        fence: claim.fence,
        fingerprint: claim.fingerprint,
        lease: claim.lease,
        keep: claim.keep,
        not_after: claim.not_after,
        reserve: MOST_OUTCOME as u64,
        bounds,
    });
    Ok(match store.write(vec![op]).await? {
        Written::Done { .. } => ClaimResult::Taken,
        Written::Refused { at, why, .. } => match why {
            Refusal::Exists(record) => ClaimResult::Before(claimed(*record, at)),
            Refusal::Late => ClaimResult::Late,
            Refusal::Full { of_owner, free_at } => ClaimResult::Full {
                of_caller: of_owner,
                wait: free_at.and_then(|free| free.since(at)).unwrap_or_default(),
            },
            why @ (Refusal::Missing | Refusal::Lost) => {
                return Err(Error::unexpected(format!(
                    "the store refused a claim: {why:?}"
                )));
            }
        },
    })
}

/// Writes the outcome of a claimed call: at most [`MOST_OUTCOME`] bytes. The first outcome of a claim stays.
///
/// # Errors
/// Those of the store, and T0012 where the record has expired or belongs to another attempt.
pub(crate) async fn complete(
    store: &dyn Store,
    id: &[u8],
    fence: Fence,
    outcome: Vec<u8>,
) -> Result<()> {
    let op = Op::Complete {
        key: key(id),
        fence,
        value: outcome,
    };
    match store.write(vec![op]).await? {
        Written::Done { .. } => Ok(()),
        Written::Refused { why, .. } => Err(Error::unexpected(format!(
            "the store refused the outcome of a call: {why:?}"
        ))),
    }
}

/// Gives a claim up that did not run, so that the call can be claimed again.
///
/// # Errors
/// Those of the store.
pub(crate) async fn release(store: &dyn Store, id: &[u8], fence: Fence) -> Result<()> {
    let key = key(id);
    store.write(vec![Op::Release { key, fence }]).await?;
    Ok(())
}

fn key(id: &[u8]) -> Key {
    Key::new(Space::IDEMPOTENCY, id)
}

fn claimed(record: Record, now: Time) -> Claimed {
    let state = match record.value {
        Some(outcome) => State::Completed(outcome),
        None if record.lease.is_some_and(|lease| now < lease) => State::Running,
        None => State::Unknown,
    };
    Claimed {
        fingerprint: record.fingerprint,
        state,
    }
}
