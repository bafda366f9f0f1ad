//! `completion/complete`: how an argument of a prompt or a variable of a resource goes on.

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::dispatch::Target;
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
    let (name, uri) = (text(&wanted, "name"), text(&wanted, "uri"));
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
    let requester = asked.requester(&negotiated.client, None);
    let completed = async {
        let resolved = dispatcher.resolve(requester, target).await?;
        let client = &negotiated.client;
        let completed = dispatcher.complete(&resolved, &argument, typed, so_far, client);
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
