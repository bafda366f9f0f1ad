//! What resources, prompts, completions and the methods of `on` have in common: the capabilities that they
//! declare, pages of lists, and failures, which have no result of their own as a tool's have. And what they have in
//! common with tools: a call, from the door to its answer.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value};

use crate::dispatch::{Call, Endpoint, Outcome, Resolved, Target, Visible};
use crate::error::Error;
use crate::function::Output;
use crate::mcp::client::call_client::{CallClient, MrtrParams};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::mrtr::Reply;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::response_stream;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::tools_call;
use crate::mcp::methods::tools_list::{Scope, hints};
use crate::mcp::protocol::headers;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{ObjectShape, Params, Text};
use crate::mcp::protocol::response::{self, Response, RpcError};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::Started;
use crate::schema::InputEncoding;
use crate::seal::Use;

/// The most bytes of what is listed on one page; a single one may be larger.
const PAGE: usize = 1 << 20;

/// What is read, got or answered.
pub(crate) struct Wanted<'a> {
    pub(crate) resolved: Resolved,
    pub(crate) input: Map<String, Value>,
    /// What the request brings in `_meta` for the function.
    pub(crate) meta: Map<String, Value>,
    pub(crate) wire: InputEncoding,
    /// Where it can come in several rounds. Of what only reads none is kept.
    pub(crate) rounds: Option<MrtrParams<'a>>,
}

impl<'a> Wanted<'a> {
    /// What a request of this method reads, whose fields are all texts.
    pub(crate) fn to_read(
        method: &'static str,
        resolved: Resolved,
        input: Map<String, Value>,
        params: &mut Params<'a>,
    ) -> Self {
        Wanted {
            resolved,
            input,
            meta: std::mem::take(&mut params.meta.rest),
            wire: InputEncoding::Strings,
            rounds: Some(MrtrParams::take(method, params)),
        }
    }
}

/// Records that the request `id` is in flight, and resolves what it names; `None` if its client cancels it first.
pub(crate) async fn resolve(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    negotiated: &Negotiated,
    id: &str,
    meta: &Map<String, Value>,
    target: Target<'_>,
) -> Option<(Started, Result<Resolved, Error>)> {
    let started = mcp.state.start(asked.key(negotiated, id));
    let requester = asked.requester(&negotiated.client, Some(meta));
    let resolving = started.unless_cancelled(mcp.dispatcher.resolve(requester, target));
    let resolved = resolving.await?;
    Some((started, resolved))
}

/// The end of a request that its client cancelled, which gets no response.
pub(crate) fn cancelled() -> Response {
    Response::empty(StatusCode::ACCEPTED)
}

/// Runs it, and answers what `write` makes of its end. Its answer becomes a stream where it has something to say to
/// `peer` first.
pub(crate) async fn answered<W>(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    peer: Option<Arc<CallReporter>>,
    negotiated: Negotiated,
    (id, started): (&str, Started),
    wanted: Wanted<'_>,
    write: W,
) -> Result<Response, RpcError>
where
    W: FnOnce(&Mcp, &str, Result<Output, Error>) -> Result<Response, RpcError> + Send + 'static,
{
    // On a line events and answers go the same way, so there is no stream to begin.
    let streams = peer.as_ref().filter(|_| asked.connection().is_none());
    let outbox = streams.map(|peer| peer.outbox().clone());
    let client = match wanted.rounds {
        Some(brought) => CallClient::new(
            &mcp.state,
            mcp.notifier.pending(),
            asked,
            &negotiated,
            peer.clone(),
            brought,
        )?,
        None => CallClient::without_input(peer.clone()),
    };
    let mut call = Call {
        input: wanted.input,
        encoding: wanted.wire,
        client: negotiated.client,
        meta: wanted.meta,
        ..Call::default()
    };
    client.offer(&mut call);
    let resolved = wanted.resolved;
    // It may go on when this request's own bytes are gone, so it owns what it needs.
    let work = {
        let (mcp, id) = (mcp.clone(), Box::<str>::from(id));
        async move {
            let ended = tools_call::run(&mcp, resolved, call, &started).await;
            if let Some(peer) = peer {
                peer.end(ended.is_some());
            }
            match ended {
                None => Ok(cancelled()),
                Some(Outcome::Ended(result)) => write(&mcp, &id, result),
                Some(Outcome::InputRequired | Outcome::Answered) => match client.reply() {
                    Reply::InputRequired(result) => {
                        let mut out = response::begin(&id, result.len());
                        out.extend_from_slice(&result);
                        Ok(response::end(out))
                    }
                    // Written for this client, whatever client an earlier request came from.
                    Reply::Ended(ended) => write(&mcp, &id, ended),
                },
            }
        }
    };
    response_stream::respond(outbox, id, Box::pin(work)).await
}

/// One of a list, and what tells it from the others there.
pub(crate) struct Item {
    pub(crate) key: String,
    pub(crate) bytes: Vec<u8>,
}

impl Item {
    pub(crate) fn new(key: &str, shown: &(impl serde::Serialize + ?Sized)) -> Self {
        let mut bytes = Vec::new();
        response::write(&mut bytes, shown);
        Item {
            key: key.to_owned(),
            bytes,
        }
    }
}

/// Opens a request for a list: its cursor, and what this caller is shown at this door, as positions.
pub(crate) async fn list<'a>(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &'a Request<'_>,
    negotiated: &Negotiated,
    at: Endpoint,
) -> Result<(Option<&'a str>, Visible), RpcError> {
    let params = &request.params;
    if params.shape == ObjectShape::Other || params.cursor == Text::Other {
        return Err(RpcError::params(format!(
            "The params of {} are an object, its cursor a string.",
            request.method
        )));
    }
    let visible = mcp
        .dispatcher
        .visible(asked.requester(&negotiated.client, None), at)
        .await;
    let visible =
        visible.map_err(|error| RpcError::of_method(&error, negotiated.revision, mcp.realm()))?;
    Ok((params.cursor.get(), visible))
}

/// Opens a request for one thing, which it names by this member of its params and, where headers repeat the body,
/// by a header. `what` says in a refusal what it names.
pub(crate) fn named(
    asked: &RequestContext<'_>,
    negotiated: &Negotiated,
    shape: ObjectShape,
    member: &Text<'_>,
    what: &str,
) -> Result<String, RpcError> {
    let named = match member {
        Text::Is(named) if shape == ObjectShape::Object => named.to_string(),
        _ => return Err(RpcError::params(format!("{what} is a string."))),
    };
    let mirrored = asked.requires_headers(negotiated.revision);
    headers::name(&asked.parts.headers, &named, mirrored)?;
    Ok(named)
}

/// The answer to a request for a list: the page of `items`, in the result's `member`, at which `cursor` stands.
/// A cursor holds what tells its first item, so that it stays good while others come and go.
pub(crate) fn page(
    mcp: &Mcp,
    id: &str,
    member: &str,
    revision: Revision,
    items: &[Item],
    cursor: Option<&str>,
) -> Result<Response, RpcError> {
    let sealer = mcp.dispatcher.sealer();
    let first = match cursor {
        None => 0,
        Some(cursor) => sealer
            .open(Use::Cursor, cursor, member.as_bytes())
            .ok()
            .and_then(|key| items.iter().position(|item| item.key.as_bytes() == key))
            .ok_or_else(|| RpcError::params("Unknown cursor: begin again without one."))?,
    };
    let mut out = response::begin(id, 256);
    out.extend_from_slice(b"{\"");
    out.extend_from_slice(member.as_bytes());
    out.extend_from_slice(b"\":[");
    let start = out.len();
    let mut next = None;
    for item in &items[first..] {
        let empty = out.len() == start;
        if !empty && out.len() - start + item.bytes.len() > PAGE {
            next = Some(item);
            break;
        }
        if !empty {
            out.push(b',');
        }
        out.extend_from_slice(&item.bytes);
    }
    out.push(b']');
    if let Some(next) = next {
        let cursor = sealer.seal(Use::Cursor, next.key.as_bytes(), member.as_bytes());
        out.extend_from_slice(b",\"nextCursor\":");
        response::write(&mut out, &*cursor);
    }
    if revision.is_modern() {
        let kept_for = mcp.dispatcher.settings().limits.list_ttl;
        out.extend(hints(kept_for, Scope::Private, &mcp.state.server));
    }
    out.push(b'}');
    Ok(response::end(out))
}
