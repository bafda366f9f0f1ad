//! `tools/list`: what is on it for whom, in which form, and page by page.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::app::{App, META, Send, server};
use crate::function::OutputShape;
use crate::function::{
    AccessDeclaration, Body, Declaration, Input, Kind, Location, Output, OutputDeclaration,
};
use crate::seal::Use;

fn list() -> Send {
    Send::modern("tools/list", json!({}))
}

fn names(got: &Value) -> Vec<&str> {
    let tools = got["result"]["tools"].as_array().expect("a list");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

/// The tool as this form has it, from what the registry holds.
fn tool(app: &App, name: &str, titled: bool, annotated: bool) -> Value {
    let function = app
        .mcp()
        .dispatcher
        .registry()
        .find(name)
        .expect("a function");
    let mut tool = json!({
        "name": name,
        "description": "For tests.",
        "inputSchema": function.input.published(),
    });
    let marks = function.annotations;
    let mut annotations = json!({"readOnlyHint": marks.read_only});
    for (key, mark) in [
        ("destructiveHint", marks.destructive),
        ("idempotentHint", marks.idempotent),
        ("openWorldHint", marks.open_world),
    ] {
        if let Some(mark) = mark {
            annotations[key] = mark.into();
        }
    }
    if titled {
        tool["title"] = function.title.as_str().into();
        if let OutputShape::Value(Some(schema)) = &function.output {
            tool["outputSchema"] = match schema.is_object() {
                true => schema.published().clone(),
                false => schema.wrapped(),
            };
        }
    } else {
        annotations["title"] = function.title.as_str().into();
    }
    if annotated {
        tool["annotations"] = annotations;
    }
    tool
}

#[tokio::test]
async fn k3_32_a_modern_list_says_how_long_and_for_whom_it_may_be_kept() {
    let app = App::new();
    let got = app.ask(200, list()).await;
    let tools: Vec<_> = names(&got)
        .into_iter()
        .map(|name| tool(&app, name, true, true))
        .collect();
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
    let reader = app.ask(200, list().by("reader")).await;
    assert_eq!(reader["result"]["cacheScope"], "private");
    assert_eq!(
        names(&reader),
        [
            "busy",
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
    assert_eq!(app.send(list().by_nobody()).await.status, 401);
}

#[tokio::test]
async fn k2_08_the_order_is_by_name_and_the_same_each_time() {
    let app = App::new();
    let first = app.send(list()).await.bytes;
    let got: Value = serde_json::from_slice(&first).expect("JSON");
    let listed = names(&got);
    assert!(listed.is_sorted() && listed.contains(&"wipe") && !listed.contains(&"inside"));
    assert_eq!(app.send(list()).await.bytes, first, "the same bytes");
    assert_eq!(
        App::new().send(list()).await.bytes,
        first,
        "from another process too"
    );
}

#[tokio::test]
async fn each_revision_is_listed_what_it_has() {
    let app = App::new();
    for (revision, titled, annotated) in [
        ("2024-11-05", false, false),
        ("2025-03-26", false, true),
        ("2025-06-18", true, true),
        ("2025-11-25", true, true),
    ] {
        let session = app.session(revision).await;
        let got = app
            .ask(200, Send::legacy("tools/list", json!({})).session(&session))
            .await;
        let tools: Vec<_> = names(&got)
            .into_iter()
            .map(|name| tool(&app, name, titled, annotated))
            .collect();
        assert!(!tools.is_empty());
        assert_eq!(
            got,
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}),
            "{revision}"
        );
    }
}

#[tokio::test]
async fn k6_10_no_output_schema_is_listed_of_what_nothing_is_known() {
    let app = App::new();
    let got = app.ask(200, list()).await;
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

/// Ten tools of about 300 KiB each.
static LARGE: LazyLock<Vec<&'static Declaration>> = LazyLock::new(|| {
    let about: &'static str = "x".repeat(300 << 10).leak();
    let here = Location {
        module: module_path!(),
        file: file!(),
        line: line!(),
    };
    let one = |n: usize| -> &'static Declaration {
        let name = format!("tool_{n}").leak();
        let run = Body::Sync(|_, _| Ok(Output::default()));
        let access = if n == 6 {
            AccessDeclaration::Role("staff")
        } else {
            AccessDeclaration::SignedIn
        };
        let made = Declaration::new(
            Kind::Query,
            name,
            here,
            access,
            Input::Fields(&[]),
            OutputDeclaration::Nothing,
            Vec::new,
            run,
        );
        Box::leak(Box::new(Declaration {
            mcp: true,
            about,
            ..made
        }))
    };
    (0..10).map(one).collect()
});

fn page(cursor: &Value) -> Send {
    Send::modern("tools/list", json!({"cursor": cursor}))
}

#[tokio::test]
async fn a_long_list_comes_page_by_page() {
    let app = App::of(&LARGE, |_| {});
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
async fn a_cursor_is_good_where_no_page_begins_at_its_tool_today() {
    // The pages of an app with fewer tools begin elsewhere.
    let fewer: Vec<_> = LARGE.iter().skip(1).copied().collect();
    let sealed = |tool: &str, app: &App| {
        let sealer = app.mcp().dispatcher.sealer();
        sealer.seal(Use::Cursor, tool.as_bytes(), b"").to_string()
    };
    for (functions, first, wanted) in [
        (&LARGE[..], 3, vec![3, 4, 5]),
        (&LARGE[..], 4, vec![4, 5, 6]),
        (&fewer[..], 3, vec![3, 4, 5]),
        (&fewer[..], 8, vec![8, 9]),
    ] {
        let app = App::of(functions, |_| {});
        let mut cursor = json!(sealed(&format!("tool_{first}"), &app));
        let got = app.ask(200, page(&cursor)).await;
        let wanted: Vec<_> = wanted.iter().map(|n| format!("tool_{n}")).collect();
        assert_eq!(names(&got), wanted);
        // And so on to the end, with no tool twice and none left out.
        let mut seen = Vec::new();
        while cursor != Value::Null {
            let got = app.ask(200, page(&cursor)).await;
            seen.extend(names(&got).into_iter().map(str::to_owned));
            cursor = got["result"]["nextCursor"].clone();
        }
        let rest: Vec<_> = (first..10).map(|n| format!("tool_{n}")).collect();
        assert_eq!(seen, rest);
    }
    // What is not listed for a caller begins nothing for it.
    let app = App::of(&LARGE, |_| {});
    let hidden = page(&json!(sealed("tool_6", &app))).by("ada");
    assert_eq!(app.ask(200, hidden).await["error"]["code"], -32602);
}

#[tokio::test]
async fn a_cursor_is_good_in_another_process_and_no_other_text_is() {
    let app = App::of(&LARGE, |_| {});
    let first = app.ask(200, page(&Value::Null)).await;
    let cursor = first["result"]["nextCursor"]
        .as_str()
        .expect("a cursor")
        .to_owned();
    assert!(!cursor.contains("tool"), "clients may not read it");
    let legacy = Send::legacy("tools/list", json!({"cursor": cursor}));
    assert_eq!(
        names(&app.ask(200, legacy).await),
        ["tool_3", "tool_4", "tool_5"]
    );
    let changed = format!("x{}", &cursor[1..]);
    for bad in [json!(""), json!("tool_3"), json!(changed)] {
        assert_eq!(
            app.ask(200, page(&bad)).await,
            json!({"jsonrpc": "2.0", "id": 1, "error": {
                "code": -32602,
                "message": "Unknown cursor: begin again without one.",
            }})
        );
    }
    for bad in [json!(7), json!(["x"])] {
        assert_eq!(app.ask(200, page(&bad)).await["error"]["code"], -32602);
    }
    // One page of staff begins at a tool that others do not see.
    let second = app.ask(200, page(&json!(cursor))).await;
    let third = second["result"]["nextCursor"].clone();
    assert_eq!(
        app.ask(200, page(&third)).await["result"]["tools"][0]["name"],
        "tool_6"
    );
    assert_eq!(
        app.ask(200, page(&third).by("ada")).await["error"]["code"],
        -32602
    );
}
