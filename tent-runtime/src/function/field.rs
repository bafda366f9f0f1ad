//! The `const` steps by which generated code states a field, one for each option of `#[arg]`. Each
//! step only puts down what was written.

use serde::Serialize;
use serde_json::Value;

use super::input::Described;
use crate::schema::{Bound, Field};

/// A field of type `T` with nothing else stated.
pub const fn field<T: Described>(name: &'static str) -> Field {
    Field {
        schema: T::schema,
        ..Field::new::<()>(name)
    }
}

#[doc(hidden)]
impl Field {
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    pub const fn title(mut self, title: &'static str) -> Self {
        self.title = Some(title);
        self
    }

    pub const fn default_json(mut self, default: fn() -> Option<Value>) -> Self {
        self.default = Some(default);
        self
    }

    pub const fn min(mut self, bound: Bound) -> Self {
        self.rules.min = Some(bound);
        self
    }

    pub const fn max(mut self, bound: Bound) -> Self {
        self.rules.max = Some(bound);
        self
    }

    pub const fn min_len(mut self, length: u64) -> Self {
        self.rules.min_len = Some(length);
        self
    }

    pub const fn max_len(mut self, length: u64) -> Self {
        self.rules.max_len = Some(length);
        self
    }

    pub const fn pattern(mut self, pattern: &'static str) -> Self {
        self.rules.pattern = Some(pattern);
        self
    }

    pub const fn example(mut self, example: fn() -> Option<Value>) -> Self {
        self.rules.example = Some(example);
        self
    }

    pub const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    pub const fn header(mut self, header: &'static str) -> Self {
        self.header = Some(header);
        self
    }
}

/// A default on its way to JSON: as its type serialises it, or not at all where its type does not.
/// Inherent methods win over those of a trait, so [`Unshown`] only answers for the second.
#[derive(Debug)]
pub struct Shown<'a, T>(pub &'a T);

impl<T: Serialize> Shown<'_, T> {
    /// The value as JSON.
    pub fn tent_shown(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// See [`Shown`].
pub trait Unshown {
    /// Nothing.
    fn tent_shown(&self) -> Option<Value> {
        None
    }
}

impl<T> Unshown for Shown<'_, T> {}

/// An example as JSON.
pub fn example(value: &impl Serialize) -> Option<Value> {
    serde_json::to_value(value).ok()
}
