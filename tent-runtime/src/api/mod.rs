//! `/api`: every function as `POST /api/{name}`, queries as `GET /api/{name}` too, and the list of what
//! a caller may call. Knows HTTP, and nothing of how a function is found, checked or run.

mod answer;
mod problem;

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use serde_json::{Map, Value, json};
use tent_core::codes;
use tokio::time::Instant;

use crate::caller::Caller;
use crate::cx::Client;
use crate::dispatch::{Call, Dispatcher, Endpoint, RequestContext};
use crate::error::{Error, Result};
use crate::function::{Function, Kind, OutputShape};
use crate::json;
use crate::schema::{InputEncoding, invalid_input};
use crate::web::{self, Upload};

/// Answers any request under `/api`.
pub(crate) async fn serve(dispatcher: Arc<Dispatcher>, request: Request<Body>) -> Response<Body> {
    let trace = web::trace(request.headers());
    let (parts, body) = request.into_parts();
    let mut body = Upload::of(&parts, body);
    let served = serve_parts(&dispatcher, &parts, &mut body, &trace).await;
    let mut response =
        served.unwrap_or_else(|error| problem::response(&error, &parts, &dispatcher));
    body.finish(&mut response).await;
    if let Ok(trace) = HeaderValue::from_str(&trace) {
        response
            .headers_mut()
            .insert(web::REQUEST_ID.clone(), trace);
    }
    match parts.method {
        Method::HEAD => without_body(response),
        _ => response,
    }
}

/// A failure as this door tells it, to a request that is no call.
pub(crate) fn refusal(error: &Error, parts: &Parts, dispatcher: &Dispatcher) -> Response<Body> {
    problem::response(error, parts, dispatcher)
}

/// The headers of an answer to GET, its length among them, for a HEAD (RFC 9110, section 9.3.2).
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

async fn serve_parts(
    dispatcher: &Arc<Dispatcher>,
    parts: &Parts,
    body: &mut Upload,
    trace: &str,
) -> Result<Response<Body>> {
    dispatcher.check_host(parts)?;
    let caller = dispatcher.identify(parts, trace).await?;
    match name(parts)? {
        None if reads(&parts.method) => list(dispatcher, &caller, trace).await,
        None => Err(method_not_allowed("GET, HEAD")),
        Some(name) => call(dispatcher, parts, body, caller, name, trace).await,
    }
}

fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

fn method_not_allowed(allow: &'static str) -> Error {
    Error::new(codes::METHOD_NOT_ALLOWED).with_field("allow", allow)
}

/// The function that the path names; `None` for the list.
fn name(parts: &Parts) -> Result<Option<String>> {
    let path = parts.uri.path();
    let rest = path.strip_prefix("/api").unwrap_or(path);
    // One slash alone: a name with another before it is none.
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    if rest.is_empty() {
        return Ok(None);
    }
    let name = percent_encoding::percent_decode_str(rest).decode_utf8();
    name.map(|name| Some(name.into_owned()))
        .map_err(|_| Error::new(codes::NOT_FOUND))
}

async fn call(
    dispatcher: &Arc<Dispatcher>,
    parts: &Parts,
    body: &mut Upload,
    caller: Caller,
    name: String,
    trace: &str,
) -> Result<Response<Body>> {
    // Whether a method fits depends on the function, and only who may call it may learn that it exists.
    let cx = dispatcher.cx_by(RequestContext {
        caller: &caller,
        client: &Client::default(),
        trace,
        deadline: dispatcher.deadline(),
    });
    let function = dispatcher.find(&name, Endpoint::Api, &cx).await?;
    // How long the body may take to come is bounded by its own pace.
    let left = cx.time_left();
    let query = function.kind == Kind::Query;
    let (input, wire) = match &parts.method {
        method if reads(method) && query => (query_input(parts, function)?, InputEncoding::Strings),
        &Method::POST => (
            posted_input(dispatcher, parts, body).await?,
            InputEncoding::Json,
        ),
        _ if query => return Err(method_not_allowed("GET, HEAD, POST")),
        _ => return Err(method_not_allowed("POST")),
    };
    if !function.only_reads() {
        dispatcher.check_page(parts, &caller)?;
    }
    let call = Call {
        name,
        input,
        wire,
        caller,
        client: Client::default(),
        meta: Map::new(),
        trace: trace.to_owned(),
        deadline: left.and_then(|left| Instant::now().checked_add(left)),
        at: Endpoint::Api,
        peer: None,
        rounds: None,
    };
    Ok(answer::response(dispatcher.call(call).await?))
}

async fn posted_input(
    dispatcher: &Dispatcher,
    parts: &Parts,
    body: &mut Upload,
) -> Result<Map<String, Value>> {
    if !web::is_json(&parts.headers) {
        return Err(Error::new(codes::UNSUPPORTED_MEDIA_TYPE));
    }
    let bytes = body.read(dispatcher.settings().limits.max_body).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    json::object(&bytes)
}

/// The query of a GET: a name once is a text, a name more than once a list of texts.
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
    let shown = input
        .keys()
        .filter(|name| function.input.has_secret_in(name));
    let why = "is a secret: send it by POST, never in an address";
    let shown: Vec<_> = shown.map(|name| (name.clone(), why.to_owned())).collect();
    match shown.is_empty() {
        true => Ok(input),
        false => Err(invalid_input(shown)),
    }
}

/// What this caller may call, with the schemas to call it by.
async fn list(dispatcher: &Dispatcher, caller: &Caller, trace: &str) -> Result<Response<Body>> {
    let asking = RequestContext {
        caller,
        client: &Client::default(),
        trace,
        deadline: dispatcher.deadline(),
    };
    let visible = dispatcher.visible(asking, Endpoint::Api).await?;
    let functions = visible
        .into_iter()
        .map(|at| listed(&dispatcher.registry().functions()[at]));
    let list = json!({ "functions": functions.collect::<Vec<_>>() });
    Ok(answer::json(list.to_string()))
}

fn listed(function: &Function) -> Value {
    let mut listed = json!({
        "name": function.name,
        "title": function.title,
        "kind": function.kind.word(),
        "methods": if function.kind == Kind::Query { vec!["GET", "POST"] } else { vec!["POST"] },
        "readOnly": function.only_reads(),
        "input": function.input.published(),
    });
    if !function.about.is_empty() {
        listed["about"] = json!(function.about);
    }
    if function.asks {
        listed["asks"] = json!(true);
    }
    if let OutputShape::Value(Some(output)) = &function.output {
        listed["output"] = output.published().clone();
    }
    listed
}
