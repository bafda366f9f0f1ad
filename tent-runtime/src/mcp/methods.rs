//! Methods that a function of the app answers, by `on = "…"`, and those of resources, prompts and completions:
//! what both eras serve alike beyond tools.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::params::Shape;
use super::reply::{self, Refusal, Reply, write};
use super::revision::Revision;
use super::served::{self, Wanted, refused};
use super::wire::Request;
use super::{Agreed, Asked, Mcp, complete, headers, prompts, resources, unreadable};
use crate::door::At;
use crate::error::Error;
use crate::function::Answer;
use crate::schema::Wire;

/// Serves a method that no era has for itself alone.
///
/// # Errors
/// −32601 for what nothing answers, beside those of the method.
pub(super) async fn serve(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: Agreed,
) -> Result<Reply, Refusal> {
    let registry = mcp.door.registry();
    let (resources, prompts) = (
        !registry.resources().is_empty(),
        !registry.prompts().is_empty(),
    );
    // Who declares a capability answers its lists, also where functions answer the rest of it.
    let lists = |there: bool, prefix: &str| {
        there || (registry.method(&request.method).is_none() && served::answers(registry, prefix))
    };
    match &*request.method {
        "resources/list" if lists(resources, "resources/") => {
            resources::list(mcp, asked, &request, &agreed).await
        }
        "resources/templates/list" if lists(resources, "resources/") => {
            resources::templates(mcp, asked, &request, &agreed).await
        }
        "resources/subscribe" | "resources/unsubscribe"
            if resources && mcp.door.settings().mcp.stream && !agreed.revision.is_modern() =>
        {
            resources::subscribe(mcp, asked, &request, &agreed).await
        }
        "resources/read" if resources => resources::read(mcp, asked, request, agreed).await,
        "prompts/list" if lists(prompts, "prompts/") => {
            prompts::list(mcp, asked, &request, &agreed).await
        }
        "prompts/get" if prompts => prompts::get(mcp, asked, request, agreed).await,
        "completion/complete" if registry.completes() => {
            complete::serve(mcp, asked, request, &agreed).await
        }
        _ => own(mcp, asked, request, agreed).await,
    }
}

/// Serves a method that a function answers by `on`.
async fn own(
    mcp: &Arc<Mcp>,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: Agreed,
) -> Result<Reply, Refusal> {
    let Request { id, ref params, .. } = request;
    let method = &*request.method;
    let revision = agreed.revision;
    let Some(function) = mcp.door.registry().method(method) else {
        return Err(Refusal::method(method, revision));
    };
    // Before anything that only a method that there is would find wrong.
    let cx = mcp.door.cx_by(served::asking(asked, &agreed));
    let found = mcp.door.find(&function.name, At::Method, &cx).await;
    if found.is_err_and(|error| matches!(error.code(), "T0001" | "T0004")) {
        return Err(Refusal::method(method, revision));
    }
    drop(cx);
    if params.shape == Shape::Other {
        return Err(Refusal::params(format!(
            "The params of {method} are an object."
        )));
    }
    let named = match method {
        "resources/read" => params.uri.get(),
        "prompts/get" => params.name.get(),
        _ => None,
    };
    if let Some(named) = named {
        headers::name(&asked.parts.headers, named, asked.mirrors(revision))?;
    }
    let name = function.name.clone();
    let wanted = Wanted {
        name: name.clone(),
        input: request.input().map_err(unreadable)?,
        meta: params.meta.rest.clone(),
        wire: Wire::Json,
        at: At::Method,
        rounds: None,
    };
    let (caller, trace) = (asked.caller.clone(), asked.trace.to_owned());
    let method = method.to_owned();
    let write = move |mcp: &Mcp, id: &str, ended: Result<Answer, Error>| {
        let answer = match ended {
            Ok(answer) => answer,
            // Whom it is not for is told what everybody is of a method that there is not.
            Err(error) if error.code() == "T0001" => {
                return Err(Refusal::method(&method, revision));
            }
            Err(error) => return Err(refused(mcp, &error)),
        };
        let Some(mut result) = object(&answer) else {
            let why = format!("it answered {method} with what is no object");
            let error = mcp
                .door
                .broke(Error::unexpected(why), &name, &caller, &trace);
            return Err(refused(mcp, &error));
        };
        if !answer.meta.is_empty() {
            add_meta(&mut result, answer.meta.members().clone());
        }
        Ok(given(mcp, id, result, revision))
    };
    served::answered(mcp, asked, &params.meta, agreed, id, wanted, write).await
}

/// The object that a function gave; an empty one where it gave nothing.
fn object(answer: &Answer) -> Option<Map<String, Value>> {
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

fn given(mcp: &Mcp, id: &str, mut result: Map<String, Value>, revision: Revision) -> Reply {
    if revision.is_modern() {
        result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
        let server = format!("{{{}}}", mcp.server);
        let server: Map<String, Value> =
            serde_json::from_str(&server).expect("the server's name is a member of an object");
        add_meta(&mut result, server);
    }
    let mut out = reply::begin(id, 256);
    write(&mut out, &result);
    reply::end(out)
}
