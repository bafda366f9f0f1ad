//! How generated code classifies a return type: [`ReturnProbe`] tells `Result<T, E>` from a plain value, whatever
//! alias the author uses, and gives the [`Converter`] from the returned value to an [`Output`].
//!
//! No code looks at the name of a type. An inherent constant wins over a constant of a trait, so
//! `ReturnProbe::<R>::KIND` is [`Fallible`] where `R` is a `Result`, and [`Infallible`] otherwise. Neither constant has a
//! bound: serde implements `Serialize` for `Result` too, so where a bound on the `Result` failed, the type would fall
//! through to `Infallible`, and the error would be sent as a value. The converters check the bounds afterwards.

use std::borrow::Cow;
use std::future::Future;
use std::marker::PhantomData;

use super::{BoxFuture, IntoError, IntoOutput, IntoPrompt, Output, OutputDeclaration};
use crate::error::{Error, Result};

/// Classifies the return type `R`.
#[derive(Debug)]
pub struct ReturnProbe<R>(PhantomData<fn() -> R>);

/// The constants of [`ReturnProbe`] for types without inherent ones.
pub trait NotResult {
    /// The type itself.
    type Type;
    /// It is not a `Result`.
    const KIND: Infallible<Self::Type> = Infallible(PhantomData);
    /// Whether it is `()` or a `Result` of it.
    const IS_UNIT: bool = false;
    /// The error type is not a text.
    const ERROR: NotText = NotText;
}

impl<R> NotResult for ReturnProbe<R> {
    type Type = R;
}

impl<T, E> ReturnProbe<Result<T, E>> {
    /// It is a `Result`.
    pub const KIND: Fallible<T, E> = Fallible(PhantomData);
}

impl ReturnProbe<()> {
    /// It is `()`.
    pub const IS_UNIT: bool = true;
}

impl<E> ReturnProbe<Result<(), E>> {
    /// It is a `Result` of `()`.
    pub const IS_UNIT: bool = true;
}

/// Fails to compile for a resource that returns `()`: a resource has contents, perhaps an empty text.
pub const fn reject_unit(is_unit: bool) {
    assert!(
        !is_unit,
        "T7005 unsupported-signature: a resource must have contents, and the return type is `()`: return a `String`, a `tent::Content`, or a value"
    );
}

/// The error type is not a text.
#[derive(Debug)]
pub struct NotText;

impl NotText {
    /// Compiles.
    pub const fn tent_reject_text(self) {}
}

/// The error type `E` is a text. Every text converts into a `Box<dyn Error>`, so [`IntoError`] alone would accept it;
/// the failure would have neither a code nor a type to search for.
#[derive(Debug)]
pub struct Text<E>(PhantomData<fn() -> E>);

/// A bound that no type satisfies: its error text rejects texts as errors.
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: `{Self}` is a text, not an error type",
    label = "not a valid error type",
    note = "help: return `tent::Error` (`tent::Error::declared(…)` for a message to the caller), a type that derives `tent::Failure`, or one that implements `std::error::Error`"
)]
pub trait ErrorType {}

impl<E> Text<E> {
    /// Fails to compile.
    pub const fn tent_reject_text(self)
    where
        E: ErrorType,
    {
    }
}

macro_rules! texts {
    ($($type:ty),* $(,)?) => {$(
        impl<'a, T> ReturnProbe<Result<T, $type>> {
            /// The error type is a text.
            pub const ERROR: Text<$type> = Text(PhantomData);
        }
    )*};
}

texts!(String, &'a str, Cow<'a, str>);

/// A return type that is not a `Result`.
#[derive(Debug)]
pub struct Infallible<R>(PhantomData<fn() -> R>);

/// A return type that is a `Result`.
#[derive(Debug)]
pub struct Fallible<T, E>(PhantomData<fn() -> (T, E)>);

impl<R> Infallible<R> {
    /// The converter into the output of a function; `is_unit` says that `R` is `()`.
    pub const fn tent_output<By>(self, is_unit: bool) -> Converter<R>
    where
        R: IntoOutput<By>,
    {
        if is_unit {
            return Converter {
                declaration: OutputDeclaration::Nothing,
                convert: |_| Ok(Output::default()),
            };
        }
        Converter {
            declaration: R::DECLARATION,
            convert: R::into_output,
        }
    }

    /// The converter into the output of a prompt.
    pub const fn tent_prompt<By>(self) -> Converter<R>
    where
        R: IntoPrompt<By>,
    {
        Converter {
            declaration: OutputDeclaration::Content,
            convert: |messages| Ok(prompt_output(messages)),
        }
    }
}

impl<T, E> Fallible<T, E> {
    /// The converter into the output of a function; `is_unit` says that `T` is `()`.
    pub const fn tent_output<By>(self, is_unit: bool) -> Converter<Result<T, E>>
    where
        T: IntoOutput<By>,
        E: IntoError,
    {
        if is_unit {
            return Converter {
                declaration: OutputDeclaration::Nothing,
                convert: |returned| match returned {
                    Ok(_) => Ok(Output::default()),
                    Err(error) => Err(error.into_error()),
                },
            };
        }
        Converter {
            declaration: T::DECLARATION,
            convert: |returned| match returned {
                Ok(value) => value.into_output(),
                Err(error) => Err(error.into_error()),
            },
        }
    }

    /// The converter into the output of a prompt.
    pub const fn tent_prompt<By>(self) -> Converter<Result<T, E>>
    where
        T: IntoPrompt<By>,
        E: IntoError,
    {
        Converter {
            declaration: OutputDeclaration::Content,
            convert: |returned| match returned {
                Ok(messages) => Ok(prompt_output(messages)),
                Err(error) => Err(error.into_error()),
            },
        }
    }
}

fn prompt_output<By>(messages: impl IntoPrompt<By>) -> Output {
    Output {
        prompt: Some(messages.into_prompt()),
        ..Output::default()
    }
}

/// Converts what a function returns into its output.
#[derive(Debug)]
pub struct Converter<R> {
    declaration: OutputDeclaration,
    convert: fn(R) -> Result<Output>,
}

impl<R> Converter<R> {
    /// What the declaration says about the output.
    pub const fn declaration(&self) -> OutputDeclaration {
        self.declaration
    }

    /// Converts what a plain function returned.
    ///
    /// # Errors
    /// The error of the function.
    pub fn convert(self, returned: R) -> Result<Output> {
        (self.convert)(returned)
    }

    /// Runs an async function and converts what it returns.
    pub fn convert_future<'a, F>(self, future: F) -> BoxFuture<'a, Result<Output>>
    where
        F: Future<Output = R> + Send + 'a,
        R: 'a,
    {
        Box::pin(async move { (self.convert)(future.await) })
    }
}

/// The output of an async function that does not run because of `error`.
pub fn failed<'a>(error: Error) -> BoxFuture<'a, Result<Output>> {
    Box::pin(std::future::ready(Err(error)))
}
