//! [`LogLevels`]: the log levels that legacy sessions set with `logging/setLevel`. A modern request carries its own.
//! Must not send log messages.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::cx::Level;
use crate::mcp::protocol::params::Text;
use crate::mcp::protocol::request_meta;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;

/// The log levels that legacy sessions set, by session and caller. They live in this process alone: a session whose level
/// is lost has the default one.
#[derive(Default)]
pub(crate) struct LogLevels(Mutex<HashMap<RequestKey, Level>>);

impl LogLevels {
    /// The level of a session that set none. MCP leaves it to the server (2025-11-25, server/utilities/logging).
    pub(crate) const DEFAULT: Level = Level::Info;

    /// The most sessions with a level. One more replaces any other.
    const MAX: usize = 10_000;

    /// The most sessions of one caller with a level. One more replaces another of the same caller, so that a caller with
    /// many sessions takes nothing from others.
    const MAX_OF_ONE: usize = 1000;

    /// Serves `logging/setLevel`.
    ///
    /// # Errors
    /// −32602 for an unknown level, −32600 outside of a session.
    pub(crate) fn set(&self, key: Option<RequestKey>, level: &Text<'_>) -> Result<(), RpcError> {
        let Some(level) = request_meta::level(level)? else {
            return Err(RpcError::params("logging/setLevel names a level."));
        };
        let Some(key) = key else {
            return Err(RpcError::invalid(
                "logging/setLevel sets the level of a session, and this request is in none.",
            ));
        };
        let mut levels = self.lock();
        if !levels.contains_key(&key) {
            let mut same = levels.keys().filter(|other| other.has_caller_of(&key));
            let replaced = match same.nth(Self::MAX_OF_ONE - 1) {
                Some(same) => Some(same.clone()),
                None if levels.len() >= Self::MAX => levels.keys().next().cloned(),
                None => None,
            };
            replaced.map(|key| levels.remove(&key));
        }
        levels.insert(key, level);
        Ok(())
    }

    /// Removes the level of a session that has ended.
    pub(crate) fn forget(&self, key: &RequestKey) {
        self.lock().remove(key);
    }

    /// Removes the levels of a connection's session.
    pub(crate) fn forget_connection(&self, nonce: &[u8; 16]) {
        self.lock().retain(|key, _| !key.is_in(nonce));
    }

    /// The level of a session.
    pub(crate) fn of(&self, key: &RequestKey) -> Level {
        self.lock().get(key).copied().unwrap_or(Self::DEFAULT)
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
    fn bounds_the_sessions_with_a_level() {
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
        // A caller with many sessions takes nothing from others.
        for n in 0..LogLevels::MAX_OF_ONE {
            put(0, n);
        }
        for n in LogLevels::MAX_OF_ONE..LogLevels::MAX_OF_ONE + 10 {
            set(0, n);
            assert_eq!(levels.of(&key(0, n)), Level::Error);
        }
        assert_eq!(levels.lock().len(), LogLevels::MAX_OF_ONE + 1);
        assert_eq!(levels.of(&key(1, 0)), Level::Error);
        assert_eq!(
            levels.of(&key(0, LogLevels::MAX)),
            Level::Info,
            "it has none"
        );
        for n in 0..LogLevels::MAX - LogLevels::MAX_OF_ONE - 1 {
            put(2 + n, 0);
        }
        set(1, 1);
        assert_eq!(levels.lock().len(), LogLevels::MAX);
        assert_eq!(levels.of(&key(1, 1)), Level::Error);
    }
}
