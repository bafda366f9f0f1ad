//! [`Lane`]: a connection, and the calls that wait for it.
//!
//! ```text
//! call ─► waiting (at most 1024, else refused) ─► has the turn ─► a thread of the blocking pool runs it ─► answer
//!              │ dropped: never runs                   ▲ │ another process holds the write lock
//!              └────────────────────────────           └─┘ waits without a thread, then tries again
//! ```
//!
//! The patience of a call is counted from its arrival. So when another process holds the lock, all calls that wait
//! fail together after [`PATIENCE`], and none waits for the sum of those before it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::error::BoxError;

/// How long a call waits for another process to release the file, its time in the queue included.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// How long SQLite itself waits, with a thread: enough for the short transactions of another process.
pub(super) const SHORT_WAIT: Duration = Duration::from_millis(20);

/// How soon a call tries again: twice as long each time, up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LAST_PAUSE: Duration = Duration::from_millis(80);

/// How many calls wait at once. Beyond them the store is slower than its callers, and waiting would not help.
const MOST_WAITING: usize = 1024;

/// A connection. One call at a time uses it, in the order of their arrival.
pub(super) struct Lane {
    waiting: Semaphore,
    turn: Arc<Semaphore>,
    /// Never contended, since only the call that has the turn locks it.
    connection: Mutex<Connection>,
}

impl Lane {
    pub(super) fn new(connection: Connection) -> Arc<Self> {
        Arc::new(Lane {
            waiting: Semaphore::new(MOST_WAITING),
            turn: Arc::new(Semaphore::new(1)),
            connection: Mutex::new(connection),
        })
    }

    /// Runs `work` on the connection. `work` may run more than once: it must be a single transaction, which fails as a
    /// whole while another process holds the lock.
    ///
    /// Cancel-safe: when this future is dropped, work that has not begun does not begin.
    pub(super) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Fn(&mut Connection) -> Result<T, BoxError> + Send + Sync + 'static,
    ) -> Result<T, BoxError> {
        let arrived = Instant::now();
        let waiting = self.waiting.try_acquire();
        let _waiting = waiting.map_err(|_| "too many calls wait for the store")?;
        let mut turn = Arc::clone(&self.turn).acquire_owned().await?;
        let work = Arc::new(work);
        let mut pause = FIRST_PAUSE;
        loop {
            let (lane, work) = (Arc::clone(self), Arc::clone(&work));
            let task = tokio::task::spawn_blocking(move || {
                // A panic of an earlier call has rolled its transaction back.
                let connection = lane.connection.lock();
                let result = work(&mut connection.unwrap_or_else(PoisonError::into_inner));
                // The turn lasts to the end of the work, also when nothing waits for it any more.
                (turn, result)
            });
            let (given_back, result) = AbortOnDrop(task).joined().await?;
            turn = given_back;
            match result {
                Err(error) if waits(&error) && arrived.elapsed() < PATIENCE => {
                    sleep(pause).await;
                    pause = (pause * 2).min(LAST_PAUSE);
                }
                result => return result,
            }
        }
    }
}

/// A task that does not begin after this is dropped. One that has begun on its thread goes on.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> AbortOnDrop<T> {
    async fn joined(mut self) -> Result<T, tokio::task::JoinError> {
        (&mut self.0).await
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn waits(error: &BoxError) -> bool {
    error.downcast_ref().is_some_and(is_busy)
}

/// Whether another connection holds a lock that this one needs.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
