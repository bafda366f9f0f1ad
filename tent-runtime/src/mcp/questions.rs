//! Questions to older clients: a request down the stream of the call, for whose answer the function waits. The
//! answer may come on any connection of the session.
//!
//! Those under way are known in this process alone, by session, caller and id; there is a bound on them.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::oneshot;

use super::peer::{self, OfCall};
use super::reply::write;
use super::revision::Revision;
use super::running::Key;
use super::wire::Outcome;
use super::{Agreed, Asked, Mcp, ask};
use crate::caller::Caller;
use crate::cx::{Later, Level, Peer, Progress, Question, misanswered};
use crate::error::{Error, Result};
use crate::json;
use crate::random;

/// So many questions are under way at once.
const MOST: usize = 10_000;

/// The most characters of a client's own words about why it does not answer.
const MOST_WORDS: usize = 200;

/// The questions under way.
#[derive(Default)]
pub(super) struct Questions(Mutex<HashMap<Key, oneshot::Sender<Outcome>>>);

impl Questions {
    fn begin(&self, key: Key) -> Result<oneshot::Receiver<Outcome>> {
        let (answer, answered) = oneshot::channel();
        let mut under_way = self.lock();
        if under_way.len() >= MOST {
            return Err(Error::of("T0006").with_retry_after(Duration::from_secs(60)));
        }
        under_way.insert(key, answer);
        Ok(answered)
    }

    /// Hands an answer to whoever waits for it. One that nobody waits for is nobody's.
    pub(super) fn answer(&self, key: &Key, outcome: Outcome) {
        let waits = self.lock().remove(key);
        if let Some(waits) = waits {
            // Whoever waited may be gone by now.
            let _ = waits.send(outcome);
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, oneshot::Sender<Outcome>>> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client of a call in a session.
pub(super) struct InSession {
    told: Arc<OfCall>,
    questions: Arc<Questions>,
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
            questions: mcp.questions.clone(),
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
        // Nobody else can know it, and no two servers of one session take the same.
        let id = format!("tent-{}", json::hex(&random::bytes::<16>()));
        let key = Key::new(self.nonce, &self.caller, &format!("\"{id}\""));
        let answered = self.questions.begin(key.clone())?;
        let under_way = UnderWay {
            client: self,
            key,
            id: &id,
            waits: true,
        };
        let mut request = ask::request(question, self.revision, &id);
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.as_str().into();
        let mut out = Vec::new();
        write(&mut out, &request);
        if !self.told.sink().send_surely(out) {
            return Err(misanswered(
                name,
                "could not be asked for: its stream has ended",
            ));
        }
        let answered = tokio::time::timeout(self.ask_time, answered).await;
        let outcome = match answered {
            Ok(Ok(outcome)) => outcome,
            // The sender goes only with an answer, or with this.
            Ok(Err(lost)) => return Err(Error::unexpected(lost)),
            Err(_late) => return Err(misanswered(name, "did not come in time")),
        };
        under_way.ended();
        match outcome {
            Outcome::Result(result) => {
                let result = Value::Object(result);
                match question.fits(&result) {
                    Ok(()) => Ok(result),
                    Err(what) => Err(misanswered(name, &what)),
                }
            }
            Outcome::Failed(words) => {
                let words: String = words.chars().take(MOST_WORDS).collect();
                Err(misanswered(
                    name,
                    &format!("is a failure of its own: {words}"),
                ))
            }
        }
    }
}

/// A question that is taken back when this goes, unless it was answered.
struct UnderWay<'a> {
    client: &'a InSession,
    key: Key,
    id: &'a str,
    waits: bool,
}

impl UnderWay<'_> {
    fn ended(mut self) {
        self.waits = false;
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        if !self.waits {
            return;
        }
        self.client.questions.lock().remove(&self.key);
        let mut out = peer::begin("notifications/cancelled");
        out.extend_from_slice(br#""requestId":"#);
        write(&mut out, self.id);
        self.client.told.sink().send(peer::end(out));
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
