//! Opening the file: whose it is, what is in it, and how an older one is brought up to date.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::error::BoxError;

/// Stands in the head of each file of tent's, so that no other program's is taken for one: "tent".
const APPLICATION: i32 = i32::from_be_bytes(*b"tent");

/// For how long a statement waits for another process to end its own.
const PATIENCE: Duration = Duration::from_secs(5);

/// Each brings a file from the version of its place to the next. What was released is never changed.
const STEPS: &[&str] = &[
    "
    CREATE TABLE tent_keys (
        id TEXT PRIMARY KEY NOT NULL,
        hash BLOB NOT NULL CHECK (length(hash) = 32),
        scopes TEXT NOT NULL CHECK (scopes <> ''),
        owner TEXT,
        label TEXT,
        created INTEGER NOT NULL,
        expires INTEGER,
        revoked INTEGER
    ) STRICT, WITHOUT ROWID;

    -- The greatest place is the newest.
    CREATE TABLE tent_secrets (
        place INTEGER PRIMARY KEY NOT NULL,
        secret BLOB NOT NULL
    ) STRICT;

    CREATE TABLE tent_ended_sessions (
        nonce BLOB PRIMARY KEY NOT NULL,
        until INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tent_ended_sessions_until ON tent_ended_sessions (until);
",
    "
    CREATE TABLE tent_rounds (
        nonce BLOB PRIMARY KEY NOT NULL,
        lease INTEGER NOT NULL,
        until INTEGER NOT NULL,
        outcome BLOB
    ) STRICT;
    CREATE INDEX tent_rounds_until ON tent_rounds (until);
",
    "
    -- A digest. What was claimed before counts on nobody.
    ALTER TABLE tent_rounds ADD COLUMN caller BLOB NOT NULL DEFAULT x'';
    -- Of the outcome; the most that there may be of it, until it is there.
    ALTER TABLE tent_rounds ADD COLUMN bytes INTEGER NOT NULL DEFAULT 262144;
    UPDATE tent_rounds SET bytes = length(outcome) WHERE outcome IS NOT NULL;
    CREATE INDEX tent_rounds_caller ON tent_rounds (caller, bytes, until);
",
];

/// A connection to read with and one to write with, over a file that is up to date. Blocks.
pub(super) fn open(path: &Path) -> Result<(Connection, Connection), BoxError> {
    make_for_owner_alone(path)?;
    let mut writes = Connection::open(path)?;
    writes.busy_timeout(PATIENCE)?;
    bring_up_to_date(&mut writes)?;
    turn_to_wal(&writes)?;
    writes.execute_batch("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")?;

    let reads = Connection::open(path)?;
    reads.busy_timeout(PATIENCE)?;
    reads.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;")?;
    Ok((reads, writes))
}

/// SQLite gives the files it puts beside this one the same mode.
#[cfg(unix)]
fn make_for_owner_alone(path: &Path) -> Result<(), BoxError> {
    use std::io::ErrorKind;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let mode = std::fs::metadata(path)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                tracing::warn!(
                    file = %path.display(),
                    mode = format!("{mode:o}"),
                    "the store can be read or written by others than its owner, and it holds secrets: chmod 600"
                );
            }
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn make_for_owner_alone(_: &Path) -> Result<(), BoxError> {
    Ok(())
}

/// Looks whose file it is before anything in it is changed, and takes the steps that it lacks, all in one
/// transaction: of two processes that start at once one takes them.
fn bring_up_to_date(connection: &mut Connection) -> Result<(), BoxError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let application: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let is_empty: bool = transaction.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        [],
        |row| row.get(0),
    )?;
    let is_new = is_empty && application == 0 && version == 0;
    if !is_new && application != APPLICATION {
        return Err("it is a database of another program; tent needs a file of its own".into());
    }
    let taken = usize::try_from(version)?;
    if taken > STEPS.len() {
        return Err(format!(
            "it was written by a later version of tent: it has form {taken}, and this version knows {}",
            STEPS.len()
        )
        .into());
    }
    if taken < STEPS.len() {
        for step in &STEPS[taken..] {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", i64::try_from(STEPS.len())?)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The write-ahead log lets reads and a write go on at once. To turn to it a connection must have the file
/// for itself, and where another one turns to it in the same moment SQLite gives up at once, since both
/// would wait for each other; so this asks again.
pub(super) fn turn_to_wal(connection: &Connection) -> Result<(), BoxError> {
    let start = Instant::now();
    loop {
        let turned: rusqlite::Result<String> =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0));
        match turned {
            Ok(mode) if mode.eq_ignore_ascii_case("wal") => return Ok(()),
            Ok(mode) => {
                tracing::warn!(
                    %mode,
                    "the store's file system has no shared memory, so reads wait while anything is written"
                );
                return Ok(());
            }
            Err(error) if is_busy(&error) && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
