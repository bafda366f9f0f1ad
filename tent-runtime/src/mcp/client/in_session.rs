//! Input requests to a legacy client: sent on the response stream of the call, while the function waits for the response.
//! The response may arrive on any connection of the session.
//! Must not match responses: [`pending_requests`] does, in this process alone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::cx::{Elicitor, InputRequest, InputResponse, Journal, unanswered};
use crate::error::Result;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::pending_requests::{self, PendingRequests};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::{input_request, input_response};
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;

/// The client of a call in a legacy session.
pub(crate) struct InSession {
    reporter: Arc<CallReporter>,
    pending: PendingRequests,
    session: RequestKey,
    quota_key: String,
    revision: Revision,
    ask_time: Duration,
    /// The results of steps. The function runs once, so they serve only a step that it repeats itself.
    steps: Mutex<BTreeMap<String, Value>>,
}

impl InSession {
    pub(crate) fn new(
        pending: PendingRequests,
        ask_time: Duration,
        context: &RequestContext<'_>,
        negotiated: &Negotiated,
        nonce: [u8; 16],
        reporter: Arc<CallReporter>,
    ) -> Self {
        InSession {
            reporter,
            pending,
            session: RequestKey::new(nonce, context.caller(), ""),
            quota_key: context.quota_key(),
            revision: negotiated.revision,
            ask_time,
            steps: Mutex::default(),
        }
    }

    fn steps(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn send(&self, name: &str, request: &InputRequest) -> Result<InputResponse> {
        input_request::check(request, self.revision)?;
        let recipient = pending_requests::Recipient {
            session: &self.session,
            quota_key: &self.quota_key,
            outbox: self.reporter.outbox(),
        };
        let sent = self.pending.send(recipient, |id| {
            input_request::request(request, self.revision, id)
        });
        let Ok(response) = tokio::time::timeout(self.ask_time, sent).await else {
            return Err(unanswered(name, "did not come in time"));
        };
        match response? {
            None => Err(unanswered(name, "cannot come: the client went away")),
            Some(Ok(result)) => input_response::read(request.kind(), &result)
                .and_then(|response| request.validate(&response).map(|()| response))
                .map_err(|problem| unanswered(name, &problem)),
            Some(Err(error)) => {
                let message = pending_requests::message_of(&error);
                Err(unanswered(name, &format!("is an error: {message}")))
            }
        }
    }
}

impl Elicitor for InSession {
    fn request<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<InputResponse>> {
        Box::pin(async move { self.send(name, &request).await })
    }

    fn is_waiting_for_retry(&self, _: &Waker) -> bool {
        false
    }
}

impl Journal for InSession {
    fn recorded<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.steps().get(name).cloned()) })
    }

    fn record<'a>(&'a self, name: &'a str, value: Value) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.steps().insert(name.to_owned(), value);
            Ok(())
        })
    }
}

impl fmt::Debug for InSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InSession").finish_non_exhaustive()
    }
}
