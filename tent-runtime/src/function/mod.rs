//! What a function is to tent: its [`Declaration`], which the macros write, and the [`Output`] that it
//! gives. Knows no wire format, and calls nothing: only the door calls.

mod answer;
mod declaration;
#[doc(hidden)]
pub mod expansion;
mod field;
mod gives;
mod input;
mod message;
mod parts;
mod promised;
mod role;
mod rule;

pub use crate::content::{Annotations, Content, Icon, Icons, Meta, ResourceInfo, Role, Theme};
pub(crate) use crate::content::{Held, Piece, Resource as Embedded, web_address};
pub use answer::{Output, WithContent};
pub use declaration::{
    Access, Body, Declaration, Entry, Input, Kind, Link, Location, OutputDeclaration, Rule,
};
pub use gives::{IntoError, IntoOutput, IntoPrompt};
pub(crate) use input::Misread;
pub use input::{Described, Owned};
pub use message::{PromptMessage, PromptResult};
pub use parts::{FromApp, StateRequirement};
pub use promised::{IntoResult, IntoResultFuture};
pub use role::{Complete, Completer, Lister, Primitive, Resource};
pub use rule::IntoDecision;

use std::future::Future;
use std::pin::Pin;

/// A boxed future that can go to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
