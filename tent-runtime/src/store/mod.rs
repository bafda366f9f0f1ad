//! Where tent keeps what outlives a request: [`Store`], and the stores that there are.
//!
//! A store holds records and answers for what is atomic. It judges nothing: whether a key is good,
//! or a session ended too late, is decided above it, and so is what time it is. Nothing outside this
//! module knows where anything is kept, and nothing in it keeps data of the app's own.

#[cfg(test)]
mod contract;
mod kept;
mod memory;
mod rounds;
mod sessions;
mod sqlite;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::clock::Time;
use crate::error::{Error, Result};
use crate::seal::Sealer;
use crate::settings::{Secret, StoreUrl};

pub(crate) use kept::Kept;
pub use memory::Memory;
pub use rounds::{Claim, MOST_OUTCOME, Most, RoundClaim, RoundState};
pub use sessions::EndedSessions;
pub use sqlite::Sqlite;

/// What a method of a [`Store`] gives: a future that can go to another thread.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// A place to keep things. Several processes may share one: what one has written, and was told so, every
/// other one reads.
///
/// Every method fails with T0012 where the place cannot be reached or holds what cannot be read; the
/// cause is for the log.
pub trait Store: Send + Sync + 'static {
    // Keys.

    /// Keeps a new key. `false`, and nothing is changed, where there is one of this id.
    fn add_key(&self, key: KeyRecord) -> Pending<'_, bool>;

    /// The key of this id, also one that was revoked or has expired.
    fn key<'a>(&'a self, id: &'a str) -> Pending<'a, Option<KeyRecord>>;

    /// Every key, also those revoked and expired, the oldest first.
    fn keys(&self) -> Pending<'_, Vec<KeyRecord>>;

    /// Revokes the key of this id; one that was revoked before keeps its first time. `false` where there is
    /// none.
    fn revoke_key<'a>(&'a self, id: &'a str, at: Time) -> Pending<'a, bool>;

    // Secrets.

    /// The secrets that are kept, the newest first; where there are none, `fresh`, which is kept from
    /// then on. Of several processes that start at once, all are given the same.
    fn secrets(&self, fresh: Secret) -> Pending<'_, Vec<Secret>>;

    // Sessions.

    /// Keeps that the session of this nonce was ended, until `until`, when it would have ended by itself.
    /// What was kept until before `now` may be forgotten.
    fn end_session<'a>(&'a self, nonce: &'a [u8], until: Time, now: Time) -> Pending<'a, ()>;

    /// Whether the session of this nonce was ended, as far as it is still kept.
    fn session_ended<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, bool>;

    // Rounds.

    /// How the round of this nonce stands; `None` where nobody has claimed it, as far as it is still kept.
    fn round<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, Option<RoundState>>;

    /// Claims a round, in one step: of any number that claim it at once, in whatever processes, one is told
    /// [`Claim::Taken`]. Refused where there are more than [`Most::OF_CALLER`] or [`Most::OF_ALL`].
    fn claim_round<'a>(&'a self, claim: RoundClaim<'a>) -> Pending<'a, Claim>;

    /// Keeps what came of the round of this nonce, which was claimed: at most [`MOST_OUTCOME`] bytes. One that is
    /// not kept any more stays forgotten.
    fn record_round<'a>(&'a self, nonce: &'a [u8], outcome: Vec<u8>) -> Pending<'a, ()>;
}

/// A key as it is kept: everything but its secret.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part, by which it is listed and revoked.
    pub id: String,
    /// The SHA-256 of the whole key.
    pub hash: [u8; 32],
    /// What it may do: at least one, none with a blank in it; see [`covers`](crate::caller::covers).
    pub scopes: Vec<String>,
    /// The person it belongs to, by the app's own id.
    pub owner: Option<String>,
    /// What it is for, in words of whoever made it.
    pub label: Option<String>,
    /// When it was made.
    pub created: Time,
    /// From when on it is not good any more; `None` for never.
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

/// Opens the store that the settings name.
///
/// # Errors
/// T0012 with a message that names the place, where it cannot be opened or is not tent's.
pub async fn open(url: &StoreUrl) -> Result<Arc<dyn Store>> {
    Ok(match url {
        StoreUrl::Memory => Arc::new(Memory::default()),
        StoreUrl::Sqlite(path) => Arc::new(Sqlite::open(path).await?),
    })
}

/// What seals and opens for this server: with the secrets that are set or, where none are, with those of the store.
///
/// # Errors
/// T0012 where the store fails.
pub async fn sealer(store: &dyn Store, set: &[Secret]) -> Result<Sealer> {
    if let Some(sealer) = Sealer::new(set) {
        return Ok(sealer);
    }
    let kept = store.secrets(Secret::random()).await?;
    Sealer::new(&kept).ok_or_else(|| Error::unexpected("the store has no secret"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seal::Use;

    #[tokio::test]
    async fn what_one_process_seals_another_opens_unless_a_secret_is_set() {
        let store = open(&StoreUrl::Memory).await.expect("memory opens");
        let first = sealer(&*store, &[]).await.expect("memory works");
        let text = first.seal(Use::Session, b"x", b"");
        let second = sealer(&*store, &[]).await.expect("memory works");
        assert_eq!(
            second
                .open(Use::Session, &text, b"")
                .expect("the same secret"),
            b"x"
        );
        let set = sealer(&*store, &[Secret::random()])
            .await
            .expect("memory works");
        assert!(set.open(Use::Session, &text, b"").is_err());
    }

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
