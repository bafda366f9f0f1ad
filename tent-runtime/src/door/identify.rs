//! Who sent a request: a key, or what the app's own `identify` says. A credential that is presented and
//! fails is refused; it never falls back to another way or to nobody.

use std::collections::HashMap;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{HeaderMap, header};
use tokio::time::Instant;

use super::Door;
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

/// How much time there is at least between two lines on refused keys.
const TOLD_EACH: Duration = Duration::from_secs(1);

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

/// The log of refused keys. Somebody who tries many may not fill it: one line a second is for everyone
/// to see (`info`), the others for who looks for them (`debug`). None has the key, or a part of it.
#[derive(Default)]
pub(super) struct Refusals(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    /// When the last line for everyone was written.
    told: Option<Instant>,
    /// How many were refused since then.
    since: u64,
}

impl Refusals {
    fn log(&self, parts: &Parts, trace: &str, error: &Error) {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|ConnectInfo(addr)| tracing::field::display(addr));
        let path = parts.uri.path();
        match self.due(Instant::now()) {
            Some(untold) => {
                tracing::info!(trace, peer, path, untold, "a key was refused: {error}");
            }
            None => tracing::debug!(trace, peer, path, "a key was refused: {error}"),
        }
    }

    /// Whether this one is told to everyone, and how many before it were not.
    fn due(&self, now: Instant) -> Option<u64> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.told.is_some_and(|told| now - told < TOLD_EACH) {
            recent.since += 1;
            return None;
        }
        recent.told = Some(now);
        Some(std::mem::take(&mut recent.since))
    }
}

impl Door {
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
            && error.code() == "T0004"
        {
            self.refusals.log(parts, trace, error);
        }
        caller
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
        let cx = self.cx_of(&Caller::App, &Client::default());
        match users(cx, id.to_owned()).await {
            Ok(Some(user)) => Ok(user),
            Ok(None) => Err(Error::of("T0004").with_message("The app does not know this person.")),
            Err(error) => Err(hook_broke("users", error)),
        }
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
        let cx = self.cx_of(&Caller::App, &Client::default());
        match identify(cx, Arc::new(parts.clone())).await {
            Ok(Some(user)) => Ok(Caller::User(Arc::new(user))),
            Ok(None) => Ok(Caller::Nobody),
            Err(error) => Err(hook_broke("identify", error)),
        }
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

/// A stated failure of a hook is passed on; anything else is for the log.
fn hook_broke(hook: &'static str, error: Error) -> Error {
    if error.code() == "T0012" {
        tracing::error!(hook, chain = ?error.chain(), "a hook of the app broke");
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_refused_key_a_second_is_told_to_everyone_and_the_others_are_counted() {
        let refusals = Refusals::default();
        let start = Instant::now();
        let due = |millis| refusals.due(start + Duration::from_millis(millis));
        assert_eq!(due(0), Some(0));
        assert_eq!([due(1), due(500), due(999)], [None; 3]);
        assert_eq!(due(1000), Some(3));
        assert_eq!(due(1001), None);
        assert_eq!(due(5000), Some(1));
    }
}
