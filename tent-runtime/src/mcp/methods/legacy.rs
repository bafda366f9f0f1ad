//! The legacy era (2024-11-05 to 2025-11-25): a handshake, and a session whose id carries what was negotiated.
//! Must not run a function: dispatch does.

use std::borrow::Cow;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::value::RawValue;
use tent_core::codes;

use crate::clock::{Clock as _, SystemClock};
use crate::cx::Era;
use crate::dispatch::Admitted;
use crate::error::Error;
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::custom;
use crate::mcp::methods::lists::{self, List};
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::tools_call;
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::capabilities::ClientCapabilities;
use crate::mcp::protocol::headers::{self, SingleHeader};
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::message::{ClientResponse, Request};
use crate::mcp::protocol::params::Text;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{EmptyResult, InitializeResult};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::protocol::server_info;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::negotiated::client;
use crate::mcp::session::token::Session;
use crate::mcp::subscriptions::filter::Filter;
use crate::mcp::subscriptions::listeners::StreamKind;
use crate::mcp::subscriptions::streams;

/// What was negotiated before this request: on its connection or in its session. Without either, its header names the
/// revision.
pub(crate) async fn negotiated(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    header: Option<Revision>,
) -> Result<Negotiated, RpcError> {
    if let Some(connection) = context.connection() {
        return Ok(connection.negotiated());
    }
    match session(mcp, &context.parts.headers, &context.admitted).await? {
        Some(session) => Ok(Negotiated {
            ends: Some(session.ends()),
            revision: session.revision,
            client: session.client,
            nonce: Some(session.nonce),
        }),
        None => Ok(Negotiated::without_handshake(
            header.unwrap_or(Revision::ASSUMED),
        )),
    }
}

/// Serves GET: keeps the stream of a session open.
pub(crate) async fn get(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
) -> Result<Response, RpcError> {
    let Some(session) = session(mcp, &context.parts.headers, &context.admitted).await? else {
        return Err(RpcError::invalid(
            "GET opens the stream of the session that the header Mcp-Session-Id names.",
        ));
    };
    // It does not matter whether `notifications/initialized` has arrived: another process may have received it. A client
    // that names the session has the response to its handshake.
    streams::get(
        (&mcp.state, &mcp.notifier),
        context,
        session.nonce,
        &session.client,
        session.revision,
    )
}

/// The session that the request names, if any.
async fn session(
    mcp: &Mcp,
    headers: &HeaderMap,
    admitted: &Admitted,
) -> Result<Option<Session>, RpcError> {
    let id = match SingleHeader::of(headers, &headers::SESSION) {
        SingleHeader::Absent => return Ok(None),
        SingleHeader::Valid(id) => id,
        SingleHeader::Malformed => return Err(unknown_session()),
    };
    // The session of another caller is unknown to this one, so that an id that leaked is of no use.
    let session = Session::open(mcp.dispatcher.sealer(), id, SystemClock.now())
        .filter(|session| session.is_open_to(admitted.caller()))
        .ok_or_else(unknown_session)?;
    let ended = mcp.state.ended.is_ended(&session.nonce);
    match admitted.in_time(ended).await {
        Ok(false) => Ok(Some(session)),
        Ok(true) => Err(unknown_session()),
        Err(error) => Err(store_failed(mcp, error, admitted)),
    }
}

fn store_failed(mcp: &Mcp, error: Error, admitted: &Admitted) -> RpcError {
    let error = mcp
        .dispatcher
        .unavailable(error, "the store of sessions", admitted);
    RpcError::of(&error, mcp.realm())
}

/// 404, on which the client starts a new session.
fn unknown_session() -> RpcError {
    RpcError::new(
        StatusCode::NOT_FOUND,
        code::INVALID_REQUEST,
        "There is no such session: begin a new one with initialize.",
    )
    .with_code(&Error::new(codes::INVALID_STATE))
}

/// Ends the session that a DELETE names.
pub(crate) async fn end(
    mcp: &Mcp,
    headers: &HeaderMap,
    admitted: &Admitted,
) -> Result<Response, RpcError> {
    let Some(session) = session(mcp, headers, admitted).await? else {
        return Err(RpcError::invalid(
            "DELETE ends the session that the header Mcp-Session-Id names.",
        ));
    };
    let owner = crate::json::digest_of(admitted.quota_key().as_bytes());
    let ended = mcp.state.ended.end(&session.nonce, session.ends(), owner);
    match admitted.in_time(ended).await {
        Ok(()) => {
            let key = RequestKey::new(session.nonce, admitted.caller(), "");
            mcp.notifier.streams().end(&key);
            mcp.state.levels.forget(&key);
            Ok(Response::empty(StatusCode::NO_CONTENT))
        }
        Err(error) => Err(store_failed(mcp, error, admitted)),
    }
}

/// Serves `initialize`. The revision is the one that the client requests, or the newest of this era.
pub(crate) fn initialize(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
) -> Result<Response, RpcError> {
    headers::method(&context.parts.headers, &request.method, false)?;
    let params = &request.params;
    let Text::Valid(requested) = &params.version else {
        return Err(RpcError::params(
            "initialize names a protocolVersion, a string.",
        ));
    };
    let revision = Revision::find(requested)
        .filter(|one| !one.is_modern())
        .unwrap_or(Revision::NEWEST_LEGACY);
    let capabilities = params.capabilities.map(|capabilities| ClientCapabilities {
        declared: revision.restrict(capabilities.declared),
        ..capabilities
    });
    let session = Session::begin(
        revision,
        client(
            &mcp.state.extensions.load(),
            Era::Legacy,
            &params.client,
            capabilities,
        )?,
        context.caller(),
        SystemClock.now(),
    );
    let id = HeaderValue::try_from(session.seal(mcp.dispatcher.sealer()))
        .expect("a sealed text is visible ASCII");
    if let Some(connection) = context.connection() {
        if let Some(nonce) = connection.nonce() {
            // A second handshake starts another session, so all that the first one set ends.
            mcp.notifier.streams().end_connection(&nonce);
            mcp.state.levels.forget_connection(&nonce);
        }
        connection.negotiate(context.caller(), revision, session.client);
    }

    let about = mcp.dispatcher.about();
    let result = InitializeResult {
        capabilities: capabilities::server(&mcp.dispatcher, revision),
        instructions: about.instructions.as_deref().map(Cow::Borrowed),
        protocol_version: revision.name().into(),
        server_info: server_info::implementation(about, revision),
    };
    let response = Response::result(request.id, 256, &result);
    Ok(response.with(headers::SESSION.clone(), id))
}

/// Serves one request.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    headers::method(&context.parts.headers, &request.method, false)?;
    // A client may send `ping` before `notifications/initialized`; any other request shows that it has initialized.
    if let Some(connection) = context.connection()
        && request.method != "ping"
    {
        start_session(mcp, connection);
    }
    // Boxed, except for a call, as in the modern era.
    match &*request.method {
        "ping" => Ok(Response::result(request.id, 2, &EmptyResult {})),
        "logging/setLevel" => {
            let key = negotiated
                .nonce
                .map(|nonce| RequestKey::new(nonce, context.caller(), ""));
            mcp.state.levels.set(key, &request.params.level)?;
            Ok(Response::result(request.id, 2, &EmptyResult {}))
        }
        "tools/list" => {
            Box::pin(lists::serve(
                mcp,
                context,
                &request,
                negotiated,
                List::Tools,
            ))
            .await
        }
        "tools/call" => tools_call::serve(mcp, context, request, negotiated.clone()).await,
        _ => Box::pin(custom::serve(mcp, context, request, negotiated.clone())).await,
    }
}

/// Starts the session of a connection: its client gets notifications and requests from now on.
fn start_session(mcp: &Mcp, connection: &ConnectionState) {
    let (Some((key, negotiated)), Some(outbox)) = (connection.start_session(), connection.outbox())
    else {
        return;
    };
    if mcp.dispatcher.settings().mcp.stream {
        let lists = Filter::declared(&mcp.dispatcher, negotiated.revision);
        let capabilities = negotiated.client.capabilities;
        let quota_key = key.caller().to_owned();
        let kind = StreamKind::Session(key, capabilities, lists);
        let streams = mcp.notifier.streams();
        streams.open_connection(outbox.clone(), &quota_key, kind);
    }
}

/// Accepts a notification. `notifications/cancelled` cancels the request that it names, if it is in flight.
/// `notifications/initialized` starts the session of a connection. Others have no effect.
pub(crate) fn accept_notification(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    notification: &Request<'_>,
    negotiated: &Negotiated,
) {
    match (&*notification.method, context.connection()) {
        ("notifications/cancelled", _) => {
            let id = notification.params.request_id.map(RawValue::get);
            if let (Some(nonce), Some(id)) = (negotiated.nonce, id) {
                tracing::debug!(
                    trace = %context.trace(),
                    id,
                    reason = reason(notification),
                    "the client cancels a call"
                );
                mcp.state
                    .in_flight
                    .cancel(&RequestKey::new(nonce, context.caller(), id));
            }
        }
        ("notifications/initialized", Some(connection)) => start_session(mcp, connection),
        _ => {}
    }
}

/// The most characters of a client's reason that are logged.
const MAX_REASON: usize = 200;

/// The reason of `notifications/cancelled`, for the log (basic/utilities/cancellation).
fn reason(notification: &Request<'_>) -> String {
    let reason = notification.params.reason.get();
    reason
        .unwrap_or_default()
        .chars()
        .take(MAX_REASON)
        .collect()
}

/// Accepts a client's response to a request of the server. A response to any other request has no effect.
pub(crate) fn accept_response(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    id: &str,
    response: ClientResponse,
    negotiated: &Negotiated,
) {
    if let Some(nonce) = negotiated.nonce {
        let key = RequestKey::new(nonce, context.caller(), id);
        mcp.notifier.pending().resolve(&key, response);
    }
}
