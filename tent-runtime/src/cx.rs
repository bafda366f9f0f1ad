//! [`Cx`]: what a function is told of the call that it serves, and the state of the app.
//!
//! Knows no envelope: what it says of a client is what the envelope put in.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::caller::{Caller, User};
use crate::error::{Error, Result};

/// Something of the app's own that its functions may take by reference: derive it.
///
/// A foreign type (a pool, a client) is carried by [`Shared`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of the app",
    note = "derive it: #[derive(tent::State)]; a type of another crate is carried by tent::Shared<T>"
)]
pub trait State: Sized + Send + Sync + 'static {}

/// Carries a type of another crate as a [`State`].
///
/// ```
/// use tent_runtime::cx::Shared;
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

/// The states that the app was handed, one of each type.
#[derive(Default)]
pub struct States(HashMap<TypeId, Box<dyn Any + Send + Sync>>);

impl States {
    /// Puts a state in; one of the same type before it is replaced.
    pub fn put<T: State>(&mut self, state: T) {
        self.0.insert(TypeId::of::<T>(), Box::new(state));
    }

    /// The state of this type.
    pub fn find<T: State>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }
}

/// The way a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Era {
    /// `/api`, the command line, or the app itself: no MCP client.
    #[default]
    None,
    /// MCP by an `initialize` handshake, up to 2025-11-25.
    Legacy,
    /// MCP with the metadata in each request, 2026-07-28 and later.
    Modern,
}

/// What a client says of itself. Never proof of anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// The era of the protocol it speaks.
    pub era: Era,
    /// Its name, where it gave one.
    pub name: Option<String>,
    /// Its version, where it gave one.
    pub version: Option<String>,
}

/// One call, as its function sees it. Cheap to clone.
#[derive(Clone)]
pub struct Cx(Arc<CxParts>);

/// What the door makes a [`Cx`] from.
#[derive(Default)]
pub(crate) struct CxParts {
    pub(crate) caller: Caller,
    pub(crate) states: Arc<States>,
    pub(crate) client: Client,
    pub(crate) trace: String,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: Option<watch::Receiver<bool>>,
}

impl Cx {
    pub(crate) fn new(parts: CxParts) -> Self {
        Cx(Arc::new(parts))
    }

    /// A call by `caller` of an app with these states, without the door: for the tests of what generated
    /// code does.
    #[doc(hidden)]
    pub fn for_test(caller: Caller, states: States) -> Self {
        Cx::new(CxParts {
            caller,
            states: Arc::new(states),
            ..CxParts::default()
        })
    }

    /// Who calls.
    pub fn caller(&self) -> &Caller {
        &self.0.caller
    }

    /// The person who calls, or whose key calls.
    ///
    /// # Errors
    /// T0004 where nobody calls, T0005 where a caller has no person behind it.
    pub fn user(&self) -> Result<&User> {
        self.0.caller.user().ok_or_else(|| match self.0.caller {
            Caller::Nobody => Error::of("T0004"),
            _ => Error::of("T0005")
                .with_message("No person stands behind this caller.")
                .with_fix("Call with the key of a person, or sign in."),
        })
    }

    /// Goes on where `allowed` holds.
    ///
    /// # Errors
    /// T0005 otherwise.
    ///
    /// ```
    /// # fn serve(cx: &tent_runtime::cx::Cx, owner: &str) -> tent_runtime::error::Result<()> {
    /// cx.require(cx.user()?.id == owner)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn require(&self, allowed: bool) -> Result<()> {
        if allowed {
            return Ok(());
        }
        Err(Error::of("T0005")
            .with_message("The caller may not do this.")
            .with_fix("Call it as somebody who may."))
    }

    /// A state of the app.
    ///
    /// # Errors
    /// T7011 where the app was never handed one of this type.
    pub fn state<T: State>(&self) -> Result<&T> {
        self.0.states.find().ok_or_else(|| {
            Error::of("T7011").with_source(format!(
                "the app was handed no {}",
                std::any::type_name::<T>()
            ))
        })
    }

    /// What the client says of itself.
    pub fn client(&self) -> &Client {
        &self.0.client
    }

    /// When the call is ended with T0010; `None` where it may take as long as it likes.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// The time left until [`deadline`](Self::deadline).
    pub fn time_left(&self) -> Option<Duration> {
        self.0
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Ends when the call was cancelled; never, where nobody can cancel it.
    pub async fn cancelled(&self) {
        if let Some(stop) = &self.0.stop {
            let mut stop = stop.clone();
            if stop.wait_for(|&stopped| stopped).await.is_ok() {
                return;
            }
        }
        std::future::pending().await
    }

    /// The id of the request, as the log has it.
    pub fn trace(&self) -> &str {
        &self.0.trace
    }
}

impl fmt::Debug for Cx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cx")
            .field("caller", &self.0.caller)
            .field("client", &self.0.client)
            .field("trace", &self.0.trace)
            .finish_non_exhaustive()
    }
}
