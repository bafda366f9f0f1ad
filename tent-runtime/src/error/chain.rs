//! The sources of an error: code of the app, which may panic and has any length. Must not let a panic of it out: an error
//! is logged and dropped where no call is guarded.

use std::error::Error as StdError;
use std::fmt::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::BoxError;

/// The most messages of a chain. A source may return itself.
const MAX_MESSAGES: usize = 32;

/// The most bytes of one message.
const MAX_MESSAGE: usize = 4 << 10;

/// The source of an error.
#[derive(Clone)]
pub(super) struct Source(Option<Arc<dyn StdError + Send + Sync>>);

impl Source {
    pub(super) fn new(source: BoxError) -> Self {
        Source(Some(Arc::from(source)))
    }

    pub(super) fn get(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self.0.as_deref().unwrap_or(&Dropped)
    }
}

/// Without the source's own `Debug`, which may panic.
impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        let source = self.0.take();
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(source))) {
            // Its value may panic when it is dropped, so it is leaked.
            std::mem::forget(panic);
            tracing::error!("the source of an error panicked when it was dropped");
        }
    }
}

/// Stands in for a source while it is dropped; nothing can observe it.
#[derive(Debug)]
struct Dropped;

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("dropped")
    }
}

impl StdError for Dropped {}

/// The messages of an error and of its sources, outermost first.
pub(super) fn of(first: Option<&(dyn StdError + 'static)>) -> Vec<String> {
    let mut messages = Vec::new();
    let mut next = first;
    while let Some(error) = next {
        if messages.len() == MAX_MESSAGES {
            break;
        }
        let mut message = Bounded::default();
        // What was written before the panic, or before the limit, stays.
        let wrote = caught(|| write!(message, "{error}").unwrap_or_default());
        match wrote {
            Some(()) => messages.push(message.0),
            None => messages.push(format!("{} (its Display panicked)", message.0)),
        }
        next = match caught(|| error.source()) {
            Some(source) => source,
            None => {
                messages.push("its source panicked".to_owned());
                None
            }
        };
    }
    messages
}

/// Runs code of the app; `None` if it panics.
fn caught<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Some(result),
        Err(panic) => {
            std::mem::forget(panic);
            None
        }
    }
}

/// A text of at most [`MAX_MESSAGE`] bytes. What comes after them ends the formatting.
#[derive(Default)]
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_MESSAGE - self.0.len();
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        self.0.push_str(crate::text::cut(text, room));
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    /// Panics in the methods that are named.
    #[derive(Debug)]
    struct Panics(&'static str);

    impl fmt::Display for Panics {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half")?;
            assert!(self.0 != "display", "in display");
            Ok(())
        }
    }

    impl StdError for Panics {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            assert!(self.0 != "source", "in source");
            (self.0 == "endless").then_some(self)
        }
    }

    impl Drop for Panics {
        fn drop(&mut self) {
            assert!(self.0 != "drop", "in drop");
        }
    }

    // S10
    #[test]
    fn a_panic_in_a_source_stays_inside() {
        let chain = |panics| Error::unexpected(Panics(panics)).chain();
        assert_eq!(chain("display"), ["half (its Display panicked)"]);
        assert_eq!(chain("source"), ["half", "its source panicked"]);
        assert_eq!(chain("drop"), ["half"]);
    }

    // S10
    #[test]
    fn a_chain_is_bounded_in_messages_and_bytes() {
        assert_eq!(Error::unexpected(Panics("endless")).chain().len(), 32);
        let long = Error::unexpected("é".repeat(3000)).chain();
        assert_eq!(long[0].len(), MAX_MESSAGE);
    }
}
