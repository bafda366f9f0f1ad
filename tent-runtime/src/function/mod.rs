//! What a function is to tent: its [`Declaration`], which the macros write, and the [`Answer`] that it
//! gives. Knows no wire format, and calls nothing: only the door calls.

mod answer;
mod declaration;
#[doc(hidden)]
pub mod expansion;
mod field;
mod gives;
mod input;
mod parts;
mod rule;

pub use answer::{Answer, Content, With};
pub use declaration::{
    Access, Body, Declaration, Entry, Input, Kind, Link, Location, Output, Rule,
};
pub use gives::{Fails, Gives};
pub(crate) use input::Misread;
pub use input::{Described, Owned};
pub use parts::{Need, Part};
pub use rule::Verdict;

use std::future::Future;
use std::pin::Pin;

/// A boxed future that can go to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
