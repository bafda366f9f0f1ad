//! API keys: creates, lists, revokes and verifies them.
//!
//! The store has the SHA-256 hash of a key, never the key, which is shown once, at its creation. A hash without salt or
//! stretching suffices, because 256 random bits cannot be guessed. This module does not decide what a key may do: dispatch
//! checks its scopes.

mod text;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ctutils::CtEq as _;
use sha2::{Digest, Sha256};
use tent_core::scope;

use crate::caller::{self, Caller, User};
use crate::clock::{Clock, SystemClock};
use crate::error::{Error, Result};
use crate::schema::invalid_input;
use crate::store::{Store, TtlCache, keys as stored};

pub use crate::store::KeyRecord;

/// The number of valid keys, and of invalid ones, in the cache.
const MAX_CACHED: usize = 4096;
/// The greatest number of characters in an owner or a label.
const MAX_CHARACTERS: usize = 200;

/// The description of a new key.
///
/// ```
/// use std::time::Duration;
/// use tent::NewKey;
/// let key = NewKey::new(["read", "orders:write"])
///     .owner("ada")
///     .label("laptop")
///     .lifetime(Duration::from_secs(90 * 24 * 3600));
/// assert_eq!(key.scopes, ["read", "orders:write"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewKey {
    /// The scopes, at least one; see [`Caller::holds`](crate::Caller::holds).
    pub scopes: Vec<String>,
    /// The id of the owner in the app.
    pub owner: Option<String>,
    /// A label for people.
    pub label: Option<String>,
    /// The lifetime; `None` for a key that does not expire.
    pub lifetime: Option<Duration>,
}

impl NewKey {
    /// A key with these scopes, without an owner, that is valid until it is revoked.
    pub fn new(scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        NewKey {
            scopes: scopes.into_iter().map(Into::into).collect(),
            ..NewKey::default()
        }
    }

    /// Sets the person that it belongs to, by the app's own id.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Sets a text that says what the key is for.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Sets how long the key is valid.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    /// T0003 with every invalid field.
    fn check(&self) -> Result<()> {
        let mut problems = Vec::new();
        if self.scopes.is_empty() {
            problems.push((
                "scopes",
                "must have at least one, for example read".to_owned(),
            ));
        }
        for text in &self.scopes {
            if let Err(why) = parse_scope(text) {
                problems.push(("scopes", format!("has {text:?}: {why}")));
            }
        }
        for (name, text) in [("owner", &self.owner), ("label", &self.label)] {
            if let Some(Err(why)) = text.as_deref().map(line) {
                problems.push((name, why));
            }
        }
        if self
            .lifetime
            .is_some_and(|lifetime| lifetime < Duration::from_millis(1))
        {
            problems.push(("lifetime", "must be at least a millisecond".to_owned()));
        }
        if problems.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = problems
            .iter()
            .map(|(name, problem)| format!("{name} {problem}"))
            .collect();
        let fields = problems
            .into_iter()
            .map(|(name, problem)| (name.to_owned(), problem));
        Err(invalid_input(fields)
            .with_message(format!("The key is not valid: {}.", lines.join("; "))))
    }
}

/// Parses a scope.
pub(crate) fn parse_scope(text: &str) -> Result<String, String> {
    match scope::is_valid(text) {
        true => Ok(text.to_owned()),
        false => Err(format!("not a valid scope: {}", scope::HELP)),
    }
}

/// Parses an owner or a label.
pub(crate) fn line(text: &str) -> Result<String, String> {
    let problem = || format!("must be 1 to {MAX_CHARACTERS} visible characters on one line");
    is_line(text).then(|| text.to_owned()).ok_or_else(problem)
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MAX_CHARACTERS
        && !text.chars().any(is_hidden)
}

/// Whether a list would not show the character: controls, line ends, characters without width, and marks that change the
/// direction of the text, by which one label could look like another.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
        )
}

/// A key that was just created, with its text, which exists only here. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MadeKey {
    text: String,
    /// The record in the store.
    pub record: KeyRecord,
}

impl MadeKey {
    /// The key itself.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for MadeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MadeKey")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

type Hash = [u8; 32];

/// The keys of a store.
///
/// ```
/// use tent::NewKey;
/// # async fn example(tent: tent::Tent) -> tent::Result<()> {
/// let keys = tent.keys();
/// let made = keys.create(NewKey::new(["read"]).owner("ada")).await?;
/// let found = keys.verify(made.text()).await?.expect("it is good");
/// assert_eq!(found.owner.as_deref(), Some("ada"));
/// keys.revoke(&found.id).await?;
/// assert_eq!(keys.verify(made.text()).await?, None);
/// # Ok(())
/// # }
/// ```
pub struct Keys {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Separate caches, so that a flood of invalid keys evicts no valid one.
    good: TtlCache<Hash, Arc<KeyRecord>>,
    bad: TtlCache<Hash, ()>,
}

impl Keys {
    /// The keys of this store, with the system clock.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self::with_clock(store, Arc::new(SystemClock))
    }

    /// The keys of this store, with the given clock.
    pub(crate) fn with_clock(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Keys {
            store,
            clock,
            good: TtlCache::new(MAX_CACHED),
            bad: TtlCache::new(MAX_CACHED),
        }
    }

    /// Creates a key and stores its hash.
    ///
    /// # Errors
    /// T0003 with every invalid field of `new`; T0012 if the store fails.
    pub async fn create(&self, new: NewKey) -> Result<MadeKey> {
        new.check()?;
        let created = self.clock.now();
        let mut seen = HashSet::new();
        let mut scopes = new.scopes;
        scopes.retain(|scope| seen.insert(scope.clone()));
        // A new id collides with an existing key about once in 10¹⁵ times.
        for _ in 0..8 {
            let id = text::new_id();
            let text = text::new_key(&id);
            let record = KeyRecord {
                hash: hash(&text),
                id,
                scopes: scopes.clone(),
                owner: new.owner.clone(),
                label: new.label.clone(),
                created,
                expires: new.lifetime.map(|lifetime| created.plus(lifetime)),
                revoked: None,
            };
            if stored::add(&*self.store, &record).await? {
                return Ok(MadeKey { text, record });
            }
        }
        Err(Error::unexpected("eight new ids in a row were taken"))
    }

    /// All keys, including revoked and expired ones, oldest first.
    ///
    /// # Errors
    /// T0012 if the store fails.
    pub async fn list(&self) -> Result<Vec<KeyRecord>> {
        stored::list(&*self.store).await
    }

    /// Revokes the key with this id: in this process immediately, in every other within a second. Returns `false` if there
    /// is no such key. A second revocation changes nothing.
    ///
    /// # Errors
    /// T0012 if the store fails; the key then stays valid.
    pub async fn revoke(&self, id: &str) -> Result<bool> {
        let found = stored::revoke(&*self.store, id, self.clock.now()).await?;
        self.good.clear();
        Ok(found)
    }

    /// Returns the record of the key `text` if the key is valid now; `None` for every other text. Results of the store are
    /// cached for less than a second.
    ///
    /// # Errors
    /// T0012 if the store fails, so that it is unknown whether the key is valid.
    pub async fn verify(&self, text: &str) -> Result<Option<Arc<KeyRecord>>> {
        if text.len() != text::LENGTH {
            return Ok(None);
        }
        let now = self.clock.now();
        let hash = hash(text);
        if let Some(record) = self.good.get(&hash, now) {
            return Ok(record.is_good(now).then_some(record));
        }
        let Some(id) = text::id_of(text) else {
            return Ok(None);
        };
        if self.bad.get(&hash, now).is_some() {
            return Ok(None);
        }
        let lookup = (self.good.begin(now), self.bad.begin(now));
        let found = stored::find(&*self.store, id).await?;
        let good = found
            .filter(|record| bool::from(record.hash.ct_eq(&hash)) && record.is_good(now))
            .map(Arc::new);
        match &good {
            Some(record) => self.good.insert(hash, Arc::clone(record), lookup.0),
            None => self.bad.insert(hash, (), lookup.1),
        }
        Ok(good)
    }
}

impl KeyRecord {
    /// The key as a caller, owned by `user`.
    pub fn caller(&self, user: Option<User>) -> Caller {
        Caller::Key(Arc::new(caller::Key {
            id: self.id.clone(),
            scopes: self.scopes.clone(),
            user,
        }))
    }
}

fn hash(text: &str) -> Hash {
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests;
