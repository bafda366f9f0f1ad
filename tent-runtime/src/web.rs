//! What both envelopes need of HTTP: reading a body within its limit, media types, the id of a request,
//! and the headers that a refusal has.
//!
//! Knows no function and no caller.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_body_util::BodyExt as _;

use crate::error::{Error, Result};

/// The header that names a request, in and out.
pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// How many bytes over the limit are read and dropped. A client that writes its whole body before it
/// reads would else meet a closed connection in place of the refusal that says why.
const DROPPED: usize = 16 << 20;

/// Reads a whole body of at most `limit` bytes.
///
/// # Errors
/// T0007 for a larger one, of which no more than `limit` bytes are ever held; T0018 for one that broke off.
pub(crate) async fn body(mut body: Body, limit: usize) -> Result<Bytes> {
    let most = limit.saturating_add(DROPPED);
    if body.size_hint().lower() > most as u64 {
        return Err(too_large(limit));
    }
    let mut read = 0_usize;
    // Nearly every body comes as one piece, which is then handed on as it is.
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(piece) = frame.map_err(broke_off)?.into_data() else {
            continue;
        };
        read = read.saturating_add(piece.len());
        if read > most {
            return Err(too_large(limit));
        }
        if read > limit {
            first = Bytes::new();
            whole = BytesMut::new();
        } else if first.is_empty() {
            first = piece;
        } else {
            if whole.is_empty() {
                let rest = usize::try_from(body.size_hint().lower()).unwrap_or(0);
                whole.reserve(read.saturating_add(rest).min(limit));
                whole.extend_from_slice(&first);
            }
            whole.extend_from_slice(&piece);
        }
    }
    match (read > limit, whole.is_empty()) {
        (true, _) => Err(too_large(limit)),
        (false, true) => Ok(first),
        (false, false) => Ok(whole.freeze()),
    }
}

fn broke_off(error: axum::Error) -> Error {
    Error::of("T0018")
        .with_message("The body broke off before its end.")
        .with_source(error)
}

fn too_large(limit: usize) -> Error {
    Error::of("T0007")
        .with_message(format!(
            "The body is over the {limit} bytes that this server takes."
        ))
        .with_field("limit", limit as u64)
}

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
    let start = START.get_or_init(|| {
        let mut bytes = [0; 8];
        // Without the system's randomness two processes may number alike; nothing relies on it.
        let _ = getrandom::fill(&mut bytes);
        u64::from_le_bytes(bytes)
    });
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
    match error.code() {
        "T0004" => {
            headers.insert(header::WWW_AUTHENTICATE, challenge(realm, None));
        }
        "T0005" => {
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

    /// A body in these pieces, the end of which is broken where one of them is.
    fn pieces<const N: usize>(pieces: [std::io::Result<&'static str>; N]) -> Body {
        Body::from_stream(futures_util::stream::iter(pieces))
    }

    #[tokio::test]
    async fn a_body_comes_whole_however_it_was_cut() {
        let cut = pieces([Ok("1"), Ok(""), Ok("23"), Ok("45")]);
        assert_eq!(body(cut, 5).await.expect("it fits"), "12345");
        assert_eq!(body(Body::empty(), 0).await.expect("it fits"), "");
        let broken = pieces([Ok("1"), Err(std::io::Error::other("gone"))]);
        assert_eq!(body(broken, 5).await.expect_err("it broke").code(), "T0018");
    }

    #[tokio::test]
    async fn what_is_over_the_limit_is_read_to_its_end_within_bounds() {
        let error = body(pieces([Ok("123"), Ok("456"), Ok("7")]), 5).await;
        assert_eq!(error.expect_err("it is too large").code(), "T0007");
        // One that broke off after the limit was over is told that, for the whole of it was read.
        let broken = pieces([Ok("123456"), Err(std::io::Error::other("gone"))]);
        assert_eq!(body(broken, 5).await.expect_err("it broke").code(), "T0018");
        let endless =
            futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![0_u8; 1 << 20]));
        let error = body(Body::from_stream(endless), 5).await;
        assert_eq!(error.expect_err("it never ends").code(), "T0007");
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused_and_one_at_it_is_not() {
        assert_eq!(
            body(Body::from("12345"), 5).await.expect("it fits"),
            "12345"
        );
        let error = body(Body::from("123456"), 5)
            .await
            .expect_err("it is too large");
        assert_eq!(
            (error.code(), error.fields()["limit"].as_u64()),
            ("T0007", Some(5))
        );
    }
}
