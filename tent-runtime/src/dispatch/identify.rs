//! Who sent a request: a key, or what the app's own `identify` says. A credential that is presented and
//! fails is refused; it never falls back to another way or to nobody.

use std::future::Future;
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, header};
use tent_core::codes;

use super::Dispatcher;
use super::guard::{Guarded, guarded, with_reference};
use crate::caller::{Caller, User};
use crate::clock::{Clock as _, SystemClock};
use crate::cx::{Client, Cx};
use crate::error::{Error, Result};
use crate::function::BoxFuture;
use crate::store::TtlCache;

/// A function of the app's own that finds a person by an `I`.
pub type IdentityHook<I> =
    Box<dyn Fn(Cx, I) -> BoxFuture<'static, Result<Option<User>>> + Send + Sync>;

/// What the app hands over to tell who calls.
#[derive(Default)]
pub struct IdentityHooks {
    /// Turns an id (a key's owner) into the person: from `.users(…)`.
    pub users: Option<IdentityHook<String>>,
    /// Tells from a request which of the app's own people sent it: from `.identify(…)`.
    pub identify: Option<IdentityHook<Arc<Parts>>>,
}

impl IdentityHooks {
    /// A hook from an async function.
    pub fn boxed<I, F, E>(hook: impl Fn(Cx, I) -> F + Send + Sync + 'static) -> IdentityHook<I>
    where
        F: Future<Output = Result<Option<User>, E>> + Send + 'static,
        E: Into<Error>,
    {
        Box::new(move |cx, input| {
            let asked = hook(cx, input);
            Box::pin(async move { asked.await.map_err(Into::into) })
        })
    }
}

/// Of so many keys it is known whose they are.
const MOST_KEPT: usize = 4096;

/// The callers of the keys that were seen within the last second, by the keys' ids.
pub(super) type People = TtlCache<String, Caller>;

pub(super) fn people() -> People {
    TtlCache::new(MOST_KEPT)
}

impl Dispatcher {
    /// Who sent this request, whose id is `trace`.
    ///
    /// # Errors
    /// T0004 for a credential that is presented and fails, which the log has too; T0012 where the app's
    /// own hook does.
    pub async fn identify(&self, parts: &Parts, trace: &str) -> Result<Caller> {
        let caller = match presented(&parts.headers) {
            Ok(Some(key)) => self.holder(key).await,
            Ok(None) => return self.signed_in(parts).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &caller
            && error.is(codes::SIGN_IN)
        {
            self.refusals.log(parts, trace, error);
        }
        caller
    }

    /// Refuses what a page of another site made a browser send. A browser sends its cookies along whoever
    /// wrote the page, so what does not only read, asked for by a person whom a cookie may have named,
    /// must come from a page of this server or of a listed origin.
    ///
    /// # Errors
    /// T0014 where it may not.
    pub fn check_page(&self, parts: &Parts, caller: &Caller) -> Result<()> {
        let by_cookie =
            matches!(caller, Caller::User(_)) && parts.headers.contains_key(header::COOKIE);
        // The host check let the request in, so an Origin that it has is one of ours.
        let own = parts.headers.contains_key(header::ORIGIN)
            || parts
                .headers
                .get("sec-fetch-site")
                .is_some_and(|site| site == "same-origin");
        if !by_cookie || own {
            return Ok(());
        }
        Err(Error::new(codes::WRONG_HOST_OR_ORIGIN)
            .with_message("A call that a cookie signs must come from a page of this server.")
            .with_fix("Call from an own page, so that the browser sends Origin, or send a key."))
    }

    /// # Errors
    /// T0014 for a host or an origin that is not served.
    pub fn check_host(&self, parts: &Parts) -> Result<()> {
        self.hosts.check(parts)
    }

    /// The person of this id, as the app knows it; where the app has no `.users`, a person without roles.
    ///
    /// # Errors
    /// T0004 for an id that the app does not know, T0012 where the app's own hook fails.
    pub async fn person(&self, id: &str) -> Result<User> {
        let Some(users) = &self.hooks.users else {
            return Ok(User::new(id));
        };
        match self.asked(users, id.to_owned(), "users").await? {
            Some(user) => Ok(user),
            None => {
                Err(Error::new(codes::SIGN_IN).with_message("The app does not know this person."))
            }
        }
    }

    async fn holder(&self, key: &str) -> Result<Caller> {
        let verified = self.keys.verify(key).await;
        let verified = verified.map_err(|error| with_reference(error, "the store", "a key", ""));
        let Some(record) = verified? else {
            return Err(bad_key());
        };
        let now = SystemClock.now();
        if let Some(caller) = self.people.get(&record.id, now) {
            return Ok(caller);
        }
        let lookup = self.people.begin(now);
        let user = match &record.owner {
            Some(owner) => Some(self.person(owner).await?),
            None => None,
        };
        let caller = record.caller(user);
        self.people
            .insert(record.id.clone(), caller.clone(), lookup);
        Ok(caller)
    }

    async fn signed_in(&self, parts: &Parts) -> Result<Caller> {
        let Some(identify) = &self.hooks.identify else {
            return Ok(Caller::Nobody);
        };
        let parts = Arc::new(parts.clone());
        let user = self.asked(identify, parts, "identify").await?;
        Ok(user.map_or(Caller::Nobody, |user| Caller::User(Arc::new(user))))
    }

    /// Asks a hook of the app's own, within the time that a call has.
    async fn asked<I>(&self, hook: &IdentityHook<I>, input: I, name: &str) -> Result<Option<User>> {
        let cx = self.cx_of(&Caller::App, &Client::default());
        // A hook may panic while its future is made, so that is done inside too.
        let asking = async { hook(cx.clone(), input).await };
        let found = match guarded(cx.deadline(), asking).await {
            Guarded::Returned(found) => found,
            Guarded::TimedOut => Err(Error::unexpected("it did not end in time")),
            Guarded::Panicked(error) => Err(error),
        };
        found.map_err(|error| with_reference(error, name, "nobody yet", ""))
    }
}

/// The key that the request presents. One key may stand in both headers; two different ones are refused.
fn presented(headers: &HeaderMap) -> Result<Option<&str>> {
    let mut key = None;
    for value in headers.get_all(header::AUTHORIZATION) {
        let text = value.to_str().map_err(|_| bad_key())?;
        let bearer = text
            .split_once(' ')
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let (_, found) = bearer.ok_or_else(bad_key)?;
        same(&mut key, found.trim())?;
    }
    for value in headers.get_all("x-api-key") {
        same(&mut key, value.to_str().map_err(|_| bad_key())?.trim())?;
    }
    Ok(key)
}

fn same<'a>(key: &mut Option<&'a str>, found: &'a str) -> Result<()> {
    if *key.get_or_insert(found) != found {
        return Err(bad_key());
    }
    Ok(())
}

fn bad_key() -> Error {
    Error::new(codes::SIGN_IN).with_message("The key is not good, or not good any more.")
}
