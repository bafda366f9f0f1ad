//! The functions of an app: their [`Declaration`]s, which the macros write, the traits of their parameters and return
//! types, and the [`Output`] that they return. Knows no wire format, and runs nothing: only `dispatch` runs functions.

mod access_rule;
mod declaration;
#[doc(hidden)]
pub mod expansion;
mod field;
mod from_app;
mod input;
mod into_output;
mod into_result;
mod output;
mod primitive;
mod prompt_result;
mod return_type;
#[cfg(test)]
pub(crate) mod testing;

pub use crate::content::{Annotations, Content, Icon, Icons, Meta, ResourceInfo, Role, Theme};
pub(crate) use crate::content::{Held, Piece, Resource as Embedded, web_address};
pub use access_rule::{AccessRule, IntoDecision};
pub use declaration::{
    Access, Body, Declaration, Entry, Input, Kind, Link, Location, OutputDeclaration, Rule,
};
pub use from_app::{FromApp, StateRequirement};
pub(crate) use input::Misread;
pub use input::{Described, Owned};
pub use into_output::{IntoError, IntoOutput, IntoPrompt};
pub use into_result::{IntoResult, IntoResultFuture};
pub use output::{Output, WithContent};
pub use primitive::{Complete, Completer, Lister, Primitive, Resource};
pub use prompt_result::{PromptMessage, PromptResult};

use std::future::Future;
use std::pin::Pin;

/// A boxed future that can go to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
