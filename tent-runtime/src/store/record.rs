//! [`Record`], what a store holds, and [`Op`], what changes it.
//!
//! The meaning of a value is not known here: the typed layers beside this module own the formats.

use std::fmt;
use std::time::Duration;

use crate::clock::Time;
use crate::random;

/// A group of records of one format. Each typed layer owns one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Space(pub u8);

impl Space {
    /// The ring of secrets.
    pub(crate) const SECRETS: Space = Space(1);
    /// API keys.
    pub(crate) const KEYS: Space = Space(2);
    /// Sessions that ended before their time.
    pub(crate) const ENDED_SESSIONS: Space = Space(3);
    /// Claimed calls and their outcomes.
    pub(crate) const IDEMPOTENCY: Space = Space(4);
}

/// The key of a record: its space, and at most 64 bytes that are unique within it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    /// The space.
    pub space: Space,
    /// The bytes within the space.
    pub id: Vec<u8>,
}

impl Key {
    /// Makes a key.
    pub(crate) fn new(space: Space, id: impl Into<Vec<u8>>) -> Self {
        Key {
            space,
            id: id.into(),
        }
    }
}

/// The caller that a record counts against: a digest of its quota key.
pub(crate) type Owner = [u8; 32];

/// The owner of records that do not count against a caller.
pub(crate) const NO_OWNER: Owner = [0; 32];

/// Sixteen random bytes that identify one attempt to write a record.
///
/// A write is idempotent by its fence: a caller that lost the answer of a write repeats it with the same fence, and gets
/// the same answer. A fence also proves who holds a claim.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Fence(pub [u8; 16]);

impl Fence {
    /// Makes a new fence.
    pub(crate) fn random() -> Self {
        Fence(random::bytes())
    }
}

impl fmt::Debug for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fence({})", crate::json::hex(&self.0[..4]))
    }
}

/// A record. All times are store time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The key.
    pub key: Key,
    /// The caller that it counts against.
    pub owner: Owner,
    /// The fence of the write that made it or replaced it last.
    pub fence: Fence,
    /// The fingerprint that a claim is bound to.
    pub fingerprint: Option<[u8; 32]>,
    /// The end of the lease of a claim without a value.
    pub lease: Option<Time>,
    /// The time from which the record is absent; `None` for never.
    pub until: Option<Time>,
    /// The fence that consumed it.
    pub consumed_by: Option<Fence>,
    /// The value; `None` for a claim that is not completed.
    pub value: Option<Vec<u8>>,
}

/// The most that a set of records may take. An uncompleted claim counts with the bytes that it reserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Most {
    /// The number of records.
    pub records: u64,
    /// The bytes of their values.
    pub bytes: u64,
}

/// The bounds of a space, which each typed layer sets for its own.
///
/// A record counts until it expires. A claim counts until its lease ends, and again once it is completed: the claim of a
/// process that died costs nothing after its lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Of one owner.
    pub per_owner: Most,
    /// Of all owners.
    pub in_total: Most,
}

/// The condition of a [`Put`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// No record has this key.
    Absent,
    /// The record with this key was last written with this fence.
    Unchanged(Fence),
}

/// Writes a value.
#[derive(Clone, Debug)]
pub(crate) struct Put {
    /// The key.
    pub key: Key,
    /// The caller that it counts against.
    pub owner: Owner,
    /// The fence of this write.
    pub fence: Fence,
    /// The value.
    pub value: Vec<u8>,
    /// The time until it expires; `None` for never.
    pub keep: Option<Duration>,
    /// The condition.
    pub when: When,
    /// The bounds; `None` where the record does not count.
    pub bounds: Option<Bounds>,
}

/// Claims a key for one attempt at a call.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The key.
    pub key: Key,
    /// The caller that it counts against.
    pub owner: Owner,
    /// The fence of this attempt.
    pub fence: Fence,
    /// The fingerprint that the claim is bound to.
    pub fingerprint: [u8; 32],
    /// The time after which the attempt has ended, one way or the other.
    pub lease: Duration,
    /// The time until the record expires; at least the lease.
    pub keep: Duration,
    /// The last store time at which the key may be claimed. Later, the record of an earlier claim may have expired.
    pub not_after: Option<Time>,
    /// The bytes to reserve for the value.
    pub reserve: u64,
    /// The bounds.
    pub bounds: Bounds,
}

/// One operation of [`Store::write`](super::Store::write).
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// Writes a value.
    Put(Put),
    /// Claims a key. Refused with [`Refusal::Exists`] where another fence holds it.
    Claim(Claim),
    /// Uses a record up. It succeeds once, and again for the fence that succeeded.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "approvals are used once; they are not built yet")
    )]
    Consume {
        /// The key.
        key: Key,
        /// The fence of this attempt.
        fence: Fence,
    },
    /// Sets the value of a claim, also after its lease. A claim is completed once: the first value stays.
    Complete {
        /// The key.
        key: Key,
        /// The fence of the claim.
        fence: Fence,
        /// The value.
        value: Vec<u8>,
    },
    /// Removes a claim that is not completed, so that the key can be claimed again.
    Release {
        /// The key.
        key: Key,
        /// The fence of the claim.
        fence: Fence,
    },
}

/// The result of [`Store::write`](super::Store::write).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// All operations took effect.
    Done {
        /// The store time of the write.
        at: Time,
    },
    /// One operation was refused, and none took effect.
    Refused {
        /// The store time of the refusal.
        at: Time,
        /// The index of the operation.
        op: usize,
        /// The reason.
        why: Refusal,
    },
}

/// The reason why an operation was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Another write made this record, or consumed it.
    Exists(Box<Record>),
    /// No record has this key.
    Missing,
    /// Another fence holds the claim, or it is completed.
    Lost,
    /// [`Claim::not_after`] has passed.
    Late,
    /// A bound is reached.
    Full {
        /// Whether it is the owner's own bound.
        of_owner: bool,
        /// The time at which the first of the records that count stops counting.
        free_at: Option<Time>,
    },
}

/// The records that [`Store::read`](super::Store::read) found, in the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// The store time of the read.
    pub at: Time,
    /// A record for each key, or `None`.
    pub records: Vec<Option<Record>>,
}

/// A page of a listing.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// The space.
    pub space: Space,
    /// The id after which the page begins; empty for the first page.
    pub after: Vec<u8>,
    /// The most records.
    pub most: usize,
}
