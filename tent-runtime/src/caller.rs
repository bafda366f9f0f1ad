//! Who calls: [`Caller`], the [`User`] behind it, and what scopes cover.
//!
//! Holds no secrets and asks no store: a `Caller` is the outcome of identification, not its means.

use std::fmt;
use std::sync::Arc;

/// A person the app knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The app's own id of the person.
    pub id: String,
    /// The name to show.
    pub name: String,
    /// The roles that `access = "role:…"` asks for.
    pub roles: Vec<String>,
}

impl User {
    /// A person without roles whose name is the id.
    ///
    /// ```
    /// use tent::User;
    /// let grace = User::new("grace").name("Grace").role("staff");
    /// assert!(grace.has_role("staff") && !grace.has_role("admin"));
    /// ```
    pub fn new(id: impl Into<String>) -> Self {
        let id = id.into();
        User {
            name: id.clone(),
            id,
            roles: Vec::new(),
        }
    }

    /// Sets the name that people see.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds a role.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.roles.push(role.into());
        self
    }

    /// Whether the person has this role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|one| one == role)
    }
}

/// A key as a caller: its public id, what it may do, and the person it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The public part of the key, by which it is listed and revoked.
    pub id: String,
    /// What it may do; see [`covers`].
    pub scopes: Vec<String>,
    /// The person it belongs to, if it belongs to one.
    pub user: Option<User>,
}

/// Who calls. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Caller {
    /// Nobody is named.
    #[default]
    Nobody,
    /// A signed-in person.
    User(Arc<User>),
    /// A key, perhaps a person's.
    Key(Arc<Key>),
    /// The app itself: passes every rule and is never asked.
    App,
}

impl Caller {
    /// Whether anybody is named at all.
    pub fn is_known(&self) -> bool {
        !matches!(self, Caller::Nobody)
    }

    /// The person who calls, or whose key calls.
    pub fn user(&self) -> Option<&User> {
        match self {
            Caller::User(user) => Some(user),
            Caller::Key(key) => key.user.as_ref(),
            Caller::Nobody | Caller::App => None,
        }
    }

    /// Whether the person who calls has this role. The app itself has every role.
    pub fn has_role(&self, role: &str) -> bool {
        matches!(self, Caller::App) || self.user().is_some_and(|user| user.has_role(role))
    }

    /// Whether the caller may do what `scope` names. Scopes bind keys alone: a signed-in person and the
    /// app hold them all.
    pub fn holds(&self, scope: &str) -> bool {
        match self {
            Caller::Key(key) => key.scopes.iter().any(|held| covers(held, scope)),
            Caller::Nobody | Caller::User(_) | Caller::App => true,
        }
    }
}

/// The identity, as logs and sealed texts hold it: `nobody`, `user:<id>`, `key:<id>`, `app`.
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caller::Nobody => f.write_str("nobody"),
            Caller::User(user) => write!(f, "user:{}", user.id),
            Caller::Key(key) => write!(f, "key:{}", key.id),
            Caller::App => f.write_str("app"),
        }
    }
}

/// Whether holding `held` is holding `wanted`: the same word, `*`, or the part before its colon.
///
/// ```
/// use tent_runtime::caller::covers;
/// assert!(covers("orders", "orders:write") && covers("*", "read") && covers("read", "read"));
/// assert!(!covers("orders:write", "orders") && !covers("ord", "orders:write"));
/// ```
pub fn covers(held: &str, wanted: &str) -> bool {
    held == "*"
        || held == wanted
        || wanted
            .strip_prefix(held)
            .is_some_and(|rest| rest.starts_with(':'))
}
