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

/// A function that `access` names.
///
/// The method of [`OfTheCall`] exists for functions of the call. It wins over the method of [`NotARule`], which needs a
/// reference to the probe, exists for everything, and has the error text: the compiler's own text about another signature
/// shows no fix.
#[derive(Debug)]
pub struct RuleProbe<F>(pub F);

/// The probe of a function of the call.
pub trait OfTheCall<'a, R> {
    /// Runs the rule, or tells its kind without a call.
    fn tent_decision<By>(self, cx: Option<&'a Cx>) -> Started<'a, bool>
    where
        R: IntoDecision<'a, By>;
}

impl<'a, F, R> OfTheCall<'a, R> for RuleProbe<F>
where
    F: FnOnce(&'a Cx) -> R,
{
    fn tent_decision<By>(self, cx: Option<&'a Cx>) -> Started<'a, bool>
    where
        R: IntoDecision<'a, By>,
    {
        Started::of(R::IS_PLAIN, cx, |cx| self.0(cx).into_decision())
    }
}

/// A bound that no type satisfies: its error text shows the signature of a rule.
#[diagnostic::on_unimplemented(
    message = "T7002 unknown-access: `{Self}` is not an access rule",
    label = "not an access rule",
    note = "help: write the rule as `fn(&Cx) -> bool` or `fn(&Cx) -> Result<bool>`, sync or async"
)]
pub trait AccessRule {}

/// The fallback of [`RuleProbe`].
pub trait NotARule: Sized {
    /// What `access` names.
    type Named;

    /// Fails to compile.
    fn tent_decision<'a>(self, _: Option<&'a Cx>) -> Started<'a, bool>
    where
        Self::Named: AccessRule,
    {
        Started::Plain
    }
}

impl<F> NotARule for &RuleProbe<F> {
    type Named = F;
}
