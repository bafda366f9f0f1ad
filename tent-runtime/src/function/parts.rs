//! What the app gives to a function by reference: [`FromApp`]. Never what a caller gives.

use std::any::{TypeId, type_name};

use crate::cx::{Cx, State};
use crate::error::Result;

/// What a function may take by reference: the call itself ([`Cx`]), or a state of the app.
///
/// `By` only tells the two implementations apart; nobody names it.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: `&{Self}` is neither the call nor a state of the app, and an input is owned",
    label = "not given by the app",
    note = "help: take an input by value (`String` for `&str`, `Vec<T>` for `&[T]`); a state derives `tent::State`, and a type of another crate is carried by `tent::Shared<T>`"
)]
pub trait FromApp<By>: Send + Sync + 'static {
    /// It, for this call.
    ///
    /// # Errors
    /// T7011 where the app was never handed it, which is found at start.
    fn part(cx: &Cx) -> Result<&Self>;

    /// What the app must have been handed; `None` for the call itself.
    fn need() -> Option<StateRequirement>;
}

/// A state that a function takes.
#[derive(Clone, Copy, Debug)]
pub struct StateRequirement {
    /// The name of its type, for messages.
    pub name: &'static str,
    /// Its type.
    pub id: TypeId,
}

/// Tells [`Cx`] apart in [`FromApp`].
#[derive(Debug)]
pub enum ByCall {}

/// Tells a [`State`] apart in [`FromApp`].
#[derive(Debug)]
pub enum ByApp {}

#[diagnostic::do_not_recommend]
impl FromApp<ByCall> for Cx {
    fn part(cx: &Cx) -> Result<&Self> {
        Ok(cx)
    }

    fn need() -> Option<StateRequirement> {
        None
    }
}

#[expect(
    clippy::needless_maybe_sized,
    reason = "`State` implies `Sized`; stated twice, a `&str` would be two errors"
)]
#[diagnostic::do_not_recommend]
impl<T: State + ?Sized> FromApp<ByApp> for T {
    fn part(cx: &Cx) -> Result<&Self> {
        cx.state()
    }

    fn need() -> Option<StateRequirement> {
        Some(StateRequirement {
            name: type_name::<T>(),
            id: TypeId::of::<T>(),
        })
    }
}

/// The two sides of a [`FromApp`] as functions, so that generated code states its bound once.
#[derive(Debug)]
pub struct PartOf<T: ?Sized + 'static> {
    /// [`FromApp::part`].
    pub part: for<'a> fn(&'a Cx) -> Result<&'a T>,
    /// [`FromApp::need`].
    pub need: fn() -> Option<StateRequirement>,
}

/// The part that a parameter `&T` is.
pub const fn part<T: ?Sized + FromApp<By>, By>() -> PartOf<T> {
    PartOf {
        part: T::part,
        need: T::need,
    }
}

/// What a function with these parts needs of the app.
pub fn needs(parts: &[fn() -> Option<StateRequirement>]) -> Vec<StateRequirement> {
    parts.iter().filter_map(|need| need()).collect()
}
