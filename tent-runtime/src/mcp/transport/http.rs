//! MCP over Streamable HTTP, both eras at one address.
//! Must not know methods: it reads the request, has the message served, and writes the response.

use std::sync::Arc;
use tent_core::codes;

use axum::body::Body;
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
    let response = match respond(&mcp, &parts, &mut body, trace).await {
        Ok(response) => response,
        Err(error) => error.into_response(None),
    };
    let mut response = encode(response);
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
) -> Result<Response, RpcError> {
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
            return Box::pin(legacy::end(mcp, &parts.headers, &admitted)).await;
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
            return Box::pin(legacy::get(mcp, &context)).await;
        }
        _ => return Err(method_not_allowed(mcp, &parts.headers)),
    }
    if !web::is_json(&parts.headers) {
        return Err(rejected(Error::new(codes::UNSUPPORTED_MEDIA_TYPE)));
    }
    let accepted = headers::accepted(&parts.headers);
    if !accepted.any {
        return Err(
            RpcError::invalid("The response is application/json, which Accept excludes.")
                .with_status(StatusCode::NOT_ACCEPTABLE),
        );
    }
    let limit = mcp.dispatcher.settings().limits.max_body;
    let started = Instant::now();
    let body = body.read(limit).await.map_err(rejected)?;
    // The pace of the upload has its own limits.
    admitted.exclude(started.elapsed());
    let payload = match message::read(&body) {
        Ok(payload) => payload,
        Err(why) => {
            return Ok(RpcError::from(why).into_response(request_id::of(&body)));
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
    match payload {
        Payload::One(message) => router::serve(mcp, &context, message).await,
        Payload::Batch(messages) => {
            let revision = era::of_header(&parts.headers)?;
            if revision.is_some_and(Revision::is_modern) {
                return Err(RpcError::invalid("A body is one message."));
            }
            let negotiated = legacy::negotiated(mcp, &context, revision).await?;
            Box::pin(batch::serve(mcp, &context, messages, &negotiated)).await
        }
    }
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

/// The HTTP response that carries a response of MCP.
fn encode(response: Response) -> http::Response<Body> {
    let mut encoded = http::Response::new(Body::empty());
    *encoded.status_mut() = response.status;
    let headers = encoded.headers_mut();
    // A response depends on the caller, so a shared cache must not store it.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web::nosniff(headers);
    headers.extend(response.headers);
    if let Some(messages) = response.stream {
        let (media_type, cache) = ("text/event-stream", "no-cache, no-store");
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
        *encoded.body_mut() = sse::body(messages);
    } else if !response.body.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        *encoded.body_mut() = Body::from(response.body);
    }
    encoded
}
