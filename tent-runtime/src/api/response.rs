//! Writes the output of a function as an HTTP response: a value as JSON, no value as 204, content in its own media type.
//!
//! A value is the whole body, as the published output schema says. Content beside a value is for MCP clients.

use axum::body::Bytes;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use crate::function::{
    Annotations, Content, ContentKind, Output, ResourceData, ResourceInfo, Role,
};
use crate::web;

/// The media type of text content.
const TEXT: &str = "text/plain; charset=utf-8";

/// The media types that a browser may display: it runs nothing in them. A media type with any other parameter is not
/// among them, since browsers differ in how they read it.
const INLINE: [&str; 8] = [
    TEXT,
    "text/plain",
    "application/json",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
];

/// Writes the response of a call that succeeded.
pub(super) fn response(output: Output) -> Response<Bytes> {
    match (output.value, output.content) {
        (Some(value), _) => json(String::from(Box::<str>::from(value))),
        (None, content) if content.is_empty() => {
            let mut response = Response::new(Bytes::new());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        (None, mut content) if content.len() == 1 => match content.pop() {
            Some(one) => single(one),
            None => json("[]".to_owned()),
        },
        (None, content) => {
            let content: Vec<_> = content.iter().map(block).collect();
            json(json!({ "content": content }).to_string())
        }
    }
}

/// Writes a response of this JSON text.
pub(super) fn json(text: String) -> Response<Bytes> {
    typed(text.into(), "application/json")
}

fn typed(body: Bytes, media_type: &str) -> Response<Bytes> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    let other = HeaderValue::from_static("application/octet-stream");
    let media_type = HeaderValue::from_str(media_type).unwrap_or(other);
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    web::nosniff(headers);
    response
}

/// Writes a single kind of content as the whole body. A browser must not run it as a page of this server.
fn single(content: Content) -> Response<Bytes> {
    let (data, media_type) = match content.kind {
        ContentKind::Text(text) => (text.into_bytes(), TEXT.to_owned()),
        ContentKind::Image { data, media_type } | ContentKind::Audio { data, media_type } => {
            (data, media_type)
        }
        ContentKind::Resource(resource) => match resource.data {
            ResourceData::Text(text) => (text.into_bytes(), with_charset(resource.media_type)),
            ResourceData::Bytes(data) => (data, resource.media_type),
        },
        ContentKind::Link(_) => return json(block(&content).to_string()),
    };
    let mut response = typed(data.into(), &media_type);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_static("default-src 'none'; sandbox");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    if !INLINE
        .iter()
        .any(|inline| media_type.eq_ignore_ascii_case(inline))
    {
        headers.insert(
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("attachment"),
        );
    }
    response
}

/// Adds the charset to the media type of a text that does not name one.
fn with_charset(media_type: String) -> String {
    let lower = media_type.to_ascii_lowercase();
    if lower.starts_with("text/") && !lower.contains("charset=") {
        return media_type + "; charset=utf-8";
    }
    media_type
}

/// Writes a kind of content among others as JSON, with bytes in base64.
fn block(content: &Content) -> Value {
    let mut block = match &content.kind {
        ContentKind::Text(text) => json!({ "type": "text", "text": text }),
        ContentKind::Image { data, media_type } => {
            json!({ "type": "image", "mediaType": media_type, "data": BASE64_STANDARD.encode(data) })
        }
        ContentKind::Audio { data, media_type } => {
            json!({ "type": "audio", "mediaType": media_type, "data": BASE64_STANDARD.encode(data) })
        }
        ContentKind::Resource(resource) => {
            let mut block = json!({ "type": "resource", "uri": resource.uri, "mediaType": resource.media_type });
            match &resource.data {
                ResourceData::Text(text) => block["text"] = text.as_str().into(),
                ResourceData::Bytes(data) => block["data"] = BASE64_STANDARD.encode(data).into(),
            }
            block
        }
        ContentKind::Link(link) => linked(link),
    };
    let Annotations {
        audience,
        priority,
        last_modified,
    } = &content.annotations;
    let mut hints = Map::new();
    if !audience.is_empty() {
        let audience = audience.iter().copied().map(Role::name);
        hints.insert("audience".to_owned(), audience.collect());
    }
    if let Some(priority) = priority {
        hints.insert("priority".to_owned(), (*priority).into());
    }
    if let Some(time) = last_modified {
        hints.insert("lastModified".to_owned(), time.as_str().into());
    }
    if !hints.is_empty() {
        block["annotations"] = hints.into();
    }
    block
}

fn linked(link: &ResourceInfo) -> Value {
    let mut block = json!({ "type": "link", "uri": link.uri, "name": link.name });
    let texts = [
        ("title", &link.title),
        ("about", &link.about),
        ("mediaType", &link.media_type),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            block[key] = text.as_str().into();
        }
    }
    if let Some(size) = link.size {
        block["size"] = size.into();
    }
    block
}
