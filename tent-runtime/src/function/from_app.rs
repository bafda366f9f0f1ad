//! What the app supplies to a function by reference: [`FromApp`]. A caller never supplies these parameters.

use std::any::{TypeId, type_name};

use crate::cx::{Cx, State};
use crate::error::Result;

/// A type that a function may take by reference: the call itself ([`Cx`]), or app state ([`State`]).
///
/// The parameter `By` only tells the two implementations apart, and is always inferred.
#[diagnostic::on_unimplemented(
    message = "T7006 borrowed-input: `&{Self}` is neither `&Cx` nor a `State`",
    label = "the app does not supply this type",
    note = "help: inputs must be owned: use `String` for `&str`, `Vec<T>` for `&[T]`; derive `tent::State` for app state, or take `&tent::Shared<{Self}>` for a type of another crate"
)]
pub trait FromApp<By>: Send + Sync + 'static {
    /// Returns the value for this call.
    ///
    /// # Errors
    /// T7011 if the app does not have this state. The app checks that at start.
    fn get(cx: &Cx) -> Result<&Self>;

    /// The state that the app must have; `None` for the call itself.
    fn requirement() -> Option<StateRequirement>;
}

/// App state that a function takes.
#[derive(Clone, Copy, Debug)]
pub struct StateRequirement {
    /// The name of its type, for messages.
    pub name: &'static str,
    /// Its type.
    pub id: TypeId,
}

/// Marks the implementation of [`FromApp`] for [`Cx`].
#[derive(Debug)]
pub enum ByCall {}

/// Marks the implementation of [`FromApp`] for [`State`].
#[derive(Debug)]
pub enum ByState {}

#[diagnostic::do_not_recommend]
impl FromApp<ByCall> for Cx {
    fn get(cx: &Cx) -> Result<&Self> {
        Ok(cx)
    }

    fn requirement() -> Option<StateRequirement> {
        None
    }
}

#[expect(
    clippy::needless_maybe_sized,
    reason = "`State` implies `Sized`; without `?Sized`, a `&str` would be two errors"
)]
#[diagnostic::do_not_recommend]
impl<T: State + ?Sized> FromApp<ByState> for T {
    fn get(cx: &Cx) -> Result<&Self> {
        cx.state()
    }

    fn requirement() -> Option<StateRequirement> {
        Some(StateRequirement {
            name: type_name::<T>(),
            id: TypeId::of::<T>(),
        })
    }
}

/// The functions of [`FromApp`] for one type, so that generated code states the bound once.
#[derive(Debug)]
pub struct FromAppOf<T: ?Sized + 'static> {
    /// [`FromApp::get`].
    pub get: for<'a> fn(&'a Cx) -> Result<&'a T>,
    /// [`FromApp::requirement`].
    pub requirement: fn() -> Option<StateRequirement>,
}

/// The functions that supply a parameter `&T`.
pub const fn from_app<T: ?Sized + FromApp<By>, By>() -> FromAppOf<T> {
    FromAppOf {
        get: T::get,
        requirement: T::requirement,
    }
}
