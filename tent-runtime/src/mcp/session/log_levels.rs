//! [`LogLevels`]: which lines of a log the clients of legacy sessions want, as `logging/setLevel` says. A modern request
//! says it itself.
//!
//! Keeps levels and sends nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cx::Level;
use crate::mcp::protocol::params::Text;
use crate::mcp::protocol::request_meta;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;

/// The levels that legacy sessions set, by session and caller. In this process alone: a client whose
/// level is lost gets what is sent unasked.
#[derive(Default)]
pub(crate) struct LogLevels(Mutex<HashMap<RequestKey, Level>>);

impl LogLevels {
    /// What is sent where a session set no level: the specification leaves it to the server.
    pub(crate) const UNSAID: Level = Level::Info;

    /// So many sessions have a level; beyond that one of the others loses its own.
    const MOST: usize = 10_000;

    /// So many sessions of one caller do; beyond that it is one of its own that loses it.
    const MOST_OF_ONE: usize = 1000;

    /// Serves `logging/setLevel`.
    pub(crate) fn set(&self, key: Option<RequestKey>, said: &Text<'_>) -> Result<(), RpcError> {
        let Some(level) = request_meta::level(said)? else {
            return Err(RpcError::params("logging/setLevel names a level."));
        };
        let Some(key) = key else {
            return Err(RpcError::invalid(
                "logging/setLevel sets the level of a session, and this request is in none.",
            ));
        };
        let mut levels = self.lock();
        if !levels.contains_key(&key) {
            let mut same = levels.keys().filter(|other| other.is_of_same(&key));
            let other = match same.nth(Self::MOST_OF_ONE - 1) {
                Some(same) => Some(same.clone()),
                None if levels.len() >= Self::MOST => levels.keys().next().cloned(),
                None => None,
            };
            other.map(|other| levels.remove(&other));
        }
        levels.insert(key, level);
        Ok(())
    }

    /// Of a session that has ended.
    pub(crate) fn forget(&self, key: &RequestKey) {
        self.lock().remove(key);
    }

    /// What this session is sent.
    pub(crate) fn of(&self, key: &RequestKey) -> Level {
        self.lock().get(key).copied().unwrap_or(Self::UNSAID)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestKey, Level>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::caller::{Caller, User};

    #[test]
    fn levels_of_sessions_are_bounded() {
        let levels = LogLevels::default();
        let key = |whose: usize, n: usize| {
            let caller = Caller::User(Arc::new(User::new(whose.to_string())));
            RequestKey::new([0; 16], &caller, &n.to_string())
        };
        let set = |whose, n| {
            let set = levels.set(Some(key(whose, n)), &Text::Valid("error".into()));
            assert!(set.is_ok());
        };
        let put = |whose, n| levels.lock().insert(key(whose, n), Level::Error);
        set(1, 0);
        // One caller with many sessions takes nothing from another.
        for n in 0..LogLevels::MOST_OF_ONE {
            put(0, n);
        }
        for n in LogLevels::MOST_OF_ONE..LogLevels::MOST_OF_ONE + 10 {
            set(0, n);
            assert_eq!(levels.of(&key(0, n)), Level::Error);
        }
        assert_eq!(levels.lock().len(), LogLevels::MOST_OF_ONE + 1);
        assert_eq!(levels.of(&key(1, 0)), Level::Error);
        assert_eq!(
            levels.of(&key(0, LogLevels::MOST)),
            Level::Info,
            "it has none"
        );
        for n in 0..LogLevels::MOST - LogLevels::MOST_OF_ONE - 1 {
            put(2 + n, 0);
        }
        set(1, 1);
        assert_eq!(levels.lock().len(), LogLevels::MOST);
        assert_eq!(levels.of(&key(1, 1)), Level::Error);
    }
}
