//! What a rule of access may give: [`Verdict`]. A rule sees the caller and never the input.

use std::future::{Future, ready};
use std::marker::PhantomData;

use super::BoxFuture;
use crate::error::{Error, Result};

/// What a rule says once it is known: `bool` or `Result<bool>`.
///
/// Here and in [`Verdict`], `By` only tells the implementations apart; nobody names it.
pub trait Said<By> {
    /// It, as a result.
    ///
    /// # Errors
    /// The rule's own.
    fn said(self) -> Result<bool>;
}

/// What a rule gives: what it says, or a future of that.
#[diagnostic::on_unimplemented(
    message = "T7002 access-unknown: a rule gives `bool` or `Result<bool>`, not `{Self}`",
    label = "not a rule",
    note = "help: write the rule as `fn(&Cx) -> bool` or `fn(&Cx) -> Result<bool>`, sync or async"
)]
pub trait Verdict<'a, By> {
    /// It, as a future.
    fn verdict(self) -> BoxFuture<'a, Result<bool>>;
}

/// Tells a `bool` apart.
#[derive(Debug)]
pub enum ByWord {}

/// Tells a `Result` apart.
#[derive(Debug)]
pub enum ByResult {}

/// Tells what is said at once apart.
#[derive(Debug)]
pub struct AtOnce<By>(PhantomData<By>);

/// Tells a future apart.
#[derive(Debug)]
pub struct Later<By>(PhantomData<By>);

#[diagnostic::do_not_recommend]
impl Said<ByWord> for bool {
    fn said(self) -> Result<bool> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Into<Error>> Said<ByResult> for Result<bool, E> {
    fn said(self) -> Result<bool> {
        self.map_err(Into::into)
    }
}

#[diagnostic::do_not_recommend]
impl<'a, T: Said<By>, By> Verdict<'a, AtOnce<By>> for T {
    fn verdict(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(ready(self.said()))
    }
}

#[diagnostic::do_not_recommend]
impl<'a, F, By> Verdict<'a, Later<By>> for F
where
    F: Future + Send + 'a,
    F::Output: Said<By>,
{
    fn verdict(self) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async move { self.await.said() })
    }
}

/// Asks what a rule gave.
pub fn verdict<'a, V: Verdict<'a, By>, By>(given: V) -> BoxFuture<'a, Result<bool>> {
    given.verdict()
}
