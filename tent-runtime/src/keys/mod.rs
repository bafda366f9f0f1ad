//! Keys: made, listed, revoked, and looked up when a request presents one.
//!
//! The store holds the SHA-256 of a key and never the key, which is shown once, when it is made. A hash without salt or
//! stretching is enough, since 256 random bits cannot be guessed. That a key is good says nothing of what it may
//! do: its scopes are judged at the door.

mod text;

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::caller::{self, Caller, User};
use crate::clock::{Clock, SystemClock};
use crate::error::{Error, Result};
use crate::schema::invalid_input;
use crate::store::{Store, TtlCache, keys as stored};

pub use crate::store::KeyRecord;

/// So many good keys, and so many bad ones, are known without asking the store.
const MOST_KEPT: usize = 4096;
const MOST_CHARACTERS: usize = 200;

/// A key to be made.
///
/// ```
/// use std::time::Duration;
/// use tent::keys::NewKey;
/// let key = NewKey::new(["read", "orders:write"])
///     .owner("ada")
///     .label("laptop")
///     .lifetime(Duration::from_secs(90 * 24 * 3600));
/// assert_eq!(key.scopes, ["read", "orders:write"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewKey {
    /// What it may do, at least one; see [`covers`](crate::caller::covers).
    pub scopes: Vec<String>,
    /// The person it belongs to, by the app's own id.
    pub owner: Option<String>,
    /// What it is for.
    pub label: Option<String>,
    /// For how long it is good; `None` for ever.
    pub lifetime: Option<Duration>,
}

impl NewKey {
    /// A key that may do what these scopes name, is nobody's, and is good until it is revoked.
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

    /// T0003 with everything that is wrong.
    fn check(&self) -> Result<()> {
        let mut problems = Vec::new();
        if self.scopes.is_empty() {
            problems.push(("scopes", "must hold at least one, such as read".to_owned()));
        }
        for text in &self.scopes {
            if let Err(why) = scope(text) {
                problems.push(("scopes", format!("has {text:?}; {why}")));
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
            .with_message(format!("The key cannot be made: {}.", lines.join("; "))))
    }
}

/// A text as a scope, or what one is.
pub(crate) fn scope(text: &str) -> Result<String, String> {
    let wanted =
        || format!("a scope is 1 to {MOST_CHARACTERS} visible ASCII characters without \" and \\");
    is_scope(text).then(|| text.to_owned()).ok_or_else(wanted)
}

/// A text as an owner or a label, or what one must be.
pub(crate) fn line(text: &str) -> Result<String, String> {
    let wanted = || {
        format!("must be 1 to {MOST_CHARACTERS} characters on one line, each of which can be seen")
    };
    is_line(text).then(|| text.to_owned()).ok_or_else(wanted)
}

/// A scope, as RFC 6749 (appendix A.4) has it: challenges and lists of scopes are parted by blanks.
fn is_scope(scope: &str) -> bool {
    (1..=MOST_CHARACTERS).contains(&scope.len())
        && scope
            .bytes()
            .all(|b| b.is_ascii_graphic() && b != b'"' && b != b'\\')
}

fn is_line(text: &str) -> bool {
    !text.trim().is_empty()
        && text.chars().count() <= MOST_CHARACTERS
        && !text.chars().any(is_hidden)
}

/// What a listing would not show as it is: controls, further ends of a line, what has no width, and what turns
/// the direction of the text around it, by which one label could look like another.
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

/// A key that was just made: the only time its text is there. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct MadeKey {
    text: String,
    /// What is kept of it.
    pub record: KeyRecord,
}

impl MadeKey {
    /// The key itself, to be handed to whoever will use it.
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
/// # use std::sync::Arc;
/// use tent::keys::{Keys, NewKey};
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let keys = Keys::new(Arc::new(tent_runtime::store::Memory::default()));
/// let made = keys.create(NewKey::new(["read"]).owner("ada")).await?;
/// let found = keys.verify(made.text()).await?.expect("it is good");
/// assert_eq!(found.owner.as_deref(), Some("ada"));
/// keys.revoke(&found.id).await?;
/// assert_eq!(keys.verify(made.text()).await?, None);
/// # Ok::<(), tent::Error>(())
/// # })?;
/// # Ok::<(), tent::Error>(())
/// ```
pub struct Keys {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// Apart, so that a flood of bad keys pushes no good one out.
    good: TtlCache<Hash, Arc<KeyRecord>>,
    bad: TtlCache<Hash, ()>,
}

impl Keys {
    /// The keys of this store, by the clock of the system.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self::with_clock(store, Arc::new(SystemClock))
    }

    /// The keys of this store, by this clock.
    pub fn with_clock(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Keys {
            store,
            clock,
            good: TtlCache::new(MOST_KEPT),
            bad: TtlCache::new(MOST_KEPT),
        }
    }

    /// Makes a key and keeps its hash.
    ///
    /// # Errors
    /// T0003 with each part of `new` that does not fit, T0012 where the store fails.
    pub async fn create(&self, new: NewKey) -> Result<MadeKey> {
        new.check()?;
        let created = self.clock.now();
        let mut seen = HashSet::new();
        let mut scopes = new.scopes;
        scopes.retain(|scope| seen.insert(scope.clone()));
        // An id that is taken comes once in 10¹⁵ makings for each key that there is.
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

    /// Every key, also those revoked and expired, the oldest first.
    ///
    /// # Errors
    /// T0012 where the store fails.
    pub async fn list(&self) -> Result<Vec<KeyRecord>> {
        stored::list(&*self.store).await
    }

    /// Revokes the key of this id: for this process from now on, for every other within a second.
    /// `false` where there is none; one that was revoked before stays so.
    ///
    /// # Errors
    /// T0012 where the store fails; then the key is as good as before.
    pub async fn revoke(&self, id: &str) -> Result<bool> {
        let found = stored::revoke(&*self.store, id, self.clock.now()).await?;
        self.good.clear();
        Ok(found)
    }

    /// The key that `text` is, if it is one that is good now; `None` for every other text, whatever is
    /// wrong with it. An answer of the store is given again for less than a second, also to those who
    /// come after.
    ///
    /// # Errors
    /// T0012 where the store fails: then nobody knows whether the key is good.
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
    /// The key as a caller, whose person is `user`.
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
