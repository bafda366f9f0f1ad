//! The parts that methods share: resolving a request, the call of a function from dispatch to its response, and the
//! parameter that names an item.
//! Must not write a result.

use std::sync::Arc;

use http::StatusCode;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::dispatch::{Call, Outcome, Resolved, Target};
use crate::error::Error;
use crate::function::Output;
use crate::mcp::client::call_client::{CallClient, MrtrParams};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::mrtr::Reply;
use crate::mcp::client::notifications::CallReporter;
use crate::mcp::client::response_stream;
use crate::mcp::methods::server::Mcp;
use crate::mcp::protocol::headers;
use crate::mcp::protocol::params::{ObjectShape, Params, Text};
use crate::mcp::protocol::response::Response;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::negotiated::Negotiated;
use crate::mcp::session::state::Started;
use crate::schema::InputEncoding;

/// The call of a function: what it gets, and how it reaches the client.
pub(crate) struct Invocation<'a> {
    pub(crate) resolved: Resolved,
    pub(crate) input: Map<String, Value>,
    /// The members of the request's `_meta` that are for the function.
    pub(crate) meta: Map<String, Value>,
    pub(crate) encoding: InputEncoding,
    /// `None` for a method that has no multi round-trip requests.
    pub(crate) mrtr: Option<MrtrParams<'a>>,
    /// `None` if the client accepts no notifications.
    pub(crate) reporter: Option<Arc<CallReporter>>,
}

impl<'a> Invocation<'a> {
    /// The call of a method that only reads, and whose fields are all strings.
    pub(crate) fn with_strings(
        method: &'static str,
        resolved: Resolved,
        input: Map<String, Value>,
        params: &mut Params<'a>,
        reporter: Option<Arc<CallReporter>>,
    ) -> Self {
        Invocation {
            resolved,
            input,
            meta: std::mem::take(&mut params.meta.rest),
            encoding: InputEncoding::Strings,
            mrtr: Some(MrtrParams::take(method, params)),
            reporter,
        }
    }
}

/// Records that the request `id` is in flight, and resolves what it names; `None` if its client cancels it first.
pub(crate) async fn resolve(
    mcp: &Mcp,
    context: &RequestContext<'_>,
    negotiated: &Negotiated,
    id: &RawValue,
    meta: &Map<String, Value>,
    target: Target<'_>,
) -> Option<(Started, Result<Resolved, Error>)> {
    let started = mcp.state.start(context.key(negotiated, id));
    let requester = context.requester(&negotiated.client, Some(meta));
    let resolving = started.unless_cancelled(mcp.dispatcher.resolve(requester, target));
    let resolved = resolving.await?;
    Some((started, resolved))
}

/// The end of a request that its client cancelled, which gets no response.
pub(crate) fn cancelled() -> Response {
    Response::empty(StatusCode::ACCEPTED)
}

/// Runs the function of a request, and responds with what `write` makes of its result. The response becomes a stream if
/// the function sends notifications first.
// Not an `async fn`, whose future would hold each large argument twice: as an argument, and where it is used.
pub(crate) fn run<W>(
    mcp: &Arc<Mcp>,
    context: &RequestContext<'_>,
    negotiated: Negotiated,
    (id, started): (&RawValue, Started),
    invocation: Invocation<'_>,
    write: W,
) -> Result<impl Future<Output = Result<Response, RpcError>>, RpcError>
where
    W: FnOnce(&Mcp, &RawValue, Result<Output, Error>) -> Result<Response, RpcError>
        + Send
        + 'static,
{
    let reporter = invocation.reporter;
    // On a connection notifications and responses share one channel, so there is no stream to start.
    let streamed = reporter.as_ref().filter(|_| context.connection().is_none());
    let outbox = streamed.map(|reporter| reporter.outbox().clone());
    let client = match invocation.mrtr {
        Some(params) => CallClient::new(
            &mcp.state,
            mcp.notifier.pending(),
            context,
            &negotiated,
            reporter.clone(),
            params,
        )?,
        None => CallClient::without_input(reporter.clone()),
    };
    let mut call = Call {
        input: invocation.input,
        encoding: invocation.encoding,
        client: negotiated.client,
        meta: invocation.meta,
        ..Call::default()
    };
    client.offer(&mut call);
    let resolved = invocation.resolved;
    // It may outlive the bytes of the request, so it owns what it needs.
    let work = {
        let (mcp, id) = (mcp.clone(), id.to_owned());
        async move {
            let outcome = match started.cancelled() {
                None => Some(mcp.dispatcher.call(resolved, call).await),
                Some(cancelled) => mcp.dispatcher.call_until(resolved, call, cancelled).await,
            };
            if let Some(reporter) = reporter {
                reporter.end(outcome.is_some());
            }
            match outcome {
                None => Ok(cancelled()),
                Some(Outcome::Ended(result)) => counted(result, |result| write(&mcp, &id, result)),
                Some(Outcome::InputRequired | Outcome::Answered) => match client.reply() {
                    Reply::InputRequired(result) => {
                        Ok(Response::result(&id, result.get().len(), &result))
                    }
                    // Written for this client: another client may have sent the earlier request.
                    Reply::Ended(result) => counted(result, |result| write(&mcp, &id, result)),
                },
            }
        }
    };
    let address = context.admitted.client_address();
    let reservation = move || mcp.dispatcher.in_flight().reservation(address);
    Ok(response_stream::respond(
        outbox,
        id,
        Box::pin(work),
        reservation,
    ))
}

/// Hands the reservation of an output on to the response that `write` makes of it.
fn counted(
    mut result: Result<Output, Error>,
    write: impl FnOnce(Result<Output, Error>) -> Result<Response, RpcError>,
) -> Result<Response, RpcError> {
    let output = result.as_mut().ok();
    let reservation = output.and_then(|output| output.reservation.take());
    let mut response = write(result)?;
    response.reservation = reservation;
    Ok(response)
}

/// Reads the parameter that names an item, and compares it with `Mcp-Name` where headers must repeat the body. `what`
/// names the parameter in an error.
pub(crate) fn named(
    context: &RequestContext<'_>,
    negotiated: &Negotiated,
    shape: ObjectShape,
    member: &Text<'_>,
    what: &str,
) -> Result<String, RpcError> {
    let name = match member {
        Text::Valid(name) if shape == ObjectShape::Object => name.to_string(),
        _ => return Err(RpcError::params(format!("{what} is a string."))),
    };
    let is_required = context.requires_headers(negotiated.revision);
    headers::name(&context.parts.headers, &name, is_required)?;
    Ok(name)
}
