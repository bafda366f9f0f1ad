//! `prompts/list` and `prompts/get`.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::dispatch::{Endpoint, Target};
use crate::error::Error;
use crate::function::Function;
use crate::function::{Output, PromptResult};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Item, Wanted};
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::Arguments;
use crate::mcp::protocol::response::{self, Response, RpcError, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::negotiated::Negotiated;

/// Serves `prompts/list`.
pub(crate) async fn list(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let (cursor, visible) = common::list(mcp, asked, request, negotiated, Endpoint::Prompt).await?;
    let prompts = visible.registry.prompts();
    let items: Vec<_> = visible
        .positions
        .iter()
        .map(|&position| &prompts[position])
        .map(|prompt| Item::new(&prompt.name, &listed(prompt, negotiated.revision)))
        .collect();
    common::page(
        mcp,
        request.id,
        "prompts",
        negotiated.revision,
        &items,
        cursor,
    )
}

fn listed(prompt: &Function, revision: Revision) -> Value {
    let mut shown = json!({"name": prompt.name, "description": prompt.about});
    let titled = revision.has_titles_and_structure();
    if titled {
        shown["title"] = prompt.title.as_str().into();
        if !prompt.meta.is_empty() {
            shown["_meta"] = prompt.meta.members().clone().into();
        }
    }
    if let Some(icons) = content::icons(&prompt.icons, revision) {
        shown["icons"] = icons;
    }
    let schema = prompt.input.published();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let fields = schema.get("properties").and_then(Value::as_object);
    let argument = |(name, schema): (&String, &Value)| {
        let mut argument = json!({"name": name, "required": is_required(name)});
        if let Some(title) = schema.get("title").filter(|_| titled) {
            argument["title"] = title.clone();
        }
        if let Some(about) = schema.get("description") {
            argument["description"] = about.clone();
        }
        argument
    };
    // In the order of the parameters, which is the order that a person is asked in.
    let mut fields: Vec<_> = fields.into_iter().flatten().collect();
    let order = |name: &str| prompt.parameters.iter().position(|one| *one == name);
    fields.sort_by_key(|(name, _)| order(name));
    let arguments: Vec<_> = fields.into_iter().map(argument).collect();
    if !arguments.is_empty() {
        shown["arguments"] = arguments.into();
    }
    shown
}

/// Serves `prompts/get`.
pub(crate) async fn get(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let revision = negotiated.revision;
    let what = "prompts/get names a prompt: its name";
    let name = common::named(asked, &negotiated, params.shape, &params.name, what)?;
    let input = match std::mem::take(&mut params.arguments) {
        Arguments::Object(input) => input,
        Arguments::Absent => Map::new(),
        Arguments::Other => {
            return Err(RpcError::params("The arguments of a prompt are an object."));
        }
    };
    let (meta, target) = (&params.meta.rest, Target::Prompt(&name));
    let resolving = common::resolve(mcp, asked, &negotiated, id, meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = resolved.map_err(|error| match error.tent_code() {
        Some(codes::NOT_FOUND) => unknown(&error, &name),
        _ => RpcError::of_method(&error, revision, mcp.realm()),
    })?;
    let prompt = resolved.function().clone();
    let wanted = Wanted::to_read("prompts/get", resolved, input, &mut params);
    let write = move |mcp: &Mcp, id: &str, ended: Result<Output, Error>| match ended {
        Ok(answer) => {
            let prompted = answer.prompt.unwrap_or_default();
            let server = revision.is_modern().then_some(&*mcp.state.server);
            Ok(given(id, &prompted, &prompt.about, revision, server))
        }
        Err(error) if error.is(codes::NOT_FOUND) => Err(unknown(&error, &name)),
        Err(error) => Err(RpcError::of_method(&error, revision, mcp.realm())),
    };
    let peer = CallReporter::new(&mcp.state.levels, asked, &params.meta, &negotiated)?;
    common::answered(mcp, asked, peer, negotiated, (id, started), wanted, write).await
}

pub(crate) fn unknown(error: &Error, name: &str) -> RpcError {
    RpcError::params(format!("Unknown prompt: {name}")).with_code(error)
}

fn given(
    id: &str,
    prompted: &PromptResult,
    about: &str,
    revision: Revision,
    server: Option<&str>,
) -> Response {
    let about = if prompted.about.is_empty() {
        about
    } else {
        &prompted.about
    };
    let mut out = response::begin(id, 256 + prompted.bytes());
    out.extend_from_slice(br#"{"description":"#);
    write(&mut out, about);
    out.extend_from_slice(br#","messages":"#);
    write(&mut out, &content::messages(prompted, revision));
    if server.is_some() {
        out.extend_from_slice(br#","resultType":"complete""#);
    }
    response::meta(&mut out, server, None, &prompted.meta);
    out.push(b'}');
    response::end(out)
}
