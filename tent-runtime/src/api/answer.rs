//! An answer as an HTTP response: a value as JSON, nothing as 204, content in its own media type.

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::function::{Answer, Content};
use crate::web;

/// The media type of a text.
const TEXT: &str = "text/plain; charset=utf-8";

/// The media types that a browser may show: none of them can run anything. One with anything more to it is
/// not among them, for readers differ in what they make of that.
const SHOWN: [&str; 8] = [
    TEXT,
    "text/plain",
    "application/json",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
];

pub(super) fn response(answer: Answer) -> Response<Body> {
    match (answer.value, answer.content) {
        (None, content) if content.is_empty() => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        (Some(value), content) if content.is_empty() => json(String::from(Box::<str>::from(value))),
        (None, mut content) if content.len() == 1 => match content.pop() {
            Some(one) => alone(one),
            None => json("[]".to_owned()),
        },
        (value, content) => {
            let content: Vec<_> = content.iter().map(block).collect();
            match value {
                Some(value) => json(json!({ "value": value, "content": content }).to_string()),
                None => json(json!({ "content": content }).to_string()),
            }
        }
    }
}

pub(super) fn json(text: String) -> Response<Body> {
    typed(text.into(), "application/json")
}

fn typed(body: Body, media_type: &str) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    let other = HeaderValue::from_static("application/octet-stream");
    let media_type = HeaderValue::from_str(media_type).unwrap_or(other);
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web::nosniff(headers);
    response
}

/// One piece of content as the whole body. Nothing that it holds may run as a page of this server.
fn alone(content: Content) -> Response<Body> {
    let (data, media_type) = match content {
        Content::Text(text) => (text.into_bytes(), TEXT.to_owned()),
        Content::Image { data, media_type }
        | Content::Audio { data, media_type }
        | Content::File {
            data, media_type, ..
        } => (data, media_type),
        link @ Content::Link { .. } => return json(block(&link).to_string()),
    };
    let mut response = typed(data.into(), &media_type);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    if !SHOWN
        .iter()
        .any(|shown| media_type.eq_ignore_ascii_case(shown))
    {
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment"),
        );
    }
    response
}

/// A piece of content among others, as JSON: bytes in base64.
fn block(content: &Content) -> Value {
    match content {
        Content::Text(text) => json!({ "type": "text", "text": text }),
        Content::Image { data, media_type } => {
            json!({ "type": "image", "mediaType": media_type, "data": BASE64_STANDARD.encode(data) })
        }
        Content::Audio { data, media_type } => {
            json!({ "type": "audio", "mediaType": media_type, "data": BASE64_STANDARD.encode(data) })
        }
        Content::File {
            uri,
            data,
            media_type,
        } => {
            json!({ "type": "file", "uri": uri, "mediaType": media_type, "data": BASE64_STANDARD.encode(data) })
        }
        Content::Link {
            uri,
            name,
            media_type,
        } => {
            json!({ "type": "link", "uri": uri, "name": name, "mediaType": media_type })
        }
    }
}
