//! Which resources a client is told of: `resources/subscribe` and `resources/unsubscribe` of the legacy era, and what a
//! subscription of the modern era may name.
//!
//! What sessions subscribed to is kept in this process, bounded.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::headers;
use super::kept::MOST_RESOURCES;
use super::params::{Shape, Text};
use super::reply::{self, Refusal, Reply};
use super::resources::failed;
use super::running::Key;
use super::served::asking;
use super::wire::Request;
use super::{Agreed, Asked, Mcp};
use crate::door::Door;
use crate::error::{Error, Result as Checked};

/// So many sessions have subscriptions; beyond that one of the others loses its own.
const MOST: usize = 10_000;

/// What the sessions subscribed to.
#[derive(Debug, Default)]
pub(super) struct Subscribed(Mutex<HashMap<Key, HashSet<String>>>);

impl Subscribed {
    /// Whether the session is told of this resource.
    pub(super) fn has(&self, key: &Key, uri: &str) -> bool {
        self.lock().get(key).is_some_and(|uris| uris.contains(uri))
    }

    /// # Errors
    /// Where the session has all the subscriptions that one may have.
    fn add(&self, key: Key, uri: String) -> Result<(), Refusal> {
        let mut sessions = self.lock();
        if sessions.len() >= MOST && !sessions.contains_key(&key) {
            let other = sessions.keys().next().cloned();
            other.map(|other| sessions.remove(&other));
        }
        let uris = sessions.entry(key).or_default();
        if uris.len() >= MOST_RESOURCES && !uris.contains(&uri) {
            return Err(Refusal::params(format!(
                "A session subscribes to at most {MOST_RESOURCES} resources: unsubscribe from one first."
            )));
        }
        uris.insert(uri);
        Ok(())
    }

    fn remove(&self, key: &Key, uri: &str) {
        let mut sessions = self.lock();
        if let Some(uris) = sessions.get_mut(key) {
            uris.remove(uri);
            if uris.is_empty() {
                sessions.remove(key);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, HashSet<String>>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether there is a resource that can be subscribed to, and a stream to be told on.
pub(super) fn is_served(door: &Door) -> bool {
    let mut resources = door.registry().resources().iter();
    door.settings().mcp.stream && resources.any(|resource| resource.stated.subscribe)
}

/// Whether this caller may be told of this resource.
///
/// # Errors
/// Those of reading it. What cannot be subscribed to is `false`.
pub(super) async fn may(
    mcp: &Mcp,
    asked: &Asked<'_>,
    agreed: &Agreed,
    uri: &str,
) -> Checked<bool, Error> {
    let found = mcp.door.may_read(uri, asking(asked, agreed)).await;
    found.map(|(resource, _)| resource.stated.subscribe)
}

/// Serves `resources/subscribe`, or with `on` false `resources/unsubscribe`.
pub(super) async fn serve(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: &Request<'_>,
    agreed: &Agreed,
    on: bool,
) -> Result<Reply, Refusal> {
    let (method, params) = (&request.method, &request.params);
    let uri = match &params.uri {
        Text::Is(uri) if params.shape == Shape::Object => &**uri,
        _ => {
            return Err(Refusal::params(format!(
                "{method} names a resource: its uri is a string."
            )));
        }
    };
    headers::name(&asked.parts.headers, uri, asked.mirrors(agreed.revision))?;
    let Some(nonce) = agreed.nonce else {
        return Err(Refusal::invalid(format!(
            "{method} is of a session, and this request is in none."
        )));
    };
    let key = Key::new(nonce, &asked.caller, "");
    let subscribed = mcp.notes.subscribed();
    if !on {
        subscribed.remove(&key, uri);
    } else if may(mcp, asked, agreed, uri)
        .await
        .map_err(|error| failed(mcp, &error, uri, agreed.revision))?
    {
        subscribed.add(key, uri.to_owned())?;
    } else {
        return Err(Refusal::params(
            "Nobody is told when this resource changes.",
        ));
    }
    let mut out = reply::begin(request.id, 2);
    out.extend_from_slice(b"{}");
    Ok(reply::end(out))
}
