//! Multi round-trip requests (MRTR): how a function gets input of a modern client (2026-07-28, basic/patterns/mrtr).
//! Must not run a function.
//!
//! The server sends no requests in this era. A function that calls `cx.input` without a response is dropped, and the
//! result of its request holds the input requests and a sealed `requestState`. The client sends its request again with
//! the responses and the state, and the function runs again from its start:
//!
//! ```text
//!  request                                retry: inputResponses + requestState
//!     │                                      │
//!     │                                      ▼
//!     │                                   open the state ──── not valid, of another call ──► T0015
//!     │                                      │
//!     │                                      ├── expired: forget the responses, keep the steps
//!     │                                      ▼
//!     │                                   claim the state ─── claimed before ──► the recorded outcome
//!     │                                      │ (change or action only)
//!     ▼                                      ▼
//!    run the function ◄──────────────────────┘
//!     │
//!     ├── returns ──────────────────────────────────────────────────► result ─────────────┐
//!     │                                                                                   │
//!     └── pending with open input requests: dispatch drops it ──► InputRequired with ─────┤
//!                                                                 a new requestState      ▼
//!                                                                             record the outcome of the claim
//! ```
//!
//! - A state is bound to caller, method, name and input. It has all that a retry needs (earlier responses, step results),
//!   so any process can serve it, and an expired one is not stored anywhere.
//! - `InputRequired` is an outcome too: a repeated retry gets the same input requests and the same new state, so that the
//!   call does not fork.
//! - A claim that is never completed (the process ends, the store fails) becomes T0011 for repeats when its lease is over.

mod input;
mod state;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tent_core::codes;
use tokio::sync::Notify;

use self::input::OpenRequest;
use self::state::{Exchange, RequestState};
use crate::cx::InputRequest;
use crate::dispatch::idempotency::{Claim, Recorded, Taken, ToClaim};
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

/// The most bytes of the responses that a state carries, as JSON.
const MAX_RESPONSES: usize = 64 << 10;

/// The reply to a request whose function did not return in this run.
#[derive(Debug)]
pub(crate) enum Reply {
    /// The `InputRequiredResult`.
    InputRequired(Box<RawValue>),
    /// The outcome of the call, which the endpoint writes.
    Ended(Result<Output>),
}

/// One request of a multi round-trip call: the first one, or a retry.
pub(crate) struct MrtrRequest {
    dispatcher: Arc<Dispatcher>,
    method: &'static str,
    server_info: Arc<RawValue>,
    request_state: Option<String>,
    quota_key: String,
    run: Mutex<Run>,
    /// Notified when the call has ended.
    ended: Notify,
}

/// The state of the one run of the function that this request makes.
#[derive(Default)]
struct Run {
    /// The `inputResponses` that no input request took yet.
    responses: Map<String, Value>,
    /// The fingerprints of the input requests that the client responds to, by name. `None` without a `requestState`:
    /// then a response may be for any input request of its name.
    requested: Option<BTreeMap<String, String>>,
    /// The input requests that have a response, of this request and the earlier ones.
    exchanges: Vec<Exchange>,
    steps: BTreeMap<String, Value>,
    open: Vec<OpenRequest>,
    /// How many input requests were open so far.
    opened: u64,
    /// The input requests that were open when dispatch ended the run.
    suspended: Option<Vec<(String, InputRequest)>>,
    waker: Option<Waker>,
    /// The caller, method, name and input, which the state is bound to. Digested only where there is a state.
    binding: Vec<u8>,
    claim: Option<Claim>,
    reply: Option<Reply>,
    has_ended: bool,
}

/// The parts of an [`MrtrRequest`].
pub(crate) struct Parts {
    pub(crate) dispatcher: Arc<Dispatcher>,
    /// The method of the request.
    pub(crate) method: &'static str,
    /// The `serverInfo` in the `_meta` of the result.
    pub(crate) server_info: Arc<RawValue>,
    /// The key that a claim counts by. Unused without a `requestState`.
    pub(crate) quota_key: String,
}

impl MrtrRequest {
    /// A request with these `inputResponses` and this `requestState`.
    pub(crate) fn new(
        parts: Parts,
        responses: Arguments,
        request_state: Text<'_>,
    ) -> Result<Arc<Self>, RpcError> {
        let responses = match responses {
            Arguments::Absent => Map::new(),
            Arguments::Object(responses) => responses,
            Arguments::Invalid => return Err(RpcError::params("inputResponses is an object.")),
        };
        let request_state = match request_state {
            Text::Absent => None,
            Text::Valid(state) => Some(state.into_owned()),
            Text::Invalid => return Err(RpcError::params("requestState is a string.")),
        };
        let Parts {
            dispatcher,
            method,
            server_info,
            quota_key,
        } = parts;
        Ok(Arc::new(MrtrRequest {
            dispatcher,
            method,
            server_info,
            request_state,
            quota_key,
            run: Mutex::new(Run {
                responses,
                ..Run::default()
            }),
            ended: Notify::new(),
        }))
    }

    /// The reply, once the function was dropped or an earlier request with the same state has an outcome.
    pub(crate) fn reply(&self) -> Option<Reply> {
        self.lock().reply.take()
    }

    fn lock(&self) -> MutexGuard<'_, Run> {
        // No code panics while the lock is held.
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens the state of a retry, and claims the call if its function does more than read.
    async fn resume(&self, request_state: &str, call: ClaimedCall<'_>) -> Result<Entered> {
        let sealer = self.dispatcher.sealer();
        let binding = json::digest_of(&self.lock().binding);
        let state = RequestState::open(sealer, request_state, &binding)?;
        let expires = state.expires();
        let has_expired = self.dispatcher.store().now() > expires;
        {
            let mut run = self.lock();
            run.steps = state.steps;
            if has_expired {
                // A late response does not count, so the input requests are sent again. Steps are not undone by time.
                run.requested = Some(BTreeMap::new());
            } else {
                run.requested = Some(state.requested);
                run.exchanges = state.exchanges;
            }
        }
        if call.kind == Kind::Query {
            return Ok(Entered::Run);
        }
        // An expired state is claimed too: a retry may have arrived in time before, and this one is its repeat.
        let nonce = state.nonce.into_bytes();
        let call = ToClaim {
            key: &nonce,
            owner: json::digest_of(self.quota_key.as_bytes()),
            fingerprint: binding,
            expires,
            deadline: call.deadline,
            cancellation: call.cancellation,
        };
        match self.dispatcher.claims().take(call).await? {
            Taken::Now(claim) => {
                self.lock().claim = Some(claim);
                Ok(Entered::Run)
            }
            Taken::Before(outcome) => {
                let recorded = Recorded::open(sealer, &nonce, &outcome)?;
                self.lock().reply = Some(recorded.into());
                Ok(Entered::Answered)
            }
        }
    }

    /// The `InputRequiredResult`: all open input requests, and the state that the retry brings back.
    ///
    /// # Errors
    /// T0003 if the responses so far are larger than a state carries.
    fn input_required(&self) -> Result<Box<RawValue>> {
        let mut run = self.lock();
        let mut requests = BTreeMap::new();
        let mut requested = BTreeMap::new();
        for (name, request) in run.suspended.take().unwrap_or_default() {
            requested.insert(name.clone(), request.fingerprint());
            let request = input_request::request(&request, Revision::V2026_07_28, "");
            requests.insert(name, request);
        }
        let exchanges = std::mem::take(&mut run.exchanges);
        let bytes = serde_json::to_vec(&exchanges)?.len();
        if bytes > MAX_RESPONSES {
            return Err(Error::new(codes::INVALID_INPUT)
                .with_message(format!(
                    "The responses of this call have {bytes} bytes, and a request state carries at most {MAX_RESPONSES}."
                ))
                .with_fix("Call again, with shorter responses."));
        }
        let ask_time = self.dispatcher.settings().limits.ask_time;
        let state = RequestState {
            expires: self.dispatcher.store().now().plus(ask_time).as_millis(),
            nonce: json::hex(&random::bytes::<16>()),
            requested,
            exchanges,
            steps: std::mem::take(&mut run.steps),
        };
        let state = state.seal(self.dispatcher.sealer(), &json::digest_of(&run.binding));
        Ok(to_raw_value(&InputRequiredResult {
            result_type: ResultType::InputRequired,
            input_requests: requests,
            request_state: state.into(),
            meta: ResultMeta::of_server(Some(&self.server_info)),
        })?)
    }
}

impl From<Recorded> for Reply {
    fn from(recorded: Recorded) -> Self {
        match recorded {
            Recorded::Ended(result) => Reply::Ended(result),
            Recorded::InputRequired(result) => Reply::InputRequired(result),
        }
    }
}

impl CallClaim for MrtrRequest {
    fn is_retry(&self) -> bool {
        self.request_state.is_some()
    }

    fn enter<'a>(&'a self, call: ClaimedCall<'a>) -> BoxFuture<'a, Result<Entered>> {
        let caller = call.caller.to_string();
        self.lock().binding = json::sorted([&caller, self.method, call.name], call.input);
        Box::pin(async move {
            match &self.request_state {
                Some(state) => self.resume(state, call).await,
                None => Ok(Entered::Run),
            }
        })
    }

    fn ended<'a>(&'a self, outcome: &'a Outcome) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            // Set before the waiters wake and before the first await: a task that the function left behind can open
            // no input request from now on, and those that wait fail.
            self.lock().has_ended = true;
            self.ended.notify_waiters();
            // Taken out, so that the outcome is recorded at most once.
            let claim = self.lock().claim.take();
            let recorded = match outcome {
                Outcome::Ended(_) if claim.is_none() => return,
                Outcome::Ended(result) => Recorded::Ended(result.clone()),
                Outcome::InputRequired | Outcome::Answered => match self.input_required() {
                    Ok(result) => Recorded::InputRequired(result),
                    Err(error) => Recorded::Ended(Err(error)),
                },
            };
            let outcome = claim
                .as_ref()
                .map(|claim| recorded.seal(self.dispatcher.sealer(), claim.key()));
            // Before the store is awaited: this request gets its reply even if the outcome cannot be recorded in time.
            self.lock().reply = Some(recorded.into());
            if let (Some(claim), Some(outcome)) = (claim, outcome)
                && let Err(error) = claim.complete(outcome).await
            {
                // A repeat gets T0011.
                tracing::error!(chain = ?error.logged_chain(), "the outcome of a call was not stored");
            }
        })
    }
}

impl fmt::Debug for MrtrRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MrtrRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
