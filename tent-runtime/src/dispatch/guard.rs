//! Runs code of the app, and everything else that a request waits for, within bounds: a panic is caught, also one in
//! `Drop`, and a deadline ends what takes too long. An internal error goes to the log under a reference, and its
//! caller gets the reference.
//!
//! [`under_deadline`] is the only place of dispatch that ends a wait.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::Either;
use tent_core::codes::{self, When};
use tokio::time::{Instant, sleep_until};

use crate::error::{Error, Result};
use crate::race::race;
use crate::text::{LOGGED_ERROR, abridged};
use crate::{json, random};

/// How code of the app ended.
pub(super) enum Guarded<T> {
    /// It returned.
    Returned(T),
    /// It did not return before the deadline.
    TimedOut,
    /// It panicked. The error holds the text of the panic.
    Panicked(Error),
}

/// Runs `work` until `deadline` completes; `None` if that comes first. The work is dropped then.
pub(super) fn under_deadline<T>(
    deadline: impl Future<Output = ()>,
    work: impl Future<Output = T>,
) -> impl Future<Output = Option<T>> {
    // Work that is done at the deadline counts.
    race(work, deadline).map(|ended| match ended {
        Either::Left(done) => Some(done),
        Either::Right(()) => None,
    })
}

/// Runs code of the app until it returns, panics, or `deadline` completes.
pub(super) fn guarded<T>(
    deadline: impl Future<Output = ()>,
    work: impl Future<Output = T>,
) -> impl Future<Output = Guarded<T>> {
    // The work is dropped inside, so that a panic in `Drop` is caught too.
    let inside = AssertUnwindSafe(under_deadline(deadline, work)).catch_unwind();
    inside.map(|ended| match ended {
        Ok(Some(returned)) => Guarded::Returned(returned),
        Ok(None) => Guarded::TimedOut,
        Err(panic) => Guarded::Panicked(panicked(panic)),
    })
}

/// Waits for a part of tent, such as the store, until the deadline.
///
/// # Errors
/// T0010 at the deadline, and those of `work`.
pub(super) fn in_time<T>(
    deadline: Option<Instant>,
    work: impl Future<Output = Result<T>>,
) -> impl Future<Output = Result<T>> {
    let done = under_deadline(until(deadline), work);
    done.map(|done| done.unwrap_or_else(|| Err(Error::new(codes::TIMEOUT))))
}

/// Completes at the deadline; never without one.
pub(super) async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// The earlier of two deadlines; `None` means no deadline.
pub(super) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Whether a deadline has passed.
pub(super) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| deadline <= Instant::now())
}

/// Makes an unexpected error of a panic. Its text is for the log.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> Error {
    let text = panic
        .downcast_ref::<&'static str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is not a text".to_owned());
    // The value may panic while it is dropped, and so may the value of that panic, which is therefore leaked.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
    Error::unexpected(format!("it panicked: {text}"))
}

/// Makes an error safe for its caller. An error that is not meant for callers (an unexpected one, and every code of the
/// build and the start) goes to the log under a reference, and the caller gets a T0012 with the reference.
/// `place` names what failed.
pub(super) fn with_reference(error: Error, place: &str, caller: &str, trace: &str) -> Error {
    let is_public = error
        .tent_code()
        .is_none_or(|code| code.when() == When::Call);
    let has_reference = error.fields().contains_key(REFERENCE);
    if (is_public && !error.is(codes::INTERNAL)) || has_reference {
        return error;
    }
    let reference = reference();
    tracing::error!(
        reference,
        place,
        caller,
        trace,
        code = error.code(),
        message = &*abridged(error.message(), LOGGED_ERROR),
        chain = ?error.logged_chain(),
        "internal error",
    );
    Error::new(codes::INTERNAL)
        .with_message(format!("Internal error (reference {reference})."))
        .with_field(REFERENCE, reference)
}

/// Makes T0026 of an unexpected error of the store, before the function runs. The error goes to the log under a reference.
pub(super) fn unavailable(error: Error, place: &str, caller: &str, trace: &str) -> Error {
    let logged = with_reference(error, place, caller, trace);
    let Some(reference) = logged.fields().get(REFERENCE).cloned() else {
        return logged;
    };
    Error::new(codes::UNAVAILABLE)
        .with_field(REFERENCE, reference)
        .with_retry_after(RETRY_AFTER_FAILURE)
}

/// When to send a call again that the store failed.
const RETRY_AFTER_FAILURE: Duration = Duration::from_secs(1);

const REFERENCE: &str = "reference";

fn reference() -> String {
    // Without the system's randomness the reference can still be searched for, but is not unique.
    json::hex(&random::try_bytes::<8>().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PanicsInDrop;
    impl Drop for PanicsInDrop {
        fn drop(&mut self) {
            panic!("in drop");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn catches_a_panic_in_drop_at_the_deadline() {
        let work = async {
            let _held = PanicsInDrop;
            std::future::pending::<()>().await;
        };
        let soon = Instant::now() + Duration::from_millis(1);
        let Guarded::Panicked(error) = guarded(until(Some(soon)), work).await else {
            panic!("the panic was not caught");
        };
        assert_eq!(error.chain(), ["it panicked: in drop"]);
    }

    #[tokio::test]
    async fn catches_a_panic_whose_value_panics_in_drop() {
        let work = async { std::panic::panic_any(PanicsInDrop) };
        let Guarded::<()>::Panicked(error) = guarded(until(None), work).await else {
            panic!("the panic was not caught");
        };
        assert_eq!(error.chain(), ["it panicked: a value that is not a text"]);
    }

    #[test]
    fn replaces_an_error_that_is_not_meant_for_callers_by_a_reference() {
        let password =
            Error::new(codes::INVALID_SETTING).with_message("shop.password: \"hunter2\"");
        let error = with_reference(password, "a function", "anonymous", "1");
        assert_eq!(error.code(), "T0012");
        assert!(!error.message().contains("hunter2"));
        let again = with_reference(error.clone(), "a function", "anonymous", "1");
        assert_eq!(
            again.fields(),
            error.fields(),
            "it keeps its first reference"
        );
        for public in [
            Error::new(codes::INVALID_INPUT),
            Error::declared(crate::code!("A0001"), 409, "no"),
        ] {
            let code = public.code();
            assert_eq!(
                with_reference(public, "a function", "anonymous", "1").code(),
                code
            );
        }
    }
}
