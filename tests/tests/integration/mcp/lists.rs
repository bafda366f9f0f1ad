//! `tools/list`: which tools a caller gets, in which form, and page by page.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::schemars::{Schema, SchemaGenerator, json_schema};

use super::app::{App, META, Request, server};
use crate::support::snapshot;

fn list() -> Request {
    Request::modern("tools/list", json!({}))
}

fn names(got: &Value) -> Vec<&str> {
    let tools = got["result"]["tools"].as_array().expect("a list");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

/// A tool as an older revision has it, from its form in 2026-07-28.
fn in_revision(modern: &Value, titled: bool, annotated: bool) -> Value {
    let mut tool = modern.clone();
    let members = tool.as_object_mut().expect("a tool");
    if !titled {
        let title = members.remove("title").expect("a title");
        members["annotations"]["title"] = title;
        members.remove("outputSchema");
    }
    if !annotated {
        members.remove("annotations");
    }
    tool
}

// K3-32.
#[tokio::test]
async fn a_modern_list_has_a_ttl_and_a_cache_scope() {
    let app = App::new().await;
    let got = app.json(200, list()).await;
    let tools = got["result"]["tools"].clone();
    snapshot!("tools_of_2026-07-28", format!("{tools:#}"));
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resultType": "complete",
            "tools": tools,
            "ttlMs": 300_000,
            "cacheScope": "private",
            "_meta": {format!("{META}serverInfo"): server()},
        }})
    );
    // What a caller is listed depends on who it is and what its key holds, so it is each one's own.
    let reader = app.json(200, list().by("reader")).await;
    assert_eq!(reader["result"]["cacheScope"], "private");
    assert_eq!(
        names(&reader),
        [
            "echo",
            "explode",
            "find_order",
            "list_orders",
            "maybe",
            "not_yours",
            "raw",
            "server_time",
            "show"
        ]
    );
    assert_eq!(app.send(list().anonymous()).await.status, 401);
}

// K2-08.
#[tokio::test]
async fn sorts_the_list_by_name_with_the_same_bytes_each_time() {
    let app = App::new().await;
    let first = app.send(list()).await.bytes;
    let got: Value = serde_json::from_slice(&first).expect("JSON");
    let listed = names(&got);
    assert!(listed.is_sorted() && listed.contains(&"wipe") && !listed.contains(&"inside"));
    assert_eq!(app.send(list()).await.bytes, first, "the same bytes");
    assert_eq!(
        App::new().await.send(list()).await.bytes,
        first,
        "from another process too"
    );
}

#[tokio::test]
async fn lists_tools_with_the_members_of_each_revision() {
    let app = App::new().await;
    let modern = app.json(200, list()).await["result"]["tools"].clone();
    let modern = modern.as_array().expect("a list");
    for (revision, titled, annotated) in [
        ("2024-11-05", false, false),
        ("2025-03-26", false, true),
        ("2025-06-18", true, true),
        ("2025-11-25", true, true),
    ] {
        let session = app.session(revision).await;
        let got = app
            .json(
                200,
                Request::legacy("tools/list", json!({})).session(&session),
            )
            .await;

        let tools: Vec<_> = modern
            .iter()
            .map(|tool| in_revision(tool, titled, annotated))
            .collect();
        assert_eq!(
            got,
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}),
            "{revision}"
        );
    }
}

// K6-10.
#[tokio::test]
async fn lists_no_output_schema_for_an_unknown_output() {
    let app = App::new().await;
    let got = app.json(200, list()).await;
    for tool in got["result"]["tools"].as_array().expect("a list") {
        if ["raw", "touch", "show"]
            .iter()
            .any(|name| tool["name"] == *name)
        {
            assert_eq!(tool.get("outputSchema"), None, "{tool}");
        }
        if let Some(schema) = tool.get("outputSchema") {
            assert_eq!(schema["type"], "object", "{tool}");
        }
    }
}

/// An input whose schema has 300 KiB.
struct Large;

impl<'de> tent::serde::Deserialize<'de> for Large {
    fn deserialize<D: tent::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|_| Large)
    }
}

impl tent::schemars::JsonSchema for Large {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Large".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "description": "x".repeat(300 << 10)})
    }
}

macro_rules! large_tools {
    ($($name:ident $access:literal)*) => {
        $(
            /// For tests.
            #[query(access = $access, offer = "mcp")]
            fn $name(large: Large) {
                let Large = large;
            }
        )*

        /// Ten tools of about 300 KiB each.
        const LARGE: &[&tent::Declaration] = tent::functions![$($name),*];
    };
}

large_tools! {
    tool_0 "signedIn"
    tool_1 "signedIn"
    tool_2 "signedIn"
    tool_3 "signedIn"
    tool_4 "signedIn"
    tool_5 "signedIn"
    tool_6 "role:staff"
    tool_7 "signedIn"
    tool_8 "signedIn"
    tool_9 "signedIn"
}

/// An app with these tools. All of them share a secret, as the processes of one app do.
async fn large(tools: &[&'static tent::Declaration]) -> App {
    App::of(|app| {
        app.functions(tools).set(
            "secret",
            "34b739f9837743e0d18ad6755ec17d3b46fcc3b418cfe9827a135be58174c9a4",
        )
    })
    .await
}

/// The cursor of the page that begins at the tool of this number.
async fn cursor_of(app: &App, first: usize) -> Value {
    let mut cursor = Value::Null;
    loop {
        let got = app.json(200, page(&cursor)).await;
        cursor = got["result"]["nextCursor"].clone();
        assert!(cursor.is_string(), "no page begins at tool_{first}");
        let next = app.json(200, page(&cursor)).await;
        if names(&next)[0] == format!("tool_{first}") {
            return cursor;
        }
    }
}

fn page(cursor: &Value) -> Request {
    Request::modern("tools/list", json!({"cursor": cursor}))
}

#[tokio::test]
async fn pages_a_long_list() {
    let app = large(LARGE).await;
    let mut seen = Vec::new();
    let mut cursor = Value::Null;
    let mut pages = 0;
    loop {
        let got = app.send(page(&cursor)).await;
        assert!(got.bytes.len() < (1 << 20) + 1000, "{}", got.bytes.len());
        let got = got.json();
        assert_eq!(got["result"]["cacheScope"], "private");
        seen.extend(names(&got).into_iter().map(str::to_owned));
        pages += 1;
        match got["result"].get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    let all: Vec<_> = (0..10).map(|n| format!("tool_{n}")).collect();
    assert_eq!((seen, pages), (all, 4));
}

#[tokio::test]
async fn accepts_a_cursor_at_which_no_page_of_this_app_begins() {
    // The pages of the two apps begin at different tools.
    let all = large(LARGE).await;
    let fewer = large(&LARGE[1..]).await;
    for (made_by, read_by, first, wanted) in [
        (&all, &all, 3, vec![3, 4, 5]),
        (&fewer, &all, 4, vec![4, 5, 6]),
        (&all, &fewer, 3, vec![3, 4, 5]),
        (&all, &fewer, 9, vec![9]),
    ] {
        let app = read_by;
        let mut cursor = cursor_of(made_by, first).await;
        let got = app.json(200, page(&cursor)).await;
        let wanted: Vec<_> = wanted.iter().map(|n| format!("tool_{n}")).collect();
        assert_eq!(names(&got), wanted);
        // And so on to the end, with no tool twice and none left out.
        let mut seen = Vec::new();
        while cursor != Value::Null {
            let got = app.json(200, page(&cursor)).await;
            seen.extend(names(&got).into_iter().map(str::to_owned));
            cursor = got["result"]["nextCursor"].clone();
        }
        let rest: Vec<_> = (first..10).map(|n| format!("tool_{n}")).collect();
        assert_eq!(seen, rest);
    }
    // A page cannot begin at a tool that is hidden from the caller.
    let hidden = page(&cursor_of(&all, 6).await).by("ada");
    assert_eq!(all.json(200, hidden).await["error"]["code"], -32602);
}

#[tokio::test]
async fn accepts_the_cursor_of_another_process_and_no_other_text() {
    let app = large(LARGE).await;
    let other = large(LARGE).await;
    let first = other.json(200, page(&Value::Null)).await;
    let cursor = first["result"]["nextCursor"]
        .as_str()
        .expect("a cursor")
        .to_owned();
    assert!(!cursor.contains("tool"), "clients may not read it");
    let legacy = Request::legacy("tools/list", json!({"cursor": cursor}));
    assert_eq!(
        names(&app.json(200, legacy).await),
        ["tool_3", "tool_4", "tool_5"]
    );
    let changed = format!("x{}", &cursor[1..]);
    for bad in [json!(""), json!("tool_3"), json!(changed)] {
        assert_eq!(
            app.json(200, page(&bad)).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {
                "code": -32602,
                "message": "Unknown cursor: begin again without one.",
            }})
        );
    }
    for bad in [json!(7), json!(["x"])] {
        assert_eq!(app.json(200, page(&bad)).await["error"]["code"], -32602);
    }
    // One page of staff begins at a tool that others do not see.
    let second = app.json(200, page(&json!(cursor))).await;
    let third = second["result"]["nextCursor"].clone();
    assert_eq!(
        app.json(200, page(&third)).await["result"]["tools"][0]["name"],
        "tool_6"
    );
    assert_eq!(
        app.json(200, page(&third).by("ada")).await["error"]["code"],
        -32602
    );
}
