//! API key records in a [`Store`]: everything about a key but its secret.
//!
//! Whether a key is valid is judged above, in `keys`.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Store;
use super::record::{Fence, Key, NO_OWNER, Op, Page, Put, Record, Refusal, Space, When, Written};
use crate::clock::Time;
use crate::error::{Error, Result};
use crate::json;

/// The first byte of a value: its format.
const FORMAT: u8 = 1;

/// How many records a listing reads at once.
const PAGE: usize = 1000;

/// A stored API key.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRecord {
    /// The public part, by which the key is listed and revoked.
    pub id: String,
    /// The SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// The scopes: at least one, each without a blank; see [`Caller::holds`](crate::Caller::holds).
    pub scopes: Vec<String>,
    /// The user that it belongs to, by the app's own id.
    pub owner: Option<String>,
    /// A description, written by the person who created it.
    pub label: Option<String>,
    /// When it was created.
    pub created: Time,
    /// When it expires; `None` for never.
    pub expires: Option<Time>,
    /// When it was revoked.
    pub revoked: Option<Time>,
}

impl KeyRecord {
    /// Whether it is neither revoked nor expired.
    pub fn is_good(&self, now: Time) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }
}

impl fmt::Debug for KeyRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyRecord")
            .field("id", &self.id)
            .field("scopes", &self.scopes)
            .field("owner", &self.owner)
            .field("label", &self.label)
            .field("created", &self.created)
            .field("expires", &self.expires)
            .field("revoked", &self.revoked)
            .finish_non_exhaustive()
    }
}

/// The value of a record, as JSON.
#[derive(Serialize, Deserialize)]
struct Stored {
    /// In hex.
    hash: String,
    /// Separated by blanks.
    scopes: String,
    owner: Option<String>,
    label: Option<String>,
    created: i64,
    expires: Option<i64>,
    revoked: Option<i64>,
}

/// Adds a key. Returns `false`, and changes nothing, where a key has this id.
///
/// # Errors
/// Those of the store.
pub(crate) async fn add(store: &dyn Store, key: &KeyRecord) -> Result<bool> {
    let written = store.write(vec![put(key, When::Absent)]).await?;
    match written {
        Written::Done { .. } => Ok(true),
        Written::Refused {
            why: Refusal::Exists(_),
            ..
        } => Ok(false),
        Written::Refused { why, .. } => Err(unexpected(&why)),
    }
}

/// Finds the key of this id, also one that is revoked or has expired.
///
/// # Errors
/// Those of the store, and T0012 where the record cannot be read.
pub(crate) async fn find(store: &dyn Store, id: &str) -> Result<Option<KeyRecord>> {
    let found = read(store, id).await?;
    found.map(|(key, _)| Ok(key)).transpose()
}

/// Lists all keys, also those that are revoked or have expired, the oldest first.
///
/// # Errors
/// Those of the store, and T0012 where a record cannot be read.
pub(crate) async fn list(store: &dyn Store) -> Result<Vec<KeyRecord>> {
    let mut keys = Vec::new();
    let mut after = Vec::new();
    loop {
        let page = Page {
            space: Space::KEYS,
            after,
            most: PAGE,
        };
        let records = store.scan(page).await?;
        let count = records.len();
        for record in &records {
            keys.push(decode(record)?);
        }
        match records.into_iter().next_back() {
            Some(last) if count == PAGE => after = last.key.id,
            _ => break,
        }
    }
    keys.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
    Ok(keys)
}

/// Revokes the key of this id. A key that is revoked keeps its first time. Returns `false` where no key has this id.
///
/// # Errors
/// Those of the store, and T0012 where the record cannot be read.
pub(crate) async fn revoke(store: &dyn Store, id: &str, at: Time) -> Result<bool> {
    // Another process may revoke it between the read and the write; then it is found revoked.
    loop {
        let Some((mut key, fence)) = read(store, id).await? else {
            return Ok(false);
        };
        if key.revoked.is_some() {
            return Ok(true);
        }
        key.revoked = Some(at);
        match store.write(vec![put(&key, When::Unchanged(fence))]).await? {
            Written::Done { .. } => return Ok(true),
            Written::Refused {
                why: Refusal::Exists(_),
                ..
            } => {}
            Written::Refused {
                why: Refusal::Missing,
                ..
            } => return Ok(false),
            Written::Refused { why, .. } => return Err(unexpected(&why)),
        }
    }
}

async fn read(store: &dyn Store, id: &str) -> Result<Option<(KeyRecord, Fence)>> {
    let found = store.read(vec![Key::new(Space::KEYS, id)]).await?;
    let record = found.records.into_iter().next().flatten();
    record
        .map(|record| Ok((decode(&record)?, record.fence)))
        .transpose()
}

fn put(key: &KeyRecord, when: When) -> Op {
    let stored = Stored {
        hash: json::hex(&key.hash),
        scopes: key.scopes.join(" "),
        owner: key.owner.clone(),
        label: key.label.clone(),
        created: key.created.as_millis(),
        expires: key.expires.map(Time::as_millis),
        revoked: key.revoked.map(Time::as_millis),
    };
    let mut value = vec![FORMAT];
    serde_json::to_writer(&mut value, &stored).expect("texts and numbers are written to memory");
    Op::Put(Put {
        key: Key::new(Space::KEYS, key.id.as_str()),
        owner: NO_OWNER,
        fence: Fence::random(),
        value,
        keep: None,
        when,
        bounds: None,
    })
}

fn decode(record: &Record) -> Result<KeyRecord> {
    decoded(record).ok_or_else(|| Error::unexpected("the record of an API key cannot be read"))
}

fn decoded(record: &Record) -> Option<KeyRecord> {
    let (&format, value) = record.value.as_ref()?.split_first()?;
    if format != FORMAT {
        return None;
    }
    let stored: Stored = serde_json::from_slice(value).ok()?;
    Some(KeyRecord {
        id: String::from_utf8(record.key.id.clone()).ok()?,
        hash: from_hex(&stored.hash)?,
        scopes: stored.scopes.split(' ').map(str::to_owned).collect(),
        owner: stored.owner,
        label: stored.label,
        created: Time::from_millis(stored.created),
        expires: stored.expires.map(Time::from_millis),
        revoked: stored.revoked.map(Time::from_millis),
    })
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn unexpected(why: &Refusal) -> Error {
    Error::unexpected(format!("the store refused to write an API key: {why:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_good_until_it_expires_or_is_revoked() {
        let key = KeyRecord {
            id: "a".into(),
            hash: [0; 32],
            scopes: vec!["read".into()],
            owner: None,
            label: None,
            created: Time::from_millis(0),
            expires: Some(Time::from_millis(10)),
            revoked: None,
        };
        assert!(key.is_good(Time::from_millis(9)) && !key.is_good(Time::from_millis(10)));
        let revoked = KeyRecord {
            revoked: Some(Time::from_millis(5)),
            ..key.clone()
        };
        assert!(!revoked.is_good(Time::from_millis(1)));
        let lasting = KeyRecord {
            expires: None,
            ..key
        };
        assert!(lasting.is_good(Time::from_millis(i64::MAX)));
    }
}
