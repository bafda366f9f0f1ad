//! [`TtlCache`]: answers of the store, or of the app, that are used again for less than a second.
//!
//! A caller with a thousand calls then asks once a second, and a change that another process makes is seen within a second.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::Time;

/// How long an answer is used again.
pub(crate) const TTL: Duration = Duration::from_secs(1);

/// A bounded number of answers, each with the time at which its lookup began.
pub(crate) struct TtlCache<K, V> {
    most: usize,
    inner: Mutex<Inner<K, V>>,
}

struct Inner<K, V> {
    answers: HashMap<K, (Time, V)>,
    /// The number of times that the cache was cleared.
    generation: u64,
}

/// A lookup that has begun. Its answer is not cached when the cache is cleared meanwhile: it may be older than the change
/// that cleared it.
#[derive(Clone, Copy)]
pub(crate) struct Lookup {
    at: Time,
    generation: u64,
}

impl<K: Eq + Hash, V: Clone> TtlCache<K, V> {
    /// Makes a cache for at most so many answers.
    pub(crate) fn new(most: usize) -> Self {
        TtlCache {
            most,
            inner: Mutex::new(Inner {
                answers: HashMap::new(),
                generation: 0,
            }),
        }
    }

    /// The answer for `key`, if it is fresh. An answer from the future is not fresh: the clock was set back, and its age
    /// is unknown.
    pub(crate) fn get<Q>(&self, key: &Q, now: Time) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let inner = self.lock();
        let (at, answer) = inner.answers.get(key)?;
        is_fresh(*at, now).then(|| answer.clone())
    }

    /// Begins a lookup. Call it before the store is asked.
    pub(crate) fn begin(&self, now: Time) -> Lookup {
        Lookup {
            at: now,
            generation: self.lock().generation,
        }
    }

    /// Caches the answer of a lookup.
    pub(crate) fn insert(&self, key: K, answer: V, lookup: Lookup) {
        let mut inner = self.lock();
        if inner.generation != lookup.generation {
            return;
        }
        if inner.answers.len() >= self.most && !inner.answers.contains_key(&key) {
            inner.answers.retain(|_, (at, _)| is_fresh(*at, lookup.at));
            // To make room costs a walk over all answers. Much room at once keeps a flood from paying it for each.
            if inner.answers.len() > self.most / 2 {
                inner.answers.clear();
            }
        }
        inner.answers.insert(key, (lookup.at, answer));
    }

    /// Removes all answers, and those of lookups that have begun.
    pub(crate) fn clear(&self) {
        let mut inner = self.lock();
        inner.answers.clear();
        inner.generation += 1;
    }

    /// A panic while it is locked leaves a whole map: each change is one step.
    fn lock(&self) -> MutexGuard<'_, Inner<K, V>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_fresh(at: Time, now: Time) -> bool {
    now.since(at).is_some_and(|age| age < TTL)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Time = Time::from_millis(10_000);

    #[test]
    fn an_answer_is_fresh_for_less_than_a_second() {
        let cache = TtlCache::new(4);
        cache.insert("a", 1, cache.begin(NOW));
        assert_eq!(cache.get(&"a", NOW), Some(1));
        assert_eq!(cache.get(&"a", Time::from_millis(10_999)), Some(1));
        assert_eq!(cache.get(&"a", Time::from_millis(11_000)), None);
        assert_eq!(cache.get(&"a", Time::from_millis(9_999)), None, "set back");
        assert_eq!(cache.get(&"b", NOW), None);
    }

    #[test]
    fn a_lookup_that_began_before_the_cache_was_cleared_is_not_cached() {
        let cache = TtlCache::new(4);
        let lookup = cache.begin(NOW);
        cache.insert("a", 1, lookup);
        cache.clear();
        cache.insert("b", 2, lookup);
        assert_eq!((cache.get(&"a", NOW), cache.get(&"b", NOW)), (None, None));
        cache.insert("b", 2, cache.begin(NOW));
        assert_eq!(cache.get(&"b", NOW), Some(2));
    }

    #[test]
    fn a_flood_does_not_grow_it() {
        let cache = TtlCache::new(8);
        for key in 0..1000 {
            cache.insert(key, key, cache.begin(NOW));
            assert!(cache.lock().answers.len() <= 8);
            assert_eq!(cache.get(&key, NOW), Some(key), "the last is always cached");
        }
        cache.clear();
        for key in 0..8 {
            cache.insert(key, key, cache.begin(NOW));
        }
        cache.insert(7, 70, cache.begin(NOW));
        assert_eq!(
            cache.lock().answers.len(),
            8,
            "a key that is present needs no room"
        );
        let later = Time::from_millis(20_000);
        cache.insert(9, 9, cache.begin(later));
        assert_eq!(cache.lock().answers.len(), 1, "old answers make room first");
    }
}
