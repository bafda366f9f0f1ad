//! What a function is to tent: its [`Declaration`], which the macros write, and the [`Answer`] that it
//! gives. Knows no wire format, and calls nothing: only the door calls.

mod answer;
mod content;
mod declaration;
#[doc(hidden)]
pub mod expansion;
mod field;
mod gives;
mod icon;
mod input;
mod message;
mod parts;
mod promised;
mod role;
mod rule;

pub use answer::{Answer, With};
pub use content::{Annotations, Content, Listed, Role};
pub(crate) use content::{Held, Piece, Resource as Embedded};
pub use declaration::{
    Access, Body, Declaration, Entry, Input, Kind, Link, Location, Output, Rule,
};
pub use gives::{Fails, Gives, Speaks};
pub(crate) use icon::web_address;
pub use icon::{Icon, Icons, Theme};
pub(crate) use input::Misread;
pub use input::{Described, Owned};
pub use message::{Message, Prompted};
pub use parts::{Need, Part};
pub use promised::{Promised, Settled};
pub use role::{Complete, Completer, Lister, Resource, Serves};
pub use rule::Verdict;

use std::future::Future;
use std::pin::Pin;

/// A boxed future that can go to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
