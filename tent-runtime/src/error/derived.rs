//! What the code that `#[derive(Failure)]` writes leans on: how a field of a failure is told to the
//! caller, what a transparent variant passes on, and what lies under a failure for the log.
//!
//! Nothing here decides what a failure is; the derive and [`Error`](super::Error) do.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use tent_core::codes;

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
    message = "T7013 error-type: a transparent failure cannot pass on `{Self}`",
    label = "neither `tent::Error` nor an error",
    note = "help: hold a `tent::Error`, a type that derives `Failure`, or one that implements `std::error::Error`"
)]
pub trait Transparent {
    /// What `?` would make of it.
    fn passed_on(&self) -> Error;

    /// What lies under it, for the log.
    fn under(&self) -> Option<&(dyn StdError + 'static)>;
}

impl Transparent for Error {
    fn passed_on(&self) -> Error {
        self.clone()
    }

    fn under(&self) -> Option<&(dyn StdError + 'static)> {
        self.source().map(|source| source as _)
    }
}

impl<T: StdError + 'static> Transparent for T {
    fn passed_on(&self) -> Error {
        stated(self)
            .unwrap_or_else(|| Error::new(codes::INTERNAL).with_message("The function broke."))
    }

    fn under(&self) -> Option<&(dyn StdError + 'static)> {
        match stated(self) {
            Some(_) => self.source(),
            None => Some(self),
        }
    }
}

/// A field marked as a source, asked for the error that it is.
///
/// The inherent methods are there for errors and for [`Error`], those of [`causes`] for what holds one,
/// and last for what is none, to say so.
#[doc(hidden)]
#[derive(Debug)]
pub struct Cause<'a, T: ?Sized>(pub &'a T);

impl<'a, T: StdError + 'static> Cause<'a, T> {
    /// The error itself.
    pub fn cause(&self) -> Option<&'a (dyn StdError + 'static)> {
        Some(self.0)
    }
}

impl<'a> Cause<'a, Error> {
    /// Its message and what lies under it.
    pub fn cause(&self) -> Option<&'a (dyn StdError + 'static)> {
        Some(&*self.0.0)
    }
}

/// The ways to an error that a field is not itself. All are imported at once; at most one fits.
#[doc(hidden)]
pub mod causes {
    use std::error::Error as StdError;
    use std::ops::Deref;

    use super::Cause;

    /// In a box or behind a pointer, `anyhow::Error` among them.
    pub trait Pointed<'a> {
        /// What it points to.
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)>;
    }

    impl<'a, T: Deref<Target: Object>> Pointed<'a> for Cause<'a, T> {
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)> {
            Some(self.0.deref().object())
        }
    }

    /// An error of any type.
    pub trait Object {
        /// It, by the bounds that a source has.
        fn object(&self) -> &(dyn StdError + 'static);
    }

    macro_rules! objects {
        ($($object:ty),+) => {$(
            impl Object for $object {
                fn object(&self) -> &(dyn StdError + 'static) {
                    self
                }
            }
        )+};
    }
    objects!(
        dyn StdError + 'static,
        dyn StdError + Send + 'static,
        dyn StdError + Send + Sync + 'static
    );

    /// Perhaps none.
    pub trait Perhaps<'a> {
        /// The error, where there is one.
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)>;
    }

    impl<'a, T: StdError + 'static> Perhaps<'a> for Cause<'a, Option<T>> {
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)> {
            self.0.as_ref().map(|error| error as _)
        }
    }

    /// Of no use: there only so that the compiler says what a source is.
    pub trait NoCause<'a, T: ?Sized> {
        /// Never called.
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)>
        where
            T: Source;
    }

    impl<'a, T: ?Sized> NoCause<'a, T> for &Cause<'a, T> {
        fn cause(&self) -> Option<&'a (dyn StdError + 'static)>
        where
            T: Source,
        {
            None
        }
    }

    /// What a source is. No type has to implement it.
    #[diagnostic::on_unimplemented(
        message = "T7013 error-type: `{Self}` is no error, so it cannot be the source of a failure",
        label = "not an error",
        note = "help: a source implements `std::error::Error`, is a `tent::Error`, or is a `Box` or an `Option` of an error"
    )]
    pub trait Source {}
}

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
