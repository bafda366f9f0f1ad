//! Batches: arrays of messages, which one legacy revision has. Each message is served as if it came alone, in order.
//! Must not serve a method: [`legacy`] does.

use std::sync::Arc;

use http::StatusCode;
use tent_core::codes;

use crate::error::Error;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::legacy;
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::message::{Kind, Message};
use crate::mcp::protocol::params::Text;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;

/// Serves a batch. Once the responses exceed `limits.max_response`, the requests that are left are refused and run
/// nothing.
pub(crate) async fn serve(
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
    let mut responses = vec![b'['];
    let max = mcp.dispatcher.settings().limits.max_response;
    for message in messages {
        let is_full = responses.len() > max;
        if let Some(response) = serve_one(mcp, context, message, negotiated, is_full).await {
            if responses.len() > 1 {
                responses.push(b',');
            }
            responses.extend_from_slice(&response);
        }
    }
    if responses.len() == 1 {
        return Ok(Response::empty(StatusCode::ACCEPTED));
    }
    responses.push(b']');
    Ok(Response::ok(responses))
}

/// The error for a request whose response would exceed the size of a batch.
fn no_room(max: usize) -> RpcError {
    let error = Error::new(codes::TOO_LARGE).with_fix("Send it again on its own.");
    RpcError::invalid(format!(
        "Not served: the responses before it are over the {max} bytes that this server sends at once."
    ))
    .with_code(&error)
}

/// The response to one message; `None` where it gets none. A request is not served if `is_full`.
async fn serve_one(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    message: Message<'_>,
    negotiated: &Negotiated,
    is_full: bool,
) -> Option<Vec<u8>> {
    let request = match message.kind() {
        Kind::Request(request) => request,
        Kind::Notification(notification) => {
            legacy::accept_notification(mcp, context, &notification, negotiated);
            return None;
        }
        Kind::Response(id, response) => {
            legacy::accept_response(mcp, context, id, response, negotiated);
            return None;
        }
        Kind::Invalid(id, why) => return Some(RpcError::invalid(why).write(id)),
    };
    let id = request.id;
    // Held for one request of the batch at a time, so that a batch holds no more permits than a request.
    let _permit = match context.permit() {
        Ok(permit) => permit,
        Err(error) => return Some(error.write(Some(id))),
    };
    let response = if is_full {
        Err(no_room(mcp.dispatcher.settings().limits.max_response))
    } else if request.method == "initialize" {
        Err(RpcError::invalid("initialize comes alone."))
    } else if request.params.meta.version != Text::Absent {
        Err(RpcError::invalid(
            "A request with its own protocolVersion comes alone.",
        ))
    } else {
        // The batch was admitted as one request. Each of its requests counts, and has its own deadline.
        let admitted = mcp.dispatcher.admit_next(&context.admitted);
        let admitted = admitted.and_then(|admitted| {
            mcp.dispatcher.check_open()?;
            Ok(admitted)
        });
        match admitted {
            Ok(admitted) => {
                let context = context.with_admitted(admitted);
                legacy::serve(mcp, &context, request, negotiated).await
            }
            Err(error) => Err(RpcError::of(&error, mcp.realm())),
        }
    };
    match response {
        // The client cancelled the request.
        Ok(response) if response.body.is_empty() => None,
        Ok(response) => Some(response.body),
        Err(error) => Some(context.adapt(error).write(Some(id))),
    }
}
