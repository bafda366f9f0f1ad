//! How the function of a call can ask its client: in rounds, if the client is a modern one, else while it runs.
//!
//! Chooses; the asking itself is in [`rounds`](crate::mcp::client::mrtr) and [`in_session`](crate::mcp::client::in_session).

use std::sync::Arc;

use crate::dispatch::Call;
use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::in_session::InSession;
use crate::mcp::client::mrtr::{self, Reply, RoundTrip};
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::pending_requests::PendingRequests;
use crate::mcp::protocol::params::{Arguments, Params, Text};
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::ServerState;

/// The way in which a call asks.
pub(crate) struct Asking {
    reporter: Option<Arc<CallReporter>>,
    in_session: Option<Arc<InSession>>,
    round: Option<Arc<RoundTrip>>,
}

/// What a request brought that can be one of several rounds.
pub(crate) struct MrtrParams<'a> {
    /// Its method, which a state is bound to.
    pub(crate) method: &'static str,
    pub(crate) responses: Arguments,
    pub(crate) state: Text<'a>,
}

impl<'a> MrtrParams<'a> {
    /// By a request of this method for something that only reads, whose rounds are not kept.
    pub(crate) fn to_read(method: &'static str, params: &mut Params<'a>) -> Self {
        MrtrParams {
            method,
            responses: std::mem::take(&mut params.responses),
            state: std::mem::take(&mut params.state),
        }
    }
}

impl Asking {
    /// Of a call whose client can be told what `told` takes.
    pub(crate) fn new(
        state: &ServerState,
        pending: &PendingRequests,
        asked: &RequestContext<'_>,
        negotiated: &Negotiated,
        told: Option<Arc<CallReporter>>,
        brought: MrtrParams<'_>,
    ) -> Result<Self, RpcError> {
        if !negotiated.revision.is_modern() {
            let ask_time = state.dispatcher.settings().limits.ask_time;
            // An answer is known by the session that it comes in.
            let in_session = match (&told, negotiated.nonce) {
                (Some(told), Some(nonce)) => Some(Arc::new(InSession::new(
                    pending.clone(),
                    ask_time,
                    asked,
                    negotiated,
                    nonce,
                    told.clone(),
                ))),
                _ => None,
            };
            return Ok(Asking {
                reporter: told,
                in_session,
                round: None,
            });
        }
        let (responses, request_state) = (brought.responses, brought.state);
        let is_first = matches!(responses, Arguments::Absent) && request_state == Text::Absent;
        if is_first && negotiated.client.capabilities.is_none() {
            // Nothing is asked of such a client, so there is no other round.
            return Ok(Asking::nothing(told));
        }
        let parts = mrtr::Parts {
            dispatcher: state.dispatcher.clone(),
            method: brought.method,
            server: state.server.clone(),
            quota_key: match request_state {
                Text::Is(_) => asked.quota_key(),
                _ => String::new(),
            },
        };
        let round = RoundTrip::new(parts, responses, request_state)?;
        Ok(Asking {
            reporter: told,
            in_session: None,
            round: Some(round),
        })
    }

    /// Of a call that cannot ask, since no revision lets a server answer it with what it asks.
    pub(crate) fn nothing(told: Option<Arc<CallReporter>>) -> Self {
        Asking {
            reporter: told,
            in_session: None,
            round: None,
        }
    }

    /// Offers a call what its client can do.
    pub(crate) fn offer(&self, call: &mut Call) {
        call.reporter = self.reporter.clone().map(|one| one as _);
        if let Some(in_session) = &self.in_session {
            call.elicitor = Some(in_session.clone());
            call.journal = Some(in_session.clone());
        }
        if let Some(round) = &self.round {
            call.elicitor = Some(round.clone());
            call.journal = Some(round.clone());
            call.claim = Some(round.clone());
        }
    }

    /// The reply to a request whose function did not run to its end now: it waits for input, or an earlier request
    /// with the same state has an outcome.
    pub(crate) fn reply(&self) -> Reply {
        let reply = self.round.as_ref().and_then(|round| round.reply());
        reply.unwrap_or_else(|| {
            let error = Error::unexpected("a call waits for input without any input request");
            Reply::Ended(Err(error))
        })
    }
}
