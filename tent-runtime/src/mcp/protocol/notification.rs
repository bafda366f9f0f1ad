//! Writes notifications.
//! Must not decide which client gets one.

use crate::mcp::protocol::response::write;

/// Writes the start of a notification, up to the members of its params. [`end`] closes it.
pub(crate) fn begin(method: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"#);
    write(&mut out, method);
    out.extend_from_slice(br#","params":{"#);
    out
}

/// Closes what [`begin`] opened.
pub(crate) fn end(mut out: Vec<u8>) -> Vec<u8> {
    out.extend_from_slice(b"}}");
    out
}
