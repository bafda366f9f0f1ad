//! tent.

pub use tent_macros::{action, change, query};

/// What generated code names. Not for people: nothing of it is kept from one version to the next.
#[doc(hidden)]
pub mod __private {
    pub use tent_runtime::function::expansion::*;
}
