//! What a rule of access may give: [`IntoDecision`]. A rule sees the caller and never the input.

use std::future::{Future, ready};
use std::marker::PhantomData;

use super::BoxFuture;
use crate::error::{Error, Result};

/// What a rule says once it is known: `bool` or `Result<bool>`.
///
/// Here and in [`IntoDecision`], `By` only tells the implementations apart; nobody names it.
pub trait Decision<By> {
    /// It, as a result.
    ///
    /// # Errors
    /// The rule's own.
    fn into_result(self) -> Result<bool>;
}

/// What a rule gives: what it says, or a future of that.
#[diagnostic::on_unimplemented(
    message = "T7002 unknown-access: a rule gives `bool` or `Result<bool>`, not `{Self}`",
    label = "not a rule",
    note = "help: write the rule as `fn(&Cx) -> bool` or `fn(&Cx) -> Result<bool>`, sync or async"
)]
pub trait IntoDecision<'a, By> {
    /// It, as a future.
    fn decision(self) -> BoxFuture<'a, Result<bool>>;
}

/// Tells a `bool` apart.
#[derive(Debug)]
pub enum ByValue {}

/// Tells a `Result` apart.
#[derive(Debug)]
pub enum ByResult {}

/// Tells what is said at once apart.
#[derive(Debug)]
pub struct Immediate<By>(PhantomData<By>);

/// Tells a future apart.
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
    fn decision(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(ready(self.into_result()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, F, By> IntoDecision<'a, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: Decision<By>,
{
    fn decision(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { self.await.into_result() })
    }
}

/// Asks what a rule gave.
pub fn decision<'a, V: IntoDecision<'a, By>, By>(given: V) -> BoxFuture<'a, Result<bool>> {
    given.decision()
}
