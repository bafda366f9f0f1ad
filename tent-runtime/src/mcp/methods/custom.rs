//! The methods that both eras serve alike: those of resources, prompts and completion, and those that a function of the
//! app implements, by `on = "…"`.
//! Must not run a function: dispatch does.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::dispatch::Target;
use crate::error::Error;
use crate::function::Output;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Invocation};
use crate::mcp::methods::lists::{self, List};
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::{completion, prompts, resources};
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::headers;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::ObjectShape;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::ResultMeta;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;
use crate::schema::InputEncoding;

/// Serves a method that both eras have: those of resources, prompts and completion, and those that a function of the app
/// implements.
///
/// # Errors
/// −32601 for an unknown method, and those of the method.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    if !is_built_in(mcp, &request.method, negotiated.revision) {
        return by_function(mcp, context, request, negotiated).await;
    }
    if negotiated.revision.is_modern() {
        request.params.meta.check()?;
    }
    if let Some(list) = List::of(&request.method) {
        return lists::serve(mcp, context, &request, &negotiated, list).await;
    }
    match &*request.method {
        "resources/subscribe" | "resources/unsubscribe" => {
            resources::subscribe(mcp, context, &request, &negotiated).await
        }
        "resources/read" => resources::read(mcp, context, request, negotiated).await,
        "prompts/get" => prompts::get(mcp, context, request, negotiated).await,
        _ => completion::serve(mcp, context, &request, &negotiated).await,
    }
}

/// Whether tent serves this method, rather than a function of the app.
fn is_built_in(mcp: &Mcp, method: &str, revision: Revision) -> bool {
    let registry = &*mcp.dispatcher.registry();
    let has_resources = !registry.resources().is_empty();
    // A server that declares a capability serves its lists, even if the app has only a function for another method.
    let has_list =
        |prefix| registry.method(method).is_none() && capabilities::implements(registry, prefix);
    match method {
        "resources/list" | "resources/templates/list" => has_resources || has_list("resources/"),
        "prompts/list" => !registry.prompts().is_empty() || has_list("prompts/"),
        "resources/subscribe" | "resources/unsubscribe" => {
            has_resources && mcp.dispatcher.settings().mcp.stream && !revision.is_modern()
        }
        "resources/read" => has_resources,
        "prompts/get" => !registry.prompts().is_empty(),
        "completion/complete" => registry.completes(),
        _ => false,
    }
}

/// Serves a method that a function of the app implements, by `on`.
async fn by_function(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, ref params, .. } = request;
    let method = &*request.method;
    let revision = negotiated.revision;
    // First, since an unknown method is reported before any invalid parameter.
    let meta = params.meta.rest.clone();
    let target = Target::Method(method);
    let resolving = common::resolve(mcp, context, &negotiated, id, &meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = match resolved {
        Ok(resolved) => resolved,
        Err(error) if matches!(error.tent_code(), Some(codes::NOT_FOUND | codes::SIGN_IN)) => {
            drop(started);
            return unknown(mcp, context, &request, &negotiated).await;
        }
        Err(error) => return Err(RpcError::of_method(&error, revision, mcp.realm())),
    };
    if params.shape == ObjectShape::Invalid {
        return Err(RpcError::params(format!(
            "The params of {method} are an object."
        )));
    }
    let name = match method {
        "resources/read" => params.uri.get(),
        "prompts/get" => params.name.get(),
        _ => None,
    };
    if let Some(name) = name {
        let is_required = context.requires_headers(revision);
        headers::name(&context.parts.headers, name, is_required)?;
    }
    let name = resolved.function().name.clone();
    let invocation = Invocation {
        resolved,
        input: request.input().map_err(RpcError::from)?,
        meta,
        encoding: InputEncoding::Json,
        mrtr: None,
        reporter: CallReporter::new(&mcp.state.levels, context, &params.meta, &negotiated)?,
    };
    let (caller, trace) = (context.caller().clone(), context.trace());
    let method = method.to_owned();
    let write = move |mcp: &Mcp, id: &RawValue, result: Result<Output, Error>| {
        let output = match result {
            Ok(output) => output,
            // A caller that may not use the method gets the error for an unknown method.
            Err(error) if error.is(codes::NOT_FOUND) => {
                return Err(RpcError::method(&method, revision));
            }
            Err(error) => return Err(RpcError::of_method(&error, revision, mcp.realm())),
        };
        let Some(mut result) = object(&output) else {
            let why = format!("its result for {method} is not an object");
            let error = mcp.dispatcher.internal_error(
                Error::unexpected(why),
                &name,
                &caller,
                trace.as_str(),
            );
            return Err(RpcError::of_method(&error, revision, mcp.realm()));
        };
        if !output.meta.is_empty() {
            add_meta(&mut result, output.meta.members().clone());
        }
        if let Some(server) = mcp.server(revision) {
            add_modern_members(&mut result, &method, server);
        }
        Ok(Response::result(id, 256, &result))
    };
    common::run(mcp, context, negotiated, (id, started), invocation, write)?.await
}

/// The response to a method that no function implements for this caller. As if none did: a list of a declared capability
/// is empty, and any other method is unknown.
async fn unknown(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let prefix = request.method.split_inclusive('/').next();
    let is_declared = |prefix| capabilities::implements(&mcp.dispatcher.registry(), prefix);
    match List::of(&request.method) {
        Some(list) if prefix.is_some_and(is_declared) => {
            if negotiated.revision.is_modern() {
                request.params.meta.check()?;
            }
            lists::serve(mcp, context, request, negotiated, list).await
        }
        _ => Err(RpcError::method(&request.method, negotiated.revision)),
    }
}

/// The object that a function returned; an empty one if it returned nothing.
fn object(output: &Output) -> Option<Map<String, Value>> {
    let Some(value) = output.value.as_deref() else {
        return Some(Map::new());
    };
    serde_json::from_str(value.get()).ok()
}

/// Adds members to the result's `_meta`, in place of those of the same key.
fn add_meta(result: &mut Map<String, Value>, more: Map<String, Value>) {
    match result.entry("_meta").or_insert_with(|| Map::new().into()) {
        Value::Object(meta) => meta.extend(more),
        other => *other = more.into(),
    }
}

/// The methods whose complete results have cache hints.
const CACHEABLE: [&str; 4] = [
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
];

/// Adds the members that every modern result has, except those that the function set.
fn add_modern_members(result: &mut Map<String, Value>, method: &str, server: &RawValue) {
    let result_type = result
        .entry("resultType")
        .or_insert_with(|| "complete".into());
    if result_type == "complete" && CACHEABLE.contains(&method) {
        // Only the function knows how long its result is valid.
        result.entry("ttlMs").or_insert_with(|| 0.into());
        result
            .entry("cacheScope")
            .or_insert_with(|| "private".into());
    }
    let meta = json!(ResultMeta::of_server(Some(server)));
    if let Value::Object(meta) = meta {
        add_meta(result, meta);
    }
}
