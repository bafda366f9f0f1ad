//! The check of a value: a document compiled into a [`Plan`] once, then walked for each call.
//!
//! Knows nothing of where documents come from. What fits a plan without unions allocates nothing, and no
//! path through here panics or recurses deeper than the value that is checked. Nor does one check work
//! longer than its input is long: for a plan that may look at a value more than once (a union, `allOf`,
//! `not`), a check takes at most 16 steps for each value of the input and for each 64 bytes of its texts,
//! or a million, whichever is more, and refuses what would take longer (see [`work`]).

mod branches;
mod compile;
mod compile_scalars;
mod format;
mod mask;
mod path;
mod plan;
mod scalars;
mod tries;
mod union;
mod walk;
mod words;
mod work;

#[cfg(feature = "schema")]
pub(super) use self::compile::ENDLESS;
pub(super) use self::compile::{Purpose, compile};
pub(super) use self::format::Format;
pub(super) use self::path::Path;
pub(super) use self::plan::Plan;
pub(super) use self::walk::{Mode, Walk};
