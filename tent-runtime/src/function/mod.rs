//! The functions of an app: [`Function`], the [`Declaration`] that a macro writes, the [`FunctionBuilder`] that makes one
//! at run time, and the traits of parameters and results.
//!
//! Knows no wire format and runs nothing: only `dispatch` calls a handler.

mod access;
mod access_rule;
mod builder;
mod declaration;
mod definition;
mod diagnostic;
#[doc(hidden)]
pub(crate) mod expansion;
mod field;
mod from_app;
mod handler;
mod input;
mod into_output;
mod into_result;
mod output;
mod primitive;
mod prompt_result;
mod return_type;
mod started;
mod tool_annotations;
mod type_kind;

pub use crate::content::{Annotations, Content, Icon, Icons, Meta, ResourceInfo, Role, Theme};
pub(crate) use crate::content::{ContentKind, Resource as Embedded, ResourceData, web_address};
pub use access::{Access, Rule};
pub use access_rule::IntoDecision;
pub use builder::{FunctionBuilder, Handled};
pub use declaration::{
    AccessDeclaration, Body, Declaration, Entry, Input, Kind, Link, Location, OutputDeclaration,
    RuleDeclaration,
};
pub use definition::Function;
pub(crate) use definition::OutputShape;
pub use diagnostic::{Diagnostic, Diagnostics};
pub use from_app::StateRequirement;
pub use handler::{Execution, Handler, HandlerCall};
pub(crate) use input::Misread;
pub use input::Owned;
pub(crate) use into_output::IntoPrompt;
pub use into_output::{IntoError, IntoOutput};
pub use output::{Output, WithContent};
pub use primitive::{Complete, Lister, Primitive, Resource};
pub use prompt_result::{PromptMessage, PromptResult};
pub use tool_annotations::ToolAnnotations;

use std::future::Future;
use std::pin::Pin;

/// A boxed future that can go to another thread.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
