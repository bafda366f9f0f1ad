//! The check of a value: a document compiled into a [`Plan`] once, then walked for each call.
//!
//! Knows nothing of where documents come from. What fits allocates nothing, and no path through here
//! panics or recurses deeper than the value that is checked.

mod branches;
mod compile;
mod compile_scalars;
mod mask;
mod path;
mod plan;
mod scalars;
mod union;
mod walk;
mod words;

pub(super) use self::compile::compile;
pub(super) use self::path::Path;
pub(super) use self::plan::Plan;
pub(super) use self::walk::{Mode, Walk};
