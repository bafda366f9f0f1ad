//! The table of rounds: claimed in one transaction, read without any.

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use crate::clock::Time;
use crate::store::rounds::{Bounds, Claim, MOST_OUTCOME, RoundClaim, RoundState};

/// How the round of this nonce stands, if it was claimed.
pub(super) fn state(connection: &Connection, nonce: &[u8]) -> rusqlite::Result<Option<RoundState>> {
    connection
        .query_row(
            "SELECT lease, outcome FROM tent_rounds WHERE nonce = ?1",
            [nonce],
            |row| {
                Ok(match row.get(1)? {
                    Some(outcome) => RoundState::Ended(outcome),
                    None => RoundState::Running(Time::from_millis(row.get(0)?)),
                })
            },
        )
        .optional()
}

/// Claims it within these bounds.
pub(super) fn claim(
    connection: &mut Connection,
    claim: RoundClaim<'_>,
    bounds: Bounds,
) -> rusqlite::Result<Claim> {
    let RoundClaim {
        nonce,
        caller,
        lease,
        until,
        now,
    } = claim;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(state) = state(&transaction, nonce)? {
        return Ok(Claim::Before(state));
    }
    transaction.execute(
        "DELETE FROM tent_rounds WHERE until < ?1",
        [now.as_millis()],
    )?;
    // Both read one index alone, not the outcomes.
    let own = transaction.query_row(
        "SELECT count(*), coalesce(sum(bytes), 0), min(until) FROM tent_rounds WHERE caller = ?1",
        [caller],
        sum_of,
    )?;
    let all = transaction.query_row(
        "SELECT count(*), coalesce(sum(bytes), 0), min(until) FROM tent_rounds",
        [],
        sum_of,
    )?;
    for (sum, most, of_caller) in [(own, bounds.of_caller, true), (all, bounds.of_all, false)] {
        let Sum {
            rounds,
            bytes,
            until,
        } = sum;
        if most.is_full(rounds, bytes) {
            transaction.commit()?;
            let until = until.unwrap_or(now);
            return Ok(Claim::Full { of_caller, until });
        }
    }
    transaction.execute(
        "INSERT INTO tent_rounds (nonce, caller, lease, until, bytes) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![
            nonce,
            caller,
            lease.as_millis(),
            until.as_millis(),
            length(MOST_OUTCOME)
        ],
    )?;
    transaction.commit()?;
    Ok(Claim::Taken)
}

/// Keeps its outcome, if it is still there.
pub(super) fn record(
    connection: &Connection,
    nonce: &[u8],
    outcome: &[u8],
) -> rusqlite::Result<()> {
    connection.execute(
        "UPDATE tent_rounds SET outcome = ?2, bytes = ?3 WHERE nonce = ?1",
        params![nonce, outcome, length(outcome.len())],
    )?;
    Ok(())
}

/// How much there is of some rounds, and when the first of them is forgotten.
struct Sum {
    rounds: usize,
    bytes: usize,
    until: Option<Time>,
}

fn sum_of(row: &Row<'_>) -> rusqlite::Result<Sum> {
    let number = |at| {
        let number: i64 = row.get(at)?;
        Ok::<_, rusqlite::Error>(usize::try_from(number).unwrap_or(usize::MAX))
    };
    Ok(Sum {
        rounds: number(0)?,
        bytes: number(1)?,
        until: row.get::<_, Option<i64>>(2)?.map(Time::from_millis),
    })
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}
