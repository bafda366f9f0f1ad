//! `prompts/get`, and the items of `prompts/list`.
//! Must not run a function: dispatch does.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::dispatch::Target;
use crate::error::Error;
use crate::function::{Function, Output};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Invocation};
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::Arguments;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{GetPromptResult, ResultMeta, ResultType};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;

/// A prompt as `prompts/list` lists it.
pub(crate) fn item(prompt: &Function, revision: Revision) -> Value {
    let mut item = json!({"name": prompt.name, "description": prompt.about});
    let has_titles = revision.has_titles_and_structure();
    if has_titles {
        item["title"] = prompt.title.as_str().into();
        if !prompt.meta.is_empty() {
            item["_meta"] = prompt.meta.members().clone().into();
        }
    }
    if let Some(icons) = content::icons(&prompt.icons, revision) {
        item["icons"] = icons;
    }
    let schema = prompt.input.published();
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let fields = schema.get("properties").and_then(Value::as_object);
    let argument = |(name, schema): (&String, &Value)| {
        let mut argument = json!({"name": name, "required": is_required(name)});
        if let Some(title) = schema.get("title").filter(|_| has_titles) {
            argument["title"] = title.clone();
        }
        if let Some(about) = schema.get("description") {
            argument["description"] = about.clone();
        }
        argument
    };
    // In the order of the parameters, since a client asks for the arguments in this order.
    let mut fields: Vec<_> = fields.into_iter().flatten().collect();
    let order = |name: &str| prompt.parameters.iter().position(|one| *one == name);
    fields.sort_by_key(|(name, _)| order(name));
    let arguments: Vec<_> = fields.into_iter().map(argument).collect();
    if !arguments.is_empty() {
        item["arguments"] = arguments.into();
    }
    item
}

/// Serves `prompts/get`.
pub(crate) async fn get(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let revision = negotiated.revision;
    let what = "prompts/get names a prompt: its name";
    let name = common::named(context, &negotiated, params.shape, &params.name, what)?;
    let input = match std::mem::take(&mut params.arguments) {
        Arguments::Object(input) => input,
        Arguments::Absent => Map::new(),
        Arguments::Invalid => {
            return Err(RpcError::params("The arguments of a prompt are an object."));
        }
    };
    let (meta, target) = (&params.meta.rest, Target::Prompt(&name));
    let resolving = common::resolve(mcp, context, &negotiated, id, meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = resolved.map_err(|error| match error.tent_code() {
        Some(codes::NOT_FOUND) => unknown(&error, &name),
        _ => RpcError::of_method(&error, revision, mcp.realm()),
    })?;
    let prompt = resolved.function().clone();
    let reporter = CallReporter::new(&mcp.state.levels, context, &params.meta, &negotiated)?;
    let invocation =
        Invocation::with_strings("prompts/get", resolved, input, &mut params, reporter);
    let write = move |mcp: &Mcp, id: &RawValue, result: Result<Output, Error>| match result {
        Ok(output) => {
            let result = output.prompt.unwrap_or_default();
            let description = match result.about.is_empty() {
                true => &prompt.about,
                false => &result.about,
            };
            let server = mcp.server(revision);
            let written = GetPromptResult {
                description: Cow::Borrowed(description),
                messages: content::messages(&result, revision),
                result_type: ResultType::complete(server),
                meta: ResultMeta::new(server, &result.meta),
            };
            Ok(Response::result(id, 256 + result.bytes(), &written))
        }
        Err(error) if error.is(codes::NOT_FOUND) => Err(unknown(&error, &name)),
        Err(error) => Err(RpcError::of_method(&error, revision, mcp.realm())),
    };
    common::run(mcp, context, negotiated, (id, started), invocation, write).await
}

pub(crate) fn unknown(error: &Error, name: &str) -> RpcError {
    RpcError::params(format!("Unknown prompt: {name}")).with_code(error)
}
