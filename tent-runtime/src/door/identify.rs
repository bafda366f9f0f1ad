//! Who sent a request: a key, or what the app's own `identify` says. A credential that is presented and
//! fails is refused; it never falls back to another way or to nobody.

use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, header};
use tokio::time::Instant;

use super::{Door, run};
use crate::caller::{Caller, User};
use crate::cx::{Client, Cx};
use crate::error::{Error, Result};
use crate::function::BoxFuture;

/// A function of the app's own that finds a person by an `I`.
pub type Hook<I> = Box<dyn Fn(Cx, I) -> BoxFuture<'static, Result<Option<User>>> + Send + Sync>;

/// What the app hands over to tell who calls.
#[derive(Default)]
pub struct Hooks {
    /// Turns an id (a key's owner) into the person: from `.users(…)`.
    pub users: Option<Hook<String>>,
    /// Tells from a request which of the app's own people sent it: from `.identify(…)`.
    pub identify: Option<Hook<Arc<Parts>>>,
}

impl Hooks {
    /// A hook from an async function.
    pub fn boxed<I, F, E>(hook: impl Fn(Cx, I) -> F + Send + Sync + 'static) -> Hook<I>
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

/// How long what the app said of a key's owner is kept.
const KEPT: Duration = Duration::from_secs(1);

/// How many keys are kept so at most; above it they are forgotten at once.
const MOST_KEPT: usize = 10_000;

/// The callers of the keys that were seen within the last second.
#[derive(Default)]
pub(super) struct Known(Mutex<HashMap<String, (Instant, Caller)>>);

impl Known {
    fn find(&self, key: &str) -> Option<Caller> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, caller) = known.get(key)?;
        (since.elapsed() < KEPT).then(|| caller.clone())
    }

    fn keep(&self, key: &str, caller: &Caller) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KEPT {
            known.clear();
        }
        known.insert(key.to_owned(), (Instant::now(), caller.clone()));
    }
}

impl Door {
    /// Who sent this request.
    ///
    /// # Errors
    /// T0004 for a credential that is presented and fails, T0012 where the store or the app's own hook does.
    pub async fn identify(&self, parts: &Parts) -> Result<Caller> {
        let caller = match presented(&parts.headers)? {
            Some(key) => self.holder(key).await,
            None => self.signed_in(parts).await,
        };
        caller.map_err(|error| {
            run::referenced(error, "The server", |reference, chain| {
                tracing::error!(reference, ?chain, "it cannot be told who calls");
            })
        })
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
        self.ask("users", users, id.to_owned())
            .await?
            .ok_or_else(|| Error::of("T0004").with_message("The app does not know this person."))
    }

    async fn holder(&self, key: &str) -> Result<Caller> {
        let Some(record) = self.keys.verify(key).await? else {
            return Err(bad_key());
        };
        if let Some(caller) = self.people.find(&record.id) {
            return Ok(caller);
        }
        let user = match &record.owner {
            Some(owner) => Some(self.person(owner).await?),
            None => None,
        };
        let caller = record.caller(user);
        self.people.keep(&record.id, &caller);
        Ok(caller)
    }

    async fn signed_in(&self, parts: &Parts) -> Result<Caller> {
        let Some(identify) = &self.hooks.identify else {
            return Ok(Caller::Nobody);
        };
        let user = self
            .ask("identify", identify, Arc::new(parts.clone()))
            .await?;
        Ok(user.map_or(Caller::Nobody, |user| Caller::User(Arc::new(user))))
    }

    /// Asks a hook. A stated failure of it is passed on; anything else, a panic too, is for the log.
    async fn ask<I>(&self, name: &'static str, hook: &Hook<I>, of: I) -> Result<Option<User>> {
        let cx = self.cx_of(&Caller::App, &Client::default());
        // A closure that is not async panics while its future is made, so that is done inside too.
        let asked = AssertUnwindSafe(async { hook(cx, of).await })
            .catch_unwind()
            .await
            .unwrap_or_else(|panic| Err(run::panicked(panic.as_ref())));
        asked.map_err(|error| {
            run::referenced(error, "The app", |reference, chain| {
                tracing::error!(reference, hook = name, ?chain, "a hook of the app broke");
            })
        })
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
    Error::of("T0004").with_message("The key is not good, or not good any more.")
}
