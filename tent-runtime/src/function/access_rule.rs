//! What an access rule may return: [`IntoDecision`]. A rule sees the caller, never the input.

use std::future::{Future, ready};
use std::marker::PhantomData;

use super::BoxFuture;
use super::started::Started;
use crate::cx::Cx;
use crate::error::{Error, Result};

/// What a rule returns: a decision, or a future of one.
///
/// Here and in `Decision`, the parameter `By` only tells the implementations apart, and is always inferred.
#[diagnostic::on_unimplemented(
    message = "T7002 unknown-access: an access rule returns `bool` or `Result<bool>`, not `{Self}`",
    label = "wrong return type",
    note = "help: write the rule as `fn(&Cx) -> bool` or `fn(&Cx) -> Result<bool>`, sync or async"
)]
pub trait IntoDecision<'a, By> {
    /// Whether the rule decides before it returns, as a plain `fn` does. It may block its thread.
    const IS_PLAIN: bool;

    /// Converts it.
    fn into_decision(self) -> BoxFuture<'a, Result<bool>>;
}

/// A decision: `bool` or `Result<bool>`.
pub trait Decision<By> {
    /// Converts it.
    ///
    /// # Errors
    /// The error of the rule.
    fn into_result(self) -> Result<bool>;
}

/// Marks a value.
#[derive(Debug)]
pub enum ByValue {}

/// Marks a `Result`.
#[derive(Debug)]
pub enum ByResult {}

/// Marks what is known when the function returns.
#[derive(Debug)]
pub struct Immediate<By>(PhantomData<By>);

/// Marks a future.
#[derive(Debug)]
pub struct Later<By>(PhantomData<By>);

#[diagnostic::do_not_recommend]
impl Decision<ByValue> for bool {
    fn into_result(self) -> Result<bool> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Error>> Decision<ByResult> for Result<bool, E> {
    fn into_result(self) -> Result<bool> {
        self.map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Decision<By>, By> IntoDecision<'a, Immediate<By>> for T {
    const IS_PLAIN: bool = true;

    fn into_decision(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(ready(self.into_result()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, F, By> IntoDecision<'a, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: Decision<By>,
{
    const IS_PLAIN: bool = false;

    fn into_decision(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { self.await.into_result() })
    }
}

/// Runs a rule, or tells its kind without a call. The parameter is a function pointer, so that the error about another
/// signature shows this one.
pub fn decision<'a, R, By>(rule: fn(&'a Cx) -> R, cx: Option<&'a Cx>) -> Started<'a, bool>
where
    R: IntoDecision<'a, By>,
{
    Started::of(R::IS_PLAIN, cx, |cx| rule(cx).into_decision())
}
