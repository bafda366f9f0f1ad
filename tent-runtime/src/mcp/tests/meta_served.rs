//! What resources, templates and prompts have in `_meta` and beside, where they are listed, read and got, in every
//! revision.

use serde_json::{Map, Value, json};

use super::app::App;
use super::functions::function;
use super::meta::{REVISIONS, as_in, is_full, result};
use super::served::reads;
use crate::cx::Cx;
use crate::error::Result;
use crate::function::{
    AccessDeclaration, Annotations, Content, Declaration, IntoOutput, Kind, Lister, Output,
    OutputDeclaration, PromptMessage, PromptResult, Resource, ResourceInfo, Role, WithContent,
};
use crate::registry::Registry;
use crate::schema::Field;

const LIST: Lister = Lister {
    path: "pages",
    ask: |_| {
        Box::pin(async {
            Ok(vec![
                ResourceInfo::new("ui://page/1", "page 1").meta("a", 1),
                ResourceInfo::new("ui://page/2", "page 2").meta("not a key", 1),
            ])
        })
    },
};

const ID: &[Field] = &[Field::new::<u32>("id")];

fn page(_: &Cx, _: Map<String, Value>) -> Result<Output> {
    let page = Content::text("<p>").meta("ui", json!({"csp": {}}));
    WithContent::new(page, [Content::link("a://b", "b").meta("b", 2)])
        .meta("c", 3)
        .answer()
}

fn embedded(_: &Cx, _: Map<String, Value>) -> Result<Output> {
    Content::resource_text("a://b", "text/csv", "b;b")
        .meta("a", 1)
        .meta("b", 1)
        .resource_meta("b", 2)
        .answer()
}

static RESOURCES: &[&Declaration] = &[
    &reads("clock", "ui://clock", &[], page)
        .meta(|| json!({"ui": {"prefersBorder": true}}))
        .resource(
            Resource::new("ui://clock")
                .media_type("text/html;profile=mcp-app")
                .annotations(|| {
                    Annotations::new()
                        .audience([Role::User])
                        .last_modified("2026-01-01T00:00:00Z")
                })
                .size(3),
        ),
    &reads("embedded", "ui://embedded", &[], embedded),
    &reads("pages", "ui://page/{id}", ID, page)
        .meta(|| json!({"a": 1}))
        .resource(
            Resource::new("ui://page/{id}")
                .annotations(|| Annotations::new().priority(0.5))
                .list(LIST),
        ),
];

#[tokio::test]
async fn resources_and_templates_are_listed_with_what_is_stated_of_them() {
    let app = App::of(RESOURCES, |_| {});
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
async fn what_is_read_has_its_metadata_and_so_has_the_result() {
    let app = App::of(RESOURCES, |_| {});
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
        // There is no content around what is read, so what was stated of either stands with it.
        let contents = json!([
            {"uri": "a://b", "mimeType": "text/csv", "text": "b;b", "_meta": {"a": 1, "b": 2}},
        ]);
        let wanted = json!({"contents": as_in(revision, contents)});
        assert_eq!(read(revision, "ui://embedded").await, wanted, "{revision}");
    }
}

const ARGUMENTS: &[Field] = &[
    Field::new::<String>("to").title("Whom it is to"),
    Field::new::<Option<u32>>("words"),
];

static PROMPTS: &[&Declaration] = &[&function(
    Kind::Query,
    "letter",
    AccessDeclaration::SignedIn,
    ARGUMENTS,
    OutputDeclaration::Content,
    |_, _| {
        Ok(Output {
            prompted: Some(
                PromptResult::new([PromptMessage::user(Content::text("Write.").meta("a", 1))])
                    .meta("b", 2),
            ),
            ..Output::default()
        })
    },
)
.meta(|| json!({"c": 3}))
.prompt()];

#[tokio::test]
async fn a_prompt_has_metadata_where_it_is_listed_and_where_it_is_got_and_arguments_have_titles() {
    let app = App::of(PROMPTS, |_| {});
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
            wanted[0]["arguments"][0]["title"] = "Whom it is to".into();
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

#[test]
fn wrong_metadata_keeps_an_app_from_starting_and_all_of_it_is_told() {
    static WRONG: &[&Declaration] = &[
        &reads("clock", "ui://clock", &[], page).meta(|| json!({"dev.mcp/a": 1, "-": 1})),
        &reads("page", "ui://page", &[], page).meta(|| json!("ui://page")),
    ];
    let problems = Registry::of(WRONG).expect_err("both are wrong");
    let told: Vec<_> = problems
        .0
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    assert_eq!(
        told,
        [
            (
                "T7033",
                "`clock`: its meta has the key \"-\", which has a name that is not letters, digits, `-`, `_` and `.`, from a letter or digit to one"
            ),
            (
                "T7033",
                "`clock`: its meta has the key \"dev.mcp/a\", which has a prefix that is reserved for MCP"
            ),
            ("T7033", "`page`: its meta is no JSON object"),
        ]
    );
}
