//! Routes a message to the methods of its era.
//! Must not read bytes.

use std::sync::Arc;

use http::StatusCode;

use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{legacy, modern};
use crate::mcp::protocol::era::{self, EraChoice};
use crate::mcp::protocol::message::{ClientResponse, Kind, Message, Request};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;

/// Serves one message.
///
/// # Errors
/// Those of a notification and of a client's response, which have no id that an error could name.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    message: Message<'_>,
) -> Result<Response, RpcError> {
    let headers = &context.parts.headers;
    match message.kind() {
        Kind::Request(request) => {
            let id = request.id;
            let _permit = match context.permit() {
                Ok(permit) => permit,
                Err(error) => return Ok(error.into_response(Some(id))),
            };
            if let Err(error) = mcp.dispatcher.check_open() {
                return Ok(RpcError::of(&error, mcp.realm()).into_response(Some(id)));
            }
            let meta = &request.params.meta;
            let era = match context.connection() {
                None => era::of(headers, &request.method, meta),
                Some(_) => era::on_connection(&request.method, meta),
            };
            let served = match era {
                Ok(EraChoice::Modern) => modern::serve(mcp, context, request).await,
                Ok(EraChoice::Initialize) => legacy::initialize(mcp, context, &request),
                Ok(EraChoice::Legacy(header)) => {
                    match legacy::negotiated(mcp, context, header).await {
                        Ok(negotiated) => legacy::serve(mcp, context, request, &negotiated).await,
                        Err(error) => Err(error),
                    }
                }
                Err(error) => Err(error),
            };
            Ok(served.unwrap_or_else(|error| context.adapt(error).into_response(Some(id))))
        }
        // An unknown notification is accepted too: its sender expects no response.
        Kind::Notification(notification) => {
            accept(mcp, context, Unanswered::Notification(&notification)).await
        }
        Kind::Response(id, response) => {
            accept(mcp, context, Unanswered::Response(id, response)).await
        }
        Kind::Invalid(id, why) => Ok(RpcError::invalid(why).into_response(id)),
    }
}

/// A message that gets no response.
enum Unanswered<'a> {
    Notification(&'a Request<'a>),
    Response(&'a str, ClientResponse),
}

/// Accepts a message that gets no response: 202. In the modern era clients send no responses.
async fn accept(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    message: Unanswered<'_>,
) -> Result<Response, RpcError> {
    let revision = era::of_header(&context.parts.headers)?;
    match message {
        Unanswered::Response(..) if revision.is_some_and(Revision::is_modern) => {
            return Err(RpcError::invalid("This revision takes no responses."));
        }
        Unanswered::Notification(_) if revision.is_some_and(Revision::is_modern) => {}
        Unanswered::Response(id, response) => {
            let negotiated = legacy::negotiated(mcp, context, revision).await?;
            legacy::accept_response(mcp, context, id, response, &negotiated);
        }
        Unanswered::Notification(notification) => {
            let negotiated = legacy::negotiated(mcp, context, revision).await?;
            legacy::accept_notification(mcp, context, notification, &negotiated);
        }
    }
    Ok(Response::empty(StatusCode::ACCEPTED))
}
