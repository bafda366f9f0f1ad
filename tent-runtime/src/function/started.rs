//! [`Started`]: a function of the app beside the declared ones (an access rule, a list, a completion), as generated code
//! starts it. Runs nothing on another thread: `dispatch` does.

use std::fmt;
use std::future::ready;

use super::BoxFuture;
use crate::cx::Cx;
use crate::error::{Error, Result};

/// What generated code returns for a function of the app: its kind if there is no call to run it for, else its result.
///
/// A generated function has both, because it names the author's function once: two uses would report an error in its
/// signature twice.
pub enum Started<'a, T> {
    /// A plain `fn`, which may block its thread.
    Plain,
    /// An `async fn`.
    Async,
    /// The result.
    Future(BoxFuture<'a, Result<T>>),
}

impl<'a, T> Started<'a, T> {
    /// Runs the function for the call of `cx`. Without a call, tells its kind.
    pub(super) fn of(
        is_plain: bool,
        cx: Option<&'a Cx>,
        run: impl FnOnce(&'a Cx) -> BoxFuture<'a, Result<T>>,
    ) -> Self {
        match (cx, is_plain) {
            (Some(cx), _) => Started::Future(run(cx)),
            (None, true) => Started::Plain,
            (None, false) => Started::Async,
        }
    }

    /// Whether the function is a plain `fn`.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self, Started::Plain)
    }

    /// The result of a function that was run for a call.
    pub fn result(self) -> BoxFuture<'a, Result<T>>
    where
        T: Send + 'a,
    {
        match self {
            Started::Future(future) => future,
            Started::Plain | Started::Async => {
                Box::pin(ready(Err(Error::unexpected("the function was not run"))))
            }
        }
    }
}

impl<T> fmt::Debug for Started<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Started::Plain => "Plain",
            Started::Async => "Async",
            Started::Future(_) => "Future",
        })
    }
}
