//! Methods that a function of the app answers, by `on = "…"`, and those of resources, prompts and completions:
//! what both eras serve alike beyond tools.

use http::StatusCode;
use serde_json::{Map, Value};

use super::params::Shape;
use super::reply::{self, Refusal, Reply, write};
use super::served::refused;
use super::wire::Request;
use super::{Agreed, Asked, Mcp, call, complete, headers, prompts, resources};
use crate::door::{At, Call};
use crate::error::Error;
use crate::schema::Wire;

/// Serves a method that no era has for itself alone.
///
/// # Errors
/// −32601 for what nothing answers, beside those of the method.
pub(super) async fn serve(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: Agreed,
) -> Result<Reply, Refusal> {
    let registry = mcp.door.registry();
    let (resources, prompts) = (
        !registry.resources().is_empty(),
        !registry.prompts().is_empty(),
    );
    match &*request.method {
        "resources/list" if resources => resources::list(mcp, asked, &request, &agreed).await,
        "resources/templates/list" if resources => {
            resources::templates(mcp, asked, &request, &agreed).await
        }
        "resources/read" if resources => resources::read(mcp, asked, request, agreed).await,
        "prompts/list" if prompts => prompts::list(mcp, asked, &request, &agreed).await,
        "prompts/get" if prompts => prompts::get(mcp, asked, request, agreed).await,
        "completion/complete" if registry.completes() => {
            complete::serve(mcp, asked, request, &agreed).await
        }
        _ => own(mcp, asked, request, agreed).await,
    }
}

/// Serves a method that a function answers by `on`.
async fn own(
    mcp: &Mcp,
    asked: &Asked<'_>,
    request: Request<'_>,
    agreed: Agreed,
) -> Result<Reply, Refusal> {
    let Request { id, method, params } = request;
    let revision = agreed.revision;
    let Some(function) = mcp.door.registry().method(&method) else {
        return Err(Refusal::method(&method, revision));
    };
    if params.shape == Shape::Other {
        return Err(Refusal::params(format!(
            "The params of {method} are an object."
        )));
    }
    let named = match &*method {
        "resources/read" => params.uri.get(),
        "prompts/get" => params.name.get(),
        _ => None,
    };
    if let Some(named) = named {
        headers::name(&asked.parts.headers, named, asked.mirrors(revision))?;
    }
    let call = Call {
        name: function.name.clone(),
        input: params.into_input(),
        wire: Wire::Json,
        caller: asked.caller.clone(),
        client: agreed.client,
        trace: asked.trace.to_owned(),
        at: At::Method,
        peer: None,
    };
    let answer = match call::run(mcp, call, agreed.nonce, id).await {
        None => return Ok(Reply::empty(StatusCode::ACCEPTED)),
        Some(Ok(answer)) => answer,
        // Whom it is not for is told what everybody is of a method that there is not.
        Some(Err(error)) if error.code() == "T0001" => {
            return Err(Refusal::method(&method, revision));
        }
        Some(Err(error)) => return Err(refused(mcp, &error)),
    };
    let value = answer.value.as_deref().map(|value| value.get());
    let mut result = match value.map(serde_json::from_str) {
        None => Map::new(),
        Some(Ok(Value::Object(result))) => result,
        Some(_) => {
            let error = Error::unexpected(format!("it answered {method} with what is no object"));
            let error = mcp
                .door
                .broke(error, &function.name, &asked.caller, asked.trace);
            return Err(refused(mcp, &error));
        }
    };
    if revision.is_modern() {
        result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
        let server = format!("{{{}}}", mcp.server);
        let server: Map<String, Value> =
            serde_json::from_str(&server).expect("the server's name is a member of an object");
        match result.entry("_meta").or_insert_with(|| Map::new().into()) {
            Value::Object(meta) => meta.extend(server),
            other => *other = server.into(),
        }
    }
    let mut out = reply::begin(id, 256);
    write(&mut out, &result);
    Ok(reply::end(out))
}
