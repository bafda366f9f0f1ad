//! Tests of the rules for headers.

use std::collections::BTreeMap;

use super::*;
use serde_json::json;

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    lines
        .iter()
        .map(|&(name, value)| {
            let value = HeaderValue::from_str(value).expect("a header's value");
            (HeaderName::from_static(name), value)
        })
        .collect()
}

#[test]
fn reads_accept_as_rfc_9110_says() {
    for lines in [
        &[][..],
        &["*/*"],
        &["*"],
        &[""],
        &["application/*"],
        &["text/*"],
        &["APPLICATION/JSON"],
        &["text/event-stream;q=0.5, application/json"],
        &["application/json", "text/event-stream"],
        &["image/png", "*/*;q=0.1"],
        &["application/json;q=0, */*"],
        &["text/html, application/xhtml+xml, */*;q=0.8"],
    ] {
        let lines: Vec<_> = lines.iter().map(|&line| ("accept", line)).collect();
        assert!(accepted(&headers(&lines)).any, "{lines:?}");
    }
    for line in [
        "image/png",
        "text/html",
        "*/*;q=0",
        "application/json;q=0.0, text/*; Q=0",
        "application/jsonp",
        "?",
    ] {
        assert!(!accepted(&headers(&[("accept", line)])).any, "{line}");
    }
}

#[test]
fn accepts_event_streams_only_by_name() {
    for (line, events) in [
        (BOTH, true),
        (
            "application/json;q=0.1 , TEXT/event-stream; charset=utf-8",
            true,
        ),
        ("text/event-stream;q=0.5", true),
        ("text/event-stream;q=0, application/json", false),
        ("*/*", false),
        ("text/*", false),
    ] {
        let accepted = accepted(&headers(&[("accept", line)]));
        assert_eq!((accepted.any, accepted.events), (true, events), "{line}");
    }
}

#[test]
fn method_and_name_match_the_body_and_may_be_absent_unless_required() {
    let sent = headers(&[
        ("mcp-method", "tools/call"),
        ("mcp-name", "=?base64?SGVsbG8sIOS4lueVjA==?="),
    ]);
    assert!(method(&sent, "tools/call", true).is_ok());
    assert!(
        method(&sent, "Tools/call", true).is_err(),
        "values have capitals"
    );
    assert!(name(&sent, "Hello, 世界", true).is_ok());
    assert!(
        name(&sent, "=?base64?SGVsbG8sIOS4lueVjA==?=", true).is_err(),
        "it is decoded"
    );
    let none = HeaderMap::new();
    assert!(method(&none, "x", false).is_ok() && method(&none, "x", true).is_err());
    assert!(name(&none, "x", false).is_ok() && name(&none, "x", true).is_err());
    let twice = headers(&[("mcp-name", "a"), ("mcp-name", "a")]);
    assert!(
        name(&twice, "a", false).is_err(),
        "a proxy may read the other one"
    );
    for broken in ["=?base64?!?=", "=?base64?/w==?="] {
        assert!(
            name(&headers(&[("mcp-name", broken)]), broken, true).is_err(),
            "{broken}"
        );
    }
}

/// The mirrors of an input with this schema.
fn mirrors(schema: Value) -> Vec<MirroredField> {
    MirroredField::all(&InputSchema::from_declared(schema).expect("a schema"))
}

#[test]
fn finds_mirrored_fields_in_nested_properties() {
    let mut found = mirrors(json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "at": {"type": "object", "properties": {
            "row": {"type": "integer", "x-mcp-header": "Row"}
        }},
        "list": {"type": "array", "items": {"type": "string"}},
    }}));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let found = found.iter().map(|m| (m.header.as_str(), m.path.join(".")));
    assert_eq!(
        found.collect::<Vec<_>>(),
        [
            ("mcp-param-row", "at.row".to_owned()),
            ("mcp-param-region", "region".to_owned()),
        ]
    );
}

#[test]
fn an_error_never_shows_a_secret() {
    let found = mirrors(json!({"type": "object", "properties": {
        "pin": {"type": "string", "x-mcp-header": "Pin", "x-tent-secret": true},
        "card": {"type": "object", "x-tent-secret": true, "properties": {
            "number": {"type": "string", "x-mcp-header": "Card"}
        }},
        "plain": {"type": "string", "x-mcp-header": "Plain"},
    }}));
    let input = json!({
        "pin": "in the body", "card": {"number": "in the body"}, "plain": "in the body"
    });
    let Value::Object(input) = input else {
        panic!("an object")
    };
    let errors: BTreeMap<String, String> = found
        .iter()
        .map(|mirror| {
            let mut sent = HeaderMap::new();
            let value = HeaderValue::from_static("in the header");
            sent.insert(mirror.header.clone(), value);
            let error = mirror.check(&sent, &input, true).expect_err("they differ");
            let text = String::from_utf8(error.write(None)).expect("a text");
            (mirror.path.join("."), text)
        })
        .collect();
    assert_eq!(errors.len(), 3);
    for path in ["pin", "card.number"] {
        let text = &errors[path];
        assert!(!text.contains("in the"), "{text}");
        assert!(text.contains(&format!("the body's {path} says")), "{text}");
    }
    assert!(errors["plain"].contains("says 'in the header'"));
}

#[test]
fn compares_a_mirrored_field_by_its_type() {
    let mirror = MirroredField {
        header: HeaderName::from_static("mcp-param-x"),
        path: vec!["x".to_owned()],
        secret: false,
    };
    let check = |header: Option<&str>, input: Value, is_required| {
        let sent = headers(
            &header
                .map(|h| ("mcp-param-x", h))
                .into_iter()
                .collect::<Vec<_>>(),
        );
        let Value::Object(input) = input else {
            panic!("an object")
        };
        mirror.check(&sent, &input, is_required).is_ok()
    };
    for (header, value) in [
        ("us", json!("us")),
        ("=?base64?IHBhZGRlZCA=?=", json!(" padded ")),
        ("42", json!(42)),
        ("42.0", json!(42)),
        ("42", json!(42.0)),
        ("-7", json!(-7)),
        ("true", json!(true)),
        ("whatever", json!([1])),
    ] {
        assert!(
            check(Some(header), json!({"x": value}), true),
            "{header} {value}"
        );
    }
    for (header, value) in [
        ("US", json!("us")),
        ("43", json!(42)),
        ("9007199254740993", json!(9_007_199_254_740_992_u64)),
        ("True", json!(true)),
        ("us", json!(null)),
    ] {
        assert!(
            !check(Some(header), json!({"x": value}), false),
            "{header} {value}"
        );
    }
    assert!(
        !check(Some("us"), json!({}), false),
        "a header without its field"
    );
    assert!(check(None, json!({}), true) && check(None, json!({"x": null}), true));
    assert!(
        !check(None, json!({"x": "us"}), true),
        "required in the modern era"
    );
    assert!(check(None, json!({"x": "us"}), false));
}
