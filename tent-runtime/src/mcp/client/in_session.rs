//! PendingRequests of a call to an older client: a request down the stream of the call, for whose answer the function
//! waits. The answer may come on any connection of the session.
//!
//! Those under way are kept in [`questions`], in this process alone.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::cx::{Elicitor, InputRequest, InputResponse, Journal, misanswered};
use crate::error::Result;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::pending_requests;
use crate::mcp::client::pending_requests::PendingRequests;
use crate::mcp::protocol::input_request;
use crate::mcp::protocol::input_response;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;

/// The client of a call in a session.
pub(crate) struct InSession {
    told: Arc<CallReporter>,
    pending: PendingRequests,
    session: RequestKey,
    /// On whom its questions count.
    on: String,
    revision: Revision,
    ask_time: Duration,
    kept: Mutex<BTreeMap<String, Value>>,
}

impl InSession {
    pub(crate) fn new(
        pending: PendingRequests,
        ask_time: Duration,
        asked: &RequestContext<'_>,
        negotiated: &Negotiated,
        nonce: [u8; 16],
        told: Arc<CallReporter>,
    ) -> Self {
        InSession {
            told,
            pending,
            session: RequestKey::new(nonce, asked.caller(), ""),
            on: asked.quota_key(),
            revision: negotiated.revision,
            ask_time,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn put(&self, name: &str, question: &InputRequest) -> Result<InputResponse> {
        input_request::check(question, self.revision)?;
        let put = self.pending.send(
            pending_requests::Recipient {
                session: &self.session,
                quota_key: &self.on,
                outbox: self.told.outbox(),
            },
            |id| input_request::request(question, self.revision, id),
        );
        let Ok(answered) = tokio::time::timeout(self.ask_time, put).await else {
            return Err(misanswered(name, "did not come in time"));
        };
        match answered? {
            None => Err(misanswered(name, "cannot come: the client went away")),
            Some(Ok(result)) => input_response::read(question.kind(), &result)
                .and_then(|response| question.validate(&response).map(|()| response))
                .map_err(|problem| misanswered(name, &problem)),
            Some(Err(error)) => {
                let words = pending_requests::message_of(&error);
                Err(misanswered(
                    name,
                    &format!("is a failure of its own: {words}"),
                ))
            }
        }
    }
}

impl Elicitor for InSession {
    fn request<'a>(
        &'a self,
        name: &'a str,
        question: InputRequest,
    ) -> BoxFuture<'a, Result<InputResponse>> {
        Box::pin(async move { self.put(name, &question).await })
    }

    fn is_waiting_for_retry(&self, _: &Waker) -> bool {
        false
    }
}

impl Journal for InSession {
    fn recorded<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Value>>> {
        Box::pin(async move { Ok(self.kept().get(name).cloned()) })
    }

    fn record<'a>(&'a self, name: &'a str, value: Value) -> BoxFuture<'a, Result<()>> {
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
