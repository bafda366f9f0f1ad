//! The response to a client whose connection ends before a request is read.

use crate::error::Error;

/// A whole response, for an error with `Retry-After`. It ends the connection.
pub(super) fn response(error: &Error) -> String {
    let status = http::StatusCode::from_u16(error.status());
    let status = status.unwrap_or(http::StatusCode::SERVICE_UNAVAILABLE);
    let retry_after = error.retry_after().map_or(1, |wait| wait.as_secs().max(1));
    let problem = serde_json::json!({
        "title": error.name(),
        "status": error.status(),
        "detail": error.message(),
        "code": error.code(),
        "fix": error.fix(),
    });
    let problem = problem.to_string();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\ncache-control: no-store\r\nretry-after: {retry_after}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{problem}",
        problem.len()
    )
}
