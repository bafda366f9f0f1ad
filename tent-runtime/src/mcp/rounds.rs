//! Calls in several rounds, the modern way to ask a client (2026-07-28, basic/patterns/mrtr): a function that
//! asks is dropped, what it asks is answered together with a sealed state, and the next round, which brings
//! the answers and the state, runs it again from its start.
//!
//! The state is bound to caller, method, name and input, ends after a time, and holds what was answered
//! before, so any process serves any round. What does more than read runs once for each state: a state is
//! claimed in the store, and one that comes again is answered what it was. Nothing here runs a function.

mod carried;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use self::carried::{Answered, Carried, Outcome};
use super::ask;
use super::params::{Arguments, Text};
use super::reply::{Refusal, write};
use super::revision::Revision;
use crate::clock::{Clock, SystemClock};
use crate::cx::{Later, Level, Peer, Progress, Question};
use crate::door::{Door, Entering, Rounds};
use crate::error::{Error, Result};
use crate::function::{Answer, BoxFuture, Kind};
use crate::json;
use crate::random;
use crate::store::Claim;

/// The most bytes that the steps of a call may keep, as JSON: they travel with each round.
const MOST_KEPT: usize = 64 << 10;

/// The most bytes, as JSON, of the answers that a call may carry into its next round.
const MOST_ANSWERED: usize = 64 << 10;

/// How often the store is asked whether a round that runs elsewhere has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// How long after its deadline a call may still be writing its outcome down.
const GRACE: Duration = Duration::from_secs(5);

/// Writes the result of a call, without its envelope; the failure itself where that is no result.
pub(super) type Writer = Box<dyn Fn(&Result<Answer>) -> Result<Vec<u8>> + Send + Sync>;

/// One round of a call.
pub(super) struct Round {
    door: Arc<Door>,
    method: &'static str,
    server: Arc<str>,
    /// What else the client can be told of the call.
    told: Option<Arc<dyn Peer>>,
    state: Option<String>,
    writer: Writer,
    inner: Mutex<Inner>,
    over: Notify,
}

#[derive(Default)]
struct Inner {
    /// What the client sent with this round and nothing has taken yet.
    responses: Map<String, Value>,
    /// What was asked in the round before, by name; `None` where this round came without a state, so that every
    /// response counts.
    asked: Option<BTreeMap<String, String>>,
    answers: Vec<Taken>,
    kept: BTreeMap<String, Value>,
    /// What is being asked.
    asking: Vec<(u64, String, Question)>,
    count: u64,
    /// What was being asked when the door ended the call.
    settled: Option<Vec<(String, Question)>>,
    waker: Option<Waker>,
    bound: [u8; 32],
    claimed: Option<Vec<u8>>,
    result: Option<Result<Vec<u8>>>,
    /// Whether the call has ended: nothing is asked for it any more.
    ended: bool,
}

/// An answer, and whether this run of the function was given it already.
struct Taken {
    answer: Answered,
    given: bool,
}

/// What a round is made of.
pub(super) struct Parts {
    pub(super) door: Arc<Door>,
    /// The request's method, which the state is bound to.
    pub(super) method: &'static str,
    /// The member of `_meta` that names the server.
    pub(super) server: Arc<str>,
    pub(super) told: Option<Arc<dyn Peer>>,
    pub(super) writer: Writer,
}

impl Round {
    /// The round of a request that came with these answers and this state.
    pub(super) fn new(
        parts: Parts,
        responses: Arguments,
        state: Text<'_>,
    ) -> Result<Arc<Self>, Refusal> {
        let responses = match responses {
            Arguments::Absent => Map::new(),
            Arguments::Object(responses) => responses,
            Arguments::Other => return Err(Refusal::params("inputResponses is an object.")),
        };
        let state = match state {
            Text::Absent => None,
            Text::Is(state) => Some(state.into_owned()),
            Text::Other => return Err(Refusal::params("requestState is a string.")),
        };
        let Parts {
            door,
            method,
            server,
            told,
            writer,
        } = parts;
        Ok(Arc::new(Round {
            door,
            method,
            server,
            told,
            state,
            writer,
            inner: Mutex::new(Inner {
                responses,
                ..Inner::default()
            }),
            over: Notify::new(),
        }))
    }

    /// The result to answer with, where the door gave an answer that asks.
    pub(super) fn result(&self) -> Result<Vec<u8>> {
        self.lock()
            .result
            .take()
            .unwrap_or_else(|| Err(Error::unexpected("a round ended without what it asks")))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it is held.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a question, where there is one already; else it is asked from now on.
    fn answered(&self, name: &str, question: &Question) -> Result<Found<'_>> {
        let print = question.fingerprint();
        let mut inner = self.lock();
        let inner = &mut *inner;
        if inner.ended {
            return Err(left_behind());
        }
        let earlier = inner
            .answers
            .iter_mut()
            .find(|one| !one.given && one.answer.name == name && one.answer.question == print);
        if let Some(earlier) = earlier {
            earlier.given = true;
            return Ok(Found::Answer(earlier.answer.value.clone()));
        }
        let was_asked = inner
            .asked
            .as_ref()
            .is_none_or(|asked| asked.get(name) == Some(&print));
        if was_asked
            && let Some(response) = inner.responses.remove(name)
            && question.fits(&response).is_ok()
        {
            inner.answers.push(Taken {
                answer: Answered {
                    name: name.to_owned(),
                    question: print,
                    value: response.clone(),
                },
                given: true,
            });
            return Ok(Found::Answer(response));
        }
        if inner.asking.iter().any(|(_, asked, _)| asked == name) {
            return Err(Error::unexpected(format!(
                "two questions of one call are both named {name:?} at once"
            )));
        }
        inner.count += 1;
        let number = inner.count;
        inner
            .asking
            .push((number, name.to_owned(), question.clone()));
        if let Some(waker) = inner.waker.take() {
            waker.wake();
        }
        Ok(Found::Asked(Asking {
            round: self,
            number,
        }))
    }

    /// The whole of what is asked, and the state that goes with it.
    ///
    /// # Errors
    /// T0003 where the answers so far are more than a state carries.
    fn asks(&self) -> Result<Vec<u8>> {
        let mut inner = self.lock();
        let inner = &mut *inner;
        let asked = inner.settled.take().unwrap_or_default();
        let mut requests = Map::new();
        let mut prints = BTreeMap::new();
        for (name, question) in asked {
            prints.insert(name.clone(), question.fingerprint());
            requests.insert(name, ask::request(&question, Revision::V2026_07_28, ""));
        }
        let answers = std::mem::take(&mut inner.answers).into_iter();
        let answers: Vec<Answered> = answers.map(|taken| taken.answer).collect();
        let bytes = serde_json::to_vec(&answers)?.len();
        if bytes > MOST_ANSWERED {
            return Err(Error::of("T0003")
                .with_message(format!(
                    "The answers of this call are {bytes} bytes, and {MOST_ANSWERED} are the most that it carries to its next question."
                ))
                .with_fix("Call again, with shorter answers."));
        }
        let carried = Carried {
            until: SystemClock.now().plus(self.ask_time()).as_millis(),
            nonce: json::hex(&random::bytes::<16>()),
            asked: prints,
            answers,
            kept: std::mem::take(&mut inner.kept),
        };
        let state = carried.seal(self.door.sealer(), &inner.bound);
        let mut out = br#"{"resultType":"input_required","inputRequests":"#.to_vec();
        write(&mut out, &requests);
        out.extend_from_slice(br#","requestState":"#);
        write(&mut out, &state);
        out.extend_from_slice(br#","_meta":{"#);
        out.extend_from_slice(self.server.as_bytes());
        out.extend_from_slice(b"}}");
        Ok(out)
    }

    fn ask_time(&self) -> Duration {
        self.door.settings().limits.ask_time
    }

    /// Takes up the state that came with the round.
    async fn take_up(&self, state: &str, entering: Entering<'_>) -> Result<bool> {
        let bound = self.lock().bound;
        let carried = Carried::open(self.door.sealer(), state, &bound)?;
        let until = carried.until();
        let is_old = SystemClock.now() > until;
        let nonce = {
            let mut inner = self.lock();
            inner.kept = carried.kept;
            if is_old {
                // What was answered too late is asked again; what was done before is still done.
                inner.asked = Some(BTreeMap::new());
            } else {
                inner.asked = Some(carried.asked);
                let taken = |answer| Taken {
                    answer,
                    given: false,
                };
                inner.answers = carried.answers.into_iter().map(taken).collect();
            }
            // One that is old is claimed as well: where it came in time once, it is answered what it was then.
            carried.nonce.into_bytes()
        };
        if entering.kind == Kind::Query {
            return Ok(true);
        }
        let left = entering.deadline.map_or(Duration::ZERO, |deadline| {
            deadline.saturating_duration_since(Instant::now())
        });
        loop {
            let now = SystemClock.now();
            let lease = now.plus(left).plus(GRACE);
            // Kept for longer than any round with this state can come or run.
            let forgotten = until.max(lease).plus(self.ask_time());
            let store = self.door.store();
            match store.claim_round(&nonce, lease, forgotten, now).await? {
                Claim::Taken => {
                    self.lock().claimed = Some(nonce);
                    return Ok(true);
                }
                Claim::Ended(outcome) => {
                    let outcome = Outcome::open(self.door.sealer(), &nonce, &outcome)?;
                    self.lock().result = Some(Ok(outcome?));
                    return Ok(false);
                }
                Claim::Running(lease) if now > lease => return Err(Error::of("T0011")),
                Claim::Running(_) => {
                    let again = Instant::now() + LOOK_AGAIN;
                    if entering.deadline.is_some_and(|deadline| deadline <= again) {
                        return Err(Error::of("T0009"));
                    }
                    tokio::time::sleep_until(again).await;
                }
                Claim::Full => {
                    return Err(Error::of("T0006").with_retry_after(Duration::from_secs(60)));
                }
            }
        }
    }
}

/// What a question of a task is answered that outlives its call.
fn left_behind() -> Error {
    Error::unexpected("the call that asked has ended")
}

enum Found<'a> {
    Answer(Value),
    Asked(Asking<'a>),
}

/// A question that is asked for as long as this is there.
struct Asking<'a> {
    round: &'a Round,
    number: u64,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut inner = self.round.lock();
        inner.asking.retain(|(number, ..)| *number != self.number);
    }
}

impl Rounds for Round {
    fn is_later(&self) -> bool {
        self.state.is_some()
    }

    fn enter<'a>(&'a self, entering: Entering<'a>) -> BoxFuture<'a, Result<bool>> {
        let whom = json!([
            entering.caller.to_string(),
            self.method,
            entering.name,
            entering.input
        ]);
        self.lock().bound = json::digest(&whom);
        Box::pin(async move {
            match &self.state {
                Some(state) => self.take_up(state, entering).await,
                None => Ok(true),
            }
        })
    }

    fn ended<'a>(&'a self, outcome: &'a Result<Answer>) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.lock().ended = true;
            self.over.notify_waiters();
            let asks = matches!(outcome, Ok(answer) if answer.asks);
            let asked = asks.then(|| self.asks().or_else(|error| (self.writer)(&Err(error))));
            let claimed = {
                let mut inner = self.lock();
                inner.result.clone_from(&asked);
                inner.claimed.take()
            };
            let Some(nonce) = claimed else { return };
            let outcome = match asked {
                Some(asked) => asked,
                None => (self.writer)(outcome),
            };
            let outcome = Outcome::seal(self.door.sealer(), &nonce, outcome);
            if let Err(error) = self.door.store().record_round(&nonce, outcome).await {
                // Whoever sends it again is told that its outcome is not known.
                tracing::error!(chain = ?error.chain(), "the outcome of a round was not kept");
            }
        })
    }
}

impl Peer for Round {
    fn begins(&self) {
        if let Some(told) = &self.told {
            told.begins();
        }
    }

    fn progress(&self, progress: &Progress) {
        if let Some(told) = &self.told {
            told.progress(progress);
        }
    }

    fn log(&self, level: Level, logger: Option<&str>, data: &Value) {
        if let Some(told) = &self.told {
            told.log(level, logger, data);
        }
    }

    fn ask<'a>(&'a self, name: &'a str, question: Question) -> Later<'a, Result<Value>> {
        Box::pin(async move {
            let over = self.over.notified();
            match self.answered(name, &question)? {
                Found::Answer(answer) => Ok(answer),
                Found::Asked(_asking) => {
                    over.await;
                    // Met by a task that outlives its function alone.
                    Err(left_behind())
                }
            }
        })
    }

    fn is_asking(&self, waker: &Waker) -> bool {
        let mut inner = self.lock();
        if inner.settled.is_some() {
            return true;
        }
        if inner.asking.is_empty() {
            inner.waker = Some(waker.clone());
            return false;
        }
        let asking = inner.asking.iter();
        let asking = asking.map(|(_, name, question)| (name.clone(), question.clone()));
        let asking = asking.collect();
        // Kept now, since what asks is dropped before the questions are written.
        inner.settled = Some(asking);
        true
    }

    fn kept<'a>(&'a self, name: &'a str) -> Later<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.lock().kept.get(name).cloned()) })
    }

    fn keep<'a>(&'a self, name: &'a str, value: Value) -> Later<'a, Result<()>> {
        Box::pin(async move {
            let mut inner = self.lock();
            inner.kept.insert(name.to_owned(), value);
            let bytes = serde_json::to_vec(&inner.kept)?.len();
            if bytes > MOST_KEPT {
                inner.kept.remove(name);
                return Err(Error::unexpected(format!(
                    "the steps of one call keep {bytes} bytes with {name:?}, and {MOST_KEPT} are the most: keep an id"
                )));
            }
            Ok(())
        })
    }
}

impl fmt::Debug for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Round")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
