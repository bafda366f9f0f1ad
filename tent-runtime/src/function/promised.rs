//! What a function of the app's own may give where tent asks it for a `T`: the `T`, a `Result` of it, or a
//! future of either.

use std::future::{Future, ready};

use super::BoxFuture;
use super::rule::{AtOnce, ByResult, ByWord, Later};
use crate::error::{Error, Result};

/// A `T`, or a `Result` of one.
///
/// Here and in [`Promised`], `By` only tells the implementations apart; nobody names it.
pub trait Settled<T, By> {
    /// It, as a result.
    ///
    /// # Errors
    /// The function's own.
    fn settled(self) -> Result<T>;
}

/// A `T`, a `Result` of one, or a future of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what tent asks this function for: it gives `{T}`, or a `Result` of that",
    label = "gives something else",
    note = "help: `list` names a function `async fn(cx: &Cx) -> tent::Result<Vec<tent::Listed>>`, `complete` one `async fn(cx: &Cx, typed: String, so_far: tent::Map) -> tent::Result<Vec<String>>`; both may be sync"
)]
pub trait Promised<'a, T, By> {
    /// It, as a future.
    fn promised(self) -> BoxFuture<'a, Result<T>>;
}

#[diagnostic::do_not_recommend]
impl<T> Settled<T, ByWord> for T {
    fn settled(self) -> Result<T> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T, E: Into<Error>> Settled<T, ByResult> for Result<T, E> {
    fn settled(self) -> Result<T> {
        self.map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Send + 'a, S: Settled<T, By>, By> Promised<'a, T, AtOnce<By>> for S {
    fn promised(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(ready(self.settled()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, F, By> Promised<'a, T, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: Settled<T, By>,
{
    fn promised(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(async move { self.await.settled() })
    }
}

/// Asks what a function gave.
pub fn promised<'a, T, P: Promised<'a, T, By>, By>(given: P) -> BoxFuture<'a, Result<T>> {
    given.promised()
}
