//! The parts of HTTP that both endpoints share: request bodies, media types, request ids, and the headers of a failure.
//!
//! It knows neither functions nor callers.

mod mount;
mod upload;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use tent_core::codes;

use crate::cx::TraceId;
use crate::error::{Error, Result};
use crate::text::abridged;

pub(crate) use mount::base;
pub(crate) use upload::Upload;

/// The header with the id of a request, of requests and responses.
pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Whether the content type is JSON, in any case and with any parameters (RFC 9110, section 8.3.1).
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else {
        return false;
    };
    let media = only
        .to_str()
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    media.trim().eq_ignore_ascii_case("application/json")
}

/// Checks the media type and the coding of a request body that must be JSON.
///
/// # Errors
/// T0017 for another media type, and for a coding such as `gzip`, which it names.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<()> {
    // The coding first: without it, nothing else about the body is known.
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    let is_coded = |value: &&HeaderValue| {
        let mut codings = value.as_bytes().split(|&byte| byte == b',');
        codings.any(|coding| {
            let coding = coding.trim_ascii();
            !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity")
        })
    };
    if let Some(coding) = encodings.find(is_coded) {
        let coding = abridged(&String::from_utf8_lossy(coding.as_bytes()), 80).into_owned();
        return Err(Error::new(codes::UNSUPPORTED_MEDIA_TYPE)
            .with_message(format!("The request body has the content coding {coding}."))
            .with_fix("Send the body as it is, without Content-Encoding.")
            .with_field(CODING, coding));
    }
    match is_json(headers) {
        true => Ok(()),
        false => Err(Error::new(codes::UNSUPPORTED_MEDIA_TYPE)
            .with_message("The content type of the request body is not JSON.")
            .with_fix("Send `Content-Type: application/json`.")),
    }
}

/// The field of an error that names the content coding of a request.
const CODING: &str = "contentEncoding";

/// The id of a request: its own `X-Request-Id` if that is safe to log and to send back, else a new one.
pub(crate) fn trace(headers: &HeaderMap) -> TraceId {
    let own = headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok());
    own.and_then(TraceId::parse)
        .unwrap_or_else(TraceId::generate)
}

/// Adds the id of the request to a response.
pub(crate) fn put_trace(headers: &mut HeaderMap, trace: TraceId) {
    if let Ok(trace) = HeaderValue::from_str(trace.as_str()) {
        headers.insert(REQUEST_ID.clone(), trace);
    }
}

/// Forbids clients to guess another media type for the body than the declared one.
pub(crate) fn nosniff(headers: &mut HeaderMap) {
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
}

/// Adds the headers of a failure at either endpoint: the challenge of a 401 and the missing scopes of a 403
/// (`WWW-Authenticate`), and `Retry-After`.
pub(crate) fn failure_headers(error: &Error, realm: &str, headers: &mut HeaderMap) {
    match error.tent_code() {
        Some(codes::SIGN_IN) => {
            headers.insert(header::WWW_AUTHENTICATE, challenge(realm, None));
        }
        Some(codes::NOT_ALLOWED) => {
            let scopes = error.fields().get("scopes").and_then(|s| s.as_array());
            let scopes: Vec<_> = scopes
                .into_iter()
                .flatten()
                .filter_map(|s| s.as_str())
                .collect();
            if !scopes.is_empty() {
                let value = challenge(realm, Some(&scopes.join(" ")));
                headers.insert(header::WWW_AUTHENTICATE, value);
            }
        }
        // RFC 9110, section 12.5.3: the codings that a request to this address may use.
        Some(codes::UNSUPPORTED_MEDIA_TYPE) if error.fields().contains_key(CODING) => {
            let identity = HeaderValue::from_static("identity");
            headers.insert(header::ACCEPT_ENCODING, identity);
        }
        _ => {}
    }
    if let Some(wait) = error.retry_after() {
        headers.insert(
            header::RETRY_AFTER,
            HeaderValue::from(wait.as_millis().div_ceil(1000).max(1) as u64),
        );
    }
}

/// `Bearer realm="…"` (RFC 6750, section 3), with the missing scopes.
fn challenge(realm: &str, missing: Option<&str>) -> HeaderValue {
    let quoted = |text: &str| -> String {
        let plain = text
            .chars()
            .filter(|c| matches!(c, ' '..='~') && !matches!(c, '"' | '\\'));
        plain.collect()
    };
    let mut text = format!("Bearer realm=\"{}\"", quoted(realm));
    if let Some(scopes) = missing {
        text += &format!(
            ", error=\"insufficient_scope\", scope=\"{}\"",
            quoted(scopes)
        );
    }
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("Bearer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> HeaderMap {
        let name: HeaderName = name.parse().expect("a header name");
        HeaderMap::from_iter([(name, value.parse().expect("a header value"))])
    }

    #[test]
    fn compares_content_types_without_case_and_parameters() {
        for json in [
            "application/json",
            "APPLICATION/JSON",
            "application/json;charset=\"UTF-8\"",
            "application/json ;profile=x",
        ] {
            assert!(is_json(&with("content-type", json)), "{json}");
        }
        for other in [
            "text/plain",
            "application/jsonp",
            "application/problem+json",
            "",
        ] {
            assert!(!is_json(&with("content-type", other)), "{other}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }

    // P15.
    #[test]
    fn names_the_coding_of_a_body_that_it_does_not_read() {
        let check = |encoding: &str| {
            let mut headers = with("content-encoding", encoding);
            headers.extend(with("content-type", "application/json"));
            check_json(&headers)
        };
        for identity in ["", "identity", "Identity", "identity, identity"] {
            assert!(check(identity).is_ok(), "{identity}");
        }
        for coded in ["gzip", "br", "identity, GZIP", "x-gzip", "zstd"] {
            let error = check(coded).expect_err("it is coded");
            assert_eq!((error.code(), error.status()), ("T0017", 415));
            assert!(error.message().contains(coded), "{error}");
            let mut headers = HeaderMap::new();
            failure_headers(&error, "", &mut headers);
            assert_eq!(headers[header::ACCEPT_ENCODING], "identity");
        }
        let error = check_json(&HeaderMap::new()).expect_err("it has no type");
        let mut headers = HeaderMap::new();
        failure_headers(&error, "", &mut headers);
        assert!(headers.is_empty());
        let long = check(&"x".repeat(9000)).expect_err("it is coded");
        assert!(long.message().len() < 200);
    }

    #[test]
    fn replaces_a_request_id_that_is_not_safe() {
        let own = trace(&with("x-request-id", "abc-1.2_3"));
        assert_eq!(own.as_str(), "abc-1.2_3");
        for unsafe_id in ["", "a b", "a\"b", &"x".repeat(65)] {
            let id = trace(&with("x-request-id", unsafe_id));
            assert!(id.as_str().len() == 16 && id.as_str() != unsafe_id);
        }
        assert_ne!(trace(&HeaderMap::new()), trace(&HeaderMap::new()));
    }
}
