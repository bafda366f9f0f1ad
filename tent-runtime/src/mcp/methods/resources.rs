//! `resources/read`, `resources/subscribe` and `resources/unsubscribe`, and the items of the lists of resources.
//! Must not run a function: dispatch does.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tent_core::codes;

use crate::clock::{Clock as _, SystemClock};
use crate::dispatch::Target;
use crate::error::Error;
use crate::function::{Output, ResourceInfo};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Invocation};
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::json_rpc::code;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{
    CacheHints, CacheScope, EmptyResult, JsonText, ReadResourceResult, ResourceContents, ResultMeta,
};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::subscriptions::listeners::{MAX_URI, Subscriber};
use crate::registry::Resource;

/// A resource as `resources/list` lists it, or a template as `resources/templates/list` does.
pub(crate) fn item(resource: &Resource, revision: Revision) -> Map<String, Value> {
    let function = &resource.function;
    let info = ResourceInfo::new(resource.uri(), &*function.name)
        .title(&*function.title)
        .about(&*function.about);
    let info = ResourceInfo {
        media_type: resource.options.media_type.map(str::to_owned),
        size: resource.options.size,
        annotations: resource.annotations.clone(),
        icons: function.icons.clone(),
        meta: function.meta.clone(),
        ..info
    };
    let mut item = content::resource_info(&info, revision);
    if !resource.is_one()
        && let Some(template) = item.remove("uri")
    {
        item.insert("uriTemplate".to_owned(), template);
    }
    item
}

/// Serves `resources/read`.
pub(crate) async fn read(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let revision = negotiated.revision;
    let what = "resources/read names a resource: its uri";
    let uri = common::named(context, &negotiated, params.shape, &params.uri, what)?;
    let (meta, target) = (&params.meta.rest, Target::Resource(&uri));
    let resolving = common::resolve(mcp, context, &negotiated, id, meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let mut resolved = resolved.map_err(|error| rpc_error(mcp, &error, &uri, revision))?;
    let media_type = resolved.resource().and_then(|one| one.options.media_type);
    let input = resolved.take_variables();
    let reporter = CallReporter::new(&mcp.state.levels, context, &params.meta, &negotiated)?;
    let invocation =
        Invocation::with_strings("resources/read", resolved, input, &mut params, reporter);
    let write = move |mcp: &Mcp, id: &RawValue, result: Result<Output, Error>| match result {
        Ok(output) => {
            let server = mcp.server(revision);
            Ok(write_contents(
                id,
                &output,
                &uri,
                media_type,
                (revision, server),
            ))
        }
        Err(error) => Err(rpc_error(mcp, &error, &uri, revision)),
    };
    common::run(mcp, context, negotiated, (id, started), invocation, write)?.await
}

/// Serves `resources/subscribe` and `resources/unsubscribe`, which legacy sessions have.
pub(crate) async fn subscribe(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let method = &request.method;
    let Some(uri) = request.params.uri.get() else {
        return Err(RpcError::params(format!(
            "{method} names a resource: its uri is a string."
        )));
    };
    if uri.len() > MAX_URI {
        return Err(RpcError::params(format!(
            "The uri of {method} has at most {MAX_URI} bytes."
        )));
    }
    let Some(nonce) = negotiated.nonce else {
        return Err(RpcError::invalid(format!(
            "{method} is for a session, and this request is in none."
        )));
    };
    let session = RequestKey::new(nonce, context.caller(), "");
    let streams = mcp.notifier.streams();
    if method == "resources/unsubscribe" {
        streams.unsubscribe(&session, uri);
    } else {
        let started = mcp.state.start(context.key(negotiated, request.id));
        let requester = context.requester(&negotiated.client, None);
        let mut readable = mcp.dispatcher.readable(requester);
        let Some(found) = started.unless_cancelled(readable.find(uri)).await else {
            return Ok(common::cancelled());
        };
        let resource = found.map_err(|error| rpc_error(mcp, &error, uri, negotiated.revision))?;
        if !resource.options.subscribe {
            let why = "This resource cannot be subscribed to.";
            return Err(RpcError::params(why).with_data("uri", Value::from(uri)));
        }
        let subscriber = Subscriber {
            session,
            quota_key: context.quota_key().into(),
            expires: negotiated.ends,
        };
        let subscribed = streams.subscribe(subscriber, uri, SystemClock.now());
        subscribed
            .map_err(|error| RpcError::of_method(&error, negotiated.revision, mcp.realm()))?;
    }
    Ok(Response::result(request.id, 2, &EmptyResult {}))
}

fn rpc_error(mcp: &Mcp, error: &Error, uri: &str, revision: Revision) -> RpcError {
    match error.tent_code() {
        // No resource has a URI whose variables are invalid.
        Some(codes::NOT_FOUND | codes::INVALID_INPUT) => not_found(error, uri, revision),
        _ if error.status() == 404 => not_found(error, uri, revision),
        _ => RpcError::of_method(error, revision, mcp.realm()),
    }
}

/// The error for a URI that no resource has. Legacy revisions have a code for it.
fn not_found(error: &Error, uri: &str, revision: Revision) -> RpcError {
    let code = if revision.is_modern() {
        code::INVALID_PARAMS
    } else {
        code::RESOURCE_NOT_FOUND
    };
    let rpc_error = RpcError::new(StatusCode::OK, code, "Resource not found");
    // An error of the app keeps its own code.
    let rpc_error = match error.tent_code() {
        Some(codes::NOT_FOUND | codes::INVALID_INPUT) => {
            rpc_error.with_code(&Error::new(codes::NOT_FOUND))
        }
        _ => rpc_error.with_code(error),
    };
    rpc_error.with_data("uri", Value::from(uri))
}

/// Writes the contents of a resource: a value that is a string as its text, any other value as JSON, and content as it
/// is.
fn write_contents(
    id: &RawValue,
    output: &Output,
    uri: &str,
    media_type: Option<&str>,
    (revision, server): (Revision, Option<&RawValue>),
) -> Response {
    let value = output.value.as_deref().map(|json| {
        let text = JsonText::from(json);
        ResourceContents::Value {
            uri,
            mime_type: media_type.unwrap_or(text.media_type()),
            text,
        }
    });
    let content = output.content.iter().map(|content| {
        ResourceContents::Other(content::contents(content, uri, media_type, revision))
    });
    let result = ReadResourceResult {
        contents: value.into_iter().chain(content).collect(),
        // The function does not declare how long its output is valid, and it may depend on the caller.
        cache_hints: server.map(|_| CacheHints::new(Duration::ZERO, CacheScope::Private)),
        meta: ResultMeta::new(server, &output.meta),
    };
    Response::result(id, 256 + output.bytes(), &result)
}
