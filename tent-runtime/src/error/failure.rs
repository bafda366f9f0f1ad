//! [`Failure`]: errors that their author declares, and how `?` finds them behind any error type.
//!
//! `From` cannot ask whether a type implements a trait, and an error that went through `anyhow` has no static type any
//! more. So a derived `source()` does more than its name says: while [`declared_failure`] runs, it also provides its
//! failure ([`provide_failure`]). The slot between the two is thread-local and filled only during that one call.

use std::cell::RefCell;
use std::error::Error as StdError;

use super::Error;

/// An error that its author declares, with a code, a status, a message and a fix.
///
/// Only `#[derive(Failure)]` implements it, together with `Display` and `std::error::Error`: a conversion into [`Error`]
/// finds the failure through the derived `source()`. Another implementation does not compile:
///
/// ```compile_fail
/// # use tent::{Error, Failure};
/// #[derive(Debug)]
/// struct Paid;
/// impl std::fmt::Display for Paid {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         f.write_str("already paid")
///     }
/// }
/// impl std::error::Error for Paid {}
/// impl Failure for Paid {
///     fn failure(&self) -> Error {
///         Error::declared(tent::code!("A0001"), 409, self.to_string())
///     }
/// }
/// ```
pub trait Failure: StdError + DerivedFailure {
    /// The error that the caller gets.
    fn failure(&self) -> Error;
}

/// Marks the types whose `source()` provides a failure. The derive implements it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "T7013 error-type: `Failure` cannot be implemented by hand for `{Self}`",
    label = "not derived",
    note = "help: use `#[derive(Failure)]`"
)]
pub trait DerivedFailure {}

/// The state of the slot in which `source()` leaves a failure.
enum Slot {
    /// No conversion is running: `source()` provides nothing.
    Closed,
    /// A conversion calls `source()` and waits for a failure.
    Open,
    Filled(Error),
}

thread_local! {
    static SLOT: RefCell<Slot> = const { RefCell::new(Slot::Closed) };
}

/// The declared failure that `error` is, if its type derives `Failure`.
///
/// Checks only `error` itself and not its sources: if another error wraps a failure, the failure is a cause for the log.
pub(super) fn declared_failure(error: &(dyn StdError + 'static)) -> Option<Error> {
    // Conversions can nest: the failure of a transparent variant converts its field.
    let outer = SLOT.replace(Slot::Open);
    let _ = error.source();
    match SLOT.replace(outer) {
        Slot::Filled(failure) => Some(failure),
        Slot::Closed | Slot::Open => None,
    }
}

/// Called by a derived `source()`: provides the failure if a conversion waits for one.
#[doc(hidden)]
pub fn provide_failure(failure: impl FnOnce() -> Error) {
    if SLOT.with_borrow(|slot| matches!(slot, Slot::Open)) {
        // Not under the borrow: making the failure can start another conversion.
        let failure = failure();
        SLOT.with_borrow_mut(|slot| {
            if matches!(slot, Slot::Open) {
                *slot = Slot::Filled(failure);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;
    use crate::error::Result;

    #[derive(Debug)]
    struct Paid(u32);
    impl fmt::Display for Paid {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "Order {} is already paid", self.0)
        }
    }
    impl StdError for Paid {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            provide_failure(|| Failure::failure(self));
            None
        }
    }
    impl DerivedFailure for Paid {}
    impl Failure for Paid {
        fn failure(&self) -> Error {
            Error::declared(crate::code!("A0001"), 409, self.to_string()).with_field("id", self.0)
        }
    }

    #[derive(Debug)]
    struct Wrapped(Paid);
    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("wrapped")
        }
    }
    impl StdError for Wrapped {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.0)
        }
    }

    #[test]
    fn a_declared_failure_keeps_its_code_through_the_question_mark() {
        fn pay() -> Result<()> {
            Err(Paid(7))?;
            Ok(())
        }
        let error = pay().expect_err("it is paid");
        assert_eq!((error.code(), error.status()), ("A0001", 409));
        assert_eq!(error.to_string(), "Order 7 is already paid");
        assert_eq!(error.fields()["id"], 7);
    }

    #[test]
    fn a_failure_inside_another_error_goes_only_to_the_log() {
        let error = Error::from(Wrapped(Paid(7)));
        assert_eq!(error.code(), "T0012");
        assert_eq!(error.chain(), ["wrapped", "Order 7 is already paid"]);
        assert!(!error.to_string().contains("paid"));
    }

    #[test]
    fn a_main_that_returns_a_boxed_error_takes_an_error() {
        fn main() -> std::result::Result<(), Box<dyn StdError>> {
            Err(Error::from(Wrapped(Paid(7))))?
        }
        let error = main().expect_err("it failed");
        assert_eq!(error.to_string(), "Internal error.");
        let source = error.source().map(ToString::to_string);
        assert_eq!(source.as_deref(), Some("wrapped"));
    }
}
