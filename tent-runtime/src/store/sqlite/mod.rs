//! [`Sqlite`]: the store in one SQLite file, which any number of processes of one machine may share.
//!
//! Reads have a separate connection, so that none waits behind a write that another process holds up. The two
//! connections run their work on the blocking pool, each one call at a time: see [`lane`]. Each call first checks that the
//! file is the one that was opened: see [`file`].

mod file;
mod lane;
mod rows;
mod schema;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use rusqlite::{Connection, TransactionBehavior};

use self::file::StoreFile;
use self::lane::Lane;
use self::rows::SqlRows;
use super::Store;
use super::clock::StoreClock;
use super::engine;
use super::record::{Found, Key, Op, Page, Record, Written};
use crate::clock::{Clock, SystemClock, Time};
use crate::error::{BoxError, Error, Result};

/// How far the mark of store time in the file may lag behind. Less would write it with every call.
const MARK_LAG: Duration = Duration::from_secs(1);

/// Holds all records in one file. A new file is readable by its owner alone (mode 0600). It contains the secret where the
/// settings have none, so treat it as a secret.
pub(crate) struct Sqlite {
    file: Arc<StoreFile>,
    reads: Arc<Lane>,
    writes: Arc<Lane>,
    clock: Arc<StoreClock>,
}

impl Sqlite {
    /// Opens or creates the file, and migrates it to the form of this version.
    ///
    /// # Errors
    /// T0012 with a message that names the file: it cannot be opened or created, belongs to another program,
    /// or was written by a later version of tent.
    pub(crate) async fn open(path: &Path) -> Result<Self> {
        Self::open_with_clock(path, Arc::new(SystemClock)).await
    }

    /// As [`open`](Self::open), with store time that follows this clock.
    ///
    /// # Errors
    /// Those of [`open`](Self::open).
    pub(crate) async fn open_with_clock(path: &Path, clock: Arc<dyn Clock>) -> Result<Self> {
        let place = path.display().to_string();
        let owned = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let (reads, writes) = schema::open(&owned)?;
            Ok::<_, BoxError>((reads, writes, StoreFile::opened(&owned)?))
        });
        let (reads, writes, file) = opened.await.map_err(Error::unexpected)?.map_err(|why| {
            // Only the person who starts the server sees it, so the message contains the cause.
            let message = format!("The store {place} cannot be opened: {why}.");
            Error::unexpected(why)
                .with_message(message)
                .with_fix("Correct the problem, or set store.url to another file.")
        })?;
        Ok(Sqlite {
            file: Arc::new(file),
            reads: Lane::new(reads),
            writes: Lane::new(writes),
            clock: Arc::new(StoreClock::new(clock)),
        })
    }

    async fn reading<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let done = self.reads.run(checked(&self.file, work)).await;
        done.map_err(|why| self.failed("read", why))
    }

    async fn writing<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Connection) -> rusqlite::Result<T> + Send + Sync + 'static,
    ) -> Result<T> {
        let done = self.writes.run(checked(&self.file, work)).await;
        done.map_err(|why| self.failed("written", why))
    }

    fn failed(&self, what: &str, source: BoxError) -> Error {
        let place = self.file.path().display();
        Error::unexpected(Failure {
            message: format!("the store {place} could not be {what}"),
            source,
        })
    }
}

/// The work after a check of the file.
fn checked<T, W>(
    file: &Arc<StoreFile>,
    work: W,
) -> impl Fn(&mut Connection) -> Result<T, BoxError> + use<T, W>
where
    W: Fn(&mut Connection) -> rusqlite::Result<T>,
{
    let file = Arc::clone(file);
    move |connection| {
        file.check()?;
        work(connection).map_err(|error| {
            file.note(&error);
            error.into()
        })
    }
}

/// A failed operation, with its cause.
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
    fn now(&self) -> Time {
        self.clock.now()
    }

    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>> {
        let clock = Arc::clone(&self.clock);
        Box::pin(self.reading(move |connection| {
            let at = clock.at_least(rows::mark(connection)?);
            let records = keys.iter().map(|key| rows::live(connection, key, at));
            let records = records.collect::<Result<_, _>>()?;
            Ok(Found { at, records })
        }))
    }

    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>> {
        let clock = Arc::clone(&self.clock);
        Box::pin(self.reading(move |connection| {
            let now = clock.at_least(rows::mark(connection)?);
            rows::scan(connection, &page, now)
        }))
    }

    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>> {
        let clock = Arc::clone(&self.clock);
        Box::pin(self.writing(move |connection| write(connection, &ops, &clock)))
    }

    fn check(&self) -> BoxFuture<'_, Result<()>> {
        let file = Arc::clone(&self.file);
        Box::pin(async move {
            let done = self.reads.run(move |_| file.look()).await;
            done.map_err(|why| self.failed("read", why))
        })
    }
}

/// Runs the operations in one transaction. Where they are refused, a savepoint takes them back, and the settled rows stay
/// settled: see [`engine`].
fn write(connection: &mut Connection, ops: &[Op], clock: &StoreClock) -> rusqlite::Result<Written> {
    // Immediate: a transaction that reads first and writes later can fail between the two.
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mark = rows::mark(&transaction)?;
    let at = clock.at_least(mark);
    if at.since(mark).is_some_and(|lag| lag >= MARK_LAG) {
        rows::set_mark(&transaction, at)?;
    }
    engine::settle(&mut SqlRows(&transaction), at)?;
    let written = loop {
        let savepoint = transaction.savepoint()?;
        let applied = engine::apply(&mut SqlRows(&savepoint), ops, at)?;
        let Err((op, why)) = applied else {
            savepoint.commit()?;
            break Written::Done { at };
        };
        // Dropped, it is rolled back.
        drop(savepoint);
        if !engine::make_room(&mut SqlRows(&transaction), &ops[op], &why, at)? {
            break Written::Refused { at, op, why };
        }
    };
    transaction.commit()?;
    Ok(written)
}

#[cfg(test)]
mod tests;
