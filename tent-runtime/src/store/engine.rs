//! What [`Op`]s do, once for all stores that keep [`Rows`]: conditions, fences, expiry and bounds.
//!
//! A store gives this module a transaction over its rows. It knows neither files nor locks, and it never reads a clock.
//!
//! # How bounds cost O(1)
//!
//! Each row that counts has a charge, and the sums of the charges are kept per (space, owner) and per space. The next time at
//! which a row changes by itself is its `due` time; [`settle`] takes the rows whose time has come, in order:
//!
//! | row | charge | due | then |
//! |---|---|---|---|
//! | claim without a value, lease not over | reserved bytes | lease | uncharged |
//! | claim without a value, lease over | none | until | removed |
//! | any row with a value | its bytes | until | removed |
//!
//! Each row comes due at most twice, so the work of settling is constant per write on average. That holds only if what is
//! settled stays settled, so a store settles outside the part of a write that a refusal takes back:
//!
//! ```text
//! settle ─► apply ─► done
//!             │ refused: taken back
//!             ▼
//!           make_room ─► nothing to settle: refused
//!             │ rows of the full owner, or of the full space, are settled
//!             └─► apply again
//! ```

use super::record::{
    Bounds, Claim, Fence, Key, Most, Op, Owner, Put, Record, Refusal, Space, When,
};
use crate::clock::Time;

/// How many rows that are due one write settles. More than one write adds, so that a backlog shrinks.
const SETTLED_BY_ONE_WRITE: usize = 64;

/// How many rows a write settles at once before it tries again for a bound. One is often enough, since each frees a record.
const SETTLED_BEFORE_A_RETRY: usize = 1024;

/// A record, and the bytes that it counts with.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) record: Record,
    /// `None` where it does not count.
    pub(super) charge: Option<u64>,
}

impl Row {
    /// The next time at which it changes by itself.
    pub(super) fn due(&self) -> Option<Time> {
        let record = &self.record;
        match (record.lease, self.charge) {
            (Some(lease), Some(_)) => Some(record.until.map_or(lease, |until| until.min(lease))),
            _ => record.until,
        }
    }
}

/// The sum of some charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) records: u64,
    pub(super) bytes: u64,
}

impl Usage {
    fn has_room(self, more: u64, most: Most) -> bool {
        self.records < most.records && self.bytes.saturating_add(more) <= most.bytes
    }
}

/// The rows of a store, within one transaction.
pub(super) trait Rows {
    type Error;

    /// The row of a key, also one that has expired.
    fn get(&mut self, key: &Key) -> Result<Option<Row>, Self::Error>;

    /// Writes a row, in place of one of the same key.
    fn put(&mut self, row: Row) -> Result<(), Self::Error>;

    /// Removes the row of a key.
    fn remove(&mut self, key: &Key) -> Result<(), Self::Error>;

    /// The rows whose due time is `now` or earlier, the earliest first, without their values.
    fn due(&mut self, now: Time, most: usize) -> Result<Vec<Row>, Self::Error>;
    /// Of the rows that count, of an owner or of all: those whose due time is `now` or earlier, as [`due`](Self::due).
    fn charged_due(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        now: Time,
        most: usize,
    ) -> Result<Vec<Row>, Self::Error>;

    /// The earliest due time of the rows that count, of an owner or of all.
    fn next_due(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
    ) -> Result<Option<Time>, Self::Error>;

    /// The sum of charges, of an owner or of all.
    fn usage(&mut self, space: Space, owner: Option<&Owner>) -> Result<Usage, Self::Error>;

    /// Writes the sum of charges.
    fn set_usage(
        &mut self,
        space: Space,
        owner: Option<&Owner>,
        usage: Usage,
    ) -> Result<(), Self::Error>;
}

/// The outcome of an operation, within what the rows themselves can fail with.
type Outcome<R> = Result<Result<(), Refusal>, <R as Rows>::Error>;

/// Settles some of the rows that are due. To be called before each [`apply`], and to take effect also where that is refused.
pub(super) fn settle<R: Rows>(rows: &mut R, now: Time) -> Result<(), R::Error> {
    let due = rows.due(now, SETTLED_BY_ONE_WRITE)?;
    settle_rows(rows, due, now)
}

/// Settles rows that count towards the bound that refused an operation. Returns `false` where there are none: then the
/// refusal stands. To be called outside of what the refusal takes back. Rows of other owners are left alone, so that a
/// caller at its bound causes no work for theirs.
pub(super) fn make_room<R: Rows>(
    rows: &mut R,
    op: &Op,
    why: &Refusal,
    now: Time,
) -> Result<bool, R::Error> {
    let Refusal::Full { of_owner, .. } = why else {
        return Ok(false);
    };
    let (space, owner) = match op {
        Op::Put(op) => (op.key.space, &op.owner),
        Op::Claim(op) => (op.key.space, &op.owner),
        Op::Consume { .. } | Op::Complete { .. } | Op::Release { .. } => return Ok(false),
    };
    let owner = of_owner.then_some(owner);
    let due = rows.charged_due(space, owner, now, SETTLED_BEFORE_A_RETRY)?;
    let found = !due.is_empty();
    settle_rows(rows, due, now)?;
    Ok(found)
}

fn settle_rows<R: Rows>(rows: &mut R, due: Vec<Row>, now: Time) -> Result<(), R::Error> {
    for mut row in due {
        discharge(rows, &mut row)?;
        match row.record.until {
            Some(until) if until <= now => rows.remove(&row.record.key)?,
            _ => rows.put(row)?,
        }
    }
    Ok(())
}

/// Runs the operations in their order. Where one is refused, the caller undoes those before it.
pub(super) fn apply<R: Rows>(
    rows: &mut R,
    ops: &[Op],
    now: Time,
) -> Result<Result<(), (usize, Refusal)>, R::Error> {
    for (at, op) in ops.iter().enumerate() {
        let outcome = match op {
            Op::Put(op) => put(rows, op, now)?,
            Op::Claim(op) => claim(rows, op, now)?,
            Op::Consume { key, fence } => consume(rows, key, *fence, now)?,
            Op::Complete { key, fence, value } => complete(rows, key, *fence, value, now)?,
            Op::Release { key, fence } => release(rows, key, *fence, now)?,
        };
        if let Err(why) = outcome {
            return Ok(Err((at, why)));
        }
    }
    Ok(Ok(()))
}

fn put<R: Rows>(rows: &mut R, op: &Put, now: Time) -> Outcome<R> {
    let old = live(rows, &op.key, now)?;
    match (old, op.when) {
        // The same write before; its answer was lost.
        (Some(old), _) if old.record.fence == op.fence => return Ok(Ok(())),
        (Some(mut old), When::Unchanged(fence)) if old.record.fence == fence => {
            discharge(rows, &mut old)?;
        }
        (None, When::Absent) => {}
        (None, When::Unchanged(_)) => return Ok(Err(Refusal::Missing)),
        (Some(old), _) => return Ok(Err(Refusal::Exists(Box::new(old.record)))),
    }
    let bytes = op.value.len() as u64;
    if let Some(bounds) = &op.bounds
        && let Err(full) = has_room(rows, op.key.space, &op.owner, bytes, bounds)?
    {
        return Ok(Err(full));
    }
    let row = Row {
        record: Record {
            key: op.key.clone(),
            owner: op.owner,
            fence: op.fence,
            fingerprint: None,
            lease: None,
            until: op.keep.map(|keep| now.plus(keep)),
            consumed_by: None,
            value: Some(op.value.clone()),
        },
        charge: None,
    };
    insert(rows, row, op.bounds.map(|_| bytes))
}

fn claim<R: Rows>(rows: &mut R, op: &Claim, now: Time) -> Outcome<R> {
    if let Some(old) = live(rows, &op.key, now)? {
        return Ok(match old.record.fence == op.fence {
            true => Ok(()),
            false => Err(Refusal::Exists(Box::new(old.record))),
        });
    }
    if op.not_after.is_some_and(|last| now > last) {
        return Ok(Err(Refusal::Late));
    }
    let room = has_room(rows, op.key.space, &op.owner, op.reserve, &op.bounds)?;
    if let Err(full) = room {
        return Ok(Err(full));
    }
    let row = Row {
        record: Record {
            key: op.key.clone(),
            owner: op.owner,
            fence: op.fence,
            fingerprint: Some(op.fingerprint),
            lease: Some(now.plus(op.lease)),
            until: Some(now.plus(op.keep.max(op.lease))),
            consumed_by: None,
            value: None,
        },
        charge: None,
    };
    insert(rows, row, Some(op.reserve))
}

fn consume<R: Rows>(rows: &mut R, key: &Key, fence: Fence, now: Time) -> Outcome<R> {
    let Some(mut row) = live(rows, key, now)? else {
        return Ok(Err(Refusal::Missing));
    };
    match row.record.consumed_by {
        Some(by) if by == fence => return Ok(Ok(())),
        Some(_) => return Ok(Err(Refusal::Exists(Box::new(row.record)))),
        None => row.record.consumed_by = Some(fence),
    }
    rows.put(row)?;
    Ok(Ok(()))
}

fn complete<R: Rows>(rows: &mut R, key: &Key, fence: Fence, value: &[u8], now: Time) -> Outcome<R> {
    let Some(mut row) = live(rows, key, now)? else {
        return Ok(Err(Refusal::Missing));
    };
    if row.record.fence != fence {
        return Ok(Err(Refusal::Lost));
    }
    if row.record.value.is_some() {
        return Ok(Ok(()));
    }
    discharge(rows, &mut row)?;
    row.record.lease = None;
    row.record.value = Some(value.to_vec());
    // No bound is asked: the call has run, and its outcome has to find a place.
    insert(rows, row, Some(value.len() as u64))
}

fn release<R: Rows>(rows: &mut R, key: &Key, fence: Fence, now: Time) -> Outcome<R> {
    let Some(mut row) = live(rows, key, now)? else {
        return Ok(Ok(()));
    };
    if row.record.fence != fence || row.record.value.is_some() {
        return Ok(Err(Refusal::Lost));
    }
    discharge(rows, &mut row)?;
    rows.remove(key)?;
    Ok(Ok(()))
}

/// The row of a key. One that has expired is removed: it is absent, whether or not it was settled.
fn live<R: Rows>(rows: &mut R, key: &Key, now: Time) -> Result<Option<Row>, R::Error> {
    let Some(mut row) = rows.get(key)? else {
        return Ok(None);
    };
    if row.record.until.is_none_or(|until| now < until) {
        return Ok(Some(row));
    }
    discharge(rows, &mut row)?;
    rows.remove(key)?;
    Ok(None)
}

fn insert<R: Rows>(rows: &mut R, mut row: Row, charge: Option<u64>) -> Outcome<R> {
    if let Some(bytes) = charge {
        let (space, owner) = (row.record.key.space, row.record.owner);
        for owner in [Some(&owner), None] {
            let mut usage = rows.usage(space, owner)?;
            usage.records += 1;
            usage.bytes = usage.bytes.saturating_add(bytes);
            rows.set_usage(space, owner, usage)?;
        }
        row.charge = charge;
    }
    rows.put(row)?;
    Ok(Ok(()))
}

/// Takes the charge of a row off the sums. The row itself is left to the caller to write.
fn discharge<R: Rows>(rows: &mut R, row: &mut Row) -> Result<(), R::Error> {
    let Some(bytes) = row.charge.take() else {
        return Ok(());
    };
    let (space, owner) = (row.record.key.space, &row.record.owner);
    for owner in [Some(owner), None] {
        let mut usage = rows.usage(space, owner)?;
        usage.records = usage.records.saturating_sub(1);
        usage.bytes = usage.bytes.saturating_sub(bytes);
        rows.set_usage(space, owner, usage)?;
    }
    Ok(())
}

/// Refuses with [`Refusal::Full`] where so many bytes more exceed a bound.
fn has_room<R: Rows>(
    rows: &mut R,
    space: Space,
    owner: &Owner,
    bytes: u64,
    bounds: &Bounds,
) -> Outcome<R> {
    let own = rows.usage(space, Some(owner))?;
    let of_owner = !own.has_room(bytes, bounds.per_owner);
    if !of_owner && rows.usage(space, None)?.has_room(bytes, bounds.in_total) {
        return Ok(Ok(()));
    }
    let free_at = rows.next_due(space, of_owner.then_some(owner))?;
    Ok(Err(Refusal::Full { of_owner, free_at }))
}
