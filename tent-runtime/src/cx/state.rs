//! [`State`] and [`States`]: the app's own values that its functions take by reference.

use std::any::{Any, TypeId};
use std::collections::HashMap;

/// A value of the app that its functions may take by reference. Derive it.
///
/// [`Shared`] carries a type of another crate (a pool, a client).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of the app",
    note = "derive it: #[derive(tent::State)]; a type of another crate is carried by tent::Shared<T>"
)]
pub trait State: Sized + Send + Sync + 'static {}

/// Carries a type of another crate as a [`State`].
///
/// ```
/// use tent::Shared;
/// let names = Shared(vec!["ada"]);
/// assert_eq!(names.len(), 1);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(pub T);

impl<T: Send + Sync + 'static> State for Shared<T> {}

impl<T> std::ops::Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// The states of an app, one of each type.
#[derive(Default)]
pub struct States(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl States {
    /// Adds a state. It replaces one of the same type.
    pub fn put<T: State>(&mut self, state: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(state));
    }

    /// Returns the state of this type.
    pub fn find<T: State>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}
