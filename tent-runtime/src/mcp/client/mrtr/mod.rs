//! Calls in several rounds, the modern way to ask a client (2026-07-28, basic/patterns/mrtr): a function that
//! asks is dropped, what it asks is answered together with a sealed state, and the next round, which brings
//! the answers and the state, runs it again from its start.
//!
//! The state is bound to caller, method, name and input, ends after a time, and holds what was answered
//! before, so any process serves any round. What does more than read runs once for each state: a state is
//! claimed in the store, and one that comes again is answered what it was. Nothing here runs a function.

mod input;
mod state;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tent_core::codes;
use tokio::sync::Notify;

use self::state::{Answered, Carried};
use crate::cx::InputRequest;
use crate::dispatch::idempotency::{self, Claim, Recorded, ToClaim};
use crate::dispatch::{CallClaim, ClaimedCall, Dispatcher, Entered, Outcome};
use crate::error::{Error, Result};
use crate::function::{BoxFuture, Kind, Output};
use crate::json;
use crate::mcp::protocol::input_request;
use crate::mcp::protocol::params::{Arguments, Text};
use crate::mcp::protocol::results::{InputRequiredResult, ResultMeta, ResultType};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::random;

/// The most bytes, as JSON, of the answers that a call may carry into its next round.
const MOST_ANSWERED: usize = 64 << 10;

/// The reply to a request whose function did not run to its end now.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The result that requires input from the client.
    InputRequired(Box<RawValue>),
    /// The outcome of the call, which the endpoint writes.
    Ended(Result<Output>),
}

/// One round of a call.
pub(crate) struct RoundTrip {
    dispatcher: Arc<Dispatcher>,
    method: &'static str,
    server: Arc<RawValue>,
    state: Option<String>,
    quota_key: String,
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
    asking: Vec<(u64, String, InputRequest)>,
    count: u64,
    /// What was being asked when the door ended the call.
    settled: Option<Vec<(String, InputRequest)>>,
    waker: Option<Waker>,
    /// Whom and what the state is bound to, as a text: a digest is made of it where there is a state.
    bound: Vec<u8>,
    claimed: Option<Claim>,
    reply: Option<Reply>,
    /// Whether the call has ended: nothing is asked for it any more.
    ended: bool,
}

/// An answer, and whether this run of the function was given it already.
struct Taken {
    answer: Answered,
    given: bool,
}

/// What a round is made of.
pub(crate) struct Parts {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The request's method, which the state is bound to.
    pub(crate) method: &'static str,
    /// The `serverInfo` in the `_meta` of the result.
    pub(crate) server: Arc<RawValue>,
    /// Whom the round counts on where it is kept; of no use where it came without a state.
    pub(crate) quota_key: String,
}

impl RoundTrip {
    /// The round of a request that came with these answers and this state.
    pub(crate) fn new(
        parts: Parts,
        responses: Arguments,
        state: Text<'_>,
    ) -> Result<Arc<Self>, RpcError> {
        let responses = match responses {
            Arguments::Absent => Map::new(),
            Arguments::Object(responses) => responses,
            Arguments::Other => return Err(RpcError::params("inputResponses is an object.")),
        };
        let state = match state {
            Text::Absent => None,
            Text::Is(state) => Some(state.into_owned()),
            Text::Other => return Err(RpcError::params("requestState is a string.")),
        };
        let Parts {
            dispatcher,
            method,
            server,
            quota_key,
        } = parts;
        Ok(Arc::new(RoundTrip {
            dispatcher,
            method,
            server,
            state,
            quota_key,
            inner: Mutex::new(Inner {
                responses,
                ..Inner::default()
            }),
            over: Notify::new(),
        }))
    }

    /// The reply, once the function waits for input or an earlier request with the same state has an outcome.
    pub(crate) fn reply(&self) -> Option<Reply> {
        self.lock().reply.take()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing panics while it is held.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result that asks for input: all input requests, and the state that comes back with their responses.
    ///
    /// # Errors
    /// T0003 where the answers so far are more than a state carries.
    fn input_required(&self) -> Result<Box<RawValue>> {
        let mut inner = self.lock();
        let inner = &mut *inner;
        let asked = inner.settled.take().unwrap_or_default();
        let mut requests = BTreeMap::new();
        let mut prints = BTreeMap::new();
        for (name, question) in asked {
            prints.insert(name.clone(), question.fingerprint());
            requests.insert(
                name,
                input_request::request(&question, Revision::V2026_07_28, ""),
            );
        }
        let answers = std::mem::take(&mut inner.answers).into_iter();
        let answers: Vec<Answered> = answers.map(|taken| taken.answer).collect();
        let bytes = serde_json::to_vec(&answers)?.len();
        if bytes > MOST_ANSWERED {
            return Err(Error::new(codes::INVALID_INPUT)
                .with_message(format!(
                    "The answers of this call are {bytes} bytes, and {MOST_ANSWERED} are the most that it carries to its next question."
                ))
                .with_fix("Call again, with shorter answers."));
        }
        let carried = Carried {
            until: self
                .dispatcher
                .store()
                .now()
                .plus(self.ask_time())
                .as_millis(),
            nonce: json::hex(&random::bytes::<16>()),
            asked: prints,
            answers,
            kept: std::mem::take(&mut inner.kept),
        };
        let state = carried.seal(self.dispatcher.sealer(), &json::digest_of(&inner.bound));
        Ok(to_raw_value(&InputRequiredResult {
            result_type: ResultType::InputRequired,
            input_requests: requests,
            request_state: state.into(),
            meta: ResultMeta::of_server(Some(&self.server)),
        })?)
    }

    fn ask_time(&self) -> Duration {
        self.dispatcher.settings().limits.ask_time
    }

    /// Takes up the state that came with the round.
    async fn take_up(&self, state: &str, call: ClaimedCall<'_>) -> Result<Entered> {
        let bound = json::digest_of(&self.lock().bound);
        let carried = Carried::open(self.dispatcher.sealer(), state, &bound)?;
        let until = carried.until();
        let is_old = self.dispatcher.store().now() > until;
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
        if call.kind == Kind::Query {
            return Ok(Entered::Run);
        }
        let call = ToClaim {
            key: &nonce,
            owner: json::digest_of(self.quota_key.as_bytes()),
            fingerprint: bound,
            expires: until,
            deadline: call.deadline,
            cancellation: call.cancellation,
        };
        match self.dispatcher.claims().take(call).await? {
            idempotency::Taken::Now(claim) => {
                self.lock().claimed = Some(claim);
                Ok(Entered::Run)
            }
            idempotency::Taken::Before(outcome) => {
                let recorded = Recorded::open(self.dispatcher.sealer(), &nonce, &outcome)?;
                self.lock().reply = Some(match recorded {
                    Recorded::Ended(result) => Reply::Ended(result),
                    Recorded::InputRequired(result) => Reply::InputRequired(result),
                });
                Ok(Entered::Answered)
            }
        }
    }
}

impl CallClaim for RoundTrip {
    fn is_retry(&self) -> bool {
        self.state.is_some()
    }

    fn enter<'a>(&'a self, call: ClaimedCall<'a>) -> BoxFuture<'a, Result<Entered>> {
        let caller = call.caller.to_string();
        self.lock().bound = json::sorted([&caller, self.method, call.name], call.input);
        Box::pin(async move {
            match &self.state {
                Some(state) => self.take_up(state, call).await,
                None => Ok(Entered::Run),
            }
        })
    }

    fn ended<'a>(&'a self, outcome: &'a Outcome) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            self.lock().ended = true;
            self.over.notify_waiters();
            let waits = !matches!(outcome, Outcome::Ended(_));
            let recorded = match outcome {
                Outcome::Ended(_) if self.lock().claimed.is_none() => return,
                Outcome::Ended(result) => Recorded::Ended(result.clone()),
                _ => match self.input_required() {
                    Ok(result) => Recorded::InputRequired(result),
                    Err(error) => Recorded::Ended(Err(error)),
                },
            };
            let claimed = {
                let mut inner = self.lock();
                if waits {
                    inner.reply = Some(match &recorded {
                        Recorded::InputRequired(result) => Reply::InputRequired(result.clone()),
                        Recorded::Ended(result) => Reply::Ended(result.clone()),
                    });
                }
                inner.claimed.take()
            };
            let Some(claim) = claimed else {
                return;
            };
            let outcome = recorded.seal(self.dispatcher.sealer(), claim.key());
            if let Err(error) = claim.complete(outcome).await {
                // A repeat gets T0011.
                tracing::error!(chain = ?error.chain(), "the outcome of a call was not stored");
            }
        })
    }
}

impl fmt::Debug for RoundTrip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoundTrip")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
