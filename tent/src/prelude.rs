//! What an app's module needs to declare functions: `use tent::prelude::*;`.
//!
//! `Result` is the one whose error is [`Error`] unless another is named; it takes the place of the
//! standard one.

pub use crate::Annotations;
pub use crate::Caller;
pub use crate::Content;
pub use crate::Cx;
pub use crate::Error;
pub use crate::Failure;
pub use crate::PromptMessage;
pub use crate::PromptResult;
pub use crate::ResourceInfo;
pub use crate::Result;
pub use crate::Role;
pub use crate::Shared;
pub use crate::State;
pub use crate::User;
pub use crate::WithContent;
pub use crate::action;
pub use crate::change;
pub use crate::data;
pub use crate::input;
pub use crate::prompt;
pub use crate::query;
pub use crate::resource;
