//! `tools/call`: from the parameters to the door, and from its answer to the bytes of a result.
//!
//! The result is written once, into one buffer: the value that the function gave is copied as it is, and
//! a second time escaped, as text. What a call costs does not depend on how many tools there are.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tent_core::codes;

use crate::dispatch::{Call, Endpoint, Outcome, Resolved, Target};
use crate::error::Error;
use crate::function::OutputShape;
use crate::function::{Content, Function, Meta, Output};
use crate::mcp::client::call_client::MrtrParams;
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::methods::common::{self, Wanted};
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::content;
use crate::mcp::protocol::headers::{self, MirroredField};
use crate::mcp::protocol::message::Request;
use crate::mcp::protocol::params::{Arguments, ObjectShape, Params, Text};
use crate::mcp::protocol::response::{self, Response, RpcError, write};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::Started;
use crate::registry::Registry;
use crate::schema::InputEncoding;

/// What is known of each tool beforehand, by its position in the registry.
pub(crate) struct Tools(Vec<Tool>);

struct Tool {
    function: Arc<Function>,
    mirrors: Vec<MirroredField>,
    wrapped: bool,
}

impl Tools {
    pub(crate) fn new(registry: &Registry) -> Self {
        Tools(registry.functions().iter().map(Tool::new).collect())
    }

    /// The tool of a call, if its function is of this snapshot.
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
            wrapped: match &function.output {
                OutputShape::Value(Some(schema)) => !schema.is_object(),
                OutputShape::Value(None) | OutputShape::Nothing | OutputShape::Content => true,
            },
        }
    }
}

/// Serves `tools/call`.
pub(crate) async fn serve(
    mcp: &Arc<Mcp>,
    asked: &RequestContext<'_>,
    request: Request<'_>,
    negotiated: Negotiated,
) -> Result<Response, RpcError> {
    let Request { id, mut params, .. } = request;
    let peer = CallReporter::new(&mcp.state.levels, asked, &params.meta, &negotiated)?;
    let mrtr = MrtrParams::take("tools/call", &mut params);
    let revision = negotiated.revision;
    let meta = std::mem::take(&mut params.meta.rest);
    let (name, input) = named(*params)?;
    let headers = &asked.parts.headers;
    let mirrored = asked.requires_headers(revision);
    headers::name(headers, &name, mirrored)?;
    let target = Target::Function(Endpoint::Mcp, &name);
    let resolving = common::resolve(mcp, asked, &negotiated, id, &meta, target);
    let Some((started, resolved)) = resolving.await else {
        return Ok(common::cancelled());
    };
    let resolved = resolved.map_err(|error| match error.tent_code() {
        Some(codes::NOT_FOUND) => unknown(&error, &name),
        _ => RpcError::of(&error, mcp.realm()),
    })?;
    let wrapped = {
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
            mirror.check(headers, &input, mirrored)?;
        }
        tool.wrapped
    };
    let wanted = Wanted {
        resolved,
        input,
        meta,
        wire: InputEncoding::Json,
        rounds: Some(mrtr),
    };
    let name = name.into_owned();
    let write = move |mcp: &Mcp, id: &str, ended: Result<Output, Error>| {
        let server = revision.is_modern().then_some(&*mcp.state.server);
        match ended {
            Ok(answer) => Ok(given(id, &answer, wrapped, revision, server)),
            Err(error) if error.is(codes::NOT_FOUND) => Err(unknown(&error, &name)),
            Err(error) if is_result(&error, revision) => Ok(failed(id, &error, revision, server)),
            Err(error) => Err(RpcError::of(&error, mcp.realm())),
        }
    };
    common::answered(mcp, asked, peer, negotiated, (id, started), wanted, write).await
}

/// Runs a call; `None` if the client cancelled it, which it can in a session.
pub(crate) async fn run(
    mcp: &Mcp,
    resolved: Resolved,
    call: Call,
    started: &Started,
) -> Option<Outcome> {
    match started.cancelled() {
        None => Some(mcp.dispatcher.call(resolved, call).await),
        Some(cancelled) => mcp.dispatcher.call_until(resolved, call, cancelled).await,
    }
}

/// The name and the input of a call.
fn named(params: Params<'_>) -> Result<(std::borrow::Cow<'_, str>, Map<String, Value>), RpcError> {
    if params.shape == ObjectShape::Other {
        return Err(RpcError::params("The params of tools/call are an object."));
    }
    let Text::Is(name) = params.name else {
        return Err(RpcError::params(
            "tools/call names a tool: its name is a string.",
        ));
    };
    match params.arguments {
        Arguments::Object(input) => Ok((name, input)),
        Arguments::Absent => Ok((name, Map::new())),
        Arguments::Other => Err(RpcError::params("The arguments of a tool are an object.")),
    }
}

fn unknown(error: &Error, name: &str) -> RpcError {
    RpcError::params(format!("Unknown tool: {name}")).with_code(error)
}

/// Whether a failure is a result, for the model to mend: all but those that concern the request or the
/// caller, which are the client's or a person's to mend.
fn is_result(error: &Error, revision: Revision) -> bool {
    match error.tent_code() {
        Some(codes::MISSING_CAPABILITY) => !revision.is_modern(),
        Some(
            codes::NOT_FOUND
            | codes::SIGN_IN
            | codes::TOO_MANY_REQUESTS
            | codes::TOO_LARGE
            | codes::SHUTTING_DOWN
            | codes::WRONG_HOST_OR_ORIGIN
            | codes::INVALID_STATE,
        ) => false,
        Some(codes::NOT_ALLOWED) => response::missing_scopes(error).is_none(),
        _ => true,
    }
}

/// The result of a call that went well. `server` is there in the modern era alone.
fn given(
    id: &str,
    answer: &Output,
    wrapped: bool,
    revision: Revision,
    server: Option<&str>,
) -> Response {
    // A value is written twice, the second time escaped.
    let value = answer.value.as_deref().map_or(0, |raw| raw.get().len());
    let mut out = response::begin(id, 256 + value * 9 / 4);
    write_given(&mut out, answer, wrapped, revision, server);
    response::end(out)
}

fn write_given(
    out: &mut Vec<u8>,
    answer: &Output,
    wrapped: bool,
    revision: Revision,
    server: Option<&str>,
) {
    let value = answer.value.as_deref().map(|raw| raw.get());
    // A function that gives content gives no value beside it, unless it does both.
    let structured = match (value, wrapped) {
        (None, _) if !answer.content.is_empty() => None,
        (None, _) => Some("{}".to_owned()),
        (Some(value), true) => Some(format!(r#"{{"value":{value}}}"#)),
        (Some(_), false) => None,
    };
    let is_wrapped = structured.is_some();
    let structured = structured.as_deref().or(value.filter(|_| !wrapped));

    out.push(b'{');
    if server.is_some() {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":["#);
    let has_structure = revision.has_titles_and_structure();
    // Content that stands for the value stands first. A revision that has no other place for the value has it behind.
    let before = structured.filter(|_| !answer.replaces_text);
    let behind = structured.filter(|_| answer.replaces_text && !has_structure);
    if let Some(json) = before {
        text(out, json);
    }
    contents(out, &answer.content, before.is_some(), revision);
    if let Some(json) = behind {
        if !answer.content.is_empty() {
            out.push(b',');
        }
        text(out, json);
    }
    out.push(b']');
    if let Some(json) = structured.filter(|_| has_structure) {
        out.extend_from_slice(br#","structuredContent":"#);
        out.extend_from_slice(json.as_bytes());
    }
    let own = is_wrapped.then_some(br#""tent.wrapped":true"#.as_slice());
    response::meta(out, server, own, &answer.meta);
    out.push(b'}');
}

/// The result of a call that failed: its text for the model and what is shown beside it, and the same for programs in
/// `_meta`.
/// Never structured content, which would have to fit the schema of a success.
fn failed(id: &str, error: &Error, revision: Revision, server: Option<&str>) -> Response {
    let mut out = response::begin(id, 512);
    write_failed(&mut out, error, revision, server);
    response::end(out)
}

fn write_failed(out: &mut Vec<u8>, error: &Error, revision: Revision, server: Option<&str>) {
    let mut said = format!("Error {}: {}", error.code(), error.message());
    if !error.fix().is_empty() {
        said += "\nFix: ";
        said += error.fix();
    }
    let mut wire = json!({
        "code": error.code(),
        "name": error.name(),
        "status": error.status(),
        "message": error.message(),
        "fix": error.fix(),
    });
    if !error.fields().is_empty() {
        wire["fields"] = Value::Object(error.fields().clone());
    }
    for (field, what) in error.fields() {
        let what = match what {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        said += &format!("\n{field}: {what}");
    }
    let mut own = br#""tent.error":"#.to_vec();
    write(&mut own, &wire);

    out.push(b'{');
    if server.is_some() {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":["#);
    text(out, &said);
    contents(out, error.content(), true, revision);
    out.extend_from_slice(br#"],"isError":true"#);
    response::meta(out, server, Some(&own), &Meta::default());
    out.push(b'}');
}

/// Writes each of these, `behind` another or as the first.
fn contents(out: &mut Vec<u8>, all: &[Content], behind: bool, revision: Revision) {
    for (at, one) in all.iter().enumerate() {
        if at > 0 || behind {
            out.push(b',');
        }
        write(out, &content::shown(one, revision));
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(br#"{"type":"text","text":"#);
    write(out, text);
    out.push(b'}');
}
