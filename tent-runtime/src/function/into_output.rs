//! What a function may return: [`IntoOutput`] for functions and resources, [`IntoPrompt`] for prompts, and
//! [`IntoError`] for errors.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Content, Output, OutputDeclaration, PromptMessage, PromptResult, WithContent};
use crate::bounded;
use crate::error::{Error, Result};

/// A type that a function may return.
///
/// The parameter `By` only tells the implementations apart, and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a valid return type: it must implement `Serialize`, and `JsonSchema` of tent's `schemars`",
    label = "not a valid return type",
    note = "help: write #[tent::data] on the type, or derive `serde::Serialize` and `tent::schemars::JsonSchema` (schemars 1) for it; for text, images and files, return `tent::Content`"
)]
pub trait IntoOutput<By> {
    /// What a declaration says about it.
    const DECLARATION: OutputDeclaration;

    /// Converts it into an output.
    ///
    /// # Errors
    /// T0012 if the `Serialize` of the value fails, if the value nests deeper than 127 arrays and objects, or if it has a
    /// number that JSON does not have: NaN or an infinity, also in an `Option`.
    fn into_output(self) -> Result<Output>;
}

/// Marks a value.
#[derive(Debug)]
pub enum ByValue {}

/// Marks content.
#[derive(Debug)]
pub enum ByContent {}

/// Marks a value with content.
#[derive(Debug)]
pub enum ByBoth {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput<ByValue> for T {
    const DECLARATION: OutputDeclaration =
        OutputDeclaration::Value(|generator| generator.subschema_for::<T>());

    fn into_output(self) -> Result<Output> {
        WithContent::new(self, []).into_output()
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for Content {
    const DECLARATION: OutputDeclaration = OutputDeclaration::Content;

    fn into_output(self) -> Result<Output> {
        vec![self].into_output()
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for Vec<Content> {
    const DECLARATION: OutputDeclaration = OutputDeclaration::Content;

    fn into_output(self) -> Result<Output> {
        Ok(Output {
            content: self,
            ..Output::default()
        })
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput<ByBoth> for WithContent<T> {
    const DECLARATION: OutputDeclaration = <T as IntoOutput<ByValue>>::DECLARATION;

    fn into_output(self) -> Result<Output> {
        Ok(Output {
            value: Some(bounded::into_raw_value(self.value)?),
            content: self.content,
            replaces_text: self.replaces_text,
            meta: self.meta,
            ..Output::default()
        })
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for WithContent<Content> {
    const DECLARATION: OutputDeclaration = OutputDeclaration::Content;

    fn into_output(self) -> Result<Output> {
        let mut content = vec![self.value];
        content.extend(self.content);
        Ok(Output {
            content,
            meta: self.meta,
            ..Output::default()
        })
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for WithContent<Vec<Content>> {
    const DECLARATION: OutputDeclaration = OutputDeclaration::Content;

    fn into_output(self) -> Result<Output> {
        let mut content = self.value;
        content.extend(self.content);
        Ok(Output {
            content,
            meta: self.meta,
            ..Output::default()
        })
    }
}

/// A type that a prompt may return.
///
/// The parameter `By` only tells the implementations apart, and is always inferred.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a valid return type of a prompt: a prompt returns messages",
    label = "not messages",
    note = "help: return `tent::PromptMessage`, `Vec<tent::PromptMessage>`, `tent::PromptResult`, or a `String` that the user says; or a `Result` of one"
)]
pub trait IntoPrompt<By> {
    /// Converts it into messages.
    fn into_prompt(self) -> PromptResult;
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByBoth> for PromptResult {
    fn into_prompt(self) -> PromptResult {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByContent> for Vec<PromptMessage> {
    fn into_prompt(self) -> PromptResult {
        PromptResult::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByContent> for PromptMessage {
    fn into_prompt(self) -> PromptResult {
        vec![self].into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByValue> for String {
    fn into_prompt(self) -> PromptResult {
        PromptMessage::user(self).into_prompt()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByValue> for &'static str {
    fn into_prompt(self) -> PromptResult {
        PromptMessage::user(self).into_prompt()
    }
}

/// An error type that a function may return.
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: tent cannot convert `{Self}` into an error response",
    label = "not a valid error type",
    note = "help: return `tent::Error`, a type that derives `tent::Failure`, or one that implements `std::error::Error` and is `Send + Sync + 'static`"
)]
pub trait IntoError {
    /// Converts it into tent's error.
    fn into_error(self) -> Error;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Error>> IntoError for E {
    fn into_error(self) -> Error {
        self.into()
    }
}
