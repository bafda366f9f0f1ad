//! Icons in lists and links, in the revisions that have them.

use serde_json::{Map, Value, json};
use tent::prelude::*;
use tent::{Content, Icon, ResourceInfo};

use super::app::{App, Request};

const REVISIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

fn icon() -> Icon {
    Icon::new("https://shop.example/icon.png").sizes(["48x48"])
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", icons = icon())]
fn pictured() {}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn plain() {}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn linking() -> Vec<Content> {
    let icon = || Icon::new("https://shop.example/link.png");
    let link = Content::link("orders://7", "order 7").icon(icon());
    // Only a link can have an icon.
    vec![link, Content::text("a").icon(icon())]
}

/// For tests.
#[resource(uri = "shop://manual", access = "signedIn", icons = icon())]
fn manual() -> &'static str {
    "a"
}

/// For tests.
#[resource(uri = "orders://{id}", access = "signedIn", icons = icon(), list = all)]
fn order(id: u32) -> String {
    id.to_string()
}

fn all(_: &Cx) -> Vec<ResourceInfo> {
    vec![
        ResourceInfo::new("orders://7", "order 7")
            .icon(Icon::new("https://shop.example/7.png"))
            .icon(Icon::new("javascript:alert(7)")),
        ResourceInfo::new("orders://8", "order 8"),
    ]
}

/// For tests.
#[prompt(access = "signedIn", icons = icon())]
fn letter() -> &'static str {
    "a"
}

/// For tests.
#[prompt(access = "signedIn")]
fn note() -> &'static str {
    "a"
}

async fn app() -> App {
    let functions = tent::functions![pictured, plain, linking, manual, order, letter, note];
    App::of(|app| app.functions(functions)).await
}

/// The icons in this list, by name.
async fn icons_of(app: &App, send: Request, member: &str) -> Value {
    let got = app.json(200, send).await;
    let all = got["result"][member].as_array().expect("a list").clone();
    all.iter()
        .map(|one| {
            let name = one["name"].as_str().expect("a name").to_owned();
            (name, one.get("icons").cloned().unwrap_or_default())
        })
        .collect::<Map<_, _>>()
        .into()
}

#[tokio::test]
async fn lists_icons_in_the_revisions_that_have_them() {
    let app = app().await;
    let icons = json!([{"src": "https://shop.example/icon.png", "sizes": ["48x48"]}]);
    // The list of the app leaves out an icon that clients would refuse.
    let listed = json!([{"src": "https://shop.example/7.png"}]);
    let lists = |icons: Value, listed: Value| {
        [
            (
                "tools/list",
                "tools",
                json!({"pictured": icons, "plain": null, "linking": null}),
            ),
            (
                "resources/list",
                "resources",
                json!({"manual": icons, "order 7": listed, "order 8": null}),
            ),
            (
                "resources/templates/list",
                "resourceTemplates",
                json!({"order": icons}),
            ),
            (
                "prompts/list",
                "prompts",
                json!({"letter": icons, "note": null}),
            ),
        ]
    };
    for revision in REVISIONS {
        let wanted = match revision {
            "2025-11-25" => lists(icons.clone(), listed.clone()),
            _ => lists(Value::Null, Value::Null),
        };
        let session = app.session(revision).await;
        for (method, member, wanted) in wanted {
            let send = Request::legacy(method, json!({})).session(&session);
            assert_eq!(
                icons_of(&app, send, member).await,
                wanted,
                "{revision} {method}"
            );
        }
    }
    for (method, member, wanted) in lists(icons, listed) {
        let send = Request::modern(method, json!({}));
        assert_eq!(icons_of(&app, send, member).await, wanted, "{method}");
    }
}

#[tokio::test]
async fn a_link_has_its_icon_in_the_revisions_that_have_them() {
    let app = app().await;
    let icons = json!([{"src": "https://shop.example/link.png"}]);
    let call = json!({"name": "linking", "arguments": {}});
    for revision in REVISIONS {
        let session = app.session(revision).await;
        let send = Request::legacy("tools/call", call.clone()).session(&session);
        let got = app.json(200, send).await;
        let wanted = (revision == "2025-11-25").then_some(&icons);
        assert_eq!(
            got["result"]["content"][0].get("icons"),
            wanted,
            "{revision}"
        );
    }
    let got = app.call("linking", json!({})).await;
    let content = &got["result"]["content"];
    assert_eq!(content[0]["icons"], icons);
    assert_eq!(content[1], json!({"type": "text", "text": "a"}));
}
