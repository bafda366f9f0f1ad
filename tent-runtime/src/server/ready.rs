//! `/readyz`: whether the server should get calls. It looks at the store, within a bounded time.
//! Must not let many probes cause much work: one look serves all of the next second.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, timeout};

use crate::dispatch::Dispatcher;
use crate::store::Store;

/// How long the result of a look serves.
const FRESH: Duration = Duration::from_secs(1);

/// How long a look may take. A store that takes longer serves no calls either.
const LONGEST: Duration = Duration::from_secs(2);

/// Whether the server is ready, and what it waits for if it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ready {
    Yes,
    ShuttingDown,
    StoreUnavailable,
}

/// The latest look at the store.
#[derive(Debug, Default)]
pub(super) struct StoreProbe {
    latest: Mutex<Latest>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Latest {
    /// When the look that is not done yet began.
    began: Option<Instant>,
    /// When the last look ended, and whether the store was good.
    ended: Option<(Instant, bool)>,
}

impl StoreProbe {
    pub(super) async fn ready(&self, dispatcher: &Dispatcher) -> Ready {
        if dispatcher.is_draining() {
            return Ready::ShuttingDown;
        }
        match self.is_good(&**dispatcher.store()).await {
            true => Ready::Yes,
            false => Ready::StoreUnavailable,
        }
    }

    async fn is_good(&self, store: &dyn Store) -> bool {
        let now = Instant::now();
        {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            // A look that was dropped with its request counts as one that took too long.
            let is_under_way = latest.began.is_some_and(|began| now - began < LONGEST);
            if let Some((ended, good)) = latest.ended
                && (is_under_way || now - ended < FRESH)
            {
                return good;
            }
            latest.began = Some(now);
        }
        let good = match timeout(LONGEST, store.check()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::debug!(chain = ?error.chain(), "the store cannot be used");
                false
            }
            Err(_) => {
                tracing::warn!("the store did not respond within {LONGEST:?}");
                false
            }
        };
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = Latest {
            began: None,
            ended: Some((Instant::now(), good)),
        };
        good
    }
}
