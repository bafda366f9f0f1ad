//! Resources: lists, templates, reading, in both eras.

use serde_json::{Map, Value, json};
use tent_core::codes;

use super::app::{App, META, Send, server};
use super::functions::function;
use super::served::{order_numbers, reads};
use crate::error::Error;
use crate::function::{
    AccessDeclaration, Annotations, Content, Declaration, Kind, Lister, Output, OutputDeclaration,
    Resource, ResourceInfo, Role,
};
use crate::schema::Field;
use crate::settings::Settings;

const ID: &[Field] = &[Field::new::<u32>("id")];
const PATH: &[Field] = &[Field::new::<String>("path")];

fn text(text: &str) -> Result<Output, Error> {
    Ok(Output {
        value: Some(serde_json::value::to_raw_value(text)?),
        ..Output::default()
    })
}

fn content(content: Vec<Content>) -> Result<Output, Error> {
    Ok(Output {
        content,
        ..Output::default()
    })
}

/// The one order that there is; all others are no resource.
fn order(_: &crate::cx::Cx, input: Map<String, Value>) -> Result<Output, Error> {
    match input.get("id").and_then(Value::as_u64) {
        Some(7) => text("Two chairs"),
        Some(8) => Err(Error::unexpected("the disk is full")),
        Some(9) => Err(Error::declared(
            crate::code!("A0009"),
            409,
            "Order 9 is locked",
        )),
        id => Err(Error::declared(
            crate::code!("A0001"),
            404,
            format!("There is no order {id:?}"),
        )),
    }
}

const LIST: Lister = Lister {
    path: "all_orders",
    ask: |_| {
        Box::pin(async {
            let annotations = Annotations::new().audience([Role::User]).priority(0.5);
            Ok(vec![
                ResourceInfo::new("orders://7", "order 7")
                    .title("Order 7")
                    .about("Two chairs")
                    .media_type("text/plain")
                    .size(10)
                    .annotated(annotations.last_modified("2026-01-12T15:00:58Z")),
                // Declared as a resource of its own already.
                ResourceInfo::new("shop://manual", "again"),
            ])
        })
    },
};

pub(super) static RESOURCES: &[&Declaration] = &[
    &reads("manual", "shop://manual", &[], |_, _| text("# The shop")),
    &function(
        Kind::Query,
        "order",
        AccessDeclaration::SignedIn,
        ID,
        OutputDeclaration::Value(|g| g.subschema_for::<String>()),
        order,
    )
    .completes(&[order_numbers("id")])
    .resource(
        Resource::new("orders://{id}")
            .list(LIST)
            .media_type("text/x-order")
            .subscribe(true),
    ),
    &function(
        Kind::Query,
        "first_order",
        AccessDeclaration::Role("staff"),
        &[],
        OutputDeclaration::Value(|g| g.subschema_for::<String>()),
        |_, _| text("The first, as staff sees it"),
    )
    .resource(Resource::new("orders://1")),
    &reads("file", "files://{+path}", PATH, |_, input| {
        let path = input
            .get("path")
            .and_then(Value::as_str)
            .unwrap_or_default();
        match path {
            "logo.png" => content(vec![Content::image([1, 2, 3], "image/png")]),
            "all" => content(vec![
                Content::text("a"),
                Content::resource_text("files://b", "text/csv", "b;b"),
                Content::resource_blob("files://c", "application/pdf", [0, 255]),
                Content::link("https://shop.example/d", "d"),
                Content::audio([4], "audio/wav"),
            ]),
            _ => Ok(Output {
                value: Some(serde_json::value::to_raw_value(&json!({"path": path}))?),
                ..Output::default()
            }),
        }
    }),
];

fn app() -> App {
    App::of(RESOURCES, |_| {})
}

fn read(uri: &str) -> Send {
    Send::modern("resources/read", json!({"uri": uri}))
}

fn read_legacy(uri: &str) -> Send {
    Send::legacy("resources/read", json!({"uri": uri}))
}

/// What a modern result has, beside its own.
fn modern(mut own: Value, kept: u64) -> Value {
    own["resultType"] = "complete".into();
    own["ttlMs"] = kept.into();
    own["cacheScope"] = "private".into();
    own["_meta"] = json!({format!("{META}serverInfo"): server()});
    own
}

fn manual() -> Value {
    json!({"uri": "shop://manual", "name": "manual", "title": "Manual", "description": "For tests."})
}

fn listed_order() -> Value {
    json!({
        "uri": "orders://7", "name": "order 7", "title": "Order 7", "description": "Two chairs",
        "mimeType": "text/plain", "size": 10,
        "annotations": {"audience": ["user"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
    })
}

#[tokio::test]
async fn fixed_resources_and_those_that_a_function_lists_are_listed_once_each() {
    let got = app()
        .ask(200, Send::modern("resources/list", json!({})).by("ada"))
        .await;
    let resources = json!([manual(), listed_order()]);
    assert_eq!(
        got["result"],
        modern(json!({"resources": resources}), 300_000)
    );
    let staff = app()
        .ask(200, Send::modern("resources/list", json!({})))
        .await;
    let first = json!({"uri": "orders://1", "name": "first_order", "title": "First order", "description": "For tests."});
    assert_eq!(
        staff["result"]["resources"],
        json!([first, manual(), listed_order()])
    );
}

#[tokio::test]
async fn an_older_revision_is_shown_what_it_has() {
    let app = app();
    let session = app.session("2025-03-26").await;
    let send = Send::legacy("resources/list", json!({}))
        .session(&session)
        .by("ada");
    let (mut manual, mut order) = (manual(), listed_order());
    for one in [&mut manual, &mut order] {
        one.as_object_mut().expect("an object").remove("title");
    }
    order["annotations"] = json!({"audience": ["user"], "priority": 0.5});
    assert_eq!(
        app.ask(200, send).await["result"],
        json!({"resources": [manual, order]})
    );
}

#[tokio::test]
async fn templates_are_listed_apart() {
    let got = app()
        .ask(
            200,
            Send::legacy("resources/templates/list", json!({}))
                .header("mcp-protocol-version", "2025-11-25"),
        )
        .await;
    assert_eq!(
        got["result"],
        json!({"resourceTemplates": [
            {"uriTemplate": "files://{+path}", "name": "file", "title": "File", "description": "For tests."},
            {"uriTemplate": "orders://{id}", "name": "order", "title": "Order", "description": "For tests.", "mimeType": "text/x-order"},
        ]})
    );
}

#[tokio::test]
async fn what_is_read_is_a_text_json_or_content_each_with_its_media_type() {
    let app = app();
    let one = |uri: &str, media_type: &str, key: &str, held: &str| json!([{"uri": uri, "mimeType": media_type, key: held}]);
    for (uri, contents) in [
        (
            "shop://manual",
            one("shop://manual", "text/plain", "text", "# The shop"),
        ),
        (
            "orders://7",
            one("orders://7", "text/x-order", "text", "Two chairs"),
        ),
        (
            "orders://%37",
            one("orders://%37", "text/x-order", "text", "Two chairs"),
        ),
        (
            "files://logo.png",
            one("files://logo.png", "image/png", "blob", "AQID"),
        ),
        (
            "files://a/%C3%A4",
            one(
                "files://a/%C3%A4",
                "application/json",
                "text",
                r#"{"path":"a/ä"}"#,
            ),
        ),
        (
            "files://all",
            json!([
                {"uri": "files://all", "mimeType": "text/plain", "text": "a"},
                {"uri": "files://b", "mimeType": "text/csv", "text": "b;b"},
                {"uri": "files://c", "mimeType": "application/pdf", "blob": "AP8="},
                {"uri": "files://all", "mimeType": "text/uri-list", "text": "https://shop.example/d"},
                {"uri": "files://all", "mimeType": "audio/wav", "blob": "BA=="},
            ]),
        ),
    ] {
        let got = app.ask(200, read(uri)).await;
        assert_eq!(
            got["result"],
            modern(json!({"contents": contents}), 0),
            "{uri}"
        );
        let got = app.ask(200, read_legacy(uri)).await;
        assert_eq!(got["result"], json!({"contents": contents}), "{uri}");
    }
}

#[tokio::test]
async fn the_most_exact_that_the_caller_may_read_answers() {
    let app = app();
    let got = app.ask(200, read("orders://1")).await;
    assert_eq!(
        got["result"]["contents"][0]["text"],
        "The first, as staff sees it"
    );
    // For others it is not there, and the template has the URI.
    let got = app.ask(200, read("orders://1").by("ada")).await;
    assert_eq!(got["error"]["data"]["code"], "A0001");
}

#[tokio::test]
async fn what_is_not_there_is_not_found_by_the_code_of_the_era() {
    let app = app();
    for uri in [
        "shop://nothing",
        "orders://seven",
        "orders://7/8",
        "orders://",
        "orders://99999999999",
    ] {
        for (send, code) in [(read(uri), -32602), (read_legacy(uri), -32002)] {
            let got = app.ask(200, send).await;
            let fix = Error::new(codes::NOT_FOUND).fix().to_owned();
            assert_eq!(
                got,
                json!({"jsonrpc": "2.0", "id": 1, "error": {
                    "code": code,
                    "message": "Resource not found",
                    "data": {"uri": uri, "code": "T0001", "fix": fix},
                }}),
                "{uri}"
            );
        }
    }
    let got = app.ask(200, read("orders://404")).await;
    assert_eq!(
        got["error"],
        json!({"code": -32602, "message": "Resource not found", "data": {"uri": "orders://404", "code": "A0001"}})
    );
}

#[tokio::test]
async fn other_failures_say_whose_they_are() {
    let app = app();
    let internal_error = app.ask(200, read("orders://8")).await;
    assert_eq!(
        (
            &internal_error["error"]["code"],
            &internal_error["error"]["data"]["code"]
        ),
        (&json!(-32603), &json!("T0012"))
    );
    assert!(
        !internal_error.to_string().contains("disk"),
        "{internal_error}"
    );
    let locked = app.ask(200, read("orders://9")).await;
    assert_eq!(
        locked["error"],
        json!({"code": -32602, "message": "Order 9 is locked", "data": {"code": "A0009"}})
    );
    for params in [json!({}), json!({"uri": 7}), json!({"uri": null})] {
        let got = app.ask(200, Send::modern("resources/read", params)).await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn nobody_is_told_the_same_of_every_uri_that_is_not_for_them() {
    let app = App::of(RESOURCES, |settings: &mut Settings| {
        settings.mcp.anyone = true
    });
    let hidden = app.ask(401, read("orders://7").by_nobody()).await;
    let absent = app.ask(401, read("shop://nothing").by_nobody()).await;
    assert_eq!(hidden, absent);
    let list = app
        .ask(200, Send::modern("resources/list", json!({})).by_nobody())
        .await;
    assert_eq!(list["result"]["resources"], json!([]));
}

#[tokio::test]
async fn the_header_names_the_uri() {
    let app = app();
    app.ask(
        200,
        read("shop://manual").header("mcp-name", "=?base64?c2hvcDovL21hbnVhbA==?="),
    )
    .await;
    for send in [
        read("shop://manual").without("mcp-name"),
        read("shop://manual").header("mcp-name", "orders://7"),
        read_legacy("shop://manual").header("mcp-name", "orders://7"),
    ] {
        assert_eq!(app.ask(400, send).await["error"]["code"], -32020);
    }
}

#[tokio::test]
async fn a_long_list_has_pages_and_an_unknown_cursor_is_refused() {
    static MANY: &[&Declaration] = &[&reads("many", "many://{+path}", PATH, |_, _| text(""))
        .resource(Resource::new("many://{+path}").list(Lister {
            path: "many",
            ask: |_| {
                Box::pin(async {
                    let one =
                        |n: u32| ResourceInfo::new(format!("many://{n}"), "x".repeat(1 << 19));
                    Ok((0..5).map(one).collect())
                })
            },
        }))];
    let app = App::of(MANY, |_| {});
    let (mut uris, mut cursor, mut pages) = (Vec::new(), json!(null), 0);
    loop {
        let got = app
            .ask(
                200,
                Send::modern("resources/list", json!({"cursor": cursor})),
            )
            .await;
        let page = got["result"]["resources"].as_array().expect("a list");
        uris.extend(page.iter().map(|one| one["uri"].clone()));
        pages += 1;
        cursor = got["result"]["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
        // A cursor is of one list.
        let params = json!({"cursor": cursor});
        let other = app
            .ask(200, Send::modern("resources/templates/list", params))
            .await;
        assert_eq!(other["error"]["code"], -32602);
    }
    assert_eq!(pages, 5);
    assert_eq!(
        Value::from(uris),
        json!(["many://0", "many://1", "many://2", "many://3", "many://4"])
    );
    for cursor in [json!("made up"), json!(7)] {
        let got = app
            .ask(
                200,
                Send::modern("resources/list", json!({"cursor": cursor})),
            )
            .await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_resource_that_tells_how_far_it_is_answers_with_a_stream() {
    static SLOW: &[&Declaration] = &[&reads("slow", "slow://it", &[], |cx, _| {
        cx.progress(1.0, 2.0, "Reading");
        text("read")
    })];
    let app = App::of(SLOW, |_| {});
    let mut meta = super::app::meta();
    meta["progressToken"] = "p".into();
    let params = json!({"uri": "slow://it", "_meta": meta});
    let got = app.send(Send::modern("resources/read", params)).await;
    assert_eq!(got.header("content-type"), Some("text/event-stream"));
    let stream = String::from_utf8(got.bytes).expect("a text");
    let messages: Vec<Value> = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .map(|data| serde_json::from_str(data).expect("a message"))
        .collect();
    let progress = json!({"progressToken": "p", "progress": 1, "total": 2, "message": "Reading"});
    assert_eq!(messages[0]["params"], progress);
    assert_eq!(messages[1]["result"]["contents"][0]["text"], "read");
    assert_eq!(messages.len(), 2);
    // Who asked for no progress is answered by the one text.
    let quiet = app.ask(200, read("slow://it")).await;
    assert_eq!(quiet["result"]["contents"][0]["text"], "read");
}
