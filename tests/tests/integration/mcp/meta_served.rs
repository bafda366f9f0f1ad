//! `_meta` and annotations of resources, templates and prompts in each revision.

use serde_json::json;
use tent::prelude::*;
use tent::{Annotations, Content, PromptMessage, PromptResult, ResourceInfo, Role, WithContent};

use super::app::App;
use super::meta::{REVISIONS, as_in, is_full, result};

fn page() -> WithContent<Content> {
    let page = Content::text("<p>").meta("ui", json!({"csp": {}}));
    WithContent::new(page, [Content::link("a://b", "b").meta("b", 2)]).meta("c", 3)
}

/// For tests.
#[resource(
    uri = "ui://clock",
    access = "signedIn",
    media_type = "text/html;profile=mcp-app",
    annotations = Annotations::new().audience([Role::User]).last_modified("2026-01-01T00:00:00Z"),
    size = 3,
    meta = json!({"ui": {"prefersBorder": true}})
)]
fn clock() -> WithContent<Content> {
    page()
}

/// For tests.
#[resource(uri = "ui://embedded", access = "signedIn")]
fn embedded() -> Content {
    Content::resource_text("a://b", "text/csv", "b;b")
        .meta("a", 1)
        .meta("b", 1)
        .resource_meta("b", 2)
}

/// For tests.
#[resource(
    uri = "ui://page/{id}",
    access = "signedIn",
    annotations = Annotations::new().priority(0.5),
    meta = json!({"a": 1}),
    list = all_pages
)]
fn pages(id: u32) -> WithContent<Content> {
    let _ = id;
    page()
}

fn all_pages(_: &Cx) -> Vec<ResourceInfo> {
    vec![
        ResourceInfo::new("ui://page/1", "page 1").meta("a", 1),
        ResourceInfo::new("ui://page/2", "page 2").meta("not a key", 1),
    ]
}

/// For tests.
#[prompt(access = "signedIn", meta = json!({"c": 3}))]
fn letter(#[arg(title = "The recipient")] to: String, words: Option<u32>) -> PromptResult {
    let _ = (to, words);
    PromptResult::new([PromptMessage::user(Content::text("Write.").meta("a", 1))]).meta("b", 2)
}

#[tokio::test]
async fn lists_resources_and_templates_with_their_declared_metadata() {
    let app = App::of(|app| app.functions(tent::functions![clock, embedded, pages])).await;
    for revision in REVISIONS {
        let got = result(&app, revision, "resources/list", json!({})).await;
        let mut annotations = json!({"audience": ["user"]});
        if is_full(revision) {
            annotations["lastModified"] = "2026-01-01T00:00:00Z".into();
        }
        let clock = json!({
            "uri": "ui://clock",
            "name": "clock",
            "title": "Clock",
            "description": "For tests.",
            "mimeType": "text/html;profile=mcp-app",
            "size": 3,
            "annotations": annotations,
            "_meta": {"ui": {"prefersBorder": true}},
        });
        let mut wanted = json!([
            clock,
            {"uri": "ui://embedded", "name": "embedded", "title": "Embedded", "description": "For tests."},
            {"uri": "ui://page/1", "name": "page 1", "_meta": {"a": 1}},
            {"uri": "ui://page/2", "name": "page 2"},
        ]);
        let mut template = json!([{
            "uriTemplate": "ui://page/{id}",
            "name": "pages",
            "title": "Pages",
            "description": "For tests.",
            "annotations": {"priority": 0.5},
            "_meta": {"a": 1},
        }]);
        for listed in [&mut wanted, &mut template] {
            for one in listed.as_array_mut().into_iter().flatten() {
                let one = one.as_object_mut().expect("an object");
                one.retain(|key, _| key != "title" || is_full(revision));
            }
        }
        assert_eq!(got["resources"], as_in(revision, wanted), "{revision}");
        let got = result(&app, revision, "resources/templates/list", json!({})).await;
        assert_eq!(
            got["resourceTemplates"],
            as_in(revision, template),
            "{revision}"
        );
    }
}

#[tokio::test]
async fn contents_and_the_result_of_a_read_have_metadata() {
    let app = App::of(|app| app.functions(tent::functions![clock, embedded, pages])).await;
    let read = async |revision, uri: &str| {
        result(&app, revision, "resources/read", json!({"uri": uri})).await
    };
    for revision in REVISIONS {
        let contents = json!([
            {
                "uri": "ui://clock",
                "mimeType": "text/html;profile=mcp-app",
                "text": "<p>",
                "_meta": {"ui": {"csp": {}}},
            },
            {"uri": "ui://clock", "mimeType": "text/uri-list", "text": "a://b", "_meta": {"b": 2}},
        ]);
        let wanted = json!({"contents": as_in(revision, contents), "_meta": {"c": 3}});
        assert_eq!(read(revision, "ui://clock").await, wanted, "{revision}");
        // A read has no content around the resource, so the metadata of both are merged.
        let contents = json!([
            {"uri": "a://b", "mimeType": "text/csv", "text": "b;b", "_meta": {"a": 1, "b": 2}},
        ]);
        let wanted = json!({"contents": as_in(revision, contents)});
        assert_eq!(read(revision, "ui://embedded").await, wanted, "{revision}");
    }
}

#[tokio::test]
async fn a_prompt_has_metadata_in_its_list_and_its_result_and_arguments_have_titles() {
    let app = App::of(|app| app.functions(tent::functions![letter])).await;
    for revision in REVISIONS {
        let got = result(&app, revision, "prompts/list", json!({})).await;
        let mut wanted = json!([{
            "name": "letter",
            "description": "For tests.",
            "arguments": [{"name": "to", "required": true}, {"name": "words", "required": false}],
            "_meta": {"c": 3},
        }]);
        if is_full(revision) {
            wanted[0]["title"] = "Letter".into();
            wanted[0]["arguments"][0]["title"] = "The recipient".into();
        }
        assert_eq!(got["prompts"], as_in(revision, wanted), "{revision}");

        let params = json!({"name": "letter", "arguments": {"to": "ada"}});
        let got = result(&app, revision, "prompts/get", params).await;
        let content = as_in(
            revision,
            json!({"type": "text", "text": "Write.", "_meta": {"a": 1}}),
        );
        let wanted = json!({
            "description": "For tests.",
            "messages": [{"role": "user", "content": content}],
            "_meta": {"b": 2},
        });
        assert_eq!(got, wanted, "{revision}");
    }
}
