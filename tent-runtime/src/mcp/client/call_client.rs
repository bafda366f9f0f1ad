//! [`CallClient`]: the client of one call, as the call's function can use it.
//! Must not send anything: it selects what the transport and the revision of the client allow.
//!
//! | client | input requests | steps are recorded |
//! |---|---|---|
//! | modern | multi round-trip requests ([`mrtr`]) | in the request state |
//! | legacy, in a session | down the response stream ([`in_session`](crate::mcp::client::in_session)) | in this process |
//! | legacy, without a session | none | no |

use std::sync::Arc;

use crate::dispatch::Call;
use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::in_session::InSession;
use crate::mcp::client::mrtr::{self, MrtrRequest, Reply};
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::pending_requests::PendingRequests;
use crate::mcp::protocol::params::{Arguments, Params, Text};
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::ServerState;

/// The client of one call.
pub(crate) struct CallClient {
    reporter: Option<Arc<CallReporter>>,
    in_session: Option<Arc<InSession>>,
    mrtr: Option<Arc<MrtrRequest>>,
}

/// The parameters of a multi round-trip request.
pub(crate) struct MrtrParams<'a> {
    /// The method of the request, which the request state is bound to.
    method: &'static str,
    responses: Arguments,
    request_state: Text<'a>,
}

impl<'a> MrtrParams<'a> {
    /// Takes them out of the parameters of a request.
    pub(crate) fn take(method: &'static str, params: &mut Params<'a>) -> Self {
        MrtrParams {
            method,
            responses: std::mem::take(&mut params.responses),
            request_state: std::mem::take(&mut params.state),
        }
    }
}

impl CallClient {
    /// The client of a call whose notifications go to `reporter`.
    pub(crate) fn new(
        state: &ServerState,
        pending: &PendingRequests,
        context: &RequestContext<'_>,
        negotiated: &Negotiated,
        reporter: Option<Arc<CallReporter>>,
        params: MrtrParams<'_>,
    ) -> Result<Self, RpcError> {
        let mut client = CallClient::without_input(reporter);
        if !negotiated.revision.is_modern() {
            // A response is matched by its session, so a request without one cannot send input requests.
            if let (Some(reporter), Some(nonce)) = (&client.reporter, negotiated.nonce) {
                client.in_session = Some(Arc::new(InSession::new(
                    pending.clone(),
                    state.dispatcher.settings().limits.ask_time,
                    context,
                    negotiated,
                    nonce,
                    reporter.clone(),
                )));
            }
            return Ok(client);
        }
        let MrtrParams {
            method,
            responses,
            request_state,
        } = params;
        let is_retry = !matches!(responses, Arguments::Absent) || request_state != Text::Absent;
        // A client without capabilities gets no input requests, so its calls have one request.
        if is_retry || !negotiated.client.capabilities.is_none() {
            let parts = mrtr::Parts {
                dispatcher: state.dispatcher.clone(),
                method,
                server_info: state.server.clone(),
                quota_key: match request_state {
                    Text::Valid(_) => context.quota_key(),
                    _ => String::new(),
                },
            };
            client.mrtr = Some(MrtrRequest::new(parts, responses, request_state)?);
        }
        Ok(client)
    }

    /// The client of a call whose method has no `InputRequiredResult` in any revision.
    pub(crate) fn without_input(reporter: Option<Arc<CallReporter>>) -> Self {
        CallClient {
            reporter,
            in_session: None,
            mrtr: None,
        }
    }

    /// Offers a call what its client can do.
    pub(crate) fn offer(&self, call: &mut Call) {
        call.reporter = self.reporter.clone().map(|one| one as _);
        if let Some(in_session) = &self.in_session {
            call.elicitor = Some(in_session.clone());
            call.journal = Some(in_session.clone());
        }
        if let Some(mrtr) = &self.mrtr {
            call.elicitor = Some(mrtr.clone());
            call.journal = Some(mrtr.clone());
            call.claim = Some(mrtr.clone());
        }
    }

    /// The reply to a request whose function did not return in this run: it waits for input, or an earlier request with
    /// the same state has an outcome.
    pub(crate) fn reply(&self) -> Reply {
        let reply = self.mrtr.as_ref().and_then(|mrtr| mrtr.reply());
        reply.unwrap_or_else(|| {
            let error = Error::unexpected("a call waits for input without any input request");
            Reply::Ended(Err(error))
        })
    }
}
