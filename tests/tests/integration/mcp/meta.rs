//! `_meta` of tools, results, content and requests in each revision, and content beside a value or an error.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Content, Map, WithContent};

use super::app::{App, META, Request, server};

pub(super) const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// Whether every object has a `_meta` in this revision, and results have structured content.
pub(super) fn is_full(revision: &str) -> bool {
    revision >= "2025-06-18"
}

/// The result of a request of this revision, without what each modern one has.
pub(super) async fn result(app: &App, revision: &str, method: &str, params: Value) -> Value {
    if revision != "2026-07-28" {
        let session = app.session(revision).await;
        let got = app.json(200, Request::legacy(method, params).session(&session));
        return got.await["result"].clone();
    }
    let mut got = app.modern(method, params).await;
    let result = got["result"].as_object_mut().expect("a result");
    result.retain(|key, _| !["resultType", "ttlMs", "cacheScope"].contains(&&**key));
    let meta = result["_meta"].as_object_mut().expect("an object");
    assert_eq!(meta.remove(&format!("{META}serverInfo")), Some(server()));
    if meta.is_empty() {
        result.remove("_meta");
    }
    Value::Object(result.clone())
}

/// `value` where `_meta` is on every object, the same without its `_meta` and all within it otherwise.
pub(super) fn as_in(revision: &str, mut value: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.remove("_meta");
                members.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    if !is_full(revision) {
        strip(&mut value);
    }
    value
}

fn ui() -> Value {
    json!({"ui": {"resourceUri": "ui://clock"}, "openai/outputTemplate": "ui://clock"})
}

#[derive(Debug, Failure)]
enum LoadError {
    #[failure(code = "A0001", status = 502, message = "It did not load")]
    NotLoaded {
        #[failure(content)]
        shown: Vec<Content>,
    },
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", meta = ui())]
fn clock() {}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn beside() -> WithContent<u32> {
    WithContent::new(7, [Content::text("seven")])
        .meta("com.example/a", 1)
        .meta("b", json!({"c": "\"d\""}))
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn in_place() -> WithContent<u32> {
    WithContent::replacing_text(7, [Content::text("seven")])
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn in_place_of_nothing() -> WithContent<u32> {
    WithContent::replacing_text(7, [])
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn contents() -> Vec<Content> {
    let resource = Content::resource_text("a://b", "text/csv", "b;b");
    vec![
        Content::text("a").meta("a", 1),
        Content::text("b").resource_meta("a", 1),
        resource.meta("a", 1).resource_meta("b", 2),
        Content::link("a://c", "c").meta("a", 1),
    ]
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn only_meta() -> WithContent<Content> {
    WithContent::new(Content::text("a"), []).meta("a", 1)
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn fails() -> Result<(), LoadError> {
    let shown = vec![
        Content::image([1, 2, 3], "image/png"),
        Content::link("a://log", "log"),
    ];
    Err(LoadError::NotLoaded { shown })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn fails_at_length() -> Result<(), LoadError> {
    let shown = vec![Content::text("a".repeat(3000))];
    Err(LoadError::NotLoaded { shown })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn much_meta() -> WithContent<u32> {
    WithContent::new(7, []).meta("a", "a".repeat(3000))
}

/// Returns the metadata of its request.
#[query(access = "signedIn", offer = "mcp")]
fn brought(cx: &Cx) -> Map {
    cx.meta().clone()
}

/// For tests.
#[query(access = "signedIn", on = "acme/act")]
fn act(cx: &Cx) -> WithContent<Map> {
    let mut value = Map::new();
    value.insert("brought".to_owned(), cx.meta().clone().into());
    value.insert("_meta".to_owned(), json!({"a": 1, "b": 1}));
    WithContent::new(value, []).meta("b", 2)
}

const TOOLS: &[&tent::Declaration] = tent::functions![
    clock,
    beside,
    in_place,
    in_place_of_nothing,
    contents,
    only_meta,
    fails,
    fails_at_length,
    much_meta,
    brought,
];

async fn app() -> App {
    App::of(|app| app.functions(TOOLS).set("limits.max_response", "2048")).await
}

async fn called(app: &App, revision: &str, name: &str) -> Value {
    result(app, revision, "tools/call", json!({"name": name})).await
}

#[tokio::test]
async fn lists_the_metadata_of_a_tool_in_revisions_that_have_it() {
    let app = app().await;
    for revision in REVISIONS {
        let got = result(&app, revision, "tools/list", json!({})).await;
        let tools = got["tools"].as_array().expect("a list");
        for tool in tools {
            let wanted = (tool["name"] == "clock" && is_full(revision)).then(ui);
            assert_eq!(tool.get("_meta"), wanted.as_ref(), "{revision}: {tool}");
        }
    }
}

#[tokio::test]
async fn sends_the_metadata_of_a_result_beside_tents_in_every_revision() {
    let app = app().await;
    for revision in REVISIONS {
        let got = called(&app, revision, "beside").await;
        let wanted = json!({"tent.wrapped": true, "com.example/a": 1, "b": {"c": "\"d\""}});
        assert_eq!(got["_meta"], wanted, "{revision}");
        let wanted = json!({"content": [{"type": "text", "text": "a"}], "_meta": {"a": 1}});
        assert_eq!(
            called(&app, revision, "only_meta").await,
            wanted,
            "{revision}"
        );
    }
}

#[tokio::test]
async fn content_replaces_the_text_of_a_value_and_no_revision_loses_the_value() {
    let app = app().await;
    let text = |text: &str| json!({"type": "text", "text": text});
    for revision in REVISIONS {
        for (name, shown) in [
            ("in_place", vec![text("seven")]),
            ("in_place_of_nothing", vec![]),
        ] {
            let mut wanted = json!({"content": shown, "_meta": {"tent.wrapped": true}});
            if is_full(revision) {
                wanted["structuredContent"] = json!({"value": 7});
            } else {
                let content = wanted["content"].as_array_mut().expect("a list");
                content.push(text(r#"{"value":7}"#));
            }
            assert_eq!(called(&app, revision, name).await, wanted, "{revision}");
        }
        let got = called(&app, revision, "beside").await;
        let wanted = json!([text(r#"{"value":7}"#), text("seven")]);
        assert_eq!(got["content"], wanted, "{revision}");
    }
}

#[tokio::test]
async fn content_and_the_resource_within_it_have_separate_metadata() {
    let app = app().await;
    for revision in REVISIONS {
        let got = called(&app, revision, "contents").await;
        let link = match is_full(revision) {
            true => {
                json!({"type": "resource_link", "uri": "a://c", "name": "c", "_meta": {"a": 1}})
            }
            false => json!({"type": "text", "text": "c: a://c"}),
        };
        let wanted = json!([
            {"type": "text", "text": "a", "_meta": {"a": 1}},
            {"type": "text", "text": "b"},
            {
                "type": "resource",
                "resource": {"uri": "a://b", "mimeType": "text/csv", "text": "b;b", "_meta": {"b": 2}},
                "_meta": {"a": 1},
            },
            link,
        ]);
        assert_eq!(got["content"], as_in(revision, wanted), "{revision}");
    }
}

#[tokio::test]
async fn a_failure_has_its_content_after_its_text() {
    let app = app().await;
    for revision in REVISIONS {
        let got = called(&app, revision, "fails").await;
        let link = match is_full(revision) {
            true => json!({"type": "resource_link", "uri": "a://log", "name": "log"}),
            false => json!({"type": "text", "text": "log: a://log"}),
        };
        let wanted = json!([
            {"type": "text", "text": "Error A0001: It did not load"},
            {"type": "image", "mimeType": "image/png", "data": "AQID"},
            link,
        ]);
        assert_eq!((&got["content"], &got["isError"]), (&wanted, &json!(true)));
        assert_eq!(got.get("structuredContent"), None);
        assert_eq!(got["_meta"]["tent.error"]["code"], "A0001");
    }
}

#[tokio::test]
async fn metadata_counts_toward_the_response_limit_and_an_error_drops_content_over_it() {
    let app = app().await;
    let got = called(&app, "2026-07-28", "much_meta").await;
    assert_eq!(got["_meta"]["tent.error"]["code"], "T0019", "{got}");
    let got = called(&app, "2026-07-28", "fails_at_length").await;
    let wanted = json!([{"type": "text", "text": "Error A0001: It did not load"}]);
    assert_eq!((&got["content"], &got["isError"]), (&wanted, &json!(true)));
}

#[tokio::test]
async fn the_result_of_a_custom_method_has_metadata() {
    let app = App::of(|app| app.functions(tent::functions![act])).await;
    for revision in REVISIONS {
        let got = result(&app, revision, "acme/act", json!({})).await;
        let wanted = json!({"brought": {}, "_meta": {"a": 1, "b": 2}});
        assert_eq!(got, wanted, "{revision}");
    }
}

#[tokio::test]
async fn passes_the_metadata_of_a_request_to_the_function_without_reserved_keys() {
    let app = app().await;
    let mut meta = super::app::meta();
    meta["progressToken"] = 1.into();
    meta[format!("{META}logLevel")] = "error".into();
    meta["tent.idempotencyKey"] = "k".into();
    meta["openai/locale"] = json!(["en", {"a": null}]);
    meta[format!("{META}related-task")] = json!({"taskId": "7"});
    let wanted = json!({
        "openai/locale": ["en", {"a": null}],
        format!("{META}related-task"): {"taskId": "7"},
    });
    let call = |meta: &Value| json!({"name": "brought", "_meta": meta});
    let got = app.modern("tools/call", call(&meta)).await;
    assert_eq!(got["result"]["structuredContent"], wanted);

    for key in [
        "protocolVersion",
        "clientInfo",
        "clientCapabilities",
        "logLevel",
    ] {
        let key = format!("{META}{key}");
        meta.as_object_mut().expect("an object").remove(&key);
    }
    for revision in &REVISIONS[2..4] {
        let got = result(&app, revision, "tools/call", call(&meta)).await;
        assert_eq!(got["structuredContent"], wanted, "{revision}");
        let got = called(&app, revision, "brought").await;
        assert_eq!(got["structuredContent"], json!({}), "{revision}");
    }
}

#[tokio::test]
async fn reads_the_metadata_of_a_request_strictly() {
    let app = app().await;
    for members in [
        r#""x":{"y":1,"y":2}"#,
        r#""x":1,"x":2"#,
        r#""x":{"$serde_json::private::RawValue":"{}"}"#,
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"brought","_meta":{{{members}}}}}}}"#
        );
        let got = app.json(400, Request::raw(body)).await;
        assert_eq!(got["error"]["code"], -32600, "{members}");
    }
}
