//! Writes an error as `application/problem+json` (RFC 9457): `type`, `title`, `status`, `detail`, and tent's own
//! `code`, `fix` and `fields`. It shows nothing of the error's private source.

use axum::body::Body;
use http::request::Parts;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value};
use tent_core::codes;

use crate::dispatch::Dispatcher;
use crate::error::Error;
use crate::web;

/// Writes the response of a request that failed.
pub(super) fn response(error: &Error, parts: &Parts, dispatcher: &Dispatcher) -> Response<Body> {
    let mut response = Response::new(Body::from(document(error, parts, dispatcher).to_string()));
    let status = StatusCode::from_u16(error.status());
    *response.status_mut() = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    let media = HeaderValue::from_static("application/problem+json");
    headers.insert(header::CONTENT_TYPE, media);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web::nosniff(headers);
    web::failure_headers(error, &dispatcher.about().name, headers);
    let allow = error.fields().get("allow").and_then(Value::as_str);
    if let Some(allow) = allow.filter(|_| error.is(codes::METHOD_NOT_ALLOWED))
        && let Ok(allow) = HeaderValue::from_str(allow)
    {
        headers.insert(header::ALLOW, allow);
    }
    response
}

fn document(error: &Error, parts: &Parts, dispatcher: &Dispatcher) -> Value {
    let base = web::base(parts, dispatcher.settings().web.public_url.as_ref());
    let mut document = Map::new();
    let mut put = |name: &str, value: Value| {
        document.insert(name.to_owned(), value);
    };
    // The codes of the app have no page here, so the type is a URN.
    put(
        "type",
        match error.code().starts_with('T') {
            true => format!("{base}/_t/codes/{}", error.code()).into(),
            false => format!("urn:code:{}", error.code()).into(),
        },
    );
    put("title", error.name().into());
    put("status", error.status().into());
    put("detail", error.message().into());
    put("code", error.code().into());
    if !error.fix().is_empty() {
        put("fix", error.fix().into());
    }
    if !error.fields().is_empty() {
        put("fields", error.fields().clone().into());
    }
    Value::Object(document)
}
