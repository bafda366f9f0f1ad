//! What both envelopes need of HTTP: the body of a request, media types, the id of a request,
//! and the headers that a refusal has.
//!
//! Knows no function and no caller.

mod mount;
mod upload;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue, header};
use tent_core::codes;

use crate::error::Error;
use crate::random;

pub(crate) use mount::base;
pub(crate) use upload::Upload;

/// The header that names a request, in and out.
pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Whether the content type is JSON, whatever its capitals and parameters (RFC 9110, section 8.3.1).
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
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

/// The id of a request: its own `X-Request-Id` where that is safe to log and send back (at most 64 letters,
/// digits, `-`, `_`, `.`), else a new one.
pub(crate) fn trace(headers: &HeaderMap) -> String {
    let safe = |id: &&str| {
        let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        (1..=64).contains(&id.len()) && id.bytes().all(fits)
    };
    let own = headers.get(&REQUEST_ID).and_then(|id| id.to_str().ok());
    own.filter(safe).map_or_else(new_trace, str::to_owned)
}

/// A number for each request after a random start for each process: unique enough to find a request
/// in a log, and costs no system call.
fn new_trace() -> String {
    static START: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Without the system's randomness two processes may number alike; nothing relies on it.
    let start = START.get_or_init(|| u64::from_le_bytes(random::try_bytes().unwrap_or_default()));
    let id = start.wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
    format!("{id:016x}")
}

/// No reader takes the body for another type than the one that is stated.
pub(crate) fn nosniff(headers: &mut HeaderMap) {
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
}

/// The headers that a failure brings whatever its envelope: the challenge of a 401, and when to come again.
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
        _ => {}
    }
    if let Some(wait) = error.retry_after() {
        headers.insert(
            header::RETRY_AFTER,
            HeaderValue::from(wait.as_millis().div_ceil(1000).max(1) as u64),
        );
    }
}

/// `Bearer realm="…"` (RFC 6750, section 3), with the scopes that are missing.
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
    fn a_content_type_is_compared_without_capitals_and_parameters() {
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

    #[test]
    fn a_request_id_that_is_not_safe_is_replaced() {
        assert_eq!(trace(&with("x-request-id", "abc-1.2_3")), "abc-1.2_3");
        for unsafe_id in ["", "a b", "a\"b", &"x".repeat(65)] {
            let id = trace(&with("x-request-id", unsafe_id));
            assert!(id.len() == 16 && id != unsafe_id);
        }
        assert_ne!(trace(&HeaderMap::new()), trace(&HeaderMap::new()));
    }
}
