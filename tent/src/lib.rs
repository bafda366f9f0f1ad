//! tent.

#[doc = include_str!("../docs/action.md")]
pub use tent_macros::action;
#[doc = include_str!("../docs/change.md")]
pub use tent_macros::change;
#[doc = include_str!("../docs/query.md")]
pub use tent_macros::query;

/// What generated code names. Not for people: nothing of it is kept from one version to the next.
#[doc(hidden)]
pub mod __private {
    pub use tent_runtime::function::expansion::*;
}
