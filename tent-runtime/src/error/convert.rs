//! Conversions between [`Error`] and other error types, for `?` in both directions.
//!
//! Into [`Error`], one blanket implementation takes everything that turns into a [`BoxError`]: every `std::error::Error`,
//! `anyhow::Error`, boxed errors and texts. Rust's coherence rules then forbid two things:
//!
//! - `Error` cannot implement `std::error::Error`, and
//! - `Error` cannot turn into a [`BoxError`],
//!
//! because either would make `impl From<T> for T` overlap with the blanket implementation. Out of [`Error`] there are
//! therefore the conversions below. In each, the error still provides itself as a failure, so `?` in a
//! function of tent turns it back into the same [`Error`].
//!
//! | `?` into | by |
//! |---|---|
//! | `Box<dyn std::error::Error>` | `From` |
//! | `anyhow::Error` | `From`, with the feature `anyhow` |
//! | [`BoxError`] and others | `.map_err(Error::into_boxed)` |
//! | any of them, from [`App::build`](crate::server::App::build) and `serve` | [`StartError`], a `std::error::Error` |

use std::error::Error as StdError;
use std::fmt;
use std::ops::Deref;

use tent_core::codes;

use super::failure::{declared_failure, provide_failure};
use super::{BoxError, Error};
use crate::bounded;

/// Why an app does not start. `?` turns it into any error type that takes a `std::error::Error`, and into an [`Error`].
///
/// It dereferences to the [`Error`] with the code, the message and the fix.
///
/// ```
/// use tent::{BoxError, StartError};
/// fn open() -> Result<(), StartError> {
/// #   Ok(())
/// }
/// fn main() -> Result<(), BoxError> {
///     open()?;
///     Ok(())
/// }
/// ```
#[derive(Clone)]
pub struct StartError(Error);

impl From<Error> for StartError {
    fn from(error: Error) -> Self {
        StartError(error)
    }
}

impl Deref for StartError {
    type Target = Error;

    fn deref(&self) -> &Error {
        &self.0
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// As `Display`, with the fix: a `main` that returns the error prints this form.
impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.0.code(), self.0.name(), self.0)?;
        match self.0.fix() {
            "" => Ok(()),
            fix => write!(f, "\n  help: {fix}"),
        }
    }
}

impl StdError for StartError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        provide_failure(|| self.0.clone());
        self.0.source().map(|source| source as _)
    }
}

impl<E: Into<BoxError>> From<E> for Error {
    fn from(error: E) -> Self {
        let error = error.into();
        match declared_failure(&*error) {
            None => Error::unexpected(error),
            // The message of a declared failure goes to the caller. The log needs only its sources.
            Some(failure) if failure.source().is_none() && error.source().is_some() => {
                failure.with_source(WithoutMessage(error))
            }
            // A field that nests too deep makes an internal error of a failure.
            Some(failure) if failure.is(codes::INTERNAL) => {
                bounded::drop_deep(error);
                failure
            }
            Some(failure) => failure,
        }
    }
}

impl From<Error> for Box<dyn StdError> {
    fn from(error: Error) -> Self {
        error.into_boxed()
    }
}

#[cfg(feature = "anyhow")]
impl From<Error> for anyhow::Error {
    fn from(error: Error) -> Self {
        anyhow::Error::new(std::sync::Arc::unwrap_or_clone(error.0))
    }
}

impl Error {
    /// Turns the error into a box, for error types that take only a `std::error::Error`. `?` in a function of tent turns
    /// the box back into the same error.
    ///
    /// ```
    /// use tent::{BoxError, Error};
    /// fn fails() -> Result<(), Error> {
    ///     Err("the disk is full")?
    /// }
    /// fn job() -> Result<(), BoxError> {
    ///     fails().map_err(Error::into_boxed)?;
    ///     Ok(())
    /// }
    /// assert_eq!(Error::from(job().unwrap_err()).code(), "T0012");
    /// ```
    pub fn into_boxed(self) -> BoxError {
        Box::new(std::sync::Arc::unwrap_or_clone(self.0))
    }
}

/// The sources of an error, without its own message.
struct WithoutMessage(BoxError);

impl WithoutMessage {
    fn first(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for WithoutMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first()
            .map_or(Ok(()), |first| fmt::Display::fmt(first, f))
    }
}

impl fmt::Debug for WithoutMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl StdError for WithoutMessage {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.first().and_then(StdError::source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_code_through_a_box() {
        let error = Error::declared(crate::code!("A0007"), 409, "closed").with_field("day", 1);
        let back = Error::from(error.clone().into_boxed());
        assert_eq!((back.code(), back.status()), ("A0007", 409));
        assert_eq!(back.fields(), error.fields());
        let back = Error::from(StartError::from(error));
        assert_eq!(back.code(), "A0007");
    }
}
