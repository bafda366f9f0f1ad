//! Subscription streams: the GET of a legacy session, and `subscriptions/listen` of the modern era.
//! Must not decide which notification a stream gets: [`listeners`](crate::mcp::subscriptions::listeners) does.
//!
//! ```text
//! opened ──► open: notifications, a keep-alive at least every KEEP_ALIVE
//!              │ the client cancels ───────────► end, without a response
//!              │ the server shuts down ────────► notifications/cancelled, then the result
//!              │ the caller is no longer valid ► the same, in place of what waits
//!              │ it may not read a resource ───► the stream gets no more updates of that one
//! ```

mod head;

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::unfold;
use http::StatusCode;
use http::request::Parts;
use serde_json::Value;
use tent_core::codes;
use tokio::time::{Instant, timeout};

use self::head::detached;
use crate::caller::Caller;
use crate::cx::{Client, TraceId};
use crate::dispatch::Admitted;
use crate::error::Error;
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::outbox::{Outbox, Reader};
use crate::mcp::client::response_stream::{CHECK, CHECK_TIME, KEEP_ALIVE};
use crate::mcp::protocol::notification::{
    self, AcknowledgedParams, CancelledParams, SubscriptionMeta,
};
use crate::mcp::protocol::response::{Response, StreamItem};
use crate::mcp::protocol::results::{ListenResult, ResultMeta, ResultType};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::ServerState;
use crate::mcp::subscriptions::filter::Filter;
use crate::mcp::subscriptions::listeners::{OpenStream, OpenStreams, StreamGuard, StreamKind};
use crate::mcp::subscriptions::lost::lost;
use crate::mcp::subscriptions::notifier::Notifier;
use crate::mcp::subscriptions::uris::SubscribedUris;

/// Serves the GET of a legacy session.
pub(crate) fn get(
    (state, notifier): (&Arc<ServerState>, &Notifier),
    context: &RequestContext<'_>,
    nonce: [u8; 16],
    client: &Client,
    revision: Revision,
) -> Result<Response, RpcError> {
    let key = RequestKey::new(nonce, context.caller(), "");
    let outbox = counted(state, context);
    let kind = StreamKind::Session(
        key,
        client.capabilities,
        Filter::declared(&state.dispatcher, revision),
    );
    let guard = opened((state, notifier), context, outbox.clone(), kind, None)?;
    let mut stream = SubscriptionStream::new(state, context, (guard, outbox), client, None);
    stream.session = Some(nonce);
    Ok(stream.into_response())
}

/// Serves `subscriptions/listen`.
pub(crate) async fn listen(
    (state, notifier): (&Arc<ServerState>, &Notifier),
    context: &RequestContext<'_>,
    negotiated: &Negotiated,
    id: &str,
    filter: Option<&Value>,
) -> Result<Response, RpcError> {
    let mut filter = Filter::read(filter)?;
    // A cancellation counts from here on, also while the access rules of the resources run.
    let nonce = context.connection().and_then(ConnectionState::nonce);
    let started = state.start(nonce.map(|nonce| RequestKey::new(nonce, context.caller(), id)));
    let restricted = started.unless_cancelled(restrict(state, context, negotiated, &mut filter));
    if restricted.await.is_none() {
        return Ok(Response::empty(StatusCode::ACCEPTED));
    }
    let params = AcknowledgedParams {
        meta: SubscriptionMeta::new(id),
        notifications: filter.params(),
    };
    let acknowledged = notification::write("notifications/subscriptions/acknowledged", params);
    let kind = StreamKind::Subscription {
        id: id.into(),
        filter,
    };
    let Some(connection) = context.connection() else {
        let outbox = counted(state, context);
        let guard = opened(
            (state, notifier),
            context,
            outbox.clone(),
            kind,
            Some(acknowledged),
        )?;
        let stream = SubscriptionStream::new(
            state,
            context,
            (guard, outbox),
            &negotiated.client,
            Some(id.into()),
        );
        return Ok(stream.into_response());
    };
    let (Some(outbox), Some(_)) = (connection.outbox(), nonce) else {
        // A connection that carries one message cannot carry notifications.
        return Err(RpcError::method(
            "subscriptions/listen",
            Revision::V2026_07_28,
        ));
    };
    let guard = opened(
        (state, notifier),
        context,
        outbox.clone(),
        kind,
        Some(acknowledged),
    )?;
    let watched = async {
        while let Some(admitted) = connection.checked(context.caller()).await {
            let (client, subscribed) = (&negotiated.client, guard.subscribed());
            guard.forget(&lost(&state.dispatcher, &admitted, client, subscribed).await);
        }
    };
    let ended = started.unless_cancelled(async {
        tokio::select! {
            biased;
            () = state.dispatcher.closed() => SHUTDOWN,
            () = connection.ended() => SHUTDOWN,
            () = watched => CALLER_GONE,
        }
    });
    let ended = ended.await;
    // Closed before the last notification, so that nothing follows it.
    drop(guard);
    Ok(match ended {
        // A cancelled request gets no response, even if the connection ends at the same time.
        None => Response::empty(StatusCode::ACCEPTED),
        Some(reason) => end(state, outbox, id, reason),
    })
}

/// Removes the lists that the server does not declare, and the resources that this caller may not read. A resource
/// whose access rule exceeds the request's deadline is removed too: the acknowledgement shows what is left.
async fn restrict(
    state: &ServerState,
    context: &RequestContext<'_>,
    negotiated: &Negotiated,
    filter: &mut Filter,
) {
    let declared = Filter::declared(&state.dispatcher, negotiated.revision);
    filter.tools &= declared.tools;
    filter.prompts &= declared.prompts;
    filter.resources &= declared.resources;
    let Some(updates) = filter.updates.take() else {
        return;
    };
    let mut allowed = SubscribedUris::default();
    let mut readable = state
        .dispatcher
        .readable(context.requester(&negotiated.client, None));
    for uri in updates.iter() {
        // A rule that waits for nothing would let a long filter keep the thread from other requests.
        tokio::task::consume_budget().await;
        let found = readable.find(uri).await;
        if found.is_ok_and(|resource| resource.options.subscribe) {
            allowed.insert(uri);
        }
    }
    filter.updates = (!allowed.is_empty()).then_some(allowed);
}

/// The reasons of `notifications/cancelled`.
const SHUTDOWN: &str = "The server ends.";
const CALLER_GONE: &str = "The caller may no longer use this server.";

/// Sends the notification that the server ends a subscription, and returns the result.
fn end(state: &ServerState, outbox: &Outbox, id: &str, reason: &str) -> Response {
    outbox.send_required(cancelled(id, reason));
    result(state, id)
}

/// The notification that the server ends a subscription.
fn cancelled(id: &str, reason: &str) -> Vec<u8> {
    let params = CancelledParams {
        meta: Some(SubscriptionMeta::new(id)),
        request_id: notification::raw(id),
        reason: Some(reason.into()),
    };
    notification::write("notifications/cancelled", params)
}

/// The result of a subscription that the server ended.
fn result(state: &ServerState, id: &str) -> Response {
    let id = notification::raw(id);
    let result = ListenResult {
        result_type: ResultType::Complete,
        meta: ResultMeta {
            subscription_id: Some(id),
            ..ResultMeta::of_server(Some(&state.server))
        },
    };
    Response::result(id, 256, &result)
}

fn opened(
    (state, notifier): (&ServerState, &Notifier),
    context: &RequestContext<'_>,
    outbox: Outbox,
    kind: StreamKind,
    first: Option<Vec<u8>>,
) -> Result<StreamGuard, RpcError> {
    let rejected = |error: Error| RpcError::of(&error, state.realm());
    state.dispatcher.check_open().map_err(rejected)?;
    let stream = OpenStream {
        outbox,
        owns_outbox: context.connection().is_none(),
        quota_key: context.quota_key().into(),
        kind,
    };
    let max = state.dispatcher.settings().limits.streams_per_caller;
    OpenStreams::open(notifier, stream, first, max).map_err(rejected)
}

/// The outbox of a stream over HTTP.
fn counted(state: &ServerState, context: &RequestContext<'_>) -> Outbox {
    let outbox = Outbox::default();
    let address = context.admitted.client_address();
    outbox.count(state.dispatcher.in_flight().reservation(address));
    outbox
}

/// A subscription stream over HTTP.
struct SubscriptionStream {
    state: Arc<ServerState>,
    guard: StreamGuard,
    outbox: Reader,
    /// Messages of the outbox from before a resource was lost.
    checked: VecDeque<Vec<u8>>,
    /// Whether the stream begins with a keep-alive.
    quiet: bool,
    /// The id of the subscription.
    id: Option<Box<str>>,
    /// The nonce of the legacy session.
    session: Option<[u8; 16]>,
    /// When the caller is checked next; `None` once it was rejected.
    next_check: Option<Instant>,
    /// When the stream sends a keep-alive if it sends nothing before.
    next_keep_alive: Instant,
    parts: Parts,
    trace: TraceId,
    /// The caller that opened the stream, and its client.
    caller: String,
    client: Client,
}

impl SubscriptionStream {
    fn new(
        state: &Arc<ServerState>,
        context: &RequestContext<'_>,
        (guard, outbox): (StreamGuard, Outbox),
        client: &Client,
        id: Option<Box<str>>,
    ) -> Self {
        SubscriptionStream {
            state: state.clone(),
            guard,
            client: client.clone(),
            outbox: Reader::of(outbox),
            checked: VecDeque::new(),
            // The stream of a subscription begins with the acknowledgement.
            quiet: id.is_none(),
            id,
            session: None,
            next_check: Some(Instant::now() + CHECK),
            next_keep_alive: Instant::now() + KEEP_ALIVE,
            parts: detached(context.parts),
            trace: context.trace(),
            caller: context.caller().to_string(),
        }
    }

    fn into_response(self) -> Response {
        Response::stream(unfold(self, SubscriptionStream::next))
    }

    async fn next(mut self) -> Option<(StreamItem, Self)> {
        // Sends the response head at once.
        if std::mem::take(&mut self.quiet) {
            return Some((StreamItem::KeepAlive, self));
        }
        loop {
            // Read before the message: a message that was sent before the outbox closed is still delivered.
            let closed = self.outbox.is_closed();
            // A busy stream does not sleep until its next check, so it is made here too.
            if !self.outbox.is_empty() && !self.check_caller().await {
                self.reject();
                continue;
            }
            if let Some(message) = self.checked.pop_front().or_else(|| self.outbox.take()) {
                self.next_keep_alive = Instant::now() + KEEP_ALIVE;
                return Some((StreamItem::Message(message), self));
            }
            if closed {
                return None;
            }
            tokio::select! {
                biased;
                () = self.outbox.ready() => {}
                () = self.state.dispatcher.closed() => {
                    if let Some(id) = &self.id {
                        let response = end(&self.state, &self.outbox, id, SHUTDOWN);
                        self.outbox.send_required(response.body);
                    }
                    self.outbox.close();
                }
                () = tokio::time::sleep(CHECK) => {
                    if !self.check_caller().await {
                        self.reject();
                        continue;
                    }
                    if self.next_keep_alive <= Instant::now() {
                        self.next_keep_alive = Instant::now() + KEEP_ALIVE;
                        return Some((StreamItem::KeepAlive, self));
                    }
                }
            }
        }
    }

    /// Checks the caller when the check is due.
    async fn check_caller(&mut self) -> bool {
        let now = Instant::now();
        if self.next_check.is_none_or(|check| now < check) {
            return true;
        }
        let is_valid = self.is_valid().await;
        self.next_check = Some(Instant::now() + CHECK);
        is_valid
    }

    /// Ends the stream of a caller that is no longer valid. What waits is dropped.
    fn reject(&mut self) {
        self.next_check = None;
        let last = self.id.as_deref().map(|id| {
            let result = result(&self.state, id).body;
            [cancelled(id, CALLER_GONE), result]
        });
        self.outbox.close_with(last.into_iter().flatten());
    }

    /// Whether the caller is still valid: a key can be revoked, a user can be deleted or sign out, and another server can
    /// end the session.
    async fn is_valid(&mut self) -> bool {
        if let Some(nonce) = &self.session {
            let ended = timeout(CHECK_TIME, self.state.ended.is_ended(nonce)).await;
            // A store that fails once does not end the stream: the session has not ended for all that is known.
            if matches!(ended, Ok(Ok(true))) {
                return false;
            }
        }
        let caller = self.state.dispatcher.identify(&self.parts, &self.trace);
        match timeout(CHECK_TIME, caller).await {
            Ok(Ok(caller)) if caller.to_string() == self.caller => {
                self.forget_lost(caller).await;
                true
            }
            Ok(Ok(_)) => false,
            Ok(Err(error)) => error.is(codes::UNAVAILABLE),
            Err(_) => true,
        }
    }

    /// Removes the resources that the caller may not read any more.
    async fn forget_lost(&mut self, caller: Caller) {
        let admitted = Admitted::internal(caller, self.trace)
            .with_deadline(Instant::now().checked_add(CHECK_TIME));
        let subscribed = self.guard.subscribed();
        let dispatcher = &self.state.dispatcher;
        let lost = lost(dispatcher, &admitted, &self.client, subscribed).await;
        if !lost.is_empty() {
            self.guard.forget(&lost);
            // What waits already is not sent either.
            let waiting = std::iter::from_fn(|| self.outbox.take());
            let waiting = waiting.filter(|message| !notification::is_update_of(message, &lost));
            self.checked.extend(waiting.collect::<Vec<_>>());
        }
    }
}

#[cfg(test)]
mod tests;
