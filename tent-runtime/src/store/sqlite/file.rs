//! [`StoreFile`]: finds out that the file is no longer the one that was opened: deleted, replaced, cut off or overwritten.
//!
//! SQLite does not notice: it holds the old file open and serves what it has cached. A key that is revoked in the new
//! file would still be valid here. So each operation compares the file first, and fails where it is another one.
//!
//! Must not open the file except by SQLite: closing any other descriptor of it releases the locks of this process.

use std::fmt;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::lane::SHORT_WAIT;
use super::schema::APPLICATION;
use crate::error::BoxError;

/// How often the content is looked at, beside the identity of the file, which each operation compares.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The file of an open store.
pub(super) struct StoreFile {
    /// Absolute, so that it stays the same file when the app changes its working directory.
    path: PathBuf,
    opened: Identity,
    /// The length at the opening. Nothing of tent makes the file shorter.
    length: u64,
    /// When the content was looked at last.
    looked: Mutex<Instant>,
    /// Why no operation runs any more. A file that SQLite found damaged stays damaged, whatever a later look finds.
    damaged: OnceLock<String>,
    /// Whether the log has the present problem.
    reported: AtomicBool,
}

impl StoreFile {
    /// The file that connections to `path` have opened just now.
    pub(super) fn opened(path: &Path) -> Result<Self, BoxError> {
        let path = std::path::absolute(path)?;
        let metadata = std::fs::metadata(&path)?;
        Ok(StoreFile {
            opened: Identity::of(&metadata),
            length: metadata.len(),
            path,
            looked: Mutex::new(Instant::now()),
            damaged: OnceLock::new(),
            reported: AtomicBool::new(false),
        })
    }

    /// The absolute path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Checks the file before an operation. Blocks.
    ///
    /// # Errors
    /// The problem, which the log gets once.
    pub(super) fn check(&self) -> Result<(), BoxError> {
        let is_due = {
            let mut looked = self.looked.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = looked.elapsed() >= LOOK_EVERY;
            if is_due {
                *looked = Instant::now();
            }
            is_due
        };
        match is_due {
            true => self.look(),
            false => self.report(self.compare()),
        }
    }

    /// Checks the file and what is in it. Blocks.
    ///
    /// # Errors
    /// The problem, which the log gets once.
    pub(super) fn look(&self) -> Result<(), BoxError> {
        self.report(self.compare().and_then(|()| self.read()))
    }

    /// Records a damage that an operation found, so that no later one trusts the file.
    pub(super) fn note(&self, error: &rusqlite::Error) {
        if is_damage(error) {
            let _ = self.damaged.set(error.to_string());
            let _ = self.report(self.compare());
        }
    }

    fn report(&self, found: Result<(), Problem>) -> Result<(), BoxError> {
        let Err(problem) = found else {
            self.reported.store(false, Ordering::Relaxed);
            return Ok(());
        };
        if !self.reported.swap(true, Ordering::Relaxed) {
            tracing::error!(
                file = %self.path.display(),
                "the store cannot be used, so no API key is accepted: the file {problem}; restore it and restart the server"
            );
        }
        Err(format!("the file {problem}").into())
    }

    fn compare(&self) -> Result<(), Problem> {
        if let Some(damage) = self.damaged.get() {
            return Err(Problem::Damaged(damage.clone()));
        }
        let metadata = std::fs::metadata(&self.path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Problem::Deleted,
            _ => Problem::Unreachable(error.to_string()),
        })?;
        if Identity::of(&metadata) != self.opened {
            return Err(Problem::Replaced);
        }
        match metadata.len() < self.length {
            true => Err(Problem::Damaged("it is shorter than it was".to_owned())),
            false => Ok(()),
        }
    }

    /// Reads the file by a new connection, which has cached nothing.
    fn read(&self) -> Result<(), Problem> {
        let application = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&self.path, flags)?;
            connection.busy_timeout(SHORT_WAIT)?;
            connection.query_row("SELECT now FROM tent_clock", [], |_| Ok(()))?;
            connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i32>(0))
        };
        match application() {
            Ok(APPLICATION) => Ok(()),
            Ok(_) => Err(Problem::Replaced),
            Err(error) if is_damage(&error) || is_other_content(&error) => {
                Err(Problem::Damaged(error.to_string()))
            }
            // The file is busy, or the process has no descriptor left: the operation itself shows whether it works.
            Err(_) => Ok(()),
        }
    }
}

/// Which file it is, beside its name.
#[derive(PartialEq, Eq)]
struct Identity(Option<(u64, u64)>);

impl Identity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Identity(Some((metadata.dev(), metadata.ino())))
    }

    /// Where the system does not tell, it does not delete or replace an open file either.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Self {
        Identity(None)
    }
}

/// Why the file is not used any more, as the end of a sentence that starts with "the file".
enum Problem {
    Deleted,
    Replaced,
    Damaged(String),
    Unreachable(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Deleted => f.write_str("was deleted while the server runs"),
            Problem::Replaced => f.write_str("was replaced by another one while the server runs"),
            Problem::Damaged(why) => write!(f, "is damaged: {why}"),
            Problem::Unreachable(why) => write!(f, "cannot be reached: {why}"),
        }
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

/// Whether the tables of tent are missing.
fn is_other_content(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::Unknown)
        || matches!(error, rusqlite::Error::QueryReturnedNoRows)
}
