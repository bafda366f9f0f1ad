//! Methods that a function of the app answers, by `on = "…"`, and those of resources, prompts and completions:
//! what both eras serve alike beyond tools.

use std::sync::Arc;

use serde_json::{Map, Value};
use tent_core::codes;

use crate::dispatch::Target;
use crate::error::Error;
use crate::function::Output;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Wanted};
use crate::mcp::methods::completion;
use crate::mcp::methods::prompts;
use crate::mcp::methods::resources;
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::capabilities;
use crate::mcp::protocol::headers;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::ObjectShape;
use crate::mcp::protocol::response::{self, Response, RpcError, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::negotiated::Negotiated;
use crate::schema::InputEncoding;

/// Serves a method that no era has for itself alone.
///
/// # Errors
/// −32601 for what nothing answers, beside those of the method.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    if !is_served(mcp, &request.method, negotiated.revision) {
        return own(mcp, asked, request, negotiated).await;
    }
    if negotiated.revision.is_modern() {
        request.params.meta.check()?;
    }
    match &*request.method {
        "resources/subscribe" | "resources/unsubscribe" => {
            return resources::subscribe(mcp, asked, &request, &negotiated).await;
        }
        "resources/read" => return resources::read(mcp, asked, request, negotiated).await,
        "prompts/get" => return prompts::get(mcp, asked, request, negotiated).await,
        _ => {}
    }
    // Rules, listers and completers are the app's own, and can take their time.
    let started = mcp.state.start(asked.key(&negotiated, request.id));
    let (request, negotiated) = (&request, &negotiated);
    let answer = started.unless_cancelled(async {
        match &*request.method {
            "resources/list" => resources::list(mcp, asked, request, negotiated).await,
            "resources/templates/list" => {
                resources::templates(mcp, asked, request, negotiated).await
            }
            "prompts/list" => prompts::list(mcp, asked, request, negotiated).await,
            _ => completion::serve(mcp, asked, request, negotiated).await,
        }
    });
    answer.await.unwrap_or_else(|| Ok(common::cancelled()))
}

/// Whether it is one of the methods that are answered here, and not by a function by `on`.
fn is_served(mcp: &Mcp, method: &str, revision: Revision) -> bool {
    let registry = &*mcp.dispatcher.registry();
    let has_resources = !registry.resources().is_empty();
    // Who declares a capability answers its lists, also where all that an app has of it is a method of its own.
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

/// Serves a method that a function answers by `on`.
async fn own(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, ref params, .. } = request;
    let method = &*request.method;
    let revision = negotiated.revision;
    // Before anything that only an existing method would find wrong.
    let meta = params.meta.rest.clone();
    let target = Target::Method(method);
    let resolving = common::resolve(mcp, asked, &negotiated, id, &meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = resolved.map_err(|error| match error.tent_code() {
        Some(codes::NOT_FOUND | codes::SIGN_IN) => RpcError::method(method, revision),
        _ => RpcError::of_method(&error, revision, mcp.realm()),
    })?;
    if params.shape == ObjectShape::Other {
        return Err(RpcError::params(format!(
            "The params of {method} are an object."
        )));
    }
    let named = match method {
        "resources/read" => params.uri.get(),
        "prompts/get" => params.name.get(),
        _ => None,
    };
    if let Some(named) = named {
        headers::name(
            &asked.parts.headers,
            named,
            asked.requires_headers(revision),
        )?;
    }
    let name = resolved.function().name.clone();
    let wanted = Wanted {
        resolved,
        input: request.input().map_err(RpcError::from)?,
        meta,
        wire: InputEncoding::Json,
        rounds: None,
    };
    let (caller, trace) = (asked.caller().clone(), asked.trace());
    let method = method.to_owned();
    let write = move |mcp: &Mcp, id: &str, ended: Result<Output, Error>| {
        let answer = match ended {
            Ok(answer) => answer,
            // Whom it is not for is told what everybody is of a method that there is not.
            Err(error) if error.is(codes::NOT_FOUND) => {
                return Err(RpcError::method(&method, revision));
            }
            Err(error) => return Err(RpcError::of_method(&error, revision, mcp.realm())),
        };
        let Some(mut result) = object(&answer) else {
            let why = format!("it answered {method} with what is no object");
            let error = mcp.dispatcher.internal_error(
                Error::unexpected(why),
                &name,
                &caller,
                trace.as_str(),
            );
            return Err(RpcError::of_method(&error, revision, mcp.realm()));
        };
        if !answer.meta.is_empty() {
            add_meta(&mut result, answer.meta.members().clone());
        }
        Ok(given(mcp, id, &method, result, revision))
    };
    let peer = CallReporter::new(&mcp.state.levels, asked, &params.meta, &negotiated)?;
    common::answered(mcp, asked, peer, negotiated, (id, started), wanted, write).await
}

/// The object that a function gave; an empty one where it gave nothing.
fn object(answer: &Output) -> Option<Map<String, Value>> {
    let Some(value) = answer.value.as_deref() else {
        return Some(Map::new());
    };
    serde_json::from_str(value.get()).ok()
}

/// Puts members into the result's `_meta`, in place of those of the same key.
fn add_meta(result: &mut Map<String, Value>, more: Map<String, Value>) {
    match result.entry("_meta").or_insert_with(|| Map::new().into()) {
        Value::Object(meta) => meta.extend(more),
        other => *other = more.into(),
    }
}

/// The methods whose whole results say for how long, and for whom, they can be kept.
const KEPT: [&str; 4] = [
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/templates/list",
];

/// The result that a function gave, with what every result of its revision has; of what it says itself nothing
/// is changed.
fn given(
    mcp: &Mcp,
    id: &str,
    method: &str,
    mut result: Map<String, Value>,
    revision: Revision,
) -> Response {
    if revision.is_modern() {
        let kind = result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
        if kind == "complete" && KEPT.contains(&method) {
            // Anonymous but the function knows better.
            result.entry("ttlMs").or_insert_with(|| 0.into());
            result
                .entry("cacheScope")
                .or_insert_with(|| "private".into());
        }
        let server = format!("{{{}}}", mcp.state.server);
        let server: Map<String, Value> =
            serde_json::from_str(&server).expect("the server's name is a member of an object");
        add_meta(&mut result, server);
    }
    let mut out = response::begin(id, 256);
    write(&mut out, &result);
    response::end(out)
}
