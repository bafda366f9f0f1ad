//! The ring of secrets in a [`Store`], for apps that set no `secret`.

use super::Store;
use super::record::{Fence, Key, NO_OWNER, Op, Page, Put, Record, Space, When};
use crate::error::{Error, Result};
use crate::settings::Secret;

/// The first byte of a value: its format.
const FORMAT: u8 = 1;

/// The most secrets in a ring.
const MOST: usize = 1000;

/// Reads the ring, the newest secret first. An empty ring gets `fresh`. When several processes start at once, all of them
/// get the same ring.
///
/// # Errors
/// Those of the store, and T0012 where a record cannot be read.
pub(crate) async fn ring(store: &dyn Store, fresh: Secret) -> Result<Vec<Secret>> {
    let ring = read(store).await?;
    if !ring.is_empty() {
        return Ok(ring);
    }
    let first = Put {
        key: Key::new(Space::SECRETS, format!("{:016x}", 1)),
        owner: NO_OWNER,
        fence: Fence::random(),
        value: [&[FORMAT], fresh.bytes()].concat(),
        keep: None,
        when: When::Absent,
        bounds: None,
    };
    // Refused where another process was first; then its secret is the one to use.
    store.write(vec![Op::Put(first)]).await?;
    read(store).await
}

async fn read(store: &dyn Store) -> Result<Vec<Secret>> {
    let page = Page {
        space: Space::SECRETS,
        after: Vec::new(),
        most: MOST,
    };
    let mut records = store.scan(page).await?;
    records.reverse();
    records.iter().map(decode).collect()
}

fn decode(record: &Record) -> Result<Secret> {
    match record.value.as_deref().and_then(<[u8]>::split_first) {
        Some((&FORMAT, bytes)) => Secret::from_bytes(bytes)
            .map_err(|why| Error::unexpected(format!("a stored secret {why}"))),
        _ => Err(Error::unexpected("a stored secret cannot be read")),
    }
}
