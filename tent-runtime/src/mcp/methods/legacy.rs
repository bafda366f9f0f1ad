//! The legacy era (2024-11-05 to 2025-11-25): a handshake, a session whose id carries what was agreed, and
//! arrays of messages in the one revision that had them.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode};
use serde_json::json;
use serde_json::value::RawValue;

use crate::caller::Caller;
use crate::clock::{Clock as _, SystemClock};
use crate::cx::{Client, Era};
use crate::error::Error;
use crate::mcp::client::pending_requests::Answered;
use crate::mcp::methods::common;
use crate::mcp::methods::custom;
use crate::mcp::methods::tools_call;
use crate::mcp::protocol::headers::{self, Once};
use crate::mcp::protocol::message::{Kind, Message, Request};
use crate::mcp::protocol::params::{Abilities, Text};
use crate::mcp::protocol::response::{self, Refusal, Reply, code, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::server_info;
use crate::mcp::session::in_flight::Key;
use crate::mcp::session::token::Session;
use crate::mcp::subscriptions::streams;
use crate::mcp::transport::connection::Line;
use crate::mcp::{Agreed, Asked, Mcp, client};

/// What was agreed on before this request: on its line or in its session, or else what its header says.
pub(crate) async fn agreed(
    mcp: &Mcp,
    asked: &Asked<'_>,
    named: Option<Revision>,
) -> Result<Agreed, Refusal> {
    if let Some(line) = asked.line() {
        return Ok(line.agreed());
    }
    match session(mcp, &asked.parts.headers).await? {
        Some(session) => Ok(Agreed {
            ends: Some(session.ends()),
            revision: session.revision,
            client: session.client,
            nonce: Some(session.nonce),
        }),
        None => Ok(unsaid(named.unwrap_or(Revision::UNSAID))),
    }
}

/// What counts where nothing was agreed on.
pub(crate) fn unsaid(revision: Revision) -> Agreed {
    Agreed {
        revision,
        client: Client {
            era: Era::Legacy,
            ..Client::default()
        },
        nonce: None,
        ends: None,
    }
}

/// Serves GET: keeps the stream of a session open.
pub(crate) async fn get(mcp: &Arc<Mcp>, asked: &Asked<'_>) -> Result<Reply, Refusal> {
    let Some(session) = session(mcp, &asked.parts.headers).await? else {
        return Err(Refusal::invalid(
            "GET opens the stream of the session that the header Mcp-Session-Id names.",
        ));
    };
    // Whether `notifications/initialized` has come is not asked: another process may have taken it. Who opens the stream
    // has the answer to its handshake, as it names the session.
    let can = session.client.capabilities;
    streams::get(mcp, asked, session.nonce, can, session.revision)
}

/// The session that the request is part of, if it names one.
async fn session(mcp: &Mcp, headers: &HeaderMap) -> Result<Option<Session>, Refusal> {
    let id = match Once::of(headers, &headers::SESSION) {
        Once::Absent => return Ok(None),
        Once::Is(id) => id,
        Once::Malformed => return Err(lost()),
    };
    let session = Session::open(
        mcp.dispatcher.sealer(),
        &mcp.extensions,
        id,
        SystemClock.now(),
    )
    .ok_or_else(lost)?;
    match mcp.ended.is_ended(&session.nonce).await {
        Ok(false) => Ok(Some(session)),
        Ok(true) => Err(lost()),
        Err(error) => Err(store_broke(mcp, error)),
    }
}

fn store_broke(mcp: &Mcp, error: Error) -> Refusal {
    let error = mcp
        .dispatcher
        .internal_error(error, "the store of sessions", &Caller::Nobody, "");
    Refusal::of(&error, mcp.realm())
}

/// 404: the client begins a new session.
fn lost() -> Refusal {
    Refusal::new(
        StatusCode::NOT_FOUND,
        code::INVALID_REQUEST,
        "There is no such session: begin a new one with initialize.",
    )
    .with_code(&Error::of("T0015"))
}

/// Ends the session that a DELETE names.
pub(crate) async fn end(mcp: &Mcp, headers: &HeaderMap, caller: &Caller) -> Result<Reply, Refusal> {
    let Some(session) = session(mcp, headers).await? else {
        return Err(Refusal::invalid(
            "DELETE ends the session that the header Mcp-Session-Id names.",
        ));
    };
    match mcp.ended.end(&session.nonce, session.ends()).await {
        Ok(()) => {
            let key = Key::new(session.nonce, caller, "");
            mcp.notes.streams().end(&key);
            mcp.levels.forget(&key);
            Ok(Reply::empty(StatusCode::NO_CONTENT))
        }
        Err(error) => Err(store_broke(mcp, error)),
    }
}

/// Serves `initialize`. The revision is the one that was asked for, or the newest of this era.
pub(crate) fn initialize(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: &Request<'_>,
) -> Result<Reply, Refusal> {
    headers::method(&asked.parts.headers, &request.method, false)?;
    let params = &request.params;
    let Text::Is(wanted) = &params.version else {
        return Err(Refusal::params(
            "initialize names a protocolVersion, a string.",
        ));
    };
    let revision = Revision::find(wanted)
        .filter(|one| !one.is_modern())
        .unwrap_or(Revision::NEWEST_LEGACY);
    let abilities = params.abilities.map(|abilities| Abilities {
        said: revision.masked(abilities.said),
        ..abilities
    });
    let session = Session::begin(
        revision,
        client(mcp, Era::Legacy, &params.client, abilities)?,
        SystemClock.now(),
    );
    let id = HeaderValue::try_from(session.seal(mcp.dispatcher.sealer(), &mcp.extensions))
        .expect("a sealed text is visible ASCII");
    if let Some(line) = asked.line() {
        line.agree(&asked.caller, revision, session.client);
    }

    let about = mcp.dispatcher.about();
    let mut result = json!({
        "protocolVersion": revision.name(),
        "capabilities": common::capabilities(&mcp.dispatcher, revision),
        "serverInfo": server_info::implementation(about, revision),
    });
    if let Some(instructions) = &about.instructions {
        result["instructions"] = instructions.as_str().into();
    }
    let mut out = response::begin(request.id, 256);
    write(&mut out, &result);
    Ok(response::end(out).with(headers::SESSION.clone(), id))
}

/// Serves one request.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: &Agreed,
) -> Result<Reply, Refusal> {
    headers::method(&asked.parts.headers, &request.method, false)?;
    if let Some(line) = asked.line()
        && request.method != "ping"
    {
        line.begun();
    }
    match &*request.method {
        "ping" => {
            let mut out = response::begin(request.id, 2);
            out.extend_from_slice(b"{}");
            Ok(response::end(out))
        }
        "logging/setLevel" => {
            let key = agreed.nonce.map(|nonce| Key::new(nonce, &asked.caller, ""));
            mcp.levels.set(key, &request.params.level)?;
            let mut out = response::begin(request.id, 2);
            out.extend_from_slice(b"{}");
            Ok(response::end(out))
        }
        "tools/list" => mcp.list(asked, &request, agreed).await,
        "tools/call" => tools_call::serve(mcp, asked, request, agreed.clone()).await,
        _ => custom::serve(mcp, asked, request, agreed.clone()).await,
    }
}

/// Takes a notification. `notifications/cancelled` ends the call that it names, if that is under way;
/// `notifications/initialized` begins the session of a line; no other one is of use here.
pub(crate) fn noted(mcp: &Mcp, asked: &Asked<'_>, note: &Request<'_>, agreed: &Agreed) {
    match (&*note.method, asked.line()) {
        ("notifications/cancelled", _) => {
            let named = note.params.request_id.map(RawValue::get);
            if let (Some(nonce), Some(id)) = (agreed.nonce, named) {
                tracing::debug!(
                    trace = asked.trace,
                    id,
                    reason = reason(note),
                    "the client cancels a call"
                );
                mcp.running.cancel(&Key::new(nonce, &asked.caller, id));
            }
        }
        ("notifications/initialized", Some(line)) => line.begun(),
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

/// Takes the answer of a client to what it was asked; one to anything else is of no use.
pub(crate) fn answered(mcp: &Mcp, asked: &Asked<'_>, id: &str, answer: Answered, agreed: &Agreed) {
    if let Some(nonce) = agreed.nonce {
        let key = Key::new(nonce, &asked.caller, id);
        mcp.notes.questions().answer(&key, answer);
    }
}

/// Serves an array of messages: each on its own, as if it had come alone, in order. Once the answers are
/// over `limits.answer` the requests that are left are refused and run nothing.
pub(crate) async fn batch(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    messages: Vec<Message<'_>>,
    agreed: &Agreed,
) -> Result<Reply, Refusal> {
    if !agreed.revision.has_batches() {
        return Err(Refusal::invalid(format!(
            "{} has no arrays of messages: send each on its own.",
            agreed.revision.name()
        )));
    }
    if messages.is_empty() {
        return Err(Refusal::invalid("An array of messages holds at least one."));
    }
    let mut out = vec![b'['];
    let most = mcp.dispatcher.settings().limits.answer;
    for message in messages {
        let full = out.len() > most;
        if let Some(answer) = in_batch(mcp, asked, message, agreed, full).await {
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(&answer);
        }
    }
    if out.len() == 1 {
        return Ok(Reply::empty(StatusCode::ACCEPTED));
    }
    out.push(b']');
    Ok(Reply::ok(out))
}

/// The refusal of a request for which the answer to its array has no room.
fn left_out(most: usize) -> Refusal {
    let error = Error::of("T0007").with_fix("Send it again on its own.");
    Refusal::invalid(format!(
        "Not served: the answers before it are over the {most} bytes that this server sends at once."
    ))
    .with_code(&error)
}

/// The answer to one message of an array; `None` where it wants none. `full`: a request is not served.
async fn in_batch(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    message: Message<'_>,
    agreed: &Agreed,
    full: bool,
) -> Option<Vec<u8>> {
    match message.kind() {
        Kind::Notification(note) => {
            noted(mcp, asked, &note, agreed);
            None
        }
        Kind::Response(id, answer) => {
            answered(mcp, asked, id, answer, agreed);
            None
        }
        Kind::Invalid(id, why) => Some(Refusal::invalid(why).write(id)),
        Kind::Request(request) => {
            let id = request.id;
            // One at a time of each array, so that arrays hold no more places than requests do.
            let place = asked.line().map(Line::place).transpose();
            let _place = match place {
                Ok(place) => place,
                Err(refusal) => return Some(refusal.write(Some(id))),
            };
            let answer = if full {
                Err(left_out(mcp.dispatcher.settings().limits.answer))
            } else if request.method == "initialize" {
                Err(Refusal::invalid("initialize comes alone."))
            } else if request.params.meta.version != Text::Absent {
                Err(Refusal::invalid(
                    "A request with its own protocolVersion comes alone.",
                ))
            } else {
                serve(mcp, &asked.anew(mcp.dispatcher.deadline()), request, agreed).await
            };
            Some(match answer {
                // A call that was cancelled has no answer.
                Ok(reply) if reply.body.is_empty() => return None,
                Ok(reply) => reply.body,
                Err(refusal) => asked.here(refusal).write(Some(id)),
            })
        }
    }
}
