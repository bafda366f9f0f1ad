//! The memory that subscriptions to resources may take, per caller and in total.
//! Must not know what is subscribed to.

use std::collections::HashMap;

use tent_core::codes;

use crate::error::Error;

/// The most bytes of one caller's subscriptions: enough for about 10,000 resources.
const MAX_OF_ONE: usize = 2 << 20;

/// The most bytes of all subscriptions.
const MAX: usize = 64 << 20;

/// The bytes that subscriptions take. Both bounds cost O(1).
#[derive(Debug, Default)]
pub(super) struct Quota {
    pub(super) total: usize,
    /// By quota key.
    pub(super) of_one: HashMap<Box<str>, usize>,
}

impl Quota {
    /// Takes bytes for a quota key.
    ///
    /// # Errors
    /// T0006 when a bound would be exceeded.
    pub(super) fn take(&mut self, key: &str, bytes: usize) -> Result<(), Error> {
        if bytes == 0 {
            return Ok(());
        }
        let of_one = self.of_one.get(key).copied().unwrap_or_default() + bytes;
        if of_one > MAX_OF_ONE || self.total + bytes > MAX {
            let message = "There are too many subscriptions to resources already.";
            return Err(Error::new(codes::TOO_MANY_REQUESTS).with_message(message));
        }
        self.total += bytes;
        self.of_one.insert(key.into(), of_one);
        Ok(())
    }

    pub(super) fn give_back(&mut self, key: &str, bytes: usize) {
        self.total = self.total.saturating_sub(bytes);
        if let Some(of_one) = self.of_one.get_mut(key) {
            *of_one = of_one.saturating_sub(bytes);
            if *of_one == 0 {
                self.of_one.remove(key);
            }
        }
    }
}
