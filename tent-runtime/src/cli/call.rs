//! `call`: makes one call from the command line, through dispatch as every call.

use std::process::ExitCode;
use std::sync::Arc;

use serde_json::{Map, Value};
use tent_core::codes;
use tent_core::count::counted;
use tent_core::names::nearest;

use crate::caller::Caller;
use crate::cx::TraceId;
use crate::dispatch::{Admitted, Call, Endpoint};
use crate::error::{Error, Result};
use crate::function::{ContentKind, Output, ResourceData};
use crate::registry::Registry;
use crate::server::Prepared;

use super::list::{kind, refuse};
use super::out;

pub(super) async fn call(
    prepared: Prepared,
    name: String,
    input: Map<String, Value>,
    person: Option<String>,
) -> Result<ExitCode> {
    let registry = match prepared.registry() {
        Ok(registry) => registry,
        Err(problems) => return Ok(refuse(&problems)),
    };
    if let Some(what) = not_called(&registry, &name) {
        out::say(format_args!(
            "error: `{name}` is a {what}: only MCP clients use it, at /mcp"
        ));
        return Ok(ExitCode::FAILURE);
    }
    let suggestion = suggestion(&registry, &name);
    let dispatcher = prepared.open(registry).await?;
    let caller = match person {
        Some(id) => Caller::User(Arc::new(
            dispatcher.user(&id).await.map_err(with_command_line_fix)?,
        )),
        None => Caller::App,
    };
    let admitted = Admitted::internal(caller, TraceId::default());
    let call = Call {
        input,
        ..Call::default()
    };
    let called = dispatcher.call_as(Endpoint::Cli, admitted, &name, call);
    let output = called.await.map_err(|error| match &suggestion {
        Some(near) if error.is(codes::NOT_FOUND) => {
            error.with_fix(format!("Did you mean `{near}`? `list` shows all names."))
        }
        _ => with_command_line_fix(error),
    })?;
    let lines = lines_of(output);
    if !lines.is_empty() {
        out::data(lines.join("\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The kind of what has this name, if it is not a function.
fn not_called(registry: &Registry, name: &str) -> Option<&'static str> {
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
fn with_command_line_fix(error: Error) -> Error {
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
fn lines_of(Output { value, content, .. }: Output) -> Vec<String> {
    let bytes = |data: &[u8], media_type: &str| {
        format!("[{} of {media_type}]", counted(data.len(), "byte"))
    };
    let value = value.map(|value| value.get().to_owned());
    let content = content.into_iter().map(|one| match one.kind {
        ContentKind::Text(text) => text,
        ContentKind::Image { data, media_type } | ContentKind::Audio { data, media_type } => {
            bytes(&data, &media_type)
        }
        ContentKind::Resource(resource) => match resource.data {
            ResourceData::Text(text) => text,
            ResourceData::Bytes(data) => bytes(&data, &resource.media_type),
        },
        ContentKind::Link(link) => format!("[{}]({})", link.name, link.uri),
    });
    value.into_iter().chain(content).collect()
}
