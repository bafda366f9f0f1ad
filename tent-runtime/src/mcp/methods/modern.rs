//! The modern era (2026-07-28): every request carries its revision and its metadata, and headers repeat
//! part of them. Keeps nothing from one request to the next.

use std::sync::Arc;

use http::StatusCode;

use crate::cx::Era;
use crate::dispatch::Dispatcher;
use crate::mcp::client::connection::ConnectionState;
use crate::mcp::client::context::RequestContext;
use crate::mcp::methods::custom;
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::tools_call;
use crate::mcp::methods::tools_list::{self, Scope};
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::headers;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{Meta, ObjectShape, Params};
use crate::mcp::protocol::response::{self, Response, RpcError, code, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::server_info;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::negotiated::client;
use crate::mcp::subscriptions::streams;

const REVISION: Revision = Revision::V2026_07_28;

/// Serves one request, whose revision was found to be this era's.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
) -> Result<Response, RpcError> {
    complete(&request.params)?;
    let wanted = asked.requires_headers(REVISION);
    headers::method(&asked.parts.headers, &request.method, wanted)?;
    let negotiated = Negotiated {
        revision: REVISION,
        client: client(
            &mcp.state.extensions.load(),
            Era::Modern,
            &request.params.meta.client,
            request.params.meta.abilities,
        )?,
        nonce: asked.connection().and_then(ConnectionState::nonce),
        ends: None,
    };
    let streams = mcp.dispatcher.settings().mcp.stream;
    // Of a method that there is: one that there is not is told first, whatever comes with it.
    if matches!(
        &*request.method,
        "server/discover" | "tools/list" | "tools/call"
    ) || (streams && request.method == "subscriptions/listen")
    {
        request.params.meta.check()?;
    }
    match &*request.method {
        "server/discover" => {
            let snapshot = mcp.snapshot.load();
            let mut out = response::begin(request.id, snapshot.discovered.len());
            out.extend_from_slice(&snapshot.discovered);
            Ok(response::end(out))
        }
        "tools/list" => tools_list::serve(mcp, asked, &request, &negotiated).await,
        "subscriptions/listen" if streams => {
            let params = request.input().map_err(RpcError::from)?;
            let filter = params.get("notifications");
            streams::listen(
                (&mcp.state, &mcp.notifier),
                asked,
                &negotiated,
                request.id,
                filter,
            )
            .await
        }
        "tools/call" => tools_call::serve(mcp, asked, request, negotiated).await,
        _ => custom::serve(mcp, asked, request, negotiated).await,
    }
}

/// Whether the metadata that each request must have is there.
fn complete(params: &Params<'_>) -> Result<(), RpcError> {
    let Meta {
        shape,
        version,
        abilities,
        ..
    } = &params.meta;
    let missing = if params.shape != ObjectShape::Object || *shape != ObjectShape::Object {
        "params._meta, an object"
    } else if version.get().is_none() {
        "the string io.modelcontextprotocol/protocolVersion in params._meta"
    } else if abilities.is_none() {
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

/// The result of `server/discover`, which is the same for everyone.
pub(crate) fn discovered(dispatcher: &Dispatcher, kept_for: std::time::Duration) -> Vec<u8> {
    let mut out = br#"{"supportedVersions":"#.to_vec();
    write(&mut out, &Revision::ALL.map(Revision::name));
    out.extend_from_slice(br#","capabilities":"#);
    write(&mut out, &capabilities::server(dispatcher, REVISION));
    if let Some(instructions) = &dispatcher.about().instructions {
        out.extend_from_slice(br#","instructions":"#);
        write(&mut out, instructions);
    }
    let server = server_info::member(&server_info::implementation(dispatcher.about(), REVISION));
    out.extend(tools_list::hints(kept_for, Scope::Public, &server));
    out.push(b'}');
    out
}
