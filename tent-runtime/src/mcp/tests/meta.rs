//! What an author adds to `_meta`, and what of it each revision is told; content in place of a value and beside a
//! failure; what a request brings in `_meta`.

use serde_json::{Map, Value, json};

use super::app::{App, META, Send, server};
use super::functions::{Function, function};
use crate::error::Error;
use crate::function::{
    AccessDeclaration, Content, Declaration, IntoOutput, Kind, Output, OutputDeclaration,
    WithContent,
};

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
        let got = app.ask(200, Send::legacy(method, params).session(&session));
        return got.await["result"].clone();
    }
    let mut got = app.ask(200, Send::modern(method, params)).await;
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

const NUMBER: OutputDeclaration = OutputDeclaration::Value(|g| g.subschema_for::<u32>());

const fn tool(name: &'static str, output: OutputDeclaration, run: Function) -> Declaration {
    function(
        Kind::Query,
        name,
        AccessDeclaration::SignedIn,
        &[],
        output,
        run,
    )
}

fn ui() -> Value {
    json!({"ui": {"resourceUri": "ui://clock"}, "openai/outputTemplate": "ui://clock"})
}

static TOOLS: &[&Declaration] = &[
    &tool("clock", OutputDeclaration::Nothing, |_, _| {
        Ok(Output::default())
    })
    .meta(ui),
    &tool("beside", NUMBER, |_, _| {
        WithContent::new(7, [Content::text("seven")])
            .meta("com.example/a", 1)
            .meta("b", json!({"c": "\"d\""}))
            .answer()
    }),
    &tool("in_place", NUMBER, |_, _| {
        WithContent::replacing_text(7, [Content::text("seven")]).answer()
    }),
    &tool("in_place_of_nothing", NUMBER, |_, _| {
        WithContent::replacing_text(7, []).answer()
    }),
    &tool("contents", OutputDeclaration::Content, |_, _| {
        let resource = Content::resource_text("a://b", "text/csv", "b;b");
        vec![
            Content::text("a").meta("a", 1),
            Content::text("b").resource_meta("a", 1),
            resource.meta("a", 1).resource_meta("b", 2),
            Content::link("a://c", "c").meta("a", 1),
        ]
        .answer()
    }),
    &tool("only_meta", OutputDeclaration::Content, |_, _| {
        WithContent::new(Content::text("a"), [])
            .meta("a", 1)
            .answer()
    }),
    &tool("fails", OutputDeclaration::Nothing, |_, _| {
        Err(
            Error::declared(crate::code!("A0001"), 502, "It did not load").with_content([
                Content::image([1, 2, 3], "image/png"),
                Content::link("a://log", "log"),
            ]),
        )
    }),
    &tool("fails_at_length", OutputDeclaration::Nothing, |_, _| {
        Err(
            Error::declared(crate::code!("A0001"), 502, "It did not load")
                .with_content([Content::text("a".repeat(3000))]),
        )
    }),
    &tool("much_meta", NUMBER, |_, _| {
        WithContent::new(7, []).meta("a", "a".repeat(3000)).answer()
    }),
    &tool(
        "brought",
        OutputDeclaration::Value(|g| g.subschema_for::<Map<String, Value>>()),
        |cx, _| WithContent::new(cx.meta().clone(), []).answer(),
    ),
];

fn app() -> App {
    App::of(TOOLS, |settings| settings.limits.answer = 2048)
}

async fn called(app: &App, revision: &str, name: &str) -> Value {
    result(app, revision, "tools/call", json!({"name": name})).await
}

#[tokio::test]
async fn a_tool_is_listed_with_its_metadata_where_the_revision_has_any() {
    let app = app();
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
async fn the_metadata_of_a_result_stands_beside_tents_own_in_every_revision() {
    let app = app();
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
async fn content_in_place_of_a_value_is_all_that_is_shown_and_no_revision_loses_the_value() {
    let app = app();
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
async fn content_has_its_metadata_and_a_resource_within_it_its_own() {
    let app = app();
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
async fn a_failure_shows_its_content_behind_its_text() {
    let app = app();
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
async fn metadata_counts_as_what_a_function_gives_and_a_failures_content_is_left_out_above_it() {
    let app = app();
    let got = called(&app, "2026-07-28", "much_meta").await;
    assert_eq!(got["_meta"]["tent.error"]["code"], "T0019", "{got}");
    let got = called(&app, "2026-07-28", "fails_at_length").await;
    let wanted = json!([{"type": "text", "text": "Error A0001: It did not load"}]);
    assert_eq!((&got["content"], &got["isError"]), (&wanted, &json!(true)));
}

#[tokio::test]
async fn the_answer_of_a_method_has_its_metadata_too() {
    static METHODS: &[&Declaration] = &[&Declaration {
        mcp: false,
        ..function(
            Kind::Query,
            "act",
            AccessDeclaration::SignedIn,
            &[],
            OutputDeclaration::Value(|g| g.subschema_for::<Map<String, Value>>()),
            |cx, _| {
                let value = json!({"brought": cx.meta(), "_meta": {"a": 1, "b": 1}});
                WithContent::new(value, []).meta("b", 2).answer()
            },
        )
        .on("acme/act")
    }];
    let app = App::of(METHODS, |_| {});
    for revision in REVISIONS {
        let got = result(&app, revision, "acme/act", json!({})).await;
        let wanted = json!({"brought": {}, "_meta": {"a": 1, "b": 2}});
        assert_eq!(got, wanted, "{revision}");
    }
}

#[tokio::test]
async fn a_function_is_handed_what_a_request_brings_beside_what_is_read_of_it() {
    let app = app();
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
    let got = app.ask(200, Send::modern("tools/call", call(&meta))).await;
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
async fn what_a_request_brings_is_read_strictly() {
    let app = app();
    for members in [
        r#""x":{"y":1,"y":2}"#,
        r#""x":1,"x":2"#,
        r#""x":{"$serde_json::private::RawValue":"{}"}"#,
    ] {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"brought","_meta":{{{members}}}}}}}"#
        );
        let got = app.ask(400, Send::raw(body)).await;
        assert_eq!(got["error"]["code"], -32600, "{members}");
    }
}
