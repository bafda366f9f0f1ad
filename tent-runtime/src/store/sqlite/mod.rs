//! [`Sqlite`]: the store in one SQLite file, which any number of processes of one machine may share.
//!
//! Every statement runs on the blocking pool, at most one of each connection at a time: the others wait for their
//! turn without a thread. Reads have a connection of their own, so that none waits behind a write that another
//! process holds up.

mod rounds;
mod schema;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use tokio::sync::Semaphore;

use super::rounds::{Bounds, Claim, RoundClaim, RoundState};
use super::{KeyRecord, Pending, Store};
use crate::clock::Time;
use crate::error::{BoxError, Error, Result};
use crate::settings::Secret;

/// Keeps everything in one file. It is made where there is none, for its owner alone (0600), and holds the secret
/// where none is set, so it is to be kept as a secret is.
pub struct Sqlite {
    place: Arc<str>,
    reads: Arc<Lane>,
    writes: Arc<Lane>,
    bounds: Bounds,
}

/// A connection, and whose turn it is, in the order in which they came.
struct Lane {
    turn: Arc<Semaphore>,
    /// Never waited for, since only who has the turn takes it.
    connection: Mutex<Connection>,
}

impl Lane {
    fn new(connection: Connection) -> Arc<Self> {
        Arc::new(Lane {
            turn: Arc::new(Semaphore::new(1)),
            connection: Mutex::new(connection),
        })
    }
}

impl Sqlite {
    /// Opens the file, or makes it, and brings it to the form that this version keeps things in.
    ///
    /// # Errors
    /// T0012 with a message that names the file: it cannot be opened or made, belongs to another program,
    /// or was written by a later version of tent.
    pub async fn open(path: &Path) -> Result<Self> {
        let place: Arc<str> = path.display().to_string().into();
        let owned = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || schema::open(&owned)).await;
        let (reads, writes) = opened.map_err(Error::unexpected)?.map_err(|why| {
            // Met at start alone, by whoever runs the server: so the message holds the cause.
            let message = format!("The store {place} cannot be opened: {why}.");
            Error::unexpected(why)
                .with_message(message)
                .with_fix("Mend what is named, or name another file with store.url.")
        })?;
        Ok(Sqlite {
            place,
            reads: Lane::new(reads),
            writes: Lane::new(writes),
            bounds: Bounds::default(),
        })
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Pending<'static, T> {
        self.run(&self.reads, "read from", work)
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Pending<'static, T> {
        self.run(&self.writes, "written to", work)
    }

    fn run<T: Send + 'static>(
        &self,
        lane: &Arc<Lane>,
        what: &'static str,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Pending<'static, T> {
        let (lane, place) = (Arc::clone(lane), Arc::clone(&self.place));
        Box::pin(async move {
            let turn = Arc::clone(&lane.turn).acquire_owned().await;
            let turn = turn.map_err(Error::unexpected)?;
            let worked = tokio::task::spawn_blocking(move || {
                // Kept to the end of the work, also where nobody waits for it any more.
                let _turn = turn;
                // A panic while it was held has rolled its transaction back.
                work(
                    &mut lane
                        .connection
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner),
                )
            });
            worked.await.map_err(Error::unexpected)?.map_err(|why| {
                Error::unexpected(Failure {
                    message: format!("the store {place} could not be {what}"),
                    source: why.into(),
                })
            })
        })
    }
}

/// What failed, and why.
#[derive(Debug)]
struct Failure {
    message: String,
    source: BoxError,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&*self.source)
    }
}

impl Store for Sqlite {
    fn add_key(&self, key: KeyRecord) -> Pending<'_, bool> {
        self.write(move |connection| {
            let added = connection.execute(
                "INSERT INTO tent_keys (id, hash, scopes, owner, label, created, expires, revoked)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO NOTHING",
                params![
                    key.id,
                    key.hash,
                    // A scope has no blank in it, so the list is a text that SQL can search.
                    key.scopes.join(" "),
                    key.owner,
                    key.label,
                    key.created.as_millis(),
                    key.expires.map(Time::as_millis),
                    key.revoked.map(Time::as_millis),
                ],
            )?;
            Ok(added == 1)
        })
    }

    fn key<'a>(&'a self, id: &'a str) -> Pending<'a, Option<KeyRecord>> {
        let id = id.to_owned();
        self.read(move |connection| {
            connection
                .query_row(&select_keys("WHERE id = ?1"), [id], key_of)
                .optional()
        })
    }

    fn keys(&self) -> Pending<'_, Vec<KeyRecord>> {
        self.read(|connection| {
            connection
                .prepare(&select_keys("ORDER BY created, id"))?
                .query_map([], key_of)?
                .collect()
        })
    }

    fn revoke_key<'a>(&'a self, id: &'a str, at: Time) -> Pending<'a, bool> {
        let id = id.to_owned();
        self.write(move |connection| {
            let found = connection.execute(
                "UPDATE tent_keys SET revoked = coalesce(revoked, ?2) WHERE id = ?1",
                params![id, at.as_millis()],
            )?;
            Ok(found == 1)
        })
    }

    fn secrets(&self, fresh: Secret) -> Pending<'_, Vec<Secret>> {
        self.write(move |connection| {
            // Immediate: of two that start at once the second reads what the first has kept.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut kept = kept_secrets(&transaction)?;
            if kept.is_empty() {
                transaction.execute(
                    "INSERT INTO tent_secrets (place, secret) VALUES (1, ?1)",
                    [fresh.bytes()],
                )?;
                kept.push(fresh);
            }
            transaction.commit()?;
            Ok(kept)
        })
    }

    fn end_session<'a>(&'a self, nonce: &'a [u8], until: Time, now: Time) -> Pending<'a, ()> {
        let nonce = nonce.to_vec();
        self.write(move |connection| {
            // Whoever ends the same session again and again waits for no other process and writes nothing.
            if is_ended(connection, &nonce)? {
                return Ok(());
            }
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "DELETE FROM tent_ended_sessions WHERE until < ?1",
                [now.as_millis()],
            )?;
            transaction.execute(
                "INSERT INTO tent_ended_sessions (nonce, until) VALUES (?1, ?2)
                 ON CONFLICT (nonce) DO NOTHING",
                params![nonce, until.as_millis()],
            )?;
            transaction.commit()
        })
    }

    fn session_ended<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, bool> {
        let nonce = nonce.to_vec();
        self.read(move |connection| is_ended(connection, &nonce))
    }

    fn round<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, Option<RoundState>> {
        let nonce = nonce.to_vec();
        self.read(move |connection| rounds::state(connection, &nonce))
    }

    fn claim_round<'a>(&'a self, claim: RoundClaim<'a>) -> Pending<'a, Claim> {
        let bounds = self.bounds;
        let (nonce, caller) = (claim.nonce.to_vec(), *claim.caller);
        let RoundClaim {
            lease, until, now, ..
        } = claim;
        self.write(move |connection| {
            let claim = RoundClaim {
                nonce: &nonce,
                caller: &caller,
                lease,
                until,
                now,
            };
            rounds::claim(connection, claim, bounds)
        })
    }

    fn record_round<'a>(&'a self, nonce: &'a [u8], outcome: Vec<u8>) -> Pending<'a, ()> {
        let nonce = nonce.to_vec();
        self.write(move |connection| rounds::record(connection, &nonce, &outcome))
    }
}

fn is_ended(connection: &Connection, nonce: &[u8]) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT EXISTS (SELECT 1 FROM tent_ended_sessions WHERE nonce = ?1)",
        [nonce],
        |row| row.get(0),
    )
}

fn select_keys(rest: &str) -> String {
    format!(
        "SELECT id, hash, scopes, owner, label, created, expires, revoked FROM tent_keys {rest}"
    )
}

fn key_of(row: &Row<'_>) -> rusqlite::Result<KeyRecord> {
    let scopes: String = row.get(2)?;
    Ok(KeyRecord {
        id: row.get(0)?,
        hash: row.get(1)?,
        scopes: scopes.split(' ').map(str::to_owned).collect(),
        owner: row.get(3)?,
        label: row.get(4)?,
        created: Time::from_millis(row.get(5)?),
        expires: row.get::<_, Option<i64>>(6)?.map(Time::from_millis),
        revoked: row.get::<_, Option<i64>>(7)?.map(Time::from_millis),
    })
}

fn kept_secrets(connection: &Connection) -> rusqlite::Result<Vec<Secret>> {
    connection
        .prepare("SELECT secret FROM tent_secrets ORDER BY place DESC")?
        .query_map([], |row| {
            let bytes: Vec<u8> = row.get(0)?;
            Secret::from_bytes(bytes).map_err(|why| {
                rusqlite::Error::FromSqlConversionFailure(
                    0,
                    Type::Blob,
                    format!("a kept secret {why}").into(),
                )
            })
        })?
        .collect()
}

#[cfg(test)]
mod tests;
