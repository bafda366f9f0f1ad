//! How much work one check may do, and what it found out already, so that unions in unions, which could
//! be tried in as many ways as there are branches to the power of their depth, are tried in a bounded one.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::plan::Id;
use super::walk::{DEEPEST, Mode};

/// How many steps a check may take for each of the input's own [`size`].
const PER_SIZE: u64 = 16;
/// How many steps every check may take.
const LEAST: u64 = 1_000_000;
/// How many bytes of a text count as one step.
const BYTES: usize = 64;

/// The room for what was tried that is kept when it is forgotten.
const KEPT: usize = 1024;

/// How well a value fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    No,
    /// A string was taken for something else, though the wire has more than strings.
    Coerced,
    Yes,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Fit::Yes } else { Fit::No }
    }
}

/// The work of one check.
pub(super) struct Work {
    left: u64,
    /// How the lists and objects fitted that were tried. The key has the address of the value: it stands
    /// for the value only as long as that is neither changed nor moved, see [`forget`](Self::forget).
    tried: Tried,
}

pub(super) type Tried = HashMap<(Id, *const Value, Mode), Fit>;

impl Work {
    /// Without bound: for what visits each value once.
    pub(super) fn plain() -> Self {
        Work {
            left: u64::MAX,
            tried: HashMap::new(),
        }
    }

    /// For the check of an input of this size.
    pub(super) fn of(size: u64) -> Self {
        Work {
            left: size.saturating_mul(PER_SIZE).max(LEAST),
            ..Work::plain()
        }
    }

    /// Takes the steps that a look at `value` itself costs; `false` where none are left.
    pub(super) fn take(&mut self, value: &Value) -> bool {
        self.take_steps(own_size(value))
    }

    pub(super) fn take_steps(&mut self, steps: u64) -> bool {
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    #[cfg(test)]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn known(&self, id: Id, value: &Value, mode: Mode) -> Option<Fit> {
        self.tried
            .get(&(id, std::ptr::from_ref(value), mode))
            .copied()
    }

    pub(super) fn note(&mut self, id: Id, value: &Value, mode: Mode, fit: Fit) {
        self.tried
            .insert((id, std::ptr::from_ref(value), mode), fit);
    }

    /// Forgets what was tried, before any of those values is looked at in another form.
    pub(super) fn forget(&mut self) {
        // To clear a map takes as long as it once was large.
        if self.tried.capacity() > KEPT {
            self.tried = HashMap::new();
        } else {
            self.tried.clear();
        }
    }

    /// Goes on with nothing tried, until [`take_up`](Self::take_up).
    pub(super) fn set_aside(&mut self) -> Tried {
        std::mem::take(&mut self.tried)
    }

    pub(super) fn take_up(&mut self, tried: Tried) {
        self.tried = tried;
    }
}

/// The size of a value: one for each value in it, and one more for each 64 bytes of a text.
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
        // What lies deeper is refused before it is looked at.
        _ if depth > DEEPEST => 0,
        Value::Array(items) => items.iter().map(|one| size_within(one, depth + 1)).sum(),
        Value::Object(object) => object.values().map(|one| size_within(one, depth + 1)).sum(),
        _ => 0,
    };
    inner + own_size(value)
}

fn own_size(value: &Value) -> u64 {
    match value {
        Value::String(text) => 1 + (text.len() / BYTES) as u64,
        _ => 1,
    }
}
