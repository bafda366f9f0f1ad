//! [`Kept`]: answers of the store that are given again for at most a second, so that a caller of a
//! thousand calls does not ask it a thousand times, and what another process has written is still seen
//! within that second.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::Time;

/// For how long an answer may be given again.
pub(crate) const LONGEST: Duration = Duration::from_secs(1);

/// A bounded number of answers, each with the moment before it was asked for.
pub(crate) struct Kept<K, V> {
    most: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V> {
    answers: HashMap<K, (Time, V)>,
    /// Counts how often everything was forgotten.
    round: u64,
}

/// Taken before the store is asked: what is forgotten meanwhile makes its answer too old to be kept.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    at: Time,
    round: u64,
}

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    /// For at most so many answers.
    pub(crate) fn new(most: usize) -> Self {
        Kept {
            most,
            inner: Mutex::new(Inner {
                answers: HashMap::new(),
                round: 0,
            }),
        }
    }

    /// The answer for `key`, if it is fresh. One from the future is not: the clock was set back, and
    /// nobody knows its age.
    pub(crate) fn fresh<Q>(&self, key: &Q, now: Time) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let inner = self.lock();
        let (at, answer) = inner.answers.get(key)?;
        is_fresh(*at, now).then(|| answer.clone())
    }

    /// To be called before the store is asked.
    pub(crate) fn ask(&self, now: Time) -> Asked {
        Asked {
            at: now,
            round: self.lock().round,
        }
    }

    /// Keeps what the store answered.
    pub(crate) fn keep(&self, key: K, answer: V, asked: Asked) {
        let mut inner = self.lock();
        if inner.round != asked.round {
            return;
        }
        if inner.answers.len() >= self.most && !inner.answers.contains_key(&key) {
            inner.answers.retain(|_, (at, _)| is_fresh(*at, asked.at));
            // Making room costs a walk over all; to make much of it keeps a flood from paying for each.
            if inner.answers.len() > self.most / 2 {
                inner.answers.clear();
            }
        }
        inner.answers.insert(key, (asked.at, answer));
    }

    /// Forgets everything, also what is being asked for just now.
    pub(crate) fn forget(&self) {
        let mut inner = self.lock();
        inner.answers.clear();
        inner.round += 1;
    }

    /// A panic while it was held left a map that is whole: each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Inner<K, V>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_fresh(at: Time, now: Time) -> bool {
    now.since(at).is_some_and(|age| age < LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(10_000);

    #[test]
    fn an_answer_is_fresh_for_less_than_a_second() {
        let kept = Kept::new(4);
        kept.keep("a", 1, kept.ask(NOW));
        assert_eq!(kept.fresh(&"a", NOW), Some(1));
        assert_eq!(kept.fresh(&"a", Time::from_millis(10_999)), Some(1));
        assert_eq!(kept.fresh(&"a", Time::from_millis(11_000)), None);
        assert_eq!(kept.fresh(&"a", Time::from_millis(9_999)), None, "set back");
        assert_eq!(kept.fresh(&"b", NOW), None);
    }

    #[test]
    fn what_was_asked_before_all_was_forgotten_is_not_kept() {
        let kept = Kept::new(4);
        let asked = kept.ask(NOW);
        kept.keep("a", 1, asked);
        kept.forget();
        kept.keep("b", 2, asked);
        assert_eq!((kept.fresh(&"a", NOW), kept.fresh(&"b", NOW)), (None, None));
        kept.keep("b", 2, kept.ask(NOW));
        assert_eq!(kept.fresh(&"b", NOW), Some(2));
    }

    #[test]
    fn a_flood_does_not_grow_it() {
        let kept = Kept::new(8);
        for key in 0..1000 {
            kept.keep(key, key, kept.ask(NOW));
            assert!(kept.lock().answers.len() <= 8);
            assert_eq!(kept.fresh(&key, NOW), Some(key), "the last is always kept");
        }
        kept.forget();
        for key in 0..8 {
            kept.keep(key, key, kept.ask(NOW));
        }
        kept.keep(7, 70, kept.ask(NOW));
        assert_eq!(
            kept.lock().answers.len(),
            8,
            "one that is there needs no room"
        );
        let later = Time::from_millis(20_000);
        kept.keep(9, 9, kept.ask(later));
        assert_eq!(kept.lock().answers.len(), 1, "the old ones make room first");
    }
}
