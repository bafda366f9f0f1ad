//! `resources/list`, `resources/templates/list` and `resources/read`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use super::asking::Brought;
use super::list::{Scope, kept};
use super::listeners::{MOST_URI, Subscriber};
use super::params::{Shape, Text};
use super::reply::{self, Refusal, Reply, code, write};
use super::revision::Revision;
use super::running::Key;
use super::served::{self, Item, Wanted, asking, refused};
use super::wire::Request;
use super::{Agreed, Asked, Mcp, content, headers};
use crate::clock::{Clock as _, SystemClock};
use crate::door::At;
use crate::error::Error;
use crate::function::{Answer, Listed};
use crate::registry::Resource;
use crate::schema::Wire;

/// Serves `resources/list`: what is one URI, and what templates list of theirs.
pub(super) async fn list(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: &Request<'_>,
    agreed: &Agreed,
) -> Result<Reply, Refusal> {
    let cursor = served::cursor(&request.params, &request.method)?;
    let door = &mcp.door;
    let visible = door
        .visible(&asked.caller, &agreed.client, At::Resource)
        .await;
    // What was declared comes before what is listed.
    let (declared, templates): (Vec<_>, Vec<_>) = visible
        .into_iter()
        .map(|position| (position, &door.registry().resources()[position]))
        .partition(|(_, resource)| resource.is_one());
    let mut all: Vec<_> = declared.iter().map(|(_, one)| alone(one)).collect();
    for (position, _) in templates {
        let listed = door.listed(position, asking(asked, agreed)).await;
        all.extend(listed.map_err(|error| refused(mcp, &error))?);
    }
    // A URI is what tells a resource, so it stands once.
    let mut seen = HashSet::new();
    all.retain(|one| seen.insert(one.uri.clone()));
    let revision = agreed.revision;
    let items: Vec<_> = all
        .iter()
        .map(|one| Item::new(&one.uri, &content::listed(one, revision)))
        .collect();
    served::page(mcp, request.id, "resources", revision, &items, cursor)
}

/// Serves `resources/templates/list`.
pub(super) async fn templates(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: &Request<'_>,
    agreed: &Agreed,
) -> Result<Reply, Refusal> {
    let cursor = served::cursor(&request.params, &request.method)?;
    let door = &mcp.door;
    let visible = door
        .visible(&asked.caller, &agreed.client, At::Resource)
        .await;
    let revision = agreed.revision;
    let templates = visible
        .into_iter()
        .map(|position| &door.registry().resources()[position])
        .filter(|resource| !resource.is_one());
    let items: Vec<_> = templates
        .map(|resource| {
            let mut shown = content::listed(&alone(resource), revision);
            if let Some(uri) = shown.remove("uri") {
                shown.insert("uriTemplate".to_owned(), uri);
            }
            Item::new(resource.stated.uri, &shown)
        })
        .collect();
    served::page(
        mcp,
        request.id,
        "resourceTemplates",
        revision,
        &items,
        cursor,
    )
}

/// A resource as it was declared.
fn alone(resource: &Resource) -> Listed {
    let function = &resource.function;
    let listed = Listed::new(resource.stated.uri, &*function.name)
        .title(&*function.title)
        .about(&*function.about);
    Listed {
        media_type: resource.stated.media_type.map(str::to_owned),
        size: resource.stated.size,
        annotations: resource.annotations.clone(),
        meta: function.meta.clone(),
        ..listed
    }
}

/// Serves `resources/read`.
pub(super) async fn read(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: Agreed,
) -> Result<Reply, Refusal> {
    let Request { id, mut params, .. } = request;
    let revision = agreed.revision;
    let uri = match &params.uri {
        Text::Is(uri) if params.shape == Shape::Object => uri.to_string(),
        _ => {
            return Err(Refusal::params(
                "resources/read names a resource: its uri is a string.",
            ));
        }
    };
    headers::name(&asked.parts.headers, &uri, asked.mirrors(revision))?;
    let found = mcp.door.may_read(&uri, asking(asked, &agreed)).await;
    let (resource, input) = found.map_err(|error| failed(mcp, &error, &uri, revision))?;
    let stated = resource.stated.media_type;
    let wanted = Wanted {
        name: resource.function.name.clone(),
        input,
        wire: Wire::Strings,
        at: At::Resource,
        meta: std::mem::take(&mut params.meta.rest),
        rounds: Some(Brought::to_read("resources/read", &mut params)),
    };
    let write = move |mcp: &Mcp, id: &str, ended: Result<Answer, Error>| match ended {
        Ok(answer) => {
            let server = revision.is_modern().then_some(&*mcp.server);
            Ok(given(id, &answer, &uri, stated, (revision, server)))
        }
        Err(error) => Err(failed(mcp, &error, &uri, revision)),
    };
    served::answered(mcp, asked, &params.meta, agreed, id, wanted, write).await
}

/// Serves `resources/subscribe` and `resources/unsubscribe`, which legacy sessions have.
pub(super) async fn subscribe(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: &Request<'_>,
    agreed: &Agreed,
) -> Result<Reply, Refusal> {
    let method = &request.method;
    let Some(uri) = request.params.uri.get() else {
        return Err(Refusal::params(format!(
            "{method} names a resource: its uri is a string."
        )));
    };
    if uri.len() > MOST_URI {
        return Err(Refusal::params(format!(
            "The uri of {method} has at most {MOST_URI} bytes."
        )));
    }
    let Some(nonce) = agreed.nonce else {
        return Err(Refusal::invalid(format!(
            "{method} is for a session, and this request is in none."
        )));
    };
    let session = Key::new(nonce, &asked.caller, "");
    let streams = mcp.notes.streams();
    if method == "resources/unsubscribe" {
        streams.unsubscribe(&session, uri);
    } else {
        let found = mcp.door.may_read(uri, asking(asked, agreed)).await;
        let (resource, _) = found.map_err(|error| failed(mcp, &error, uri, agreed.revision))?;
        if !resource.stated.subscribe {
            let why = "This resource cannot be subscribed to.";
            return Err(Refusal::params(why).with_data("uri", Value::from(uri)));
        }
        let subscriber = Subscriber {
            session,
            on: asked.counts_on().into(),
            ends: agreed.ends,
        };
        let subscribed = streams.subscribe(subscriber, uri, SystemClock.now());
        subscribed.map_err(|error| refused(mcp, &error))?;
    }
    let mut out = reply::begin(request.id, 2);
    out.extend_from_slice(b"{}");
    Ok(reply::end(out))
}

fn failed(mcp: &Mcp, error: &Error, uri: &str, revision: Revision) -> Refusal {
    match error.code() {
        // A URI whose variables do not fit is the URI of nothing.
        "T0001" | "T0003" => not_found(error, uri, revision),
        _ if error.status() == 404 => not_found(error, uri, revision),
        _ => refused(mcp, error),
    }
}

/// That no resource has this URI: by the code that its revision has for it.
fn not_found(error: &Error, uri: &str, revision: Revision) -> Refusal {
    let code = if revision.is_modern() {
        code::INVALID_PARAMS
    } else {
        code::RESOURCE_NOT_FOUND
    };
    let refusal = Refusal::new(StatusCode::OK, code, "Resource not found");
    // A failure of the app's own says more than that.
    let refusal = match error.code() {
        "T0001" | "T0003" => refusal.with_code(&Error::of("T0001")),
        _ => refusal.with_code(error),
    };
    refusal.with_data("uri", Value::from(uri))
}

/// What was read: a value that is a text as that text, any other as JSON, and content as it is.
fn given(
    id: &str,
    answer: &Answer,
    uri: &str,
    stated: Option<&str>,
    (revision, server): (Revision, Option<&str>),
) -> Reply {
    let mut out = reply::begin(id, 256 + answer.bytes());
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
        // Nobody says how long it stays as it is, and it may be this caller's alone.
        out.extend(kept(Duration::ZERO, Scope::Private));
    }
    reply::meta(&mut out, server, None, &answer.meta);
    out.push(b'}');
    reply::end(out)
}
