use axum::body::Bytes;
use http::Request;

use http::HeaderValue;

use super::*;

#[test]
fn a_detached_head_is_equal_and_shares_no_memory() {
    let block = Bytes::from("Bearer tk_a /mcp?a=%20b é".to_owned());
    let value = |range| {
        let mut value = HeaderValue::from_maybe_shared(block.slice(range)).expect("a value");
        value.set_sensitive(true);
        value
    };
    let (mut parts, ()) = Request::get("/mcp?a=%20b")
        .body(())
        .expect("a head")
        .into_parts();
    parts.headers.append("authorization", value(0..11));
    parts.headers.append("cookie", value(0..6));
    parts.headers.append("cookie", value(12..26));
    parts.extensions.insert(7_u8);
    let copy = detached(&parts);
    assert_eq!((&copy.headers, &copy.uri), (&parts.headers, &parts.uri));
    assert!(copy.headers.values().all(HeaderValue::is_sensitive));
    assert_eq!(copy.extensions.get(), Some(&7_u8));
    drop(parts);
    assert!(block.is_unique(), "no part of the block is in use");
}
