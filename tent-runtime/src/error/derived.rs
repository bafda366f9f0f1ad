//! What the code that `#[derive(Failure)]` writes leans on: how a field of a failure is told to the
//! caller, what a transparent variant passes on, and what lies under a failure for the log.
//!
//! Nothing here decides what a failure is; the derive and [`Error`](super::Error) do.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{BoxError, Error, stated};

/// A field of a failure, asked whether it can be told.
///
/// The inherent method is there for what serialises, the one of [`Untold`] for the rest, so that the
/// compiler chooses by the type and not by how it is written.
#[doc(hidden)]
#[derive(Debug)]
pub struct Told<'a, T: ?Sized>(pub &'a T);

impl<T: Serialize + ?Sized> Told<'_, T> {
    /// The field as JSON; `None` of a value that JSON cannot show.
    pub fn value(&self) -> Option<Value> {
        serde_json::to_value(self.0).ok()
    }
}

/// What cannot be serialised is left out.
#[doc(hidden)]
pub trait Untold {
    /// Nothing.
    fn value(&self) -> Option<Value> {
        None
    }
}

impl<T: ?Sized> Untold for Told<'_, T> {}

/// Puts `value` in under `name`, where there is one.
#[doc(hidden)]
pub fn tell(failure: Error, name: &'static str, value: Option<Value>) -> Error {
    match value {
        Some(value) => failure.with_field(name, value),
        None => failure,
    }
}

/// The text of a message or a fix that holds fields.
#[doc(hidden)]
pub fn text(arguments: fmt::Arguments<'_>) -> Cow<'static, str> {
    match arguments.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(arguments.to_string()),
    }
}

/// What a transparent variant may hold: whatever `?` takes.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "T7013 failure-type: a transparent failure cannot pass on `{Self}`",
    label = "neither `tent::Error` nor an error",
    note = "help: hold a `tent::Error`, a type that derives `Failure`, or one that implements `std::error::Error`"
)]
pub trait Transparent {
    /// What `?` would make of it.
    fn failure(&self) -> Error;

    /// What lies under it, for the log.
    fn under(&self) -> Option<&(dyn StdError + 'static)>;
}

impl Transparent for Error {
    fn failure(&self) -> Error {
        self.clone()
    }

    fn under(&self) -> Option<&(dyn StdError + 'static)> {
        self.source().map(|source| source as _)
    }
}

impl<T: StdError + 'static> Transparent for T {
    fn failure(&self) -> Error {
        stated(self).unwrap_or_else(|| Error::of("T0012").with_message("The function broke."))
    }

    fn under(&self) -> Option<&(dyn StdError + 'static)> {
        match stated(self) {
            Some(_) => self.source(),
            None => Some(self),
        }
    }
}

/// What a field marked as a source may be. Called as a method, so that boxes and pointers are looked
/// through.
#[doc(hidden)]
pub trait AsSource {
    /// It, as an error.
    fn as_source(&self) -> Option<&(dyn StdError + 'static)>;
}

impl<T: StdError + 'static> AsSource for T {
    fn as_source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self)
    }
}

impl AsSource for Error {
    fn as_source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.0)
    }
}

macro_rules! as_source {
    ($($object:ty),+) => {$(
        impl AsSource for $object {
            fn as_source(&self) -> Option<&(dyn StdError + 'static)> {
                Some(self)
            }
        }
    )+};
}
as_source!(
    dyn StdError + 'static,
    dyn StdError + Send + 'static,
    dyn StdError + Send + Sync + 'static
);

/// What lies under an error, without the error's own message.
pub(super) struct Beneath(pub(super) BoxError);

impl Beneath {
    fn first(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for Beneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first()
            .map_or(Ok(()), |first| fmt::Display::fmt(first, f))
    }
}

impl fmt::Debug for Beneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl StdError for Beneath {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.first().and_then(StdError::source)
    }
}
