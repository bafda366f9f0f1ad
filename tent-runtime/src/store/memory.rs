//! [`Memory`]: the store that ends with its process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Claim, KeyRecord, MOST_ROUNDS, Pending, Store};
use crate::clock::Time;
use crate::settings::Secret;

/// Keeps everything in this process, and nothing beyond it: for tests, and for servers that hand out no keys.
#[derive(Default)]
pub struct Memory(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    keys: BTreeMap<String, KeyRecord>,
    secrets: Vec<Secret>,
    ended_sessions: HashMap<Vec<u8>, Time>,
    rounds: HashMap<Vec<u8>, Round>,
}

struct Round {
    lease: Time,
    until: Time,
    outcome: Option<Vec<u8>>,
}

impl Memory {
    /// A panic while it was held left maps that are whole: each change of one is one step.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn add_key(&self, key: KeyRecord) -> Pending<'_, bool> {
        Box::pin(async move {
            let mut inner = self.lock();
            let is_new = !inner.keys.contains_key(&key.id);
            if is_new {
                inner.keys.insert(key.id.clone(), key);
            }
            Ok(is_new)
        })
    }

    fn key<'a>(&'a self, id: &'a str) -> Pending<'a, Option<KeyRecord>> {
        Box::pin(async move { Ok(self.lock().keys.get(id).cloned()) })
    }

    fn keys(&self) -> Pending<'_, Vec<KeyRecord>> {
        Box::pin(async move {
            let mut keys: Vec<KeyRecord> = self.lock().keys.values().cloned().collect();
            // The map is in order of ids, which a stable sort leaves where the times are equal.
            keys.sort_by_key(|key| key.created);
            Ok(keys)
        })
    }

    fn revoke_key<'a>(&'a self, id: &'a str, at: Time) -> Pending<'a, bool> {
        Box::pin(async move {
            let mut inner = self.lock();
            let Some(key) = inner.keys.get_mut(id) else {
                return Ok(false);
            };
            key.revoked.get_or_insert(at);
            Ok(true)
        })
    }

    fn secrets(&self, fresh: Secret) -> Pending<'_, Vec<Secret>> {
        Box::pin(async move {
            let mut inner = self.lock();
            if inner.secrets.is_empty() {
                inner.secrets.push(fresh);
            }
            Ok(inner.secrets.clone())
        })
    }

    fn end_session<'a>(&'a self, nonce: &'a [u8], until: Time, now: Time) -> Pending<'a, ()> {
        Box::pin(async move {
            let mut inner = self.lock();
            inner.ended_sessions.retain(|_, &mut until| now <= until);
            inner.ended_sessions.insert(nonce.to_vec(), until);
            Ok(())
        })
    }

    fn session_ended<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, bool> {
        Box::pin(async move { Ok(self.lock().ended_sessions.contains_key(nonce)) })
    }

    fn claim_round<'a>(
        &'a self,
        nonce: &'a [u8],
        lease: Time,
        until: Time,
        now: Time,
    ) -> Pending<'a, Claim> {
        Box::pin(async move {
            let mut inner = self.lock();
            if let Some(round) = inner.rounds.get(nonce) {
                return Ok(match &round.outcome {
                    Some(outcome) => Claim::Ended(outcome.clone()),
                    None => Claim::Running(round.lease),
                });
            }
            inner.rounds.retain(|_, round| now <= round.until);
            if inner.rounds.len() >= MOST_ROUNDS {
                return Ok(Claim::Full);
            }
            let round = Round {
                lease,
                until,
                outcome: None,
            };
            inner.rounds.insert(nonce.to_vec(), round);
            Ok(Claim::Taken)
        })
    }

    fn record_round<'a>(&'a self, nonce: &'a [u8], outcome: Vec<u8>) -> Pending<'a, ()> {
        Box::pin(async move {
            if let Some(round) = self.lock().rounds.get_mut(nonce) {
                round.outcome = Some(outcome);
            }
            Ok(())
        })
    }
}
