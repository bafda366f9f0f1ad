//! From what a function returns to its [`Output`], and the compiler's own reading of the return type:
//! `Result<T, E>` is told from a plain value whatever alias is used, by [`Probe`].
//!
//! Nothing here looks at a name. An inherent constant wins over one of a trait, so
//! `Probe::<R>::KIND` is [`Failing`] where `R` is a `Result`, and [`Plain`] otherwise. Neither carries
//! a bound: serde serialises a `Result` too, so that an arm whose bound failed would fall through
//! to the other and send the error as a value. The bounds are asked after, by `giver`.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    BoxFuture, Content, Output, OutputDeclaration, PromptMessage, PromptResult, WithContent,
};
use crate::error::{Error, Result};

/// What a function may give.
///
/// `By` only tells the implementations apart; nobody names it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be what a function gives: it needs `Serialize`, and `JsonSchema` of the `schemars` that tent is built with",
    label = "not an answer",
    note = "help: write #[tent::data] on the type, or derive `serde::Serialize` and `tent::schemars::JsonSchema` (schemars 1) for it; text, images and files are `tent::Content`"
)]
pub trait IntoOutput<By> {
    /// What is known of it before it is there.
    const OUTPUT: OutputDeclaration;

    /// It, as an answer.
    ///
    /// # Errors
    /// T0012 for a value that its own `Serialize` refuses.
    fn answer(self) -> Result<Output>;
}

/// Tells a value apart in [`IntoOutput`].
#[derive(Debug)]
pub enum ByValue {}

/// Tells content apart in [`IntoOutput`].
#[derive(Debug)]
pub enum ByContent {}

/// Tells a value beside content apart in [`IntoOutput`].
#[derive(Debug)]
pub enum ByBoth {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput<ByValue> for T {
    const OUTPUT: OutputDeclaration =
        OutputDeclaration::Value(|generator| generator.subschema_for::<T>());

    fn answer(self) -> Result<Output> {
        WithContent::new(self, []).answer()
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for Content {
    const OUTPUT: OutputDeclaration = OutputDeclaration::Content;

    fn answer(self) -> Result<Output> {
        vec![self].answer()
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for Vec<Content> {
    const OUTPUT: OutputDeclaration = OutputDeclaration::Content;

    fn answer(self) -> Result<Output> {
        Ok(Output {
            content: self,
            ..Output::default()
        })
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoOutput<ByBoth> for WithContent<T> {
    const OUTPUT: OutputDeclaration = <T as IntoOutput<ByValue>>::OUTPUT;

    fn answer(self) -> Result<Output> {
        Ok(Output {
            value: Some(serde_json::value::to_raw_value(&self.value)?),
            content: self.content,
            shown: self.shown,
            meta: self.meta,
            ..Output::default()
        })
    }
}

#[diagnostic::do_not_recommend]
impl IntoOutput<ByContent> for WithContent<Content> {
    const OUTPUT: OutputDeclaration = OutputDeclaration::Content;

    fn answer(self) -> Result<Output> {
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
    const OUTPUT: OutputDeclaration = OutputDeclaration::Content;

    fn answer(self) -> Result<Output> {
        let mut content = self.value;
        content.extend(self.content);
        Ok(Output {
            content,
            meta: self.meta,
            ..Output::default()
        })
    }
}

/// What a prompt may give.
///
/// `By` only tells the implementations apart; nobody names it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be what a prompt gives: it gives messages",
    label = "no messages",
    note = "help: return `tent::Message`, `Vec<tent::Message>`, `tent::Prompted`, or a `String` that the person says; or a `Result` of one"
)]
pub trait IntoPrompt<By> {
    /// It, as messages.
    fn prompted(self) -> PromptResult;
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByBoth> for PromptResult {
    fn prompted(self) -> PromptResult {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByContent> for Vec<PromptMessage> {
    fn prompted(self) -> PromptResult {
        PromptResult::new(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByContent> for PromptMessage {
    fn prompted(self) -> PromptResult {
        vec![self].prompted()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByValue> for String {
    fn prompted(self) -> PromptResult {
        PromptMessage::user(self).prompted()
    }
}

#[diagnostic::do_not_recommend]
impl IntoPrompt<ByValue> for &'static str {
    fn prompted(self) -> PromptResult {
        PromptMessage::user(self).prompted()
    }
}

fn spoken<By>(messages: impl IntoPrompt<By>) -> Result<Output> {
    Ok(Output {
        prompted: Some(messages.prompted()),
        ..Output::default()
    })
}

/// Does not compile for what gives `()`: a resource that is there holds something, be it an empty text.
pub const fn gives_something(nothing: bool) {
    assert!(
        !nothing,
        "T7005 unsupported-signature: a resource gives what is read, and this one gives nothing: return a String, a tent::Content, or a value"
    );
}

/// What a function may fail with.
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: `{Self}` is no error type that tent can answer with",
    label = "not a failure",
    note = "help: return `tent::Error`, a type that derives `tent::Failure`, or one that implements `std::error::Error` and is `Send + Sync + 'static`"
)]
pub trait IntoError {
    /// It, as tent's own error.
    fn error(self) -> Error;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Error>> IntoError for E {
    fn error(self) -> Error {
        self.into()
    }
}

/// Asks the compiler about a return type; see the top of this module.
#[derive(Debug)]
pub struct Probe<R>(PhantomData<fn() -> R>);

/// The answers of [`Probe`] for every type that it has none of its own for.
pub trait Otherwise {
    /// The type itself.
    type Type;
    /// It is no `Result`.
    const KIND: Plain<Self::Type> = Plain(PhantomData);
    /// It is neither `()` nor a `Result` of it.
    const NOTHING: bool = false;
    /// It is no `Result` whose error is a mere text.
    const TEXT: NoText = NoText;
}

impl<R> Otherwise for Probe<R> {
    type Type = R;
}

impl<T, E> Probe<Result<T, E>> {
    /// It is a `Result`.
    pub const KIND: Failing<T, E> = Failing(PhantomData);
}

impl Probe<()> {
    /// It is `()`.
    pub const NOTHING: bool = true;
}

impl<E> Probe<Result<(), E>> {
    /// It is a `Result` of `()`.
    pub const NOTHING: bool = true;
}

/// No text where an error should be.
#[derive(Debug)]
pub struct NoText;

impl NoText {
    /// Good.
    pub const fn tent_refuse(self) {}
}

/// A text where an error should be. Every text turns into a `Box<dyn Error>`, so that [`IntoError`] alone
/// would let one through, and it would be neither stated nor findable.
#[derive(Debug)]
pub struct Text<E>(PhantomData<fn() -> E>);

/// Implemented for no type: asking for it is how a text is refused.
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: `{Self}` is a text and no error type that tent can answer with",
    label = "not a failure",
    note = "help: return `tent::Error` (`tent::Error::declared(…)` for a message to the caller), a type that derives `tent::Failure`, or one that implements `std::error::Error`"
)]
pub trait NotText {}

impl<E> Text<E> {
    /// Does not compile.
    pub const fn tent_refuse(self)
    where
        E: NotText,
    {
    }
}

macro_rules! text {
    ($($type:ty),* $(,)?) => {$(
        impl<'a, T> Probe<Result<T, $type>> {
            /// Its error is a mere text.
            pub const TEXT: Text<$type> = Text(PhantomData);
        }
    )*};
}

text!(String, &'a str, Cow<'a, str>);

/// A return type that is no `Result`.
#[derive(Debug)]
pub struct Plain<R>(PhantomData<fn() -> R>);

/// A return type that is a `Result`.
#[derive(Debug)]
pub struct Failing<T, E>(PhantomData<fn() -> (T, E)>);

impl<R> Plain<R> {
    /// How such a return becomes an answer; `nothing` where it is `()`.
    pub const fn tent_giver<By>(self, nothing: bool) -> Giver<R>
    where
        R: IntoOutput<By>,
    {
        if nothing {
            return Giver {
                output: OutputDeclaration::Nothing,
                answer: |_| Ok(Output::default()),
            };
        }
        Giver {
            output: R::OUTPUT,
            answer: R::answer,
        }
    }

    /// How such a return becomes the answer of a prompt.
    pub const fn tent_speaker<By>(self) -> Giver<R>
    where
        R: IntoPrompt<By>,
    {
        Giver {
            output: OutputDeclaration::Content,
            answer: spoken,
        }
    }
}

impl<T, E> Failing<T, E> {
    /// How such a return becomes an answer; `nothing` where its value is `()`.
    pub const fn tent_giver<By>(self, nothing: bool) -> Giver<Result<T, E>>
    where
        T: IntoOutput<By>,
        E: IntoError,
    {
        if nothing {
            return Giver {
                output: OutputDeclaration::Nothing,
                answer: |returned| match returned {
                    Ok(_) => Ok(Output::default()),
                    Err(error) => Err(error.error()),
                },
            };
        }
        Giver {
            output: T::OUTPUT,
            answer: |returned| match returned {
                Ok(value) => value.answer(),
                Err(error) => Err(error.error()),
            },
        }
    }

    /// How such a return becomes the answer of a prompt.
    pub const fn tent_speaker<By>(self) -> Giver<Result<T, E>>
    where
        T: IntoPrompt<By>,
        E: IntoError,
    {
        Giver {
            output: OutputDeclaration::Content,
            answer: |returned| match returned {
                Ok(messages) => spoken(messages),
                Err(error) => Err(error.error()),
            },
        }
    }
}

/// How what a function returns becomes its answer.
#[derive(Debug)]
pub struct Giver<R> {
    output: OutputDeclaration,
    answer: fn(R) -> Result<Output>,
}

impl<R> Giver<R> {
    /// What is known of the answer before the function ran.
    pub const fn output(&self) -> OutputDeclaration {
        self.output
    }

    /// The answer of a function that has returned.
    ///
    /// # Errors
    /// What the function failed with.
    pub fn give(self, returned: R) -> Result<Output> {
        (self.answer)(returned)
    }

    /// The answer of a function that is still to run.
    pub fn later<'a, F>(self, future: F) -> BoxFuture<'a, Result<Output>>
    where
        F: Future<Output = R> + Send + 'a,
        R: 'a,
    {
        Box::pin(async move { (self.answer)(future.await) })
    }
}

/// The answer of an async function that is not run.
pub fn failed<'a>(error: Error) -> BoxFuture<'a, Result<Output>> {
    Box::pin(std::future::ready(Err(error)))
}
