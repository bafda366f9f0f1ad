//! Stores what outlives a request: [`Store`], its implementations, and the typed layers over it.
//!
//! Nothing outside this module knows where a record is, and nothing in it stores data of the app.
//!
//! | layer | holds |
//! |---|---|
//! | `keys`, `secrets`, `sessions`, `idempotency` | the format and the bounds of each kind of record |
//! | [`Store`] | records, by (space, key), with fences, leases, expiry and bounds |
//! | [`Memory`], `Sqlite` (feature `sqlite`) | rows; one engine gives the operations their meaning |

mod clock;
mod engine;
pub(crate) mod idempotency;
pub(crate) mod keys;
mod memory;
mod record;
mod secrets;
mod sessions;
#[cfg(feature = "sqlite")]
mod sqlite;
mod ttl_cache;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::seal::Sealer;
use crate::settings::{Secret, StoreUrl};

pub use keys::KeyRecord;
pub(crate) use memory::Memory;
pub(crate) use record::{Bounds, Fence, Found, Key, Op, Owner, Page, Record, Written};
#[cfg(test)]
pub(crate) use record::{Claim, Most, Put, Refusal, Space, When};
pub(crate) use sessions::EndedSessions;
#[cfg(feature = "sqlite")]
pub(crate) use sqlite::Sqlite;
pub(crate) use ttl_cache::TtlCache;

/// A place for records. Several processes may share one.
///
/// - **Time.** Times go in as durations and come out as store time, which never goes back. A process never compares its own
///   clock with a stored time.
/// - **Expiry.** A record whose `until` has passed is absent to every operation.
/// - **Writes** are atomic, and idempotent by their fences: the same operation again has the same result.
/// - **Reads** see every write that was acknowledged before they began.
/// - **Cancellation.** A future that is dropped may or may not have taken effect. Repeat the write with the same fence.
///
/// Every method fails with T0012 where the place cannot be reached or a record cannot be read. The cause is for the log.
pub(crate) trait Store: Send + Sync + 'static {
    /// The store time, without a round trip: it may be a little behind that of another process.
    fn now(&self) -> Time;

    /// Reads the records of these keys.
    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>>;

    /// Reads a page of a space, in the order of the keys.
    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>>;

    /// Runs these operations, all of them or none.
    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>>;

    /// Checks that the place can be read and is still the one that was opened. It may wait as long as the place does.
    fn check(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// Opens the store that the settings name.
///
/// # Errors
/// T0012 with a message that names the place, where it cannot be opened or belongs to another program.
pub(crate) async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>> {
    Ok(match url {
        StoreUrl::Memory => Arc::new(Memory::default()),
        #[cfg(feature = "sqlite")]
        StoreUrl::Sqlite(path) => Arc::new(Sqlite::open(path).await?),
        // The settings refuse it.
        #[cfg(not(feature = "sqlite"))]
        StoreUrl::Sqlite(_) => return Err(Error::unexpected(StoreUrl::NO_SQLITE)),
    })
}

/// Makes the sealer of this server, from the secrets of the settings, else from those of the store.
///
/// # Errors
/// T0012 where the store fails.
pub(crate) async fn sealer(store: &dyn Store, set: &[Secret]) -> Result<Sealer> {
    if let Some(sealer) = Sealer::new(set) {
        return Ok(sealer);
    }
    let ring = secrets::ring(store, Secret::random()).await?;
    Sealer::new(&ring).ok_or_else(|| Error::unexpected("the store has no secret"))
}
