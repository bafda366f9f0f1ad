//! What stands between the app's own code and everything else: a panic is caught, also one in a `Drop`,
//! a deadline ends what does not end, and what broke is logged under a reference that the caller gets
//! in its place.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;
use tent_core::codes::{self, When};
use tokio::time::{Instant, sleep_until};

use crate::error::Error;
use crate::{json, random};

/// What came of the app's own code.
pub(super) enum Guarded<T> {
    /// It returned.
    Returned(T),
    /// It did not return in time.
    TimedOut,
    /// It panicked, with this text.
    Panicked(Error),
}

/// Runs code of the app's own to its end, its panic or its deadline.
pub(super) async fn guarded<T>(
    deadline: Option<Instant>,
    work: impl Future<Output = T>,
) -> Guarded<T> {
    let late = async {
        match deadline {
            Some(deadline) => sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    guarded_until(late, work).await
}

/// Runs code of the app's own to its end, its panic, or until `late` ends.
pub(super) async fn guarded_until<T>(
    late: impl Future<Output = ()>,
    work: impl Future<Output = T>,
) -> Guarded<T> {
    // The work is dropped within, so that a `Drop` that panics is caught like everything else.
    let within = async move {
        tokio::select! {
            biased;
            returned = work => Some(returned),
            () = late => None,
        }
    };
    match AssertUnwindSafe(within).catch_unwind().await {
        Ok(Some(returned)) => Guarded::Returned(returned),
        Ok(None) => Guarded::TimedOut,
        Err(panic) => Guarded::Panicked(panicked(panic)),
    }
}

/// The earlier of two deadlines; without one there is time without end.
pub(super) fn earlier(one: Option<Instant>, other: Option<Instant>) -> Option<Instant> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Whether a deadline has come.
pub(super) fn is_over(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| deadline <= Instant::now())
}

/// A panic as an unexpected failure, which holds its text for the log.
pub(super) fn panicked(panic: Box<dyn Any + Send>) -> Error {
    let text = panic
        .downcast_ref::<&'static str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned());
    // The value may panic while it is dropped, and what it panics with may too: that one is left alone.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
    Error::unexpected(format!("it panicked: {text}"))
}

/// A failure as its caller may see it. What is not meant for callers (an unexpected failure, and every
/// code that only the start or the build can meet) goes to the log under a reference; the caller gets
/// the reference. `place` says what broke.
pub(super) fn with_reference(error: Error, place: &str, caller: &str, trace: &str) -> Error {
    let known = error
        .tent_code()
        .is_none_or(|code| code.when() == When::Call);
    let told = error.fields().contains_key(REFERENCE);
    if (known && !error.is(codes::INTERNAL)) || told {
        return error;
    }
    let reference = reference();
    tracing::error!(
        reference,
        place,
        caller,
        trace,
        code = error.code(),
        message = error.message(),
        chain = ?error.chain(),
        "something broke",
    );
    Error::new(codes::INTERNAL)
        .with_message(format!("Internal error (reference {reference})."))
        .with_field(REFERENCE, reference)
}

const REFERENCE: &str = "reference";

fn reference() -> String {
    // Without the system's randomness a reference is still a text to look for, only no unique one.
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
    async fn a_drop_that_panics_when_time_is_up_is_caught() {
        let work = async {
            let _held = PanicsInDrop;
            std::future::pending::<()>().await;
        };
        let soon = Instant::now() + std::time::Duration::from_millis(1);
        let Guarded::Panicked(error) = guarded(Some(soon), work).await else {
            panic!("the panic was not caught");
        };
        assert_eq!(error.chain(), ["it panicked: in drop"]);
    }

    #[tokio::test]
    async fn a_panic_whose_value_panics_too_is_caught() {
        let work = async { std::panic::panic_any(PanicsInDrop) };
        let Guarded::<()>::Panicked(error) = guarded(None, work).await else {
            panic!("the panic was not caught");
        };
        assert_eq!(error.chain(), ["it panicked: a value that is no text"]);
    }

    #[test]
    fn what_is_not_meant_for_callers_becomes_a_reference() {
        let password =
            Error::new(codes::INVALID_SETTING).with_message("shop.password: \"hunter2\"");
        let error = with_reference(password, "a function", "nobody", "1");
        assert_eq!(error.code(), "T0012");
        assert!(!error.message().contains("hunter2"));
        let again = with_reference(error.clone(), "a function", "nobody", "1");
        assert_eq!(again.fields(), error.fields(), "a reference is given once");
        for stated in [
            Error::new(codes::INVALID_INPUT),
            Error::declared(crate::code!("A0001"), 409, "no"),
        ] {
            let code = stated.code();
            assert_eq!(
                with_reference(stated, "a function", "nobody", "1").code(),
                code
            );
        }
    }
}
