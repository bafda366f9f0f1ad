use super::*;
use crate::cx::Capabilities;
use crate::mcp::protocol::params::Arguments;

fn one(text: &str) -> Message<'_> {
    match read(text.as_bytes()) {
        Ok(Payload::One(message)) => message,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn reads_a_request_with_its_members_in_any_order() {
    let text = r#"{"params":{"arguments":{"a":[1]},"_meta":{"x":{},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}},"roots":{}},"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"f"},"method":"tools/call","id":"\u0041","jsonrpc":"2.0","more":[{}]}"#;
    let Kind::Request(request) = one(text).kind() else {
        panic!("it is a request");
    };
    assert_eq!(
        (request.id.get(), &*request.method),
        (r#""\u0041""#, "tools/call")
    );
    assert_eq!(request.params.name, Text::Valid("f".into()));
    assert_eq!(request.params.meta.version.get(), Some("2026-07-28"));
    assert_eq!(
        request.params.meta.capabilities.map(|one| one.declared),
        Some(Capabilities {
            roots: true,
            url: true,
            ..Capabilities::default()
        })
    );
    assert!(matches!(request.params.arguments, Arguments::Object(map) if map.len() == 1));
}

#[test]
fn strings_borrow_from_the_body() {
    let message = one(r#"{"method":"ping","params":{"name":"f\n"}}"#);
    assert!(matches!(message.method, Text::Valid(Cow::Borrowed("ping"))));
    assert!(
        matches!(message.params.name, Text::Valid(Cow::Owned(_))),
        "an escape needs a copy"
    );
}

#[test]
fn accepts_ids_that_are_strings_or_integers() {
    for id in [
        "0",
        "-1",
        "9007199254740993",
        r#""""#,
        r#""7""#,
        "123456789012345678901234567890",
    ] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert!(
            matches!(one(&text).kind(), Kind::Request(request) if request.id.get() == id),
            "{id}"
        );
    }
    for id in ["null", "true", "1.0", "1.5", "1e3", "[]", "{}", r#"["a"]"#] {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        assert!(matches!(one(&text).kind(), Kind::Invalid(None, _)), "{id}");
    }
}

#[test]
fn an_invalid_message_keeps_its_id() {
    for text in [
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#,
        r#"{"id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#,
    ] {
        assert!(
            matches!(one(text).kind(), Kind::Invalid(Some(id), _) if id.get() == "1"),
            "{text}"
        );
    }
    for text in ["7", "\"x\"", "null", "true"] {
        assert!(matches!(one(text).kind(), Kind::Invalid(None, _)), "{text}");
    }
    assert!(matches!(
        one(r#"{"jsonrpc":"2.0","id":1,"error":{}}"#).kind(),
        Kind::Response("1", Err(_))
    ));
    assert!(matches!(
        one(r#"{"jsonrpc":"2.0","method":"m"}"#).kind(),
        Kind::Notification(_)
    ));
}

#[test]
fn tells_duplicate_keys_and_invalid_json_apart() {
    for text in [
        r#"{"id":1,"id":1}"#,
        r#"{"method":"a","method":"b"}"#,
        r#"{"params":{"name":"a","name":"b"}}"#,
        r#"{"params":{"_meta":{},"_meta":{}}}"#,
        r#"{"params":{"_meta":{"x":{"y":1,"y":2}}}}"#,
        r#"{"params":{"arguments":{"a":{"b":1,"b":1}}}}"#,
        r#"{"extra":{"b":1,"b":1}}"#,
    ] {
        assert!(
            matches!(read(text.as_bytes()), Err(Unreadable::Data(_))),
            "{text}"
        );
    }
    for body in [
        &b""[..],
        b"{",
        b"{} {}",
        b"\xef\xbb\xbf",
        b"{}\xef\xbb\xbf",
        b"{\"a\":\"\xff\"}",
        b"nul",
    ] {
        assert!(matches!(read(body), Err(Unreadable::Syntax(_))), "{body:?}");
    }
}

#[test]
fn reads_each_message_of_a_batch_as_strictly_as_a_single_one() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    for (text, is_data) in [
        (r#"[{},{"id":1,"id":1}]"#, true),
        (
            r#" [{},{"params":{"arguments":{"a":{"b":1,"b":1}}}}]"#,
            true,
        ),
        (r#"[{},{"method":"\ud800"}]"#, false),
        (&format!("[{{}},{deep}]"), false),
    ] {
        let (data, why) = match read(text.as_bytes()) {
            Err(Unreadable::Data(why)) => (true, why),
            Err(Unreadable::Syntax(why)) => (false, why),
            Ok(read) => panic!("{text}: {read:?}"),
        };
        assert_eq!(data, is_data, "{why}");
        assert!(why.starts_with("in message 2, "), "{why}");
    }
    for text in ["[{}", "[{},]", "[{}] {}", "[nul]"] {
        assert!(
            matches!(read(text.as_bytes()), Err(Unreadable::Syntax(_))),
            "{text}"
        );
    }
}

#[test]
fn a_batch_has_at_most_64_messages() {
    let batch = |n: usize| format!("[{}]", vec!["{}"; n].join(","));
    assert!(matches!(read(batch(64).as_bytes()), Ok(Payload::Batch(all)) if all.len() == 64));
    assert!(matches!(
        read(batch(65).as_bytes()),
        Err(Unreadable::Data(_))
    ));
}
