//! `/api`: every function as `POST /api/{name}`, queries also as `GET /api/{name}`, and the list of the functions that
//! a caller may call.
//!
//! It translates HTTP into the steps of dispatch and back, and decides nothing about a call.

mod listing;
mod problem;
mod response;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use axum::body::{Body, Bytes, HttpBody as _};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode, header};
use serde_json::{Map, Value};
use tokio::time::Instant;

use self::listing::Listing;
use crate::cx::{Client, TraceId};
use crate::dispatch::{Admitted, Call, Dispatcher, Endpoint, Outcome, Requester, Resolved, Target};
use crate::error::{Error, Result};
use crate::function::{Function, Kind};
use crate::in_flight::Reservation;
use crate::json;
use crate::schema::{InputEncoding, invalid_input};
use crate::text;
use crate::web::{self, Upload};
use tent_core::codes;

/// The HTTP API of one app.
pub(crate) struct Api {
    dispatcher: Arc<Dispatcher>,
    /// Of the functions that were listed last.
    listing: ArcSwapOption<Listing>,
}

impl Api {
    pub(crate) fn new(dispatcher: Arc<Dispatcher>) -> Self {
        Api {
            dispatcher,
            listing: ArcSwapOption::empty(),
        }
    }
}

/// Serves any request under `/api`.
pub(crate) async fn serve(api: Arc<Api>, request: Request<Body>) -> Response<Body> {
    let dispatcher = &api.dispatcher;
    let trace = web::trace(request.headers());
    let (parts, body) = request.into_parts();
    let mut body = Upload::of(&parts, body);
    let response = respond(&api, &parts, &mut body, trace).await;
    let response = response.and_then(|response| counted(dispatcher, &parts, response));
    let mut response =
        response.unwrap_or_else(|error| problem::response(&error, &parts, dispatcher));
    body.finish(&mut response).await;
    web::put_trace(response.headers_mut(), trace);
    match parts.method {
        Method::HEAD => without_body(response),
        _ => response,
    }
}

/// Counts the body of a response in the budget of the bytes in flight.
fn counted(
    dispatcher: &Dispatcher,
    parts: &Parts,
    response: Response<Bytes>,
) -> Result<Response<Body>> {
    let (mut head, bytes) = response.into_parts();
    let reservation = head.extensions.remove::<Arc<Reservation>>();
    let body = dispatcher
        .in_flight()
        .body(bytes, &parts.extensions, reservation)?;
    Ok(Response::from_parts(head, body))
}

/// Writes the failure of a request that is not a call as a problem document.
pub(crate) fn failure(error: &Error, parts: &Parts, dispatcher: &Dispatcher) -> Response<Body> {
    problem::response(error, parts, dispatcher)
}

/// Makes the response to a HEAD of the response to a GET: the same headers, `Content-Length` included, without the
/// body (RFC 9110, section 9.3.2).
fn without_body(mut response: Response<Body>) -> Response<Body> {
    let length = response.body().size_hint().exact();
    *response.body_mut() = Body::empty();
    if let Some(length) = length.filter(|_| response.status() != StatusCode::NO_CONTENT) {
        response
            .headers_mut()
            .insert(header::CONTENT_LENGTH, length.into());
    }
    response
}

async fn respond(
    api: &Api,
    parts: &Parts,
    body: &mut Upload,
    trace: TraceId,
) -> Result<Response<Bytes>> {
    let dispatcher = &api.dispatcher;
    let admitted = dispatcher.admit(parts, trace).await?;
    dispatcher.check_open()?;
    match name(parts) {
        None if is_read(&parts.method) => list(api, &admitted).await,
        None => Err(method_not_allowed("GET, HEAD")),
        Some(name) => call(dispatcher, parts, body, &admitted, &name).await,
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn method_not_allowed(allow: &'static str) -> Error {
    Error::new(codes::METHOD_NOT_ALLOWED).with_field("allow", allow)
}

/// The function that the path names; `None` for the list.
fn name(parts: &Parts) -> Option<String> {
    let path = parts.uri.path();
    let rest = path.strip_prefix("/api").unwrap_or(path);
    // Only one slash: a name cannot begin with another.
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    if rest.is_empty() {
        return None;
    }
    // What is not UTF-8 is the name of no function, and gets the same response as any other unknown name.
    let name = percent_encoding::percent_decode_str(rest).decode_utf8_lossy();
    Some(name.into_owned())
}

/// Calls a function and writes its output.
async fn call(
    dispatcher: &Arc<Dispatcher>,
    parts: &Parts,
    body: &mut Upload,
    admitted: &Admitted,
    name: &str,
) -> Result<Response<Bytes>> {
    let client = Client::default();
    let requester = Requester {
        admitted,
        client: &client,
        meta: None,
    };
    // First: which methods are allowed depends on the function, and only a caller that may call it learns of it.
    let target = Target::Function(Endpoint::Api, name);
    let mut resolved = dispatcher.resolve(requester, target).await?;
    let (input, encoding) = input(dispatcher, parts, body, &mut resolved).await?;
    if !resolved.function().is_read_only() {
        dispatcher.check_page(parts, admitted.caller())?;
    }
    let call = Call {
        input,
        encoding,
        client,
        ..Call::default()
    };
    match dispatcher.call(resolved, call).await {
        Outcome::Ended(result) => {
            let mut output = result?;
            let reservation = output.reservation.take();
            let mut response = response::response(output);
            if let Some(reservation) = reservation {
                response.extensions_mut().insert(reservation);
            }
            Ok(response)
        }
        Outcome::InputRequired | Outcome::Answered => Err(Error::unexpected(
            "a call at /api required input from its client",
        )),
    }
}

/// The input of a call: the query of a GET, or the body of a POST.
async fn input(
    dispatcher: &Dispatcher,
    parts: &Parts,
    body: &mut Upload,
    resolved: &mut Resolved,
) -> Result<(Map<String, Value>, InputEncoding)> {
    let function = resolved.function();
    let is_query = function.kind == Kind::Query;
    match &parts.method {
        method if is_read(method) && is_query => {
            Ok((query_input(parts, function)?, InputEncoding::Strings))
        }
        &Method::POST => {
            let started = Instant::now();
            let input = posted_input(dispatcher, parts, body).await?;
            // The upload has separate limits on its pace.
            resolved.uploaded(started.elapsed(), body.reservation());
            Ok((input, InputEncoding::Json))
        }
        _ if is_query => Err(method_not_allowed("GET, HEAD, POST")),
        _ => Err(method_not_allowed("POST")),
    }
}

async fn posted_input(
    dispatcher: &Dispatcher,
    parts: &Parts,
    body: &mut Upload,
) -> Result<Map<String, Value>> {
    web::check_json(&parts.headers)?;
    let limit = dispatcher.settings().limits.max_body;
    let bytes = body.read(limit, dispatcher.in_flight(), parts).await?;
    if text::without_bom(&bytes).is_empty() {
        return Ok(Map::new());
    }
    json::object(&bytes)
}

/// Reads the query of a GET: a name that appears once is a text, a repeated name is a list of texts.
fn query_input(parts: &Parts, function: &Function) -> Result<Map<String, Value>> {
    let query = parts.uri.query().unwrap_or_default();
    let mut input = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let text = Value::String(text.into_owned());
        match input.get_mut(name.as_ref()) {
            None => {
                input.insert(name.into_owned(), text);
            }
            Some(Value::Array(list)) => list.push(text),
            Some(first) => *first = Value::Array(vec![first.take(), text]),
        }
    }
    // Servers and proxies log addresses.
    let secrets = input
        .keys()
        .filter(|name| function.input.has_secret_in(name));
    let problem = "is a secret: send it by POST, never in an address";
    let problems: Vec<_> = secrets
        .map(|name| (name.clone(), problem.to_owned()))
        .collect();
    match problems.is_empty() {
        true => Ok(input),
        false => Err(invalid_input(problems)),
    }
}

/// Lists the functions that the caller may call, with their schemas.
async fn list(api: &Api, admitted: &Admitted) -> Result<Response<Bytes>> {
    let requester = Requester {
        admitted,
        client: &Client::default(),
        meta: None,
    };
    let visible = api.dispatcher.visible(requester, Endpoint::Api).await?;
    let cached = api.listing.load_full();
    let listing = match cached.filter(|listing| listing.is_of(&visible.registry)) {
        Some(listing) => listing,
        // The first list, or the first one since the functions changed.
        None => {
            let listing = Arc::new(Listing::new(visible.registry)?);
            api.listing.store(Some(listing.clone()));
            listing
        }
    };
    Ok(response::json(listing.write(&visible.positions)?))
}
