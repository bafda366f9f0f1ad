//! Opens the file: checks that it is tent's, and migrates an older form to the present one.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::lane::{PATIENCE, SHORT_WAIT, is_busy};
use crate::error::BoxError;

/// The application id in the header of the file, which tells it from files of other programs: "tent".
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"tent");

/// Each step migrates a file from the form of its index to the next. A released step never changes.
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
    -- A digest. Earlier claims count towards no caller.
    ALTER TABLE tent_rounds ADD COLUMN caller BLOB NOT NULL DEFAULT x'';
    -- The size of the outcome; the largest possible size until the outcome is stored.
    ALTER TABLE tent_rounds ADD COLUMN bytes INTEGER NOT NULL DEFAULT 262144;
    UPDATE tent_rounds SET bytes = length(outcome) WHERE outcome IS NOT NULL;
    CREATE INDEX tent_rounds_caller ON tent_rounds (caller, bytes, until);
",
    // All records in one table. `charge`: the bytes that a row counts with, NULL where it does not count. `due`: the next
    // time at which the row changes by itself. `value` is the last column, so that the others are read without its pages.
    "
    CREATE TABLE tent_records (
        space INTEGER NOT NULL,
        id BLOB NOT NULL,
        owner BLOB NOT NULL CHECK (length(owner) = 32),
        fence BLOB NOT NULL CHECK (length(fence) = 16),
        fingerprint BLOB,
        lease INTEGER,
        until INTEGER,
        consumed_by BLOB,
        charge INTEGER,
        due INTEGER,
        value BLOB,
        PRIMARY KEY (space, id)
    ) STRICT;
    CREATE INDEX tent_records_due ON tent_records (due) WHERE due IS NOT NULL;
    CREATE INDEX tent_records_owner_due ON tent_records (space, owner, due)
        WHERE charge IS NOT NULL AND due IS NOT NULL;
    CREATE INDEX tent_records_space_due ON tent_records (space, due)
        WHERE charge IS NOT NULL AND due IS NOT NULL;

    -- The sums of charges: of each owner, and of all under the empty owner.
    CREATE TABLE tent_usage (
        space INTEGER NOT NULL,
        owner BLOB NOT NULL,
        records INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        PRIMARY KEY (space, owner)
    ) STRICT, WITHOUT ROWID;

    -- The latest store time that a process has seen.
    CREATE TABLE tent_clock (
        id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
        now INTEGER NOT NULL
    ) STRICT;
    INSERT INTO tent_clock VALUES (1, 0);

    -- The first byte of a value is the number of its format.
    INSERT INTO tent_records (space, id, owner, fence, value)
    SELECT 1, CAST(printf('%016x', place) AS BLOB), zeroblob(32), randomblob(16),
        CAST(x'01' || secret AS BLOB)
    FROM tent_secrets;
    INSERT INTO tent_records (space, id, owner, fence, value)
    SELECT 2, CAST(id AS BLOB), zeroblob(32), randomblob(16),
        CAST(char(1) || json_object('hash', lower(hex(hash)), 'scopes', scopes, 'owner', owner,
            'label', label, 'created', created, 'expires', expires, 'revoked', revoked) AS BLOB)
    FROM tent_keys;
    INSERT INTO tent_records (space, id, owner, fence, until, charge, due, value)
    SELECT 3, nonce, zeroblob(32), randomblob(16), until, 1, until, x'01'
    FROM tent_ended_sessions;
    INSERT INTO tent_records (space, id, owner, fence, lease, until, charge, due, value)
    SELECT 4, nonce, CASE WHEN length(caller) = 32 THEN caller ELSE zeroblob(32) END, randomblob(16),
        CASE WHEN outcome IS NULL THEN lease END, until, bytes,
        CASE WHEN outcome IS NULL THEN min(lease, until) ELSE until END, outcome
    FROM tent_rounds;
    INSERT INTO tent_usage
    SELECT space, owner, count(*), sum(charge) FROM tent_records
    WHERE charge IS NOT NULL GROUP BY space, owner;
    INSERT INTO tent_usage
    SELECT space, x'', count(*), sum(charge) FROM tent_records
    WHERE charge IS NOT NULL GROUP BY space;
    DROP TABLE tent_secrets;
    DROP TABLE tent_keys;
    DROP TABLE tent_ended_sessions;
    DROP TABLE tent_rounds;
",
];

/// Opens a connection for reads and one for writes, to a file of the present form. Blocks.
pub(super) fn open(path: &Path) -> Result<(Connection, Connection), BoxError> {
    make_for_owner_alone(path)?;
    let mut writes = Connection::open(path)?;
    writes.busy_timeout(PATIENCE)?;
    bring_up_to_date(&mut writes)?;
    turn_to_wal(&writes)?;
    writes.execute_batch("PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")?;
    // From here on the lanes wait, without a thread.
    writes.busy_timeout(SHORT_WAIT)?;

    let reads = Connection::open(path)?;
    reads.busy_timeout(SHORT_WAIT)?;
    reads.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF;")?;
    Ok((reads, writes))
}

/// SQLite creates the files beside this one with the same mode.
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
                    "other users can read or write the store file, which contains secrets: run chmod 600"
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

/// Checks that the file is tent's before it changes anything, then runs the steps that the file lacks. All in one
/// transaction: when two processes start at once, one of them runs the steps.
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
        return Err("it is a database of another program; tent needs its own file".into());
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

/// Turns the write-ahead log on, which lets reads and a write run at once. The connection needs the file for itself. When
/// two connections turn it on at the same moment, SQLite fails at once, since they would wait for each other; so this
/// tries again.
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
                    "the file system of the store has no shared memory, so reads wait for writes"
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
