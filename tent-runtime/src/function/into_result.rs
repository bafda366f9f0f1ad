//! What a function of the app may return where tent calls it for a `T`, as `list` and `complete` do: the `T`, a
//! `Result` of it, or a future of either.

use std::future::{Future, ready};

use serde_json::{Map, Value};

use super::access_rule::{ByResult, ByValue, Immediate, Later};
use super::started::Started;
use super::{BoxFuture, ResourceInfo};
use crate::cx::Cx;
use crate::error::{Error, Result};

/// A `T`, or a `Result` of one.
///
/// Here and in [`IntoResultFuture`], the parameter `By` only tells the implementations apart, and is always inferred.
pub trait IntoResult<T, By> {
    /// Converts it.
    ///
    /// # Errors
    /// The error of the function.
    fn into_result(self) -> Result<T>;
}

/// A `T`, a `Result` of one, or a future of either.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a valid return type here: return `{T}` or a `Result` of it",
    label = "wrong return type",
    note = "help: for `list`, write `async fn(cx: &Cx) -> tent::Result<Vec<tent::ResourceInfo>>`; for `complete`, write `async fn(cx: &Cx, typed: String, others: tent::Map) -> tent::Result<Vec<String>>`; both may be sync"
)]
pub trait IntoResultFuture<'a, T, By> {
    /// Whether the function has its result when it returns, as a plain `fn` does. It may block its thread.
    const IS_PLAIN: bool;

    /// Converts it.
    fn into_result_future(self) -> BoxFuture<'a, Result<T>>;
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
    const IS_PLAIN: bool = true;

    fn into_result_future(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(ready(self.into_result()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T, F, By> IntoResultFuture<'a, T, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: IntoResult<T, By>,
{
    const IS_PLAIN: bool = false;

    fn into_result_future(self) -> BoxFuture<'a, Result<T>> {
        Box::pin(async move { self.await.into_result() })
    }
}

/// Runs a `list` function, or tells its kind without a call. The parameter is a function pointer, so that the error
/// about another signature shows this one.
pub fn list<'a, R, By>(list: fn(&'a Cx) -> R, cx: Option<&'a Cx>) -> Started<'a, Vec<ResourceInfo>>
where
    R: IntoResultFuture<'a, Vec<ResourceInfo>, By>,
{
    Started::of(R::IS_PLAIN, cx, |cx| list(cx).into_result_future())
}

/// Runs a `complete` function, as [`list`] does.
pub fn complete<'a, R, By>(
    complete: fn(&'a Cx, String, Map<String, Value>) -> R,
    cx: Option<&'a Cx>,
    typed: String,
    others: Map<String, Value>,
) -> Started<'a, Vec<String>>
where
    R: IntoResultFuture<'a, Vec<String>, By>,
{
    Started::of(R::IS_PLAIN, cx, |cx| {
        complete(cx, typed, others).into_result_future()
    })
}
