//! MCP over Streamable HTTP, both eras at one address.
//! Must not know methods: it reads the request, has the message served, and writes the response.

use std::sync::Arc;
use tent_core::codes;

use axum::body::{Body, HttpBody as _};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode};
use tokio::time::Instant;

use crate::cx::TraceId;
use crate::error::Error;
use crate::mcp::client::context::{RequestContext, Transport};
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{batch, legacy, router};
use crate::mcp::protocol::era::{self, is_modern};
use crate::mcp::protocol::message::{self, Payload};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::protocol::{headers, request_id};
use crate::mcp::transport::sse;
use crate::web::{self, Upload};

/// Serves one HTTP request to the MCP endpoint, whatever its path.
pub(crate) async fn serve(mcp: Arc<Mcp>, request: Request<Body>) -> http::Response<Body> {
    let trace = web::trace(request.headers());
    let (parts, body) = request.into_parts();
    let mut body = Upload::of(&parts, body);
    let response = respond(&mcp, &parts, &mut body, trace).await;
    let mut response = response.unwrap_or_else(|error| uncounted(error.into_response(None)));
    body.finish(&mut response).await;
    web::put_trace(response.headers_mut(), trace);
    if parts.method == Method::HEAD {
        *response.body_mut() = Body::empty();
    }
    response
}

/// Host, origin and caller are checked before anything else, so that a client without a key learns nothing, not even
/// which HTTP methods the endpoint has.
async fn respond(
    mcp: &Arc<Mcp>,
    parts: &Parts,
    body: &mut Upload,
    trace: TraceId,
) -> Result<http::Response<Body>, RpcError> {
    let rejected = |error: Error| RpcError::of(&error, mcp.realm());
    let admitted = mcp.dispatcher.admit(parts, trace).await;
    let mut admitted = admitted.map_err(rejected)?;
    if !admitted.caller().is_known() && !mcp.dispatcher.settings().mcp.anyone {
        return Err(rejected(Error::new(codes::SIGN_IN)));
    }
    mcp.dispatcher
        .check_page(parts, admitted.caller())
        .map_err(rejected)?;
    match parts.method {
        Method::POST => {}
        Method::DELETE if !is_modern(&parts.headers) => {
            era::of_header(&parts.headers)?;
            let response = Box::pin(legacy::end(mcp, &parts.headers, &admitted)).await?;
            return Ok(uncounted(response));
        }
        Method::GET if mcp.dispatcher.settings().mcp.stream && !is_modern(&parts.headers) => {
            era::of_header(&parts.headers)?;
            if !headers::accepted(&parts.headers).events {
                let why = "The response to GET is text/event-stream, which Accept does not name.";
                return Err(RpcError::invalid(why).with_status(StatusCode::NOT_ACCEPTABLE));
            }
            let context = RequestContext {
                parts,
                admitted,
                transport: Transport::Http { streams: true },
            };
            let response = Box::pin(legacy::get(mcp, &context)).await?;
            return counted(mcp, parts, response).map_err(rejected);
        }
        _ => return Err(method_not_allowed(mcp, &parts.headers)),
    }
    web::check_json(&parts.headers).map_err(rejected)?;
    let accepted = headers::accepted(&parts.headers);
    if !accepted.any {
        return Err(
            RpcError::invalid("The response is application/json, which Accept excludes.")
                .with_status(StatusCode::NOT_ACCEPTABLE),
        );
    }
    let limit = mcp.dispatcher.settings().limits.max_body;
    let started = Instant::now();
    let in_flight = mcp.dispatcher.in_flight();
    let upload = body;
    let body = upload.read(limit, in_flight, parts).await;
    let body = body.map_err(rejected)?;
    // The pace of the upload has its own limits.
    admitted.uploaded(started.elapsed(), upload.reservation());
    let payload = match message::read(&body) {
        Ok(payload) => payload,
        Err(why) => {
            return Ok(uncounted(
                RpcError::from(why).into_response(request_id::of(&body)),
            ));
        }
    };
    let context = RequestContext {
        parts,
        admitted,
        // The response to a batch is an array, which is one JSON text.
        transport: Transport::Http {
            streams: matches!(payload, Payload::One(_)) && accepted.events,
        },
    };
    let response = match payload {
        Payload::One(message) => router::serve(mcp, &context, message).await?,
        Payload::Batch(messages) => {
            let revision = era::of_header(&parts.headers)?;
            if revision.is_some_and(Revision::is_modern) {
                return Err(RpcError::invalid("A body is one message."));
            }
            let negotiated = legacy::negotiated(mcp, &context, revision).await?;
            Box::pin(batch::serve(mcp, &context, messages, &negotiated)).await?
        }
    };
    let response = counted(mcp, parts, response);
    // The client waits for a response with the id of its request.
    Ok(response
        .unwrap_or_else(|error| uncounted(rejected(error).into_response(request_id::of(&body)))))
}

fn method_not_allowed(mcp: &Mcp, headers: &HeaderMap) -> RpcError {
    let allow = if is_modern(headers) {
        "POST"
    } else if mcp.dispatcher.settings().mcp.stream {
        "GET, POST, DELETE"
    } else {
        "POST, DELETE"
    };
    RpcError::of(&Error::new(codes::METHOD_NOT_ALLOWED), "")
        .with_header(ALLOW, HeaderValue::from_static(allow))
}

/// The HTTP response that carries a response of MCP, which counts in the budget of the bytes in flight.
///
/// # Errors
/// T0013 or T0006 if the budget has no room for it.
fn counted(
    mcp: &Mcp,
    parts: &Parts,
    mut response: Response,
) -> Result<http::Response<Body>, Error> {
    let in_flight = mcp.dispatcher.in_flight();
    if let Some(messages) = response.stream.take() {
        let body = sse::body(messages, in_flight.reservation_of(&parts.extensions));
        let mut encoded = encode(response, body);
        let headers = encoded.headers_mut();
        let (media_type, cache) = ("text/event-stream", "no-cache, no-store");
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        return Ok(encoded);
    }
    let (bytes, reservation) = (
        std::mem::take(&mut response.body),
        response.reservation.take(),
    );
    let body = in_flight.body(bytes, &parts.extensions, reservation)?;
    Ok(encode(response, body))
}

/// The same for an error or an empty response, which are small.
fn uncounted(mut response: Response) -> http::Response<Body> {
    let body = Body::from(std::mem::take(&mut response.body));
    encode(response, body)
}

fn encode(response: Response, body: Body) -> http::Response<Body> {
    let is_empty = body.is_end_stream();
    let mut encoded = http::Response::new(body);
    *encoded.status_mut() = response.status;
    let headers = encoded.headers_mut();
    // A response depends on the caller, so a shared cache must not store it.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web::nosniff(headers);
    headers.extend(response.headers);
    if !is_empty {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    encoded
}
