//! The head of the request that opened a stream.

use http::HeaderValue;
use http::request::Parts;

/// A copy of a request head that shares no memory with its connection. A plain clone shares the 8 KiB read buffer, which
/// each stream would keep for as long as it is open.
pub(super) fn detached(parts: &Parts) -> Parts {
    let mut detached = parts.clone();
    for value in detached.headers.values_mut() {
        if let Ok(mut copy) = HeaderValue::from_bytes(value.as_bytes()) {
            copy.set_sensitive(value.is_sensitive());
            *value = copy;
        }
    }
    if let Ok(uri) = parts.uri.to_string().parse() {
        detached.uri = uri;
    }
    detached
}
