//! The client at the other end of a call, as its function sees it: progress and lines of a log go into the stream of
//! that one call.
//!
//! Writes messages; when they leave is [`stream`](super::stream)'s.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use serde_json::Value;

use super::params::{Meta, Text};
use super::reply::{Refusal, write};
use super::revision::Revision;
use super::running::Key;
use super::stream::Sink;
use super::wire::is_id;
use super::{Agreed, Asked, Mcp};
use crate::cx::{Later, Level, Peer, Progress, Question};
use crate::error::{Error, Result};

/// The client at the other end of one call.
pub(super) struct OfCall {
    sink: Sink,
    revision: Revision,
    /// The progress token as it was sent, where there is one, and the last progress.
    progress: Option<(Box<str>, Mutex<Option<f64>>)>,
    /// From which level on lines of a log are sent.
    level: Option<Level>,
    ended: AtomicBool,
}

impl OfCall {
    /// The client that sent a request; `None` where it takes no events.
    pub(super) fn new(
        mcp: &Mcp,
        asked: &Asked<'_>,
        meta: &Meta<'_>,
        agreed: &Agreed,
    ) -> Result<Option<Arc<Self>>, Refusal> {
        let token = match meta.progress_token.map(|token| token.get()) {
            Some(token) if !is_id(token) => {
                return Err(Refusal::params(
                    "A progressToken is a string or an integer, of at most 1024 bytes.",
                ));
            }
            token => token,
        };
        let level = if agreed.revision.is_modern() {
            level_of(&meta.log_level)?
        } else {
            let key = agreed.nonce.map(|nonce| Key::new(nonce, &asked.caller, ""));
            Some(key.map_or(Levels::UNSAID, |key| mcp.levels.of(&key)))
        };
        Ok(asked.sink().map(|sink| {
            Arc::new(OfCall {
                sink,
                revision: agreed.revision,
                progress: token.map(|token| (token.into(), Mutex::new(None))),
                level,
                ended: AtomicBool::new(false),
            })
        }))
    }

    /// Nothing more is sent: the call has ended, whatever its function left running.
    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        if let Some((_, last)) = &self.progress {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(f64::INFINITY);
        }
    }

    /// Where its messages go.
    pub(super) fn sink(&self) -> &Sink {
        &self.sink
    }
}

/// The level that is named, if one is.
fn level_of(said: &Text<'_>) -> Result<Option<Level>, Refusal> {
    if *said == Text::Absent {
        return Ok(None);
    }
    match said.get().and_then(Level::find) {
        Some(level) => Ok(Some(level)),
        None => Err(Refusal::params(format!(
            "A level is one of {}.",
            Level::ALL.map(Level::name).join(", ")
        ))),
    }
}

impl Peer for OfCall {
    fn begins(&self) {
        self.sink.begin();
    }

    fn progress(&self, progress: &Progress) {
        let Some((token, last)) = &self.progress else {
            return;
        };
        let done = progress.done;
        {
            let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
            if !done.is_finite() || last.is_some_and(|last| done <= last) {
                return;
            }
            *last = Some(done);
            // Still held, so that two at once are sent in the order that they were counted in.
            let mut out = begin("notifications/progress");
            out.extend_from_slice(br#""progressToken":"#);
            out.extend_from_slice(token.as_bytes());
            out.extend_from_slice(br#","progress":"#);
            number(&mut out, done);
            if let Some(total) = progress.total.filter(|total| total.is_finite()) {
                out.extend_from_slice(br#","total":"#);
                number(&mut out, total);
            }
            let message = progress.message.as_deref();
            if let Some(message) = message.filter(|_| self.revision.has_progress_messages()) {
                out.extend_from_slice(br#","message":"#);
                write(&mut out, message);
            }
            self.sink.send(end(out));
        }
    }

    fn log(&self, level: Level, logger: Option<&str>, data: &Value) {
        if self.level.is_none_or(|least| level < least) || self.ended.load(Ordering::Acquire) {
            return;
        }
        let mut out = begin("notifications/message");
        out.extend_from_slice(br#""level":"#);
        write(&mut out, level.name());
        if let Some(logger) = logger {
            out.extend_from_slice(br#","logger":"#);
            write(&mut out, logger);
        }
        out.extend_from_slice(br#","data":"#);
        write(&mut out, data);
        self.sink.send(end(out));
    }

    fn ask<'a>(&'a self, _: &'a str, _: Question) -> Later<'a, Result<Value>> {
        Box::pin(async {
            Err(Error::of("T0021").with_message("The client of this call cannot be asked."))
        })
    }

    fn is_asking(&self, _: &Waker) -> bool {
        false
    }

    fn kept<'a>(&'a self, _: &'a str) -> Later<'a, Result<Option<Value>>> {
        Box::pin(async { Ok(None) })
    }

    fn keep<'a>(&'a self, _: &'a str, _: Value) -> Later<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

impl fmt::Debug for OfCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfCall").finish_non_exhaustive()
    }
}

/// The start of a notification, up to the members of its params. [`end`] closes it.
pub(super) fn begin(method: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write(&mut out, method);
    out.extend_from_slice(br#","params":{"#);
    out
}

/// Closes what [`begin`] opened.
pub(super) fn end(mut out: Vec<u8>) -> Vec<u8> {
    out.extend_from_slice(b"}}");
    out
}

/// A whole number without a point: there are clients that take `progress` for an integer.
fn number(out: &mut Vec<u8>, number: f64) {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= EXACT {
        write(out, &(number as i64));
    } else {
        write(out, &number);
    }
}

/// The levels that legacy sessions set, by session and caller. In this process alone: a client whose
/// level is lost gets what is sent unasked.
#[derive(Default)]
pub(super) struct Levels(Mutex<HashMap<Key, Level>>);

impl Levels {
    /// What is sent where a session set no level: the specification leaves it to the server.
    const UNSAID: Level = Level::Info;

    /// So many sessions have a level; beyond that one of the others loses its own.
    const MOST: usize = 10_000;

    /// So many sessions of one caller do; beyond that it is one of its own that loses it.
    const MOST_OF_ONE: usize = 1000;

    /// Serves `logging/setLevel`.
    pub(super) fn set(&self, key: Option<Key>, said: &Text<'_>) -> Result<(), Refusal> {
        let Some(level) = level_of(said)? else {
            return Err(Refusal::params("logging/setLevel names a level."));
        };
        let Some(key) = key else {
            return Err(Refusal::invalid(
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
    pub(super) fn forget(&self, key: &Key) {
        self.lock().remove(key);
    }

    fn of(&self, key: &Key) -> Level {
        self.lock().get(key).copied().unwrap_or(Self::UNSAID)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Level>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::{Caller, User};

    #[test]
    fn levels_of_sessions_are_bounded() {
        let levels = Levels::default();
        let key = |whose: usize, n: usize| {
            let caller = Caller::User(Arc::new(User::new(whose.to_string())));
            Key::new([0; 16], &caller, &n.to_string())
        };
        let set = |whose, n| {
            let set = levels.set(Some(key(whose, n)), &Text::Is("error".into()));
            assert!(set.is_ok());
        };
        let put = |whose, n| levels.lock().insert(key(whose, n), Level::Error);
        set(1, 0);
        // One caller with many sessions takes nothing from another.
        for n in 0..Levels::MOST_OF_ONE {
            put(0, n);
        }
        for n in Levels::MOST_OF_ONE..Levels::MOST_OF_ONE + 10 {
            set(0, n);
            assert_eq!(levels.of(&key(0, n)), Level::Error);
        }
        assert_eq!(levels.lock().len(), Levels::MOST_OF_ONE + 1);
        assert_eq!(levels.of(&key(1, 0)), Level::Error);
        assert_eq!(levels.of(&key(0, Levels::MOST)), Level::Info, "it has none");
        for n in 0..Levels::MOST - Levels::MOST_OF_ONE - 1 {
            put(2 + n, 0);
        }
        set(1, 1);
        assert_eq!(levels.lock().len(), Levels::MOST);
        assert_eq!(levels.of(&key(1, 1)), Level::Error);
    }

    #[test]
    fn numbers_are_whole_where_they_can_be() {
        for (given, wanted) in [(3.0, "3"), (-0.0, "0"), (0.5, "0.5"), (1e300, "1e+300")] {
            let mut out = Vec::new();
            number(&mut out, given);
            assert_eq!(String::from_utf8_lossy(&out), wanted);
        }
    }
}
