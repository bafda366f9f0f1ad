//! The modern era (2026-07-28): every request carries its revision and its metadata, and headers repeat part of them.
//! Must not keep anything from one request to the next.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::value::{RawValue, to_raw_value};

use crate::cx::Era;
use crate::dispatch::Dispatcher;
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::custom;
use crate::mcp::methods::lists::{self, List};
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::tools_call;
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::headers;
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{Meta, ObjectShape, Params};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{CacheHints, CacheScope, DiscoverResult, ResultMeta};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::protocol::server_info;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::negotiated::client;
use crate::mcp::subscriptions::streams;

const REVISION: Revision = Revision::V2026_07_28;

/// Serves one request of this era.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
) -> Result<Response, RpcError> {
    check_complete(&request.params)?;
    let is_required = context.requires_headers(REVISION);
    headers::method(&context.parts.headers, &request.method, is_required)?;
    let negotiated = Negotiated {
        revision: REVISION,
        client: client(
            &mcp.state.extensions.load(),
            Era::Modern,
            &request.params.meta.client,
            request.params.meta.capabilities,
        )?,
        nonce: context.connection().and_then(ConnectionState::nonce),
        ends: None,
    };
    let streams = mcp.dispatcher.settings().mcp.stream;
    // Only for a method that exists: an unknown method is reported before invalid metadata.
    if matches!(
        &*request.method,
        "server/discover" | "tools/list" | "tools/call"
    ) || (streams && request.method == "subscriptions/listen")
    {
        request.params.meta.check()?;
    }
    match &*request.method {
        "server/discover" => {
            let result = &mcp.snapshot.load().discovered;
            let capacity = result.get().len();
            Ok(Response::result(request.id, capacity, result))
        }
        "tools/list" => lists::serve(mcp, context, &request, &negotiated, List::Tools).await,
        "subscriptions/listen" if streams => {
            let params = request.input().map_err(RpcError::from)?;
            let filter = params.get("notifications");
            streams::listen(
                (&mcp.state, &mcp.notifier),
                context,
                &negotiated,
                request.id.get(),
                filter,
            )
            .await
        }
        "tools/call" => tools_call::serve(mcp, context, request, negotiated).await,
        _ => custom::serve(mcp, context, request, negotiated).await,
    }
}

/// Checks that the metadata that every request must have is there.
fn check_complete(params: &Params<'_>) -> Result<(), RpcError> {
    let Meta {
        shape,
        version,
        capabilities,
        ..
    } = &params.meta;
    let missing = if params.shape != ObjectShape::Object || *shape != ObjectShape::Object {
        "params._meta, an object"
    } else if version.get().is_none() {
        "the string io.modelcontextprotocol/protocolVersion in params._meta"
    } else if capabilities.is_none() {
        "the object io.modelcontextprotocol/clientCapabilities in params._meta"
    } else {
        return Ok(());
    };
    Err(RpcError::new(
        StatusCode::BAD_REQUEST,
        code::INVALID_PARAMS,
        format!("A request of {} needs {missing}.", REVISION.name()),
    ))
}

/// The result of `server/discover`, which is the same for every caller.
pub(crate) fn discovered(dispatcher: &Dispatcher, ttl: Duration) -> Box<RawValue> {
    let about = dispatcher.about();
    let server = server_info::raw(&server_info::implementation(about, REVISION));
    let versions = Revision::ALL.iter();
    let result = DiscoverResult {
        supported_versions: versions.map(|one| one.name().into()).collect(),
        capabilities: capabilities::server(dispatcher, REVISION),
        instructions: about.instructions.as_deref().map(Cow::Borrowed),
        cache_hints: CacheHints::new(ttl, CacheScope::Public),
        meta: ResultMeta::of_server(Some(&server)),
    };
    to_raw_value(&result).expect("texts and JSON values are written to memory")
}
