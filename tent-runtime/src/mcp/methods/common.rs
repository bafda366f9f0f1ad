//! What resources, prompts, completions and the methods of `on` have in common: the capabilities that they
//! declare, pages of lists, and failures, which have no result of their own as a tool's have. And what they have in
//! common with tools: a call, from the door to its answer.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value, json};

use crate::dispatch::{Call, Dispatcher, Endpoint, RequestContext};
use crate::error::Error;
use crate::function::Output;
use crate::mcp::client::elicitor::{Asking as Asks, Brought};
use crate::mcp::client::notifications::OfCall;
use crate::mcp::methods::tools_call;
use crate::mcp::methods::tools_list::{Scope, hints};
use crate::mcp::protocol::headers;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{OutputShape, Params, Text};
use crate::mcp::protocol::response::{self, Refusal, Reply, code};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::transport::sse;
use crate::mcp::{Agreed, Asked, Mcp};
use crate::registry::Registry;
use crate::schema::InputEncoding;
use crate::seal::Use;

/// The most bytes of what is listed on one page; a single one may be larger.
const PAGE: usize = 1 << 20;

/// Whether functions answer methods that begin like this.
pub(crate) fn answers(registry: &Registry, prefix: &str) -> bool {
    let mut on = registry.functions().iter().filter_map(|f| f.declaration.on);
    on.any(|method| method.starts_with(prefix))
}

/// What the server can do, as far as this app has something for it.
pub(crate) fn capabilities(dispatcher: &Dispatcher, revision: Revision) -> Map<String, Value> {
    let registry = dispatcher.registry();
    let answered = |prefix| answers(registry, prefix);
    let streams = dispatcher.settings().mcp.stream;
    let list = if streams {
        json!({"listChanged": true})
    } else {
        json!({})
    };
    let has_resources = !registry.resources().is_empty() || answered("resources/");
    let has_prompts = !registry.prompts().is_empty() || answered("prompts/");
    // The first revision completes too, and has no capability to say so.
    let completes = registry.completes() || answered("completion/");
    let completes = completes && revision.has_annotations_and_audio();
    let mut resources = list.clone();
    if streams && registry.resources().iter().any(|one| one.stated.subscribe) {
        resources["subscribe"] = true.into();
    }
    let declared = [
        ("completions", completes, json!({})),
        ("logging", true, json!({})),
        ("prompts", has_prompts, list.clone()),
        ("resources", has_resources, resources),
        ("tools", true, list),
    ];
    let declared = declared.into_iter().filter(|(_, there, _)| *there);
    let declared = declared.map(|(name, _, can)| (name.to_owned(), can));
    let about = dispatcher.about();
    // The newest revision names `extensions`; to those before it is one of the capabilities that they leave open.
    let own = [
        ("experimental", &about.experimental),
        ("extensions", &about.extensions),
    ];
    let own = own.into_iter().filter(|(_, all)| !all.is_empty());
    let own = own.map(|(name, all)| (name.to_owned(), json!(all)));
    declared.chain(own).collect()
}

pub(crate) fn asking<'a>(asked: &'a Asked<'_>, agreed: &'a Agreed) -> RequestContext<'a> {
    RequestContext {
        caller: &asked.caller,
        client: &agreed.client,
        trace: asked.trace,
        deadline: asked.deadline,
    }
}

/// What is read, got or answered.
pub(crate) struct Wanted<'a> {
    pub(crate) name: String,
    pub(crate) input: Map<String, Value>,
    /// What the request brings in `_meta` for the function.
    pub(crate) meta: Map<String, Value>,
    pub(crate) wire: InputEncoding,
    pub(crate) at: Endpoint,
    /// Where it can come in several rounds. Of what only reads none is kept.
    pub(crate) rounds: Option<Brought<'a>>,
}

impl<'a> Wanted<'a> {
    /// What a request of this method reads, whose fields are all texts.
    pub(crate) fn to_read(
        method: &'static str,
        name: &str,
        input: Map<String, Value>,
        at: Endpoint,
        params: &mut Params<'a>,
    ) -> Self {
        Wanted {
            name: name.to_owned(),
            input,
            meta: std::mem::take(&mut params.meta.rest),
            wire: InputEncoding::Strings,
            at,
            rounds: Some(Brought::to_read(method, params)),
        }
    }
}

/// Runs it, and answers what `write` makes of its end. Its answer becomes a stream where it has something to say to
/// `peer` first.
pub(crate) async fn answered<W>(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    peer: Option<Arc<OfCall>>,
    agreed: Agreed,
    id: &str,
    wanted: Wanted<'_>,
    write: W,
) -> Result<Reply, Refusal>
where
    W: FnOnce(&Mcp, &str, Result<Output, Error>) -> Result<Reply, Refusal> + Send + 'static,
{
    // On a line events and answers go the same way, so there is no stream to begin.
    let streams = peer.as_ref().filter(|_| asked.line().is_none());
    let sink = streams.map(|peer| peer.sink().clone());
    let asks = match wanted.rounds {
        Some(brought) => Asks::new(mcp, asked, &agreed, peer.clone(), brought)?,
        None => Asks::nothing(peer.clone()),
    };
    let call = Call {
        name: wanted.name,
        input: wanted.input,
        wire: wanted.wire,
        caller: asked.caller.clone(),
        client: agreed.client,
        meta: wanted.meta,
        trace: asked.trace.to_owned(),
        deadline: asked.deadline,
        at: wanted.at,
        peer: asks.peer(),
        rounds: asks.rounds(),
    };
    // It may go on when this request's own bytes are gone, so it owns what it needs.
    let work = {
        let (mcp, id) = (mcp.clone(), Box::<str>::from(id));
        async move {
            let ended = tools_call::run(&mcp, call, agreed.nonce, &id).await;
            if let Some(peer) = peer {
                peer.end(ended.is_some());
            }
            match ended {
                // The client said that it does not wait any more, and wants no answer.
                None => Ok(Reply::empty(StatusCode::ACCEPTED)),
                Some(Ok(answer)) if answer.asks => asks.answer(&mcp, &id),
                Some(ended) => write(&mcp, &id, ended),
            }
        }
    };
    sse::answered(sink, id, Box::pin(work)).await
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
    asked: &Asked<'_>,
    request: &'a Request<'_>,
    agreed: &Agreed,
    at: Endpoint,
) -> Result<(Option<&'a str>, Vec<usize>), Refusal> {
    let params = &request.params;
    if params.shape == OutputShape::Other || params.cursor == Text::Other {
        return Err(Refusal::params(format!(
            "The params of {} are an object, its cursor a string.",
            request.method
        )));
    }
    let visible = mcp.dispatcher.visible(asking(asked, agreed), at).await;
    let visible = visible.map_err(|error| refused(mcp, &error, agreed.revision))?;
    Ok((params.cursor.get(), visible))
}

/// Opens a request for one thing, which it names by this member of its params and, where headers repeat the body,
/// by a header. `what` says in a refusal what it names.
pub(crate) fn named(
    asked: &Asked<'_>,
    agreed: &Agreed,
    shape: OutputShape,
    member: &Text<'_>,
    what: &str,
) -> Result<String, Refusal> {
    let named = match member {
        Text::Is(named) if shape == OutputShape::Object => named.to_string(),
        _ => return Err(Refusal::params(format!("{what} is a string."))),
    };
    let mirrored = asked.mirrors(agreed.revision);
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
) -> Result<Reply, Refusal> {
    let sealer = mcp.dispatcher.sealer();
    let first = match cursor {
        None => 0,
        Some(cursor) => sealer
            .open(Use::Cursor, cursor, member.as_bytes())
            .ok()
            .and_then(|key| items.iter().position(|item| item.key.as_bytes() == key))
            .ok_or_else(|| Refusal::params("Unknown cursor: begin again without one."))?,
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
        let kept_for = mcp.dispatcher.settings().limits.tools_kept;
        out.extend(hints(kept_for, Scope::Private, &mcp.server));
    }
    out.push(b'}');
    Ok(response::end(out))
}

/// A failure as a JSON-RPC error. What the request's sender can mend is −32602, with every field that did not
/// fit; what is the server's is −32603; what concerns the caller, the client or the server as a whole is told as
/// everywhere.
pub(crate) fn refused(mcp: &Mcp, error: &Error, revision: Revision) -> Refusal {
    match error.code() {
        // Older revisions have no code for it.
        "T0021" if revision.is_modern() => Refusal::of(error, mcp.realm()),
        "T0004" | "T0005" | "T0006" | "T0007" | "T0013" | "T0014" => {
            Refusal::of(error, mcp.realm())
        }
        "T0003" => {
            let mut message = error.message().to_owned();
            for (field, what) in error.fields() {
                let what = what
                    .as_str()
                    .map_or_else(|| what.to_string(), str::to_owned);
                message += &format!(" {field}: {what}.");
            }
            Refusal::params(message).with_code(error)
        }
        _ if error.status() < 500 => Refusal::params(error.message().to_owned()).with_code(error),
        _ => Refusal::new(StatusCode::OK, code::INTERNAL, error.message().to_owned())
            .with_code(error),
    }
}
