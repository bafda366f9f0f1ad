//! Icons of what is listed: told where the revision has them, and nowhere else.

use serde_json::{Map, Value, json};

use super::about::REVISIONS;
use super::app::{App, Send};
use super::functions::function;
use crate::cx::Cx;
use crate::error::Result;
use crate::function::{
    AccessDeclaration, Content, Declaration, Icon, Kind, Lister, Output, OutputDeclaration,
    Resource, ResourceInfo,
};
use crate::registry::Registry;
use crate::schema::Field;

const ID: &[Field] = &[Field::new::<u32>("id")];

const LIST: Lister = Lister {
    path: "all",
    ask: |_| {
        Box::pin(async {
            Ok(vec![
                ResourceInfo::new("orders://7", "order 7")
                    .icon(Icon::new("https://shop.example/7.png"))
                    .icon(Icon::new("javascript:alert(7)")),
                ResourceInfo::new("orders://8", "order 8"),
            ])
        })
    },
};

fn text(_: &Cx, _: Map<String, Value>) -> Result<Output> {
    Ok(Output {
        value: Some(serde_json::value::to_raw_value("a")?),
        ..Output::default()
    })
}

const fn made(kind: Kind, name: &'static str, fields: &'static [Field]) -> Declaration {
    let output = OutputDeclaration::Value(|g| g.subschema_for::<String>());
    function(
        kind,
        name,
        AccessDeclaration::SignedIn,
        fields,
        output,
        text,
    )
}

fn icons() -> Vec<Icon> {
    vec![Icon::new("https://shop.example/icon.png").sizes(["48x48"])]
}

static FUNCTIONS: &[&Declaration] = &[
    &made(Kind::Query, "pictured", &[]).icons(icons),
    &made(Kind::Query, "plain", &[]),
    &function(
        Kind::Query,
        "linking",
        AccessDeclaration::SignedIn,
        &[],
        OutputDeclaration::Content,
        |_, _| {
            let icon = || Icon::new("https://shop.example/link.png");
            let link = Content::link("orders://7", "order 7").icon(icon());
            Ok(Output {
                // Only a link has an icon.
                content: vec![link, Content::text("a").icon(icon())],
                ..Output::default()
            })
        },
    ),
    &made(Kind::Query, "manual", &[])
        .icons(icons)
        .resource(Resource::new("shop://manual")),
    &made(Kind::Query, "order", ID)
        .icons(icons)
        .resource(Resource::new("orders://{id}").list(LIST)),
    &made(Kind::Query, "letter", &[]).icons(icons).prompt(),
    &made(Kind::Query, "note", &[]).prompt(),
];

/// The icons in this list, by name.
async fn told(app: &App, send: Send, member: &str) -> Value {
    let got = app.ask(200, send).await;
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
async fn each_list_has_icons_in_the_revisions_that_have_them() {
    let app = App::of(FUNCTIONS, |_| {});
    let icons = json!([{"src": "https://shop.example/icon.png", "sizes": ["48x48"]}]);
    // One that clients refuse is left out of what an app lists as it runs.
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
            let send = Send::legacy(method, json!({})).session(&session);
            assert_eq!(
                told(&app, send, member).await,
                wanted,
                "{revision} {method}"
            );
        }
    }
    for (method, member, wanted) in lists(icons, listed) {
        let send = Send::modern(method, json!({}));
        assert_eq!(told(&app, send, member).await, wanted, "{method}");
    }
}

#[tokio::test]
async fn a_link_has_its_icon_in_the_revisions_that_have_them() {
    let app = App::of(FUNCTIONS, |_| {});
    let icons = json!([{"src": "https://shop.example/link.png"}]);
    let call = json!({"name": "linking", "arguments": {}});
    for revision in REVISIONS {
        let session = app.session(revision).await;
        let send = Send::legacy("tools/call", call.clone()).session(&session);
        let got = app.ask(200, send).await;
        let wanted = (revision == "2025-11-25").then_some(&icons);
        assert_eq!(
            got["result"]["content"][0].get("icons"),
            wanted,
            "{revision}"
        );
    }
    let got = app.ask(200, Send::call("linking", json!({}))).await;
    let content = &got["result"]["content"];
    assert_eq!(content[0]["icons"], icons);
    assert_eq!(content[1], json!({"type": "text", "text": "a"}));
}

#[test]
fn an_icon_that_clients_refuse_keeps_the_app_from_starting_and_one_in_the_clear_is_warned_of() {
    static BAD: &[&Declaration] = &[
        &made(Kind::Query, "a", &[]).icons(|| vec![Icon::new("file:///a.png"), Icon::png("GIF8")]),
        &made(Kind::Query, "b", &[])
            .icons(|| vec![Icon::new("ws://shop.example")])
            .prompt(),
    ];
    let problems = Registry::of(BAD).expect_err("it has bad icons").0;
    let told: Vec<_> = problems
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    let scheme = "has an address that is neither https: nor http:";
    let png = "the icon \"data:image/png;base64,R0lGOA==\" says that it is image/png, and holds something else";
    assert_eq!(
        told,
        [
            ("T7034", &*format!("`a`: {png}")),
            (
                "T7034",
                &*format!("`a`: the icon \"file:///a.png\" {scheme}")
            ),
            (
                "T7034",
                &*format!("`b`: the icon \"ws://shop.example\" {scheme}")
            ),
        ]
    );
    assert!(problems.iter().all(|one| one.locations.len() == 1));

    static CLEAR: &[&Declaration] =
        &[&made(Kind::Query, "a", &[]).icons(|| vec![Icon::new("http://shop.example/a.png")])];
    let warnings = Registry::of(CLEAR).expect("it starts").warnings();
    let told: Vec<_> = warnings
        .iter()
        .map(|one| (one.code.as_str(), &*one.message))
        .collect();
    let wanted = "`a`: the icon \"http://shop.example/a.png\" is not over https:, and clients fetch no other";
    assert_eq!(told, [("T7034", wanted)]);
}
