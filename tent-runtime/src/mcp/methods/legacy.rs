//! The legacy era (2024-11-05 to 2025-11-25): a handshake, a session whose id carries what was negotiated, and
//! arrays of messages in the one revision that had them.

use std::borrow::Cow;
use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::value::RawValue;
use tent_core::codes;

use crate::caller::Caller;
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
use crate::mcp::protocol::headers::{self, SingleHeader};
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::message::{ClientResponse, Kind, Message, Request};
use crate::mcp::protocol::params::{ClientCapabilities, Text};
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

/// What was negotiated on before this request: on its line or in its session, or else what its header says.
pub(crate) async fn negotiated(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    named: Option<Revision>,
) -> Result<Negotiated, RpcError> {
    if let Some(line) = context.connection() {
        return Ok(line.negotiated());
    }
    match session(mcp, &context.parts.headers, &context.admitted).await? {
        Some(session) => Ok(Negotiated {
            ends: Some(session.ends()),
            revision: session.revision,
            client: session.client,
            nonce: Some(session.nonce),
        }),
        None => Ok(Negotiated::without_handshake(
            named.unwrap_or(Revision::UNSAID),
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
    // Whether `notifications/initialized` has come is not context: another process may have taken it. Who opens the stream
    // has the answer to its handshake, as it names the session.
    let can = session.client.capabilities;
    streams::get(
        (&mcp.state, &mcp.notifier),
        context,
        session.nonce,
        can,
        session.revision,
    )
}

/// The session that the request is part of, if it names one.
async fn session(
    mcp: &Mcp,
    headers: &HeaderMap,
    admitted: &Admitted,
) -> Result<Option<Session>, RpcError> {
    let id = match SingleHeader::of(headers, &headers::SESSION) {
        SingleHeader::Absent => return Ok(None),
        SingleHeader::Is(id) => id,
        SingleHeader::Malformed => return Err(lost()),
    };
    let session = Session::open(mcp.dispatcher.sealer(), id, SystemClock.now()).ok_or_else(lost)?;
    let ended = mcp.state.ended.is_ended(&session.nonce);
    match admitted.in_time(ended).await {
        Ok(false) => Ok(Some(session)),
        Ok(true) => Err(lost()),
        Err(error) => Err(store_broke(mcp, error)),
    }
}

fn store_broke(mcp: &Mcp, error: Error) -> RpcError {
    let error =
        mcp.dispatcher
            .internal_error(error, "the store of sessions", &Caller::Anonymous, "");
    RpcError::of(&error, mcp.realm())
}

/// 404: the client begins a new session.
fn lost() -> RpcError {
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
        Err(error) => Err(store_broke(mcp, error)),
    }
}

/// Serves `initialize`. The revision is the one that was context for, or the newest of this era.
pub(crate) fn initialize(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
) -> Result<Response, RpcError> {
    headers::method(&context.parts.headers, &request.method, false)?;
    let params = &request.params;
    let Text::Is(wanted) = &params.version else {
        return Err(RpcError::params(
            "initialize names a protocolVersion, a string.",
        ));
    };
    let revision = Revision::find(wanted)
        .filter(|one| !one.is_modern())
        .unwrap_or(Revision::NEWEST_LEGACY);
    let abilities = params.abilities.map(|abilities| ClientCapabilities {
        said: revision.masked(abilities.said),
        ..abilities
    });
    let session = Session::begin(
        revision,
        client(
            &mcp.state.extensions.load(),
            Era::Legacy,
            &params.client,
            abilities,
        )?,
        SystemClock.now(),
    );
    let id = HeaderValue::try_from(session.seal(mcp.dispatcher.sealer()))
        .expect("a sealed text is visible ASCII");
    if let Some(line) = context.connection() {
        if let Some(nonce) = line.nonce() {
            // A second handshake starts a session of its own, so the stream of the first one ends.
            mcp.notifier.streams().end_session(&nonce);
        }
        line.negotiate(context.caller(), revision, session.client);
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
    if let Some(line) = context.connection()
        && request.method != "ping"
    {
        start_session(mcp, line);
    }
    match &*request.method {
        "ping" => Ok(Response::result(request.id, 2, &EmptyResult {})),
        "logging/setLevel" => {
            let key = negotiated
                .nonce
                .map(|nonce| RequestKey::new(nonce, context.caller(), ""));
            mcp.state.levels.set(key, &request.params.level)?;
            Ok(Response::result(request.id, 2, &EmptyResult {}))
        }
        "tools/list" => lists::serve(mcp, context, &request, negotiated, List::Tools).await,
        "tools/call" => tools_call::serve(mcp, context, request, negotiated.clone()).await,
        _ => custom::serve(mcp, context, request, negotiated.clone()).await,
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
        let kind = StreamKind::Session(key, capabilities, lists);
        mcp.notifier.streams().open_connection(outbox.clone(), kind);
    }
}

/// Takes a notification. `notifications/cancelled` ends the call that it names, if that is under way;
/// `notifications/initialized` begins the session of a line; no other one is of use here.
pub(crate) fn noted(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    note: &Request<'_>,
    negotiated: &Negotiated,
) {
    match (&*note.method, context.connection()) {
        ("notifications/cancelled", _) => {
            let named = note.params.request_id.map(RawValue::get);
            if let (Some(nonce), Some(id)) = (negotiated.nonce, named) {
                tracing::debug!(
                    trace = %context.trace(),
                    id,
                    reason = reason(note),
                    "the client cancels a call"
                );
                mcp.state
                    .in_flight
                    .cancel(&RequestKey::new(nonce, context.caller(), id));
            }
        }
        ("notifications/initialized", Some(line)) => start_session(mcp, line),
        _ => {}
    }
}

/// The most characters of a client's own words about why it cancels.
const MOST_WORDS: usize = 200;

/// Why a client cancels, which is for the log (basic/utilities/cancellation).
fn reason(note: &Request<'_>) -> String {
    let reason = note.params.reason.get();
    reason
        .unwrap_or_default()
        .chars()
        .take(MOST_WORDS)
        .collect()
}

/// Takes the answer of a client to what it was context; one to anything else is of no use.
pub(crate) fn answered(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    id: &str,
    answer: ClientResponse,
    negotiated: &Negotiated,
) {
    if let Some(nonce) = negotiated.nonce {
        let key = RequestKey::new(nonce, context.caller(), id);
        mcp.notifier.pending().resolve(&key, answer);
    }
}

/// Serves an array of messages: each on its own, as if it had come alone, in order. Once the answers are
/// over `limits.max_response` the requests that are left are refused and run nothing.
pub(crate) async fn batch(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    messages: Vec<Message<'_>>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    if !negotiated.revision.has_batches() {
        return Err(RpcError::invalid(format!(
            "{} has no arrays of messages: send each on its own.",
            negotiated.revision.name()
        )));
    }
    if messages.is_empty() {
        return Err(RpcError::invalid(
            "An array of messages holds at least one.",
        ));
    }
    let mut out = vec![b'['];
    let most = mcp.dispatcher.settings().limits.max_response;
    for message in messages {
        let full = out.len() > most;
        if let Some(answer) = in_batch(mcp, context, message, negotiated, full).await {
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(&answer);
        }
    }
    if out.len() == 1 {
        return Ok(Response::empty(StatusCode::ACCEPTED));
    }
    out.push(b']');
    Ok(Response::ok(out))
}

/// The refusal of a request for which the answer to its array has no room.
fn left_out(most: usize) -> RpcError {
    let error = Error::new(codes::TOO_LARGE).with_fix("Send it again on its own.");
    RpcError::invalid(format!(
        "Not served: the answers before it are over the {most} bytes that this server sends at once."
    ))
    .with_code(&error)
}

/// The answer to one message of an array; `None` where it wants none. `full`: a request is not served.
async fn in_batch(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    message: Message<'_>,
    negotiated: &Negotiated,
    full: bool,
) -> Option<Vec<u8>> {
    match message.kind() {
        Kind::Notification(note) => {
            noted(mcp, context, &note, negotiated);
            None
        }
        Kind::Response(id, answer) => {
            answered(mcp, context, id, answer, negotiated);
            None
        }
        Kind::Invalid(id, why) => Some(RpcError::invalid(why).write(id)),
        Kind::Request(request) => {
            let id = request.id;
            // One at a time of each array, so that arrays hold no more places than requests do.
            let place = context
                .connection()
                .map(ConnectionState::permit)
                .transpose();
            let _place = match place {
                Ok(place) => place,
                Err(refusal) => return Some(refusal.write(Some(id))),
            };
            let answer = if full {
                Err(left_out(mcp.dispatcher.settings().limits.max_response))
            } else if request.method == "initialize" {
                Err(RpcError::invalid("initialize comes alone."))
            } else if request.params.meta.version != Text::Absent {
                Err(RpcError::invalid(
                    "A request with its own protocolVersion comes alone.",
                ))
            } else {
                let admitted = mcp.dispatcher.admit_next(&context.admitted);
                match admitted.and_then(|admitted| {
                    mcp.dispatcher.check_open()?;
                    Ok(admitted)
                }) {
                    Ok(admitted) => {
                        let context = context.with_admitted(admitted);
                        serve(mcp, &context, request, negotiated).await
                    }
                    Err(error) => Err(RpcError::of(&error, mcp.realm())),
                }
            };
            Some(match answer {
                // A call that was cancelled has no answer.
                Ok(reply) if reply.body.is_empty() => return None,
                Ok(reply) => reply.body,
                Err(refusal) => context.adapt(refusal).write(Some(id)),
            })
        }
    }
}
