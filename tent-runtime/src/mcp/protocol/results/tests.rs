use serde_json::json;

use super::*;
use crate::mcp::protocol::notification::raw;

const SERVER: &str = r#"{"name":"shop","version":"1.0.0"}"#;

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("it is JSON")
}

/// Writes a result, and checks that it has the same bytes after it was read.
macro_rules! assert_symmetric {
    ($written:expr, $type:ty, $expected:expr) => {
        let written = text(&$written);
        assert_eq!(written, $expected);
        let read: $type = serde_json::from_str(&written).expect("it reads what it writes");
        assert_eq!(text(&read), written);
    };
}

#[test]
fn a_tool_result_reads_what_it_writes() {
    let other = json!({"com.example/took": 3});
    let result = CallToolResult {
        result_type: Some(ResultType::Complete),
        content: vec![
            ContentBlock::text("{\"sum\":42}"),
            ContentBlock::Other(
                json!({"annotations": {"priority": 1}, "text": "a", "type": "text"}),
            ),
        ]
        .into(),
        structured_content: Some(raw("{\"sum\":42}")),
        is_error: false,
        meta: ResultMeta {
            server: Some(raw(SERVER)),
            is_wrapped: true,
            other: Cow::Owned(other.as_object().cloned().unwrap_or_default()),
            ..ResultMeta::default()
        },
    };
    assert_symmetric!(
        result,
        CallToolResult<'_>,
        r#"{"resultType":"complete","content":[{"type":"text","text":"{\"sum\":42}"},{"annotations":{"priority":1},"text":"a","type":"text"}],"structuredContent":{"sum":42},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.0.0"},"tent.wrapped":true,"com.example/took":3}}"#
    );
}

#[test]
fn a_failed_tool_result_of_a_legacy_revision_has_no_modern_members() {
    let result = CallToolResult {
        result_type: None,
        content: vec![ContentBlock::text("Error T0012: Internal error")].into(),
        structured_content: None,
        is_error: true,
        meta: ResultMeta {
            error: Some(ErrorDetails {
                code: "T0012".into(),
                fields: Cow::default(),
                fix: "".into(),
                message: "Internal error".into(),
                name: "internal".into(),
                status: 500,
            }),
            ..ResultMeta::default()
        },
    };
    assert_symmetric!(
        result,
        CallToolResult<'_>,
        r#"{"content":[{"type":"text","text":"Error T0012: Internal error"}],"isError":true,"_meta":{"tent.error":{"code":"T0012","fix":"","message":"Internal error","name":"internal","status":500}}}"#
    );
}

#[test]
fn a_list_has_its_cache_hints_in_the_modern_era_alone() {
    let page = |cache_hints, server| ListResult {
        items: ListItems::ResourceTemplates(vec![json!({"name": "a"})]),
        next_cursor: Some("next".to_owned()),
        cache_hints,
        meta: ResultMeta::of_server(server),
    };
    let hints = CacheHints::new(Duration::from_secs(60), CacheScope::Private);
    assert_symmetric!(
        page(Some(hints), Some(raw(SERVER))),
        ListResult<'_, Value>,
        r#"{"resourceTemplates":[{"name":"a"}],"nextCursor":"next","resultType":"complete","ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.0.0"}}}"#
    );
    assert_symmetric!(
        page(None, None),
        ListResult<'_, Value>,
        r#"{"resourceTemplates":[{"name":"a"}],"nextCursor":"next"}"#
    );
}

#[test]
fn the_other_results_read_what_they_write() {
    assert_symmetric!(
        InputRequiredResult {
            result_type: ResultType::InputRequired,
            input_requests: BTreeMap::from([("name".to_owned(), json!({"method": "roots/list"}))]),
            request_state: "state".into(),
            meta: ResultMeta::of_server(Some(raw(SERVER))),
        },
        InputRequiredResult<'_>,
        r#"{"resultType":"input_required","inputRequests":{"name":{"method":"roots/list"}},"requestState":"state","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.0.0"}}}"#
    );
    assert_symmetric!(
        CompleteResult {
            completion: Completion {
                has_more: false,
                total: 1,
                values: vec!["a".to_owned()],
            },
            result_type: None,
            meta: ResultMeta::default(),
        },
        CompleteResult<'_>,
        r#"{"completion":{"hasMore":false,"total":1,"values":["a"]}}"#
    );
    assert_symmetric!(
        ListenResult {
            result_type: ResultType::Complete,
            meta: ResultMeta {
                subscription_id: Some(raw("7")),
                ..ResultMeta::of_server(Some(raw(SERVER)))
            },
        },
        ListenResult<'_>,
        r#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"shop","version":"1.0.0"},"io.modelcontextprotocol/subscriptionId":7}}"#
    );
}

#[test]
fn the_text_of_a_json_string_is_not_escaped_twice() {
    let contents = |json| ResourceContents::Value {
        uri: "a:b",
        mime_type: "text/plain",
        text: JsonText::from(raw(json)),
    };
    for (json, expected) in [(r#""a\"b""#, r#""a\"b""#), (r#"{"a":1}"#, r#""{\"a\":1}""#)] {
        let written = text(&contents(json));
        let expected = format!(r#"{{"uri":"a:b","mimeType":"text/plain","text":{expected}}}"#);
        assert_eq!(written, expected);
    }
}
