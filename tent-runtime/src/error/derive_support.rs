//! Supports the code that `#[derive(Failure)]` writes: serializes fields for the caller, converts transparent fields, and
//! finds the source of a failure.
//!
//! The derive does not know types, so these traits let the compiler choose by type: an inherent method wins over the
//! method of a trait, and that over the method of a trait for a reference.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use serde::Serialize;
use serde_json::Value;
use tent_core::codes;

use super::failure::declared_failure;
use super::{Error, INTERNAL_MESSAGE};
use crate::bounded::{self, Unwritable};

/// A field of a failure. Its inherent method exists for types that serialize; [`UnserializableField`] covers the rest.
#[doc(hidden)]
#[derive(Debug)]
pub struct FieldValue<'a, T: ?Sized>(pub &'a T);

impl<T: Serialize + ?Sized> FieldValue<'_, T> {
    /// The field as JSON.
    ///
    /// # Errors
    /// Why JSON cannot represent the value.
    pub fn value(&self) -> Option<Result<Value, Unwritable>> {
        Some(bounded::to_value(self.0, bounded::MAX_INNER_DEPTH))
    }
}

/// Leaves out fields that do not serialize.
#[doc(hidden)]
pub trait UnserializableField {
    /// Always `None`.
    fn value(&self) -> Option<Result<Value, Unwritable>> {
        None
    }
}

impl<T: ?Sized> UnserializableField for FieldValue<'_, T> {}

/// Adds the field `name` if it has a value. A value that JSON cannot represent makes the failure an unexpected error.
#[doc(hidden)]
pub fn with_field_value(
    failure: Error,
    name: &'static str,
    value: Option<Result<Value, Unwritable>>,
) -> Error {
    match value {
        Some(Ok(value)) => failure.with_field(name, value),
        Some(Err(why)) => failure.without_field(name, why),
        None => failure,
    }
}

/// Formats a message or a fix.
#[doc(hidden)]
pub fn format_text(arguments: fmt::Arguments<'_>) -> Cow<'static, str> {
    match arguments.as_str() {
        Some(text) => Cow::Borrowed(text),
        None => Cow::Owned(arguments.to_string()),
    }
}

/// The types that a transparent variant may hold: those that `?` converts.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: a transparent failure cannot hold `{Self}`",
    label = "not an error type",
    note = "help: use `tent::Error`, a type that derives `Failure`, or one that implements `std::error::Error`"
)]
pub trait TransparentField {
    /// The error that `?` makes of the field.
    fn to_error(&self) -> Error;

    /// The source of the failure, for the log.
    fn as_source(&self) -> Option<&(dyn StdError + 'static)>;
}

impl TransparentField for Error {
    fn to_error(&self) -> Error {
        self.clone()
    }

    fn as_source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source().map(|source| source as _)
    }
}

impl<T: StdError + 'static> TransparentField for T {
    fn to_error(&self) -> Error {
        declared_failure(self)
            .unwrap_or_else(|| Error::new(codes::INTERNAL).with_message(INTERNAL_MESSAGE))
    }

    fn as_source(&self) -> Option<&(dyn StdError + 'static)> {
        match declared_failure(self) {
            Some(_) => self.source(),
            None => Some(self),
        }
    }
}

/// A field that is marked as the source. Its inherent methods exist for error types; the traits of [`source_kinds`] cover
/// types that hold an error, and report the types that do not.
#[doc(hidden)]
#[derive(Debug)]
pub struct SourceField<'a, T: ?Sized>(pub &'a T);

impl<'a, T: StdError + 'static> SourceField<'a, T> {
    /// The error itself.
    pub fn error(&self) -> Option<&'a (dyn StdError + 'static)> {
        Some(self.0)
    }
}

impl<'a> SourceField<'a, Error> {
    /// The error with its sources.
    pub fn error(&self) -> Option<&'a (dyn StdError + 'static)> {
        Some(&*self.0.0)
    }
}

/// The other types that a source may have. The derive imports all traits; at most one applies.
#[doc(hidden)]
pub mod source_kinds {
    use std::error::Error as StdError;
    use std::ops::Deref;

    use super::SourceField;

    /// A smart pointer to an error, such as a box or `anyhow::Error`.
    pub trait PointerToError<'a> {
        /// The error that it points to.
        fn error(&self) -> Option<&'a (dyn StdError + 'static)>;
    }

    impl<'a, T: Deref<Target: ErrorObject>> PointerToError<'a> for SourceField<'a, T> {
        fn error(&self) -> Option<&'a (dyn StdError + 'static)> {
            Some(self.0.deref().object())
        }
    }

    /// A trait object of an error.
    pub trait ErrorObject {
        /// The error without its auto traits.
        fn object(&self) -> &(dyn StdError + 'static);
    }

    macro_rules! objects {
        ($($object:ty),+) => {$(
            impl ErrorObject for $object {
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

    /// An optional error.
    pub trait OptionalError<'a> {
        /// The error, if there is one.
        fn error(&self) -> Option<&'a (dyn StdError + 'static)>;
    }

    impl<'a, T: StdError + 'static> OptionalError<'a> for SourceField<'a, Option<T>> {
        fn error(&self) -> Option<&'a (dyn StdError + 'static)> {
            self.0.as_ref().map(|error| error as _)
        }
    }

    /// Of no use: there only so that the compiler says what a source is.
    pub trait NoSourceField<'a, T: ?Sized> {
        /// Never called.
        fn error(&self) -> Option<&'a (dyn StdError + 'static)>
        where
            T: Source;
    }

    impl<'a, T: ?Sized> NoSourceField<'a, T> for &SourceField<'a, T> {
        fn error(&self) -> Option<&'a (dyn StdError + 'static)>
        where
            T: Source,
        {
            None
        }
    }

    /// The requirement on a source. No type implements it: it carries only the message.
    #[diagnostic::on_unimplemented(
        message = "T7013 error-type: `{Self}` is not an error, so it cannot be the source of a failure",
        label = "not an error",
        note = "help: a source implements `std::error::Error`, is a `tent::Error`, or is a `Box` or an `Option` of an error"
    )]
    pub trait Source {}
}
