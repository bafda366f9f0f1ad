//! `tools/call`: from the parameters of a request to the result of its function.
//! Must not run a function: dispatch does.
//!
//! The output is copied once as structured content, and once, escaped, as text. What a call costs does not depend on the
//! number of tools.

use std::borrow::Cow;
use std::slice;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tent_core::codes;

use crate::dispatch::{Endpoint, Resolved, Target};
use crate::error::Error;
use crate::function::{Content, Function, Output, OutputShape};
use crate::mcp::client::call_client::MrtrParams;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Invocation};
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::headers::{self, MirroredField};
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::notification::raw;
use crate::mcp::protocol::params::{Arguments, ObjectShape, Params, Text};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::results::{
    CallToolMeta, CallToolResult, ContentBlock, ErrorDetails, ResultMeta, ResultType,
};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::{RpcError, missing_scopes};
use crate::mcp::session::negotiated::Negotiated;
use crate::registry::Registry;
use crate::schema::InputEncoding;

/// The parts of each tool that are computed once, by its position in the registry.
pub(crate) struct Tools(Vec<Tool>);

struct Tool {
    function: Arc<Function>,
    mirrors: Vec<MirroredField>,
    structure: Structure,
}

/// How a tool sends its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structure {
    /// The value is the structured content.
    Bare,
    /// The structured content holds it as its `value`, since it must be an object.
    Wrapped,
    /// As text alone: `structured = false`.
    Text,
}

impl Tools {
    pub(crate) fn new(registry: &Registry) -> Self {
        Tools(registry.functions().iter().map(Tool::new).collect())
    }

    /// The tool of a call; `None` if its function is of another snapshot.
    fn of(&self, resolved: &Resolved) -> Option<&Tool> {
        let tool = self.0.get(resolved.position());
        tool.filter(|tool| Arc::ptr_eq(&tool.function, resolved.function()))
    }
}

impl Tool {
    fn new(function: &Arc<Function>) -> Self {
        Tool {
            function: function.clone(),
            mirrors: MirroredField::all(&function.input),
            structure: match &function.output {
                _ if !function.structured => Structure::Text,
                OutputShape::Value(Some(schema)) if schema.is_object() => Structure::Bare,
                OutputShape::Value(_) | OutputShape::Nothing | OutputShape::Content => {
                    Structure::Wrapped
                }
            },
        }
    }
}

/// Serves `tools/call`.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let reporter = CallReporter::new(&mcp.state.levels, context, &params.meta, &negotiated)?;
    let mrtr = MrtrParams::take("tools/call", &mut params);
    let revision = negotiated.revision;
    let meta = std::mem::take(&mut params.meta.rest);
    let (name, input) = name_and_input(&mut params)?;
    let headers = &context.parts.headers;
    let requires_headers = context.requires_headers(revision);
    headers::name(headers, &name, requires_headers)?;
    let target = Target::Function(Endpoint::Mcp, &name);
    let resolving = common::resolve(mcp, context, &negotiated, id, &meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = resolved.map_err(|error| match error.tent_code() {
        Some(codes::NOT_FOUND) => unknown(&error, &name),
        _ => RpcError::of(&error, mcp.realm()),
    })?;
    let structure = {
        let snapshot = mcp.snapshot.load();
        let new;
        let tool = match snapshot.tools.of(&resolved) {
            Some(tool) => tool,
            // The functions were replaced a moment ago.
            None => {
                new = Tool::new(resolved.function());
                &new
            }
        };
        for mirror in &tool.mirrors {
            mirror.check(headers, &input, requires_headers)?;
        }
        tool.structure
    };
    let invocation = Invocation {
        resolved,
        input,
        meta,
        encoding: InputEncoding::Json,
        mrtr: Some(mrtr),
        reporter,
    };
    let name = name.into_owned();
    let write = move |mcp: &Mcp, id: &RawValue, result: Result<Output, Error>| {
        let server = mcp.server(revision);
        match result {
            Ok(output) => {
                let meta = server.map(|_| &*mcp.state.meta);
                let written = (server, meta);
                Ok(write_output(id, &output, structure, revision, written))
            }
            Err(error) if error.is(codes::NOT_FOUND) => Err(unknown(&error, &name)),
            Err(error) if is_result(&error, revision) => {
                Ok(write_error(id, &error, revision, server))
            }
            Err(error) => Err(RpcError::of(&error, mcp.realm())),
        }
    };
    common::run(mcp, context, negotiated, (id, started), invocation, write)?.await
}

/// The name and the input of a call.
fn name_and_input<'a>(
    params: &mut Params<'a>,
) -> Result<(Cow<'a, str>, Map<String, Value>), RpcError> {
    if params.shape == ObjectShape::Invalid {
        return Err(RpcError::params("The params of tools/call are an object."));
    }
    let Text::Valid(name) = std::mem::take(&mut params.name) else {
        return Err(RpcError::params(
            "tools/call names a tool: its name is a string.",
        ));
    };
    match std::mem::take(&mut params.arguments) {
        Arguments::Object(input) => Ok((name, input)),
        Arguments::Absent => Ok((name, Map::new())),
        Arguments::Invalid => Err(RpcError::params("The arguments of a tool are an object.")),
    }
}

fn unknown(error: &Error, name: &str) -> RpcError {
    RpcError::params(format!("Unknown tool: {name}")).with_code(error)
}

/// Whether an error is a result, which the model can fix. Errors that concern the request or the caller are not: the
/// client or a person fixes them.
fn is_result(error: &Error, revision: Revision) -> bool {
    match error.tent_code() {
        Some(codes::MISSING_CAPABILITY) => !revision.is_modern(),
        Some(
            codes::NOT_FOUND
            | codes::SIGN_IN
            | codes::TOO_MANY_REQUESTS
            | codes::TOO_LARGE
            | codes::SHUTTING_DOWN
            | codes::UNAVAILABLE
            | codes::WRONG_HOST_OR_ORIGIN
            | codes::INVALID_STATE,
        ) => false,
        Some(codes::NOT_ALLOWED) => missing_scopes(error).is_none(),
        _ => true,
    }
}

/// The structured content of an output that is not an object.
#[derive(Serialize)]
struct Wrapped<'a> {
    value: &'a RawValue,
}

/// Writes the result of a call that succeeded. `server` and the written `meta` are `None` in the legacy era.
fn write_output(
    id: &RawValue,
    output: &Output,
    structure: Structure,
    revision: Revision,
    (server, meta): (Option<&RawValue>, Option<&RawValue>),
) -> Response {
    let value = output.value.as_deref();
    let wrapped = value
        .filter(|_| structure == Structure::Wrapped)
        .and_then(|value| to_raw_value(&Wrapped { value }).ok());
    let is_text = structure == Structure::Text;
    let structured = match (value, &wrapped) {
        _ if is_text => None,
        (Some(_), Some(wrapped)) => Some(&**wrapped),
        (Some(value), None) => Some(value),
        // Content without a value has no structured content.
        (None, _) => output.content.is_empty().then(|| raw("{}")),
    };
    let text = match is_text {
        true => value.map(|value| ContentBlock::text(plain(value))),
        false => structured.map(|json| ContentBlock::text(json.get())),
    };
    // Words without structured content replace the value in every revision.
    let has_structure = is_text || revision.has_titles_and_structure();
    let content = match &text {
        Some(text) if output.content.is_empty() && !output.replaces_text => {
            Cow::Borrowed(slice::from_ref(text))
        }
        _ => {
            // Content that replaces the text of the value comes first. The text follows it only where the revision has
            // no structured content.
            let before = text.iter().filter(|_| !output.replaces_text);
            let after = text
                .iter()
                .filter(|_| output.replaces_text && !has_structure);
            let content = blocks(&output.content, revision);
            Cow::Owned(
                before
                    .cloned()
                    .chain(content)
                    .chain(after.cloned())
                    .collect(),
            )
        }
    };
    let is_wrapped = wrapped.is_some() || value.is_none() && structured.is_some();
    let result = CallToolResult {
        result_type: ResultType::complete(server),
        content,
        structured_content: structured.filter(|_| has_structure),
        is_error: false,
        meta: match meta {
            Some(meta) if !is_wrapped && output.meta.is_empty() => CallToolMeta::Written(meta),
            _ => CallToolMeta::Members(ResultMeta {
                is_wrapped,
                ..ResultMeta::new(server, &output.meta)
            }),
        },
    };
    // The text of the value has about a quarter more bytes than the value, for the escapes.
    let server = server.map_or(0, |server| server.get().len());
    let value = value.map_or(0, |value| value.get().len());
    Response::result(id, 160 + server + value * 9 / 4, &result)
}

/// A value as text: JSON, but a string as itself.
fn plain(value: &RawValue) -> Cow<'_, str> {
    match serde_json::from_str::<String>(value.get()) {
        Ok(text) => Cow::Owned(text),
        Err(_) => Cow::Borrowed(value.get()),
    }
}

/// Writes the result of a call that failed: the error as text for the model, with the content that the function adds, and
/// the error for programs in `_meta`. There is no structured content, since it would have to match the output schema.
fn write_error(
    id: &RawValue,
    error: &Error,
    revision: Revision,
    server: Option<&RawValue>,
) -> Response {
    let mut text = format!("Error {}: {}", error.code(), error.message());
    if !error.fix().is_empty() {
        text += "\nFix: ";
        text += error.fix();
    }
    for (field, problem) in error.fields() {
        let problem = problem
            .as_str()
            .map_or_else(|| problem.to_string(), str::to_owned);
        text += &format!("\n{field}: {problem}");
    }
    let text = std::iter::once(ContentBlock::text(text));
    let result = CallToolResult {
        result_type: ResultType::complete(server),
        content: text.chain(blocks(error.content(), revision)).collect(),
        structured_content: None,
        is_error: true,
        meta: CallToolMeta::Members(ResultMeta {
            error: Some(ErrorDetails {
                code: error.code().into(),
                fields: Cow::Borrowed(error.fields()),
                fix: error.fix().into(),
                message: error.message().into(),
                name: error.name().into(),
                status: error.status(),
            }),
            ..ResultMeta::of_server(server)
        }),
    };
    Response::result(id, 512, &result)
}

fn blocks<'a>(content: &[Content], revision: Revision) -> impl Iterator<Item = ContentBlock<'a>> {
    let content = content.iter();
    content.map(move |one| ContentBlock::Other(content::block(one, revision)))
}
