//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::Value;
use tent_core::codes;

use crate::clock::{Clock as _, SystemClock};
use crate::dispatch::{Endpoint, Target};
use crate::error::Error;
use crate::function::{Output, ResourceInfo};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Item, Wanted};
use crate::mcp::methods::server::Mcp;
use crate::mcp::methods::tools_list::{Scope, kept};
use crate::mcp::protocol::content;
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::response::{self, Response, RpcError, code, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::subscriptions::listeners::{MAX_URI, Subscriber};
use crate::registry::Resource;

/// Serves `resources/list`: what is one URI, and what templates list of theirs.
pub(crate) async fn list(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let (cursor, visible) = shown(mcp, asked, request, negotiated).await?;
    // What was declared comes before what is listed.
    let (declared, templates): (Vec<_>, Vec<_>) =
        visible.into_iter().partition(|resource| resource.is_one());
    let mut all: Vec<_> = declared.iter().map(|one| alone(one)).collect();
    for template in templates {
        // One that fails, or has no time left, fails the list: a client would take what is left for all there is.
        let listed = mcp
            .dispatcher
            .listed(&template, asked.requester(&negotiated.client, None))
            .await;
        all.extend(
            listed
                .map_err(|error| RpcError::of_method(&error, negotiated.revision, mcp.realm()))?,
        );
    }
    // A URI is what tells a resource, so it stands once.
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(one.uri.clone()));
    let revision = negotiated.revision;
    let items: Vec<_> = all
        .iter()
        .map(|one| Item::new(&one.uri, &content::listed(one, revision)))
        .collect();
    common::page(mcp, request.id, "resources", revision, &items, cursor)
}

/// Serves `resources/templates/list`.
pub(crate) async fn templates(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &Request<'_>,
    negotiated: &Negotiated,
) -> Result<Response, RpcError> {
    let (cursor, visible) = shown(mcp, asked, request, negotiated).await?;
    let revision = negotiated.revision;
    let items: Vec<_> = visible
        .into_iter()
        .filter(|resource| !resource.is_one())
        .map(|resource| {
            let mut shown = content::listed(&alone(&resource), revision);
            if let Some(uri) = shown.remove("uri") {
                shown.insert("uriTemplate".to_owned(), uri);
            }
            Item::new(resource.options.uri, &shown)
        })
        .collect();
    common::page(
        mcp,
        request.id,
        "resourceTemplates",
        revision,
        &items,
        cursor,
    )
}

/// The cursor of a request for a list, and the resources that this caller is shown.
async fn shown<'a>(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
    request: &'a Request<'_>,
    negotiated: &Negotiated,
) -> Result<(Option<&'a str>, Vec<Arc<Resource>>), RpcError> {
    let (cursor, visible) =
        common::list(mcp, asked, request, negotiated, Endpoint::Resource).await?;
    let resources = visible.registry.resources();
    let positions = visible.positions.iter();
    let visible = positions.map(|&position| resources[position].clone());
    Ok((cursor, visible.collect()))
}

/// A resource as it was declared.
fn alone(resource: &Resource) -> ResourceInfo {
    let function = &resource.function;
    let listed = ResourceInfo::new(resource.options.uri, &*function.name)
        .title(&*function.title)
        .about(&*function.about);
    ResourceInfo {
        media_type: resource.options.media_type.map(str::to_owned),
        size: resource.options.size,
        annotations: resource.annotations.clone(),
        icons: function.icons.clone(),
        meta: function.meta.clone(),
        ..listed
    }
}

/// Serves `resources/read`.
pub(crate) async fn read(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let revision = negotiated.revision;
    let what = "resources/read names a resource: its uri";
    let uri = common::named(asked, &negotiated, params.shape, &params.uri, what)?;
    let (meta, target) = (&params.meta.rest, Target::Resource(&uri));
    let resolving = common::resolve(mcp, asked, &negotiated, id, meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let mut resolved = resolved.map_err(|error| failed(mcp, &error, &uri, revision))?;
    let stated = resolved.resource().and_then(|one| one.options.media_type);
    let input = resolved.take_variables();
    let wanted = Wanted::to_read("resources/read", resolved, input, &mut params);
    let write = move |mcp: &Mcp, id: &str, ended: Result<Output, Error>| match ended {
        Ok(answer) => {
            let server = revision.is_modern().then_some(&*mcp.state.server);
            Ok(given(id, &answer, &uri, stated, (revision, server)))
        }
        Err(error) => Err(failed(mcp, &error, &uri, revision)),
    };
    let peer = CallReporter::new(&mcp.state.levels, asked, &params.meta, &negotiated)?;
    common::answered(mcp, asked, peer, negotiated, (id, started), wanted, write).await
}

/// Serves `resources/subscribe` and `resources/unsubscribe`, which legacy sessions have.
pub(crate) async fn subscribe(
    mcp: &Mcp,
    asked: &RequestContext<'_>,
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
    let session = RequestKey::new(nonce, asked.caller(), "");
    let streams = mcp.notifier.streams();
    if method == "resources/unsubscribe" {
        streams.unsubscribe(&session, uri);
    } else {
        let found = mcp
            .dispatcher
            .readable(asked.requester(&negotiated.client, None))
            .find(uri)
            .await;
        let resource = found.map_err(|error| failed(mcp, &error, uri, negotiated.revision))?;
        if !resource.options.subscribe {
            let why = "This resource cannot be subscribed to.";
            return Err(RpcError::params(why).with_data("uri", Value::from(uri)));
        }
        let subscriber = Subscriber {
            session,
            quota_key: asked.quota_key().into(),
            expires: negotiated.ends,
        };
        let subscribed = streams.subscribe(subscriber, uri, SystemClock.now());
        subscribed
            .map_err(|error| RpcError::of_method(&error, negotiated.revision, mcp.realm()))?;
    }
    let mut out = response::begin(request.id, 2);
    out.extend_from_slice(b"{}");
    Ok(response::end(out))
}

fn failed(mcp: &Mcp, error: &Error, uri: &str, revision: Revision) -> RpcError {
    match error.tent_code() {
        // A URI whose variables do not fit is the URI of nothing.
        Some(codes::NOT_FOUND | codes::INVALID_INPUT) => not_found(error, uri, revision),
        _ if error.status() == 404 => not_found(error, uri, revision),
        _ => RpcError::of_method(error, revision, mcp.realm()),
    }
}

/// That no resource has this URI: by the code that its revision has for it.
fn not_found(error: &Error, uri: &str, revision: Revision) -> RpcError {
    let code = if revision.is_modern() {
        code::INVALID_PARAMS
    } else {
        code::RESOURCE_NOT_FOUND
    };
    let refusal = RpcError::new(StatusCode::OK, code, "Resource not found");
    // A failure of the app's own says more than that.
    let refusal = match error.tent_code() {
        Some(codes::NOT_FOUND | codes::INVALID_INPUT) => {
            refusal.with_code(&Error::new(codes::NOT_FOUND))
        }
        _ => refusal.with_code(error),
    };
    refusal.with_data("uri", Value::from(uri))
}

/// What was read: a value that is a text as that text, any other as JSON, and content as it is.
fn given(
    id: &str,
    answer: &Output,
    uri: &str,
    stated: Option<&str>,
    (revision, server): (Revision, Option<&str>),
) -> Response {
    let mut out = response::begin(id, 256 + answer.bytes());
    out.extend_from_slice(br#"{"contents":["#);
    if let Some(value) = answer.value.as_deref() {
        let json = value.get();
        let is_text = json.starts_with('"');
        let media_type = stated.unwrap_or(if is_text {
            "text/plain"
        } else {
            "application/json"
        });
        out.extend_from_slice(br#"{"uri":"#);
        write(&mut out, uri);
        out.extend_from_slice(br#","mimeType":"#);
        write(&mut out, media_type);
        out.extend_from_slice(br#","text":"#);
        if is_text {
            out.extend_from_slice(json.as_bytes());
        } else {
            write(&mut out, json);
        }
        out.push(b'}');
    }
    for (at, one) in answer.content.iter().enumerate() {
        if at > 0 || answer.value.is_some() {
            out.push(b',');
        }
        write(&mut out, &content::read(one, uri, stated, revision));
    }
    out.push(b']');
    if server.is_some() {
        // Anonymous says how long it stays as it is, and it may be this caller's alone.
        out.extend(kept(Duration::ZERO, Scope::Private));
    }
    response::meta(&mut out, server, None, &answer.meta);
    out.push(b'}');
    response::end(out)
}
