//! Questions of a call to an older client: a request down the stream of the call, for whose answer the function
//! waits. The answer may come on any connection of the session.
//!
//! Those under way are kept in [`questions`](super::questions), in this process alone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use serde_json::Value;

use super::notes::Notes;
use super::peer::{self, OfCall};
use super::reply::write;
use super::revision::Revision;
use super::running::Key;
use super::{Agreed, Asked, Mcp, ask};
use crate::caller::Caller;
use crate::cx::{Later, Level, Peer, Progress, Question, misanswered};
use crate::error::{Error, Result};
use crate::json;
use crate::random;

/// The most characters of a client's own words about why it does not answer.
const MOST_WORDS: usize = 200;

/// The client of a call in a session.
pub(super) struct InSession {
    told: Arc<OfCall>,
    notes: Notes,
    caller: Caller,
    nonce: [u8; 16],
    revision: Revision,
    ask_time: Duration,
    kept: Mutex<BTreeMap<String, Value>>,
}

impl InSession {
    pub(super) fn new(
        mcp: &Mcp,
        asked: &Asked<'_>,
        agreed: &Agreed,
        nonce: [u8; 16],
        told: Arc<OfCall>,
    ) -> Self {
        InSession {
            told,
            notes: mcp.notes.clone(),
            caller: asked.caller.clone(),
            nonce,
            revision: agreed.revision,
            ask_time: mcp.door.settings().limits.ask_time,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn put(&self, name: &str, question: &Question) -> Result<Value> {
        ask::check(question, self.revision)?;
        // Nobody else can know it, and no two servers of one session take the same.
        let id = format!("tent-{}", json::hex(&random::bytes::<16>()));
        let key = Key::new(self.nonce, &self.caller, &format!("\"{id}\""));
        let (_waiting, answered) = self.notes.questions().begin(key)?;
        let mut taken_back = TakenBack {
            told: &self.told,
            id: &id,
            is_due: false,
        };
        let mut request = ask::request(question, self.revision, &id);
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.as_str().into();
        let mut out = Vec::new();
        write(&mut out, &request);
        if !self.told.sink().send_surely(out) {
            return Err(misanswered(
                name,
                "cannot come: the stream of the call has ended",
            ));
        }
        taken_back.is_due = true;
        let answered = tokio::time::timeout(self.ask_time, answered).await;
        let answer = match answered {
            Ok(Ok(answer)) => answer,
            // The sender goes only with an answer, or with this.
            Ok(Err(lost)) => return Err(Error::unexpected(lost)),
            Err(_late) => return Err(misanswered(name, "did not come in time")),
        };
        taken_back.is_due = false;
        match answer {
            Ok(result) => match question.fits(&result) {
                Ok(()) => Ok(result),
                Err(what) => Err(misanswered(name, &what)),
            },
            Err(error) => {
                let words = error.get("message").and_then(Value::as_str);
                let words: String = words.unwrap_or_default().chars().take(MOST_WORDS).collect();
                Err(misanswered(
                    name,
                    &format!("is a failure of its own: {words}"),
                ))
            }
        }
    }
}

/// Takes a question back when this goes before its answer came.
struct TakenBack<'a> {
    told: &'a OfCall,
    id: &'a str,
    is_due: bool,
}

impl Drop for TakenBack<'_> {
    fn drop(&mut self) {
        if !self.is_due {
            return;
        }
        let mut out = peer::begin("notifications/cancelled");
        out.extend_from_slice(br#""requestId":"#);
        write(&mut out, self.id);
        self.told.sink().send(peer::end(out));
    }
}

impl Peer for InSession {
    fn progress(&self, progress: &Progress) {
        self.told.progress(progress);
    }

    fn log(&self, level: Level, logger: Option<&str>, data: &Value) {
        self.told.log(level, logger, data);
    }

    fn ask<'a>(&'a self, name: &'a str, question: Question) -> Later<'a, Result<Value>> {
        Box::pin(async move { self.put(name, &question).await })
    }

    fn is_asking(&self, _: &Waker) -> bool {
        false
    }

    fn kept<'a>(&'a self, name: &'a str) -> Later<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.kept().get(name).cloned()) })
    }

    fn keep<'a>(&'a self, name: &'a str, value: Value) -> Later<'a, Result<()>> {
        Box::pin(async move {
            self.kept().insert(name.to_owned(), value);
            Ok(())
        })
    }
}

impl fmt::Debug for InSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InSession").finish_non_exhaustive()
    }
}
