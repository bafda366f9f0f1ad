//! The log of rejected credentials, which shows an attempt to guess keys. No log line holds a credential or a part
//! of one.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::request::Parts;
use tokio::time::Instant;

use crate::cx::TraceId;
use crate::error::Error;
use crate::text::{LOGGED, abridged};

/// The least time between two lines at level `info`.
const INFO_INTERVAL: Duration = Duration::from_secs(1);

/// Logs rejected credentials at a bounded rate, so that guessing does not fill the log: one line a second at level
/// `info`, with the number of those since the last one, and the others at `debug`.
#[derive(Default)]
pub(super) struct RejectedCredentials(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    /// When the last line at level `info` was written.
    logged: Option<Instant>,
    /// How many credentials were rejected since then.
    since: u64,
}

impl RejectedCredentials {
    /// `parts` is the head of an HTTP request; a connection without HTTP has none.
    pub(super) fn log(&self, parts: Option<&Parts>, trace: &TraceId, error: &Error) {
        let peer = parts.and_then(|parts| parts.extensions.get::<ConnectInfo<SocketAddr>>());
        let peer = peer.map(|ConnectInfo(addr)| tracing::field::display(addr));
        let path = parts.map(|parts| abridged(parts.uri.path(), LOGGED));
        let path = path.as_deref();
        let trace = trace.as_str();
        match self.due(Instant::now()) {
            Some(unlogged) => {
                tracing::info!(trace, peer, path, unlogged, "rejected credentials: {error}");
            }
            None => tracing::debug!(trace, peer, path, "rejected credentials: {error}"),
        }
    }

    /// The number of rejections since the last line at level `info`, if the next such line is due.
    fn due(&self, now: Instant) -> Option<u64> {
        // No code panics while it holds the lock.
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recent
            .logged
            .is_some_and(|logged| now - logged < INFO_INTERVAL)
        {
            recent.since += 1;
            return None;
        }
        recent.logged = Some(now);
        Some(std::mem::take(&mut recent.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rejection_a_second_is_logged_at_info_with_the_number_of_the_others() {
        let rejected = RejectedCredentials::default();
        let start = Instant::now();
        let due = |millis| rejected.due(start + Duration::from_millis(millis));
        assert_eq!(due(0), Some(0));
        assert_eq!([due(1), due(500), due(999)], [None; 3]);
        assert_eq!(due(1000), Some(3));
        assert_eq!(due(1001), None);
        assert_eq!(due(5000), Some(1));
    }
}
