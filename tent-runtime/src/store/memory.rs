//! [`Memory`]: the store that ends with its process.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::rounds::{Bounds, Claim, MOST_OUTCOME, RoundClaim, RoundState};
use super::{KeyRecord, Pending, Store};
use crate::clock::Time;
use crate::settings::Secret;

/// Keeps everything in this process, and nothing beyond it: for tests, and for servers that hand out no keys.
#[derive(Default)]
pub struct Memory {
    inner: Mutex<Inner>,
    bounds: Bounds,
}

#[derive(Default)]
struct Inner {
    keys: BTreeMap<String, KeyRecord>,
    secrets: Vec<Secret>,
    ended_sessions: HashMap<Vec<u8>, Time>,
    rounds: HashMap<Vec<u8>, Round>,
}

struct Round {
    caller: [u8; 32],
    lease: Time,
    until: Time,
    outcome: Option<Vec<u8>>,
}

impl Round {
    fn state(&self) -> RoundState {
        match &self.outcome {
            Some(outcome) => RoundState::Ended(outcome.clone()),
            None => RoundState::Running(self.lease),
        }
    }
}

/// How much there is of some rounds.
#[derive(Default)]
struct Sum {
    rounds: usize,
    bytes: usize,
    until: Option<Time>,
}

impl Sum {
    fn add(&mut self, round: &Round) {
        self.rounds += 1;
        self.bytes += round.outcome.as_ref().map_or(MOST_OUTCOME, Vec::len);
        self.until = Some(
            self.until
                .map_or(round.until, |until| until.min(round.until)),
        );
    }
}

impl Memory {
    /// With other bounds, for tests that reach them.
    #[cfg(test)]
    pub(super) fn bounded(bounds: Bounds) -> Self {
        Memory {
            bounds,
            ..Memory::default()
        }
    }

    /// A panic while it was held left maps that are whole: each change of one is one step.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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

    fn round<'a>(&'a self, nonce: &'a [u8]) -> Pending<'a, Option<RoundState>> {
        Box::pin(async move { Ok(self.lock().rounds.get(nonce).map(Round::state)) })
    }

    fn claim_round<'a>(&'a self, claim: RoundClaim<'a>) -> Pending<'a, Claim> {
        Box::pin(async move {
            let RoundClaim {
                nonce,
                caller,
                lease,
                until,
                now,
            } = claim;
            let mut inner = self.lock();
            if let Some(round) = inner.rounds.get(nonce) {
                return Ok(Claim::Before(round.state()));
            }
            inner.rounds.retain(|_, round| now <= round.until);
            let (mut own, mut all) = (Sum::default(), Sum::default());
            for round in inner.rounds.values() {
                all.add(round);
                if round.caller == *caller {
                    own.add(round);
                }
            }
            for (sum, most, of_caller) in [
                (own, self.bounds.of_caller, true),
                (all, self.bounds.of_all, false),
            ] {
                if most.is_full(sum.rounds, sum.bytes) {
                    let until = sum.until.unwrap_or(now);
                    return Ok(Claim::Full { of_caller, until });
                }
            }
            let round = Round {
                caller: *caller,
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
