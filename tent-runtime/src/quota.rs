//! [`Quota`]: how much of something the callers have, each and together.
//! Must not know what it counts.

use std::collections::HashMap;

/// How much of something there is, in total and by quota key. Each operation is O(1).
#[derive(Debug, Default)]
pub(crate) struct Quota {
    total: usize,
    by_key: HashMap<Box<str>, usize>,
}

/// The bound that an amount would exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exceeded {
    Total,
    OfOne,
}

impl Quota {
    /// Takes an amount for a quota key, which may have `max_of_one`. All keys together may have `max`.
    pub(crate) fn take(
        &mut self,
        key: &str,
        amount: usize,
        max_of_one: usize,
        max: usize,
    ) -> Result<(), Exceeded> {
        let total = self.total.saturating_add(amount);
        let of_one = self.by_key.get(key).copied().unwrap_or_default();
        let of_one = of_one.saturating_add(amount);
        if amount > 0 && total > max {
            return Err(Exceeded::Total);
        }
        if amount > 0 && of_one > max_of_one {
            return Err(Exceeded::OfOne);
        }
        self.total = total;
        if of_one > 0 {
            self.by_key.insert(key.into(), of_one);
        }
        Ok(())
    }

    pub(crate) fn give_back(&mut self, key: &str, amount: usize) {
        self.total = self.total.saturating_sub(amount);
        if let Some(of_one) = self.by_key.get_mut(key) {
            *of_one = of_one.saturating_sub(amount);
            if *of_one == 0 {
                self.by_key.remove(key);
            }
        }
    }

    /// The total, and how many keys have a part of it.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> (usize, usize) {
        (self.total, self.by_key.len())
    }
}
