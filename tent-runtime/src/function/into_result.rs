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
    message = "T7014 invalid-option: `{Self}` is not a valid return type here: return `{T}` or a `Result` of it",
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

/// A function that `list` names. Its methods work as those of [`RuleProbe`](super::access_rule::RuleProbe).
#[derive(Debug)]
pub struct ListProbe<F>(pub F);

/// The probe of a function that may list resources.
pub trait OfAList<'a, R> {
    /// Runs the function, or tells its kind without a call.
    fn tent_list<By>(self, cx: Option<&'a Cx>) -> Started<'a, Vec<ResourceInfo>>
    where
        R: IntoResultFuture<'a, Vec<ResourceInfo>, By>;
}

impl<'a, F, R> OfAList<'a, R> for ListProbe<F>
where
    F: FnOnce(&'a Cx) -> R,
{
    fn tent_list<By>(self, cx: Option<&'a Cx>) -> Started<'a, Vec<ResourceInfo>>
    where
        R: IntoResultFuture<'a, Vec<ResourceInfo>, By>,
    {
        Started::of(R::IS_PLAIN, cx, |cx| self.0(cx).into_result_future())
    }
}

/// A bound that no type satisfies: its error text shows the signature of a `list` function.
#[diagnostic::on_unimplemented(
    message = "T7014 invalid-option: `{Self}` cannot list resources",
    label = "not a `list` function",
    note = "help: write it as `fn(&Cx) -> Vec<ResourceInfo>` or `fn(&Cx) -> Result<Vec<ResourceInfo>>`, sync or async"
)]
pub trait ListFunction {}

/// The fallback of [`ListProbe`].
pub trait NotAList: Sized {
    /// What `list` names.
    type Named;

    /// Fails to compile.
    fn tent_list<'a>(self, _: Option<&'a Cx>) -> Started<'a, Vec<ResourceInfo>>
    where
        Self::Named: ListFunction,
    {
        Started::Plain
    }
}

impl<F> NotAList for &ListProbe<F> {
    type Named = F;
}

/// A function that `complete` names. Its methods work as those of [`RuleProbe`](super::access_rule::RuleProbe).
#[derive(Debug)]
pub struct CompleteProbe<F>(pub F);

/// The probe of a function that may complete an argument.
pub trait OfAnArgument<'a, R> {
    /// Runs the function, or tells its kind without a call.
    fn tent_complete<By>(
        self,
        cx: Option<&'a Cx>,
        typed: String,
        others: Map<String, Value>,
    ) -> Started<'a, Vec<String>>
    where
        R: IntoResultFuture<'a, Vec<String>, By>;
}

impl<'a, F, R> OfAnArgument<'a, R> for CompleteProbe<F>
where
    F: FnOnce(&'a Cx, String, Map<String, Value>) -> R,
{
    fn tent_complete<By>(
        self,
        cx: Option<&'a Cx>,
        typed: String,
        others: Map<String, Value>,
    ) -> Started<'a, Vec<String>>
    where
        R: IntoResultFuture<'a, Vec<String>, By>,
    {
        Started::of(R::IS_PLAIN, cx, |cx| {
            self.0(cx, typed, others).into_result_future()
        })
    }
}

/// A bound that no type satisfies: its error text shows the signature of a `complete` function.
#[diagnostic::on_unimplemented(
    message = "T7014 invalid-option: `{Self}` cannot complete an argument",
    label = "not a `complete` function",
    note = "help: write it as `fn(&Cx, String, tent::Map) -> Vec<String>` or `fn(&Cx, String, tent::Map) -> Result<Vec<String>>`, sync or async"
)]
pub trait CompleteFunction {}

/// The fallback of [`CompleteProbe`].
pub trait NotAComplete: Sized {
    /// What `complete` names.
    type Named;

    /// Fails to compile.
    fn tent_complete<'a>(
        self,
        _: Option<&'a Cx>,
        _: String,
        _: Map<String, Value>,
    ) -> Started<'a, Vec<String>>
    where
        Self::Named: CompleteFunction,
    {
        Started::Plain
    }
}

impl<F> NotAComplete for &CompleteProbe<F> {
    type Named = F;
}
