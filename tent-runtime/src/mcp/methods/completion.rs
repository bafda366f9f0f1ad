//! `completion/complete`: how an argument of a prompt or a variable of a resource goes on.

use serde_json::{Map, Value, json};

use crate::dispatch::Endpoint;
use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::prompts;
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::response::{self, Response, RpcError, write};
use crate::mcp::session::negotiated::Negotiated;

/// The most values that one answer may have.
const MOST: usize = 100;

/// Serves it. Whether there is such a prompt or resource is told to whom it is offered, and to nobody else.
pub(crate) async fn serve(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let mut params = request.input().map_err(RpcError::from)?;
    let wanted = params.remove("ref").unwrap_or_default();
    let argument = params.remove("argument").unwrap_or_default();
    let context = params.remove("context").unwrap_or_default();
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let (Some(argument), Some(typed)) = (text(&argument, "name"), text(&argument, "value")) else {
        return Err(RpcError::params(
            "completion/complete names an argument: its name and its value are strings.",
        ));
    };
    let so_far = match context {
        Value::Null => Map::new(),
        Value::Object(mut context) => match context.remove("arguments") {
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
    let kind = text(&wanted, "type");
    let (name, at, shown) = match (kind.as_deref(), text(&wanted, "name"), text(&wanted, "uri")) {
        (Some("ref/prompt"), Some(name), _) => (name.clone(), Endpoint::Prompt, name),
        (Some("ref/resource"), _, Some(uri)) => {
            let registry = mcp.dispatcher.registry();
            let matching = registry.matching(&uri).map(|(resource, _)| resource);
            let cx = mcp.dispatcher.cx_by(asked.for_dispatch(negotiated));
            // What is not there is asked for all the same, so that who may know nothing is told nothing.
            let mut name = "";
            // What this caller may not know of is as if it were not there: the next best is then meant.
            for resource in registry.stated_resource(&uri).into_iter().chain(matching) {
                let found = mcp
                    .dispatcher
                    .find(&resource.function.name, Endpoint::Resource, &cx);
                let hidden = |error: Error| matches!(error.code(), "T0001" | "T0004");
                if !found.await.is_err_and(hidden) {
                    name = &resource.function.name;
                    break;
                }
            }
            (name.to_owned(), Endpoint::Resource, uri)
        }
        _ => {
            return Err(RpcError::params(
                "ref is {\"type\":\"ref/prompt\",\"name\":…} or {\"type\":\"ref/resource\",\"uri\":…}.",
            ));
        }
    };
    let values = mcp
        .dispatcher
        .completed(
            &name,
            at,
            &argument,
            typed,
            so_far,
            asked.for_dispatch(negotiated),
        )
        .await
        .map_err(|error| match (error.code(), at) {
            ("T0001", Endpoint::Prompt) => prompts::unknown(&error, &shown),
            ("T0001", _) => unknown(&error, &shown),
            _ => RpcError::of_method(&error, negotiated.revision, mcp.realm()),
        })?;
    let total = values.len();
    let completion = json!({
        "values": values.into_iter().take(MOST).collect::<Vec<_>>(),
        "total": total,
        "hasMore": total > MOST,
    });
    let mut out = response::begin(request.id, 256);
    out.extend_from_slice(br#"{"completion":"#);
    write(&mut out, &completion);
    if negotiated.revision.is_modern() {
        out.extend_from_slice(br#","resultType":"complete","_meta":{"#);
        out.extend_from_slice(mcp.state.server.as_bytes());
        out.push(b'}');
    }
    out.push(b'}');
    Ok(response::end(out))
}

fn unknown(error: &Error, uri: &str) -> RpcError {
    RpcError::params("Resource not found")
        .with_code(error)
        .with_data("uri", Value::from(uri))
}
