//! Identifies the caller of a request: by its credentials, or by the app's own `identify` hook.
//!
//! A credential that is present and fails is rejected. It never falls back to another credential, to the hook, or to
//! an anonymous caller.

use std::future::Future;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, header};
use tokio::time::Instant;

use super::guard::{Guarded, guarded, in_time, unavailable, until, with_reference};
use super::{Dispatcher, Identity};
use crate::caller::{Caller, User};
use crate::clock::{Clock as _, SystemClock};
use crate::cx::{Cx, CxParts, TraceId};
use crate::error::{Error, Result};
use crate::function::BoxFuture;
use crate::store::TtlCache;
use tent_core::codes;

/// A function of the app that finds a user by an `I`.
pub(crate) type IdentityHook<I> =
    Box<dyn Fn(Cx, I) -> BoxFuture<'static, Result<Option<User>>> + Send + Sync>;

/// The functions of the app that identify users.
#[derive(Default)]
pub(crate) struct IdentityHooks {
    /// Finds a user by id, such as the owner of an API key: `.users(…)`.
    pub users: Option<IdentityHook<String>>,
    /// Whether `users` gets the states of the app: `.users_with(…)`.
    pub users_take_states: bool,
    /// Finds the signed-in user of a request: `.identify(…)`.
    pub identify: Option<IdentityHook<Arc<Parts>>>,
}

impl IdentityHooks {
    /// Makes a hook from an async function.
    pub(crate) fn boxed<I, F, E>(
        hook: impl Fn(Cx, I) -> F + Send + Sync + 'static,
    ) -> IdentityHook<I>
    where
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
        E: Into<Error>,
    {
        Box::new(move |cx, input| {
            let found = hook(cx, input);
            Box::pin(async move { found.await.map_err(Into::into) })
        })
    }
}

/// How many API keys have a cached caller at most.
const MAX_CACHED_CALLERS: usize = 4096;

/// The callers of the API keys that were used within the last second, by the ids of the keys.
pub(super) type CachedCallers = TtlCache<String, Caller>;

pub(super) fn cached_callers() -> CachedCallers {
    TtlCache::new(MAX_CACHED_CALLERS)
}

impl Dispatcher {
    /// Identifies the sender of an HTTP request that was admitted before, such as that of a subscription stream, which
    /// ends when its caller does. This takes at most `limits.call_timeout`.
    ///
    /// # Errors
    /// T0004 for credentials that are not valid any more, T0010 and T0012 if the caller cannot be identified.
    pub(crate) async fn identify(&self, parts: &Parts, trace: &TraceId) -> Result<Caller> {
        self.identify_until(parts, trace, self.deadline()).await
    }

    /// Identifies the sender of the messages of a connection without HTTP, as [`identify`](Self::identify).
    ///
    /// # Errors
    /// As [`identify`](Self::identify).
    pub(crate) async fn identify_connection(&self, identity: &Identity) -> Result<Caller> {
        let trace = TraceId::generate();
        self.identify_peer(identity, &trace, self.deadline()).await
    }

    /// Identifies the sender of an HTTP request.
    pub(super) async fn identify_until(
        &self,
        parts: &Parts,
        trace: &TraceId,
        deadline: Option<Instant>,
    ) -> Result<Caller> {
        let caller = match credential(&parts.headers) {
            Ok(Some(key)) => self.key_caller(key, deadline).await,
            Ok(None) => return self.signed_in(parts, deadline).await,
            Err(error) => Err(error),
        };
        self.log_rejected(Some(parts), trace, caller)
    }

    /// Identifies the sender of the messages of a connection without HTTP.
    pub(super) async fn identify_peer(
        &self,
        identity: &Identity,
        trace: &TraceId,
        deadline: Option<Instant>,
    ) -> Result<Caller> {
        match identity {
            Identity::Caller(caller) => Ok(caller.clone()),
            Identity::User(id) => {
                let user = self.find_user(id, deadline).await?;
                Ok(Caller::User(Arc::new(user)))
            }
            Identity::Key(key) => {
                let caller = self.key_caller(key, deadline).await;
                self.log_rejected(None, trace, caller)
            }
        }
    }

    fn log_rejected(
        &self,
        parts: Option<&Parts>,
        trace: &TraceId,
        caller: Result<Caller>,
    ) -> Result<Caller> {
        if let Err(error) = &caller
            && error.is(codes::SIGN_IN)
        {
            self.rejected_credentials.log(parts, trace, error);
        }
        caller
    }

    /// Refuses a request that the page of another site made a browser send. A browser attaches the cookies of this
    /// server to each request, whichever page makes it. A request that a cookie may have identified, and that does not
    /// only read, must therefore come from a page of this server or of a listed origin.
    ///
    /// # Errors
    /// T0014 if it does not.
    pub(crate) fn check_page(&self, parts: &Parts, caller: &Caller) -> Result<()> {
        let by_cookie =
            matches!(caller, Caller::User(_)) && parts.headers.contains_key(header::COOKIE);
        // The host check has passed, so an Origin that is present is allowed.
        let is_own = parts.headers.contains_key(header::ORIGIN)
            || parts
                .headers
                .get("sec-fetch-site")
                .is_some_and(|site| site == "same-origin");
        if !by_cookie || is_own {
            return Ok(());
        }
        Err(Error::new(codes::WRONG_HOST_OR_ORIGIN)
            .with_message("A call with a session cookie must come from a page of this server.")
            .with_fix(
                "Call from a page of this server, so that the browser sends Origin, or send an API key.",
            ))
    }

    /// Checks `Host` and `Origin`.
    ///
    /// # Errors
    /// T0014 for a host or an origin that is not served.
    pub(crate) fn check_host(&self, parts: &Parts) -> Result<()> {
        self.hosts.check(parts)
    }

    /// Finds the user of this id by the app's `users` hook. An app without the hook has every user, without roles.
    ///
    /// # Errors
    /// T0004 for an id that the app does not know, T0012 if the hook fails or takes too long.
    pub(crate) async fn user(&self, id: &str) -> Result<User> {
        self.find_user(id, self.deadline()).await
    }

    async fn find_user(&self, id: &str, deadline: Option<Instant>) -> Result<User> {
        let Some(users) = &self.hooks.users else {
            return Ok(User::new(id));
        };
        let user = self.run_hook(users, id.to_owned(), "users", deadline);
        match user.await? {
            Some(user) => Ok(user),
            None => {
                Err(Error::new(codes::SIGN_IN).with_message("The app does not know this user."))
            }
        }
    }

    /// The caller of an API key.
    async fn key_caller(&self, key: &str, deadline: Option<Instant>) -> Result<Caller> {
        let found = in_time(deadline, self.keys.verify(key)).await;
        let found = found.map_err(|error| unavailable(error, "the store", "an API key", ""));
        let Some(record) = found? else {
            return Err(bad_key());
        };
        let now = SystemClock.now();
        if let Some(caller) = self.callers.get(&record.id, now) {
            return Ok(caller);
        }
        let lookup = self.callers.begin(now);
        let user = match &record.owner {
            Some(owner) => Some(self.find_user(owner, deadline).await?),
            None => None,
        };
        let caller = record.caller(user);
        self.callers
            .insert(record.id.clone(), caller.clone(), lookup);
        Ok(caller)
    }

    /// The signed-in user of a request without credentials.
    async fn signed_in(&self, parts: &Parts, deadline: Option<Instant>) -> Result<Caller> {
        let Some(identify) = &self.hooks.identify else {
            return Ok(Caller::Anonymous);
        };
        let parts = Arc::new(parts.clone());
        let user = self.run_hook(identify, parts, "identify", deadline).await?;
        Ok(user.map_or(Caller::Anonymous, |user| Caller::User(Arc::new(user))))
    }

    async fn run_hook<I>(
        &self,
        hook: &IdentityHook<I>,
        input: I,
        name: &str,
        deadline: Option<Instant>,
    ) -> Result<Option<User>> {
        let cx = Cx::new(CxParts {
            caller: Caller::App,
            states: self.states.clone(),
            deadline,
            ..CxParts::default()
        });
        // A hook may panic before it returns its future, so it is called inside the guard.
        let work = async { hook(cx, input).await };
        let found = match guarded(until(deadline), work).await {
            Guarded::Returned(found) => found,
            Guarded::TimedOut => Err(Error::unexpected("it did not return before the deadline")),
            Guarded::Panicked(error) => Err(error),
        };
        found.map_err(|error| with_reference(error, name, "not identified yet", ""))
    }
}

/// The API key of a request. The same key may be in both headers; two different keys are rejected.
fn credential(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut key = None;
    for value in headers.get_all(header::AUTHORIZATION) {
        let text = value.to_str().map_err(|_| bad_key())?;
        let bearer = text
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let (_, found) = bearer.ok_or_else(bad_key)?;
        must_equal(&mut key, found.trim())?;
    }
    for value in headers.get_all("x-api-key") {
        must_equal(&mut key, value.to_str().map_err(|_| bad_key())?.trim())?;
    }
    Ok(key)
}

fn must_equal<'a>(key: &mut Option<&'a str>, found: &'a str) -> Result<()> {
    if *key.get_or_insert(found) != found {
        return Err(bad_key());
    }
    Ok(())
}

fn bad_key() -> Error {
    Error::new(codes::SIGN_IN).with_message("The API key is not valid, or not valid any more.")
}
