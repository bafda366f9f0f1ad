//! What a function of the app's own may give where tent asks it for a `T`: the `T`, a `Result` of it, or a
//! future of either.

use std::future::{Future, ready};

use super::BoxFuture;
use super::rule::{ByResult, ByValue, Immediate, Later};
use crate::error::{Error, Result};

/// A `T`, or a `Result` of one.
///
/// Here and in [`IntoResultFuture`], `By` only tells the implementations apart; nobody names it.
pub trait IntoResult<T, By> {
    /// It, as a result.
    ///
    /// # Errors
    /// The function's own.
    fn into_result(self) -> Result<T>;
}

/// A `T`, a `Result` of one, or a future of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what tent asks this function for: it gives `{T}`, or a `Result` of that",
    label = "gives something else",
    note = "help: `list` names a function `async fn(cx: &Cx) -> tent::Result<Vec<tent::Listed>>`, `complete` one `async fn(cx: &Cx, typed: String, so_far: tent::Map) -> tent::Result<Vec<String>>`; both may be sync"
)]
pub trait IntoResultFuture<'a, T, By> {
    /// It, as a future.
    fn result_future(self) -> BoxFuture<'a, Result<T>>;
}

#[diagnostic::do_not_recommend]
impl<T> IntoResult<T, ByValue> for T {
    fn into_result(self) -> Result<T> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: Into<Error>> IntoResult<T, ByResult> for Result<T, E> {
    fn into_result(self) -> Result<T> {
        self.map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Send + 'a, S: IntoResult<T, By>, By> IntoResultFuture<'a, T, Immediate<By>> for S {
    fn result_future(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(ready(self.into_result()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, F, By> IntoResultFuture<'a, T, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: IntoResult<T, By>,
{
    fn result_future(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(async move { self.await.into_result() })
    }
}

/// Asks what a function gave.
pub fn result_future<'a, T, P: IntoResultFuture<'a, T, By>, By>(
    given: P,
) -> BoxFuture<'a, Result<T>> {
    given.result_future()
}
