//! `completion/complete`: the values that complete an argument of a prompt or a variable of a resource template.
//! Must not run a function: dispatch does.

use serde_json::{Map, Value};
use tent_core::codes;

use crate::dispatch::Target;
use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{common, prompts};
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{CompleteResult, Completion, ResultMeta, ResultType};
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;

/// The most values in one result.
const MAX_VALUES: usize = 100;

/// Serves `completion/complete`. A prompt or resource that the caller may not use is reported as missing.
pub(crate) async fn serve(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    // Access rules and completers are the app's own, and can take their time.
    let started = mcp.state.start(context.key(negotiated, request.id));
    let response = started.unless_cancelled(complete(mcp, context, request, negotiated));
    response.await.unwrap_or_else(|| Ok(common::cancelled()))
}

async fn complete(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let mut params = request.input().map_err(RpcError::from)?;
    let reference = params.remove("ref").unwrap_or_default();
    let argument = params.remove("argument").unwrap_or_default();
    let arguments = params.remove("context").unwrap_or_default();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let (Some(argument), Some(typed)) = (text(&argument, "name"), text(&argument, "value")) else {
        return Err(RpcError::params(
            "completion/complete names an argument: its name and its value are strings.",
        ));
    };
    let other_arguments = match arguments {
        Value::Null => Map::new(),
        Value::Object(mut arguments) => match arguments.remove("arguments") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(arguments)) if arguments.values().all(Value::is_string) => arguments,
            Some(_) => {
                return Err(RpcError::params(
                    "context.arguments is an object of strings.",
                ));
            }
        },
        _ => return Err(RpcError::params("context is an object.")),
    };
    let kind = text(&reference, "type");
    let (name, uri) = (text(&reference, "name"), text(&reference, "uri"));
    let target = match (kind.as_deref(), &name, &uri) {
        (Some("ref/prompt"), Some(name), _) => Target::Prompt(name),
        (Some("ref/resource"), _, Some(uri)) => Target::Template(uri),
        _ => {
            return Err(RpcError::params(
                "ref is {\"type\":\"ref/prompt\",\"name\":…} or {\"type\":\"ref/resource\",\"uri\":…}.",
            ));
        }
    };
    let dispatcher = &mcp.dispatcher;
    let requester = context.requester(&negotiated.client, None);
    let completed = async {
        let resolved = dispatcher.resolve(requester, target).await?;
        let client = &negotiated.client;
        let completed = dispatcher.complete(&resolved, &argument, typed, other_arguments, client);
        completed.await
    };
    let values = completed
        .await
        .map_err(|error| match (error.tent_code(), target) {
            (Some(codes::NOT_FOUND), Target::Prompt(name)) => prompts::unknown(&error, name),
            (Some(codes::NOT_FOUND), Target::Template(uri)) => unknown(&error, uri),
            _ => RpcError::of_method(&error, negotiated.revision, mcp.realm()),
        })?;
    let total = values.len();
    let server = mcp.server(negotiated.revision);
    let result = CompleteResult {
        completion: Completion {
            has_more: total > MAX_VALUES,
            total,
            values: values.into_iter().take(MAX_VALUES).collect(),
        },
        result_type: ResultType::complete(server),
        meta: ResultMeta::of_server(server),
    };
    Ok(Response::result(request.id, 256, &result))
}

fn unknown(error: &Error, uri: &str) -> RpcError {
    RpcError::params("Resource not found")
        .with_code(error)
        .with_data("uri", Value::from(uri))
}
