//! Tests of strict JSON.

use super::*;
use serde_json::json;

fn strict(text: &str) -> Result<Value, String> {
    read(text, Strict).map_err(|error| error.to_string())
}

fn skipped(text: &str) -> Result<(), String> {
    read(text, Taking(Skip)).map_err(|error| error.to_string())
}

#[test]
fn reads_every_type_as_serde_json_does() {
    let text = r#"{"a":[1,-2,3.5,true,null,"x\n\u00e9"],"b":{"c":{}},"n":18446744073709551615}"#;
    let plain: Value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(strict(text), Ok(plain));
    assert_eq!(skipped(text), Ok(()));
}

#[test]
fn rejects_duplicate_keys_at_every_depth_and_in_skipped_values() {
    for text in [
        r#"{"a":1,"a":1}"#,
        r#"{"a":1,"\u0061":2}"#,
        r#"[{"b":{"c":[{"a":1,"x":2,"a":3}]}}]"#,
    ] {
        let error = strict(text).expect_err(text);
        assert!(error.starts_with(r#"duplicate key "a""#), "{error}");
        assert_eq!(skipped(text).expect_err(text), error);
    }
    assert_eq!(strict(r#"{"a":1,"A":2}"#), Ok(json!({"a": 1, "A": 2})));
}

#[test]
fn rejects_reserved_keys_at_every_depth_and_in_skipped_values() {
    for text in [
        r#"{"$serde_json::private::RawValue":"{\"a\":1,\"a\":2}"}"#,
        r#"{"\u0024serde_json::private::Number":"1"}"#,
        r#"[{"a":{"b":1,"$serde_json::private::RawValue":0}}]"#,
    ] {
        let error = strict(text).expect_err(text);
        assert!(error.contains("is not allowed"), "{error}");
        assert_eq!(skipped(text).expect_err(text), error);
    }
    // The text is allowed as a value, and so is a similar key.
    let text = r#"{"a":"$serde_json::private::RawValue","$serde_json":1}"#;
    assert!(strict(text).is_ok() && skipped(text).is_ok());
}

/// Fails if the linked serde_json renames its private key, because the check above would then reject a key without a
/// meaning.
#[test]
fn serde_json_still_reserves_the_key() {
    let text = r#"{"$serde_json::private::RawValue":"[1]"}"#;
    let plain: Value = serde_json::from_str(text).expect("it is JSON");
    assert_eq!(plain, json!([1]));
}

#[test]
fn finds_a_duplicate_among_many_keys() {
    let mut text = String::from("{");
    for n in 0..1000 {
        text.push_str(&format!("\"k{n}\":0,"));
    }
    assert_eq!(skipped(&format!("{text}\"last\":0}}")), Ok(()));
    assert!(skipped(&format!("{text}\"k999\":0}}")).is_err());
}

#[test]
fn rejects_deep_nesting_and_text_after_the_value() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(strict(&nested(127)).is_ok() && skipped(&nested(127)).is_ok());
    for depth in [128, 200, 100_000] {
        assert!(strict(&nested(depth)).is_err() && skipped(&nested(depth)).is_err());
    }
    assert!(strict("{} {}").is_err());
}

#[test]
fn a_body_that_is_no_object_is_t0018() {
    for body in [
        &b"[]"[..],
        b"",
        b"{",
        b"\xff{}",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf{}",
        b" \xef\xbb\xbf{}",
        b"{\"a\":1,\"a\":1}",
    ] {
        assert_eq!(
            object(body).expect_err("refused").code(),
            "T0018",
            "{body:?}"
        );
    }
    // P09: with a byte order mark or without one.
    for body in [&b" {\"a\": 1} "[..], b"\xef\xbb\xbf {\"a\": 1}"] {
        let read = object(body).map(Value::from);
        assert_eq!(read.ok(), Some(json!({"a": 1})), "{body:?}");
    }
}
