//! [`Caller`]: the identity that makes a call, with its [`User`] and scopes.
//!
//! Holds no secrets and reads no store: a `Caller` is the result of identification.

use std::fmt;
use std::sync::Arc;

use tent_core::scope::covers;

/// A user of the app.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct User {
    /// The id in the app.
    pub id: String,
    /// The display name.
    pub name: String,
    /// The roles that `access = "role:…"` checks.
    pub roles: Vec<String>,
}

impl User {
    /// Makes a user without roles, whose display name is the id.
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

    /// Whether the user has this role.
    pub fn has_role(&self, role: &str) -> bool {
        self.roles.iter().any(|one| one == role)
    }
}

/// An API key as a caller: its public id, its scopes and its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Key {
    /// The public id, by which the key is listed and revoked.
    pub id: String,
    /// The scopes of the key; see [`covers`].
    pub scopes: Vec<String>,
    /// The owner, if the key has one.
    pub user: Option<User>,
}

/// The identity that makes a call. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Caller {
    /// An anonymous caller: the request has no credentials.
    #[default]
    Anonymous,
    /// A signed-in user.
    User(Arc<User>),
    /// An API key.
    Key(Arc<Key>),
    /// The app itself: passes every access rule and needs no approval.
    App,
}

impl Caller {
    /// Whether the caller is not anonymous.
    pub fn is_known(&self) -> bool {
        !matches!(self, Caller::Anonymous)
    }

    /// The user who calls, or who owns the key.
    pub fn user(&self) -> Option<&User> {
        match self {
            Caller::User(user) => Some(user),
            Caller::Key(key) => key.user.as_ref(),
            Caller::Anonymous | Caller::App => None,
        }
    }

    /// Whether the user has this role. The app itself has every role.
    pub fn has_role(&self, role: &str) -> bool {
        matches!(self, Caller::App) || self.user().is_some_and(|user| user.has_role(role))
    }

    /// Whether the caller has the scope. Scopes restrict only keys: users and the app have every scope.
    pub fn holds(&self, scope: &str) -> bool {
        match self {
            Caller::Key(key) => key.scopes.iter().any(|held| covers(held, scope)),
            Caller::Anonymous | Caller::User(_) | Caller::App => true,
        }
    }
}

/// The identity in logs and sealed texts: `anonymous`, `user:<id>`, `key:<id>`, `app`.
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Caller::Anonymous => f.write_str("anonymous"),
            Caller::User(user) => write!(f, "user:{}", user.id),
            Caller::Key(key) => write!(f, "key:{}", key.id),
            Caller::App => f.write_str("app"),
        }
    }
}
