//! [`Budget`]: the number of steps that one walk may take, and the results of its dry runs.
//!
//! Nested unions have as many combinations of branches as the number of branches to the power of their depth. The cache
//! makes a dry run visit each array and object once per node; the budget bounds what is left.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::compiled::NodeId;
use super::walk::{MAX_DEPTH, Mode};

/// The number of steps for each unit of the input's [`size`].
const STEPS_PER_UNIT: u64 = 16;
/// The number of steps that every walk may take.
const MIN_STEPS: u64 = 1_000_000;
/// The number of bytes of a string that count as one step.
const BYTES_PER_STEP: usize = 64;

/// The capacity up to which a cleared cache keeps its memory: clearing takes time in proportion to the capacity.
const KEPT_CAPACITY: usize = 1024;

/// Whether a value matches a node. The order is from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    /// It matches, but only with a string that is converted to another type.
    Coerced,
    Yes,
}

impl From<bool> for Match {
    fn from(fits: bool) -> Self {
        if fits { Match::Yes } else { Match::No }
    }
}

/// The remaining steps of one walk.
pub(super) struct Budget {
    left: u64,
    /// The results for arrays and objects. The key contains the address of the value, so an entry is correct only until
    /// the value changes or moves; [`forget`](Self::forget) clears them before that.
    cache: MatchCache,
}

pub(super) type MatchCache = HashMap<(NodeId, *const Value, Mode), Match>;

impl Budget {
    /// A budget without limit, for a walk that visits each value once.
    pub(super) fn plain() -> Self {
        Budget {
            left: u64::MAX,
            cache: HashMap::new(),
        }
    }

    /// The budget for an input of this size.
    pub(super) fn of(size: u64) -> Self {
        Budget {
            left: size.saturating_mul(STEPS_PER_UNIT).max(MIN_STEPS),
            ..Budget::plain()
        }
    }

    /// Spends the steps of one visit of `value`, without the values in it. Returns `false` if no steps are left.
    pub(super) fn take(&mut self, value: &Value) -> bool {
        self.spend_steps(own_size(value))
    }

    pub(super) fn spend_steps(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.left == 0
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn known(&self, id: NodeId, value: &Value, mode: Mode) -> Option<Match> {
        self.cache
            .get(&(id, std::ptr::from_ref(value), mode))
            .copied()
    }

    pub(super) fn remember(&mut self, id: NodeId, value: &Value, mode: Mode, fit: Match) {
        self.cache
            .insert((id, std::ptr::from_ref(value), mode), fit);
    }

    /// Clears the results, before any of the values changes.
    pub(super) fn forget(&mut self) {
        if self.cache.capacity() > KEPT_CAPACITY {
            self.cache = HashMap::new();
        } else {
            self.cache.clear();
        }
    }

    /// Replaces the results by an empty map, until [`restore_cache`](Self::restore_cache).
    pub(super) fn take_cache(&mut self) -> MatchCache {
        std::mem::take(&mut self.cache)
    }

    pub(super) fn restore_cache(&mut self, cache: MatchCache) {
        self.cache = cache;
    }
}

/// The size of a value: one for each value in it, and one for each 64 bytes of a string.
pub(super) fn size(value: &Value) -> u64 {
    size_within(value, 0)
}

/// The size of an object.
pub(super) fn size_of(object: &Map<String, Value>) -> u64 {
    object
        .values()
        .map(|value| size_within(value, 1))
        .sum::<u64>()
        + 1
}

fn size_within(value: &Value, depth: u16) -> u64 {
    let inner: u64 = match value {
        // The walk refuses deeper values without a visit.
        _ if depth > MAX_DEPTH => 0,
        Value::Array(items) => items.iter().map(|one| size_within(one, depth + 1)).sum(),
        Value::Object(object) => object.values().map(|one| size_within(one, depth + 1)).sum(),
        _ => 0,
    };
    inner + own_size(value)
}

pub(super) fn own_size(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + (text.len() / BYTES_PER_STEP) as u64,
        _ => 1,
    }
}
