//! `call`: makes one call from the command line, through dispatch like every call.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value};
use tent_core::codes;
use tent_core::names::nearest;

use crate::caller::Caller;
use crate::cx::TraceId;
use crate::dispatch::{Admitted, Call, Endpoint};
use crate::error::{Error, Result};
use crate::function::{Held, Output, Piece};
use crate::registry::Registry;
use crate::server::Prepared;

use super::list::{kind, refuse};
use super::out;

pub(super) async fn call(
    prepared: Prepared,
    name: String,
    input: Map<String, Value>,
    user: Option<String>,
) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    if let Some(kind) = kind_of_other(&registry, &name) {
        out::say(format_args!(
            "error: `{name}` is a {kind}: only MCP clients use it, at /mcp"
        ));
        return Ok(ExitCode::FAILURE);
    }
    let suggestion = suggestion(&registry, &name);
    let dispatcher = prepared.open(registry).await?;
    let caller = match user {
        Some(id) => Caller::User(Arc::new(dispatcher.user(&id).await.map_err(with_fix_here)?)),
        None => Caller::App,
    };
    let admitted = Admitted::internal(caller, TraceId::default());
    let call = Call {
        input,
        ..Call::default()
    };
    let output = dispatcher.call_as(Endpoint::Cli, admitted, &name, call);
    let output = output.await.map_err(|error| match &suggestion {
        Some(name) if error.is(codes::NOT_FOUND) => {
            error.with_fix(format!("Did you mean `{name}`? `list` shows all names."))
        }
        _ => with_fix_here(error),
    })?;
    let lines = lines(output);
    if !lines.is_empty() {
        out::data(lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The kind of the item with this name, such as a prompt, if it is not a function.
fn kind_of_other(registry: &Registry, name: &str) -> Option<&'static str> {
    match registry.find(name) {
        Some(_) => None,
        None => registry
            .all()
            .find(|one| one.name == name)
            .map(|one| kind(one)),
    }
}

/// The nearest name of a function, if there is no function `name`.
fn suggestion(registry: &Registry, name: &str) -> Option<String> {
    if registry.find(name).is_some() {
        return None;
    }
    let names = registry.functions().iter().map(|one| one.name.as_str());
    nearest(name, names).map(str::to_owned)
}

/// Replaces the fix for the command line: the catalogue addresses the sender of a request.
fn with_fix_here(error: Error) -> Error {
    let fix = match error.tent_code() {
        Some(codes::NOT_FOUND) => {
            "Use a name that `list` shows, or call as a user with access, with --as USER."
        }
        Some(codes::SIGN_IN | codes::NOT_ALLOWED) => {
            "Call as a user of the app with access, with --as USER."
        }
        _ => return error,
    };
    error.with_fix(fix)
}

/// The output as text, each part on its own lines.
fn lines(Output { value, content, .. }: Output) -> Vec<String> {
    let bytes = |data: &[u8], media_type: &str| format!("[{} bytes of {media_type}]", data.len());
    let value = value.map(|value| value.get().to_owned());
    let content = content.into_iter().map(|one| match one.piece {
        Piece::Text(text) => text,
        Piece::Image { data, media_type } | Piece::Audio { data, media_type } => {
            bytes(&data, &media_type)
        }
        Piece::Resource(resource) => match resource.held {
            Held::Text(text) => text,
            Held::Bytes(data) => bytes(&data, &resource.media_type),
        },
        Piece::Link(link) => format!("[{}]({})", link.name, link.uri),
    });
    value.into_iter().chain(content).collect()
}
