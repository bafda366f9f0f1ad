//! The log of refused keys, by which somebody who tries many is seen. None has the key, or a part of it.

use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::request::Parts;
use tokio::time::Instant;

use crate::error::Error;

/// How much time there is at least between two lines for everyone.
const TOLD_EACH: Duration = Duration::from_secs(1);

/// Who tries many keys may not fill the log: one line a second is for everyone to see (`info`), with the number
/// of those since the last one; the others are for who looks for them (`debug`).
#[derive(Default)]
pub(super) struct RejectedCredentials(Mutex<Recent>);

#[derive(Default)]
struct Recent {
    /// When the last line for everyone was written.
    told: Option<Instant>,
    /// How many were refused since then.
    since: u64,
}

impl RejectedCredentials {
    pub(super) fn log(&self, parts: &Parts, trace: &str, error: &Error) {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|ConnectInfo(addr)| tracing::field::display(addr));
        let path = parts.uri.path();
        match self.due(Instant::now()) {
            Some(untold) => {
                tracing::info!(trace, peer, path, untold, "a key was refused: {error}");
            }
            None => tracing::debug!(trace, peer, path, "a key was refused: {error}"),
        }
    }

    /// Whether this one is told to everyone, and how many before it were not.
    fn due(&self, now: Instant) -> Option<u64> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.told.is_some_and(|told| now - told < TOLD_EACH) {
            recent.since += 1;
            return None;
        }
        recent.told = Some(now);
        Some(std::mem::take(&mut recent.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_refused_key_a_second_is_told_to_everyone_and_the_others_are_counted() {
        let refusals = RejectedCredentials::default();
        let start = Instant::now();
        let due = |millis| refusals.due(start + Duration::from_millis(millis));
        assert_eq!(due(0), Some(0));
        assert_eq!([due(1), due(500), due(999)], [None; 3]);
        assert_eq!(due(1000), Some(3));
        assert_eq!(due(1001), None);
        assert_eq!(due(5000), Some(1));
    }
}
