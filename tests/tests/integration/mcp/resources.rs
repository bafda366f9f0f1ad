//! Resources: lists, templates and `resources/read`, in both eras.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Annotations, Content, Map, ResourceInfo, Role};

use super::app::{App, META, Request, code, server};
use super::prompts::order_numbers;

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(code = "A0001", status = 404, message = "There is no order {0}")]
    NotFound(u32),
    #[failure(code = "A0009", status = 409, message = "Order 9 is locked")]
    Locked,
    #[failure(transparent)]
    Disk(#[from] std::io::Error),
}

/// For tests.
#[resource(uri = "shop://manual", access = "signedIn")]
fn manual() -> &'static str {
    "# The shop"
}

/// For tests.
#[resource(
    uri = "orders://{id}",
    access = "signedIn",
    list = all_orders,
    media_type = "text/x-order",
    subscribe = true
)]
fn order(#[arg(complete = order_numbers)] id: u32) -> Result<&'static str, OrderError> {
    match id {
        7 => Ok("Two chairs"),
        8 => Err(std::io::Error::other("the disk is full"))?,
        9 => Err(OrderError::Locked),
        id => Err(OrderError::NotFound(id)),
    }
}

fn all_orders(_: &Cx) -> Vec<ResourceInfo> {
    let annotations = Annotations::new().audience([Role::User]).priority(0.5);
    vec![
        ResourceInfo::new("orders://7", "order 7")
            .title("Order 7")
            .about("Two chairs")
            .media_type("text/plain")
            .size(10)
            .annotated(annotations.last_modified("2026-01-12T15:00:58Z")),
        // The app already declares this resource.
        ResourceInfo::new("shop://manual", "again"),
    ]
}

/// For tests.
#[resource(uri = "orders://1", access = "role:staff")]
fn first_order() -> &'static str {
    "The first, as staff sees it"
}

/// For tests.
#[resource(uri = "files://{+path}", access = "signedIn")]
fn file(path: String) -> Vec<Content> {
    match &*path {
        "logo.png" => vec![Content::image([1, 2, 3], "image/png")],
        _ => vec![
            Content::text("a"),
            Content::resource_text("files://b", "text/csv", "b;b"),
            Content::resource_blob("files://c", "application/pdf", [0, 255]),
            Content::link("https://shop.example/d", "d"),
            Content::audio([4], "audio/wav"),
        ],
    }
}

/// For tests.
#[resource(uri = "paths://{+path}", access = "signedIn")]
fn path(path: String) -> Map {
    Map::from_iter([("path".to_owned(), path.into())])
}

/// For tests.
#[resource(uri = "many://{+path}", access = "signedIn", list = five)]
fn many(path: String) -> String {
    path
}

fn five(_: &Cx) -> Vec<ResourceInfo> {
    let one = |n: u32| ResourceInfo::new(format!("many://{n}"), "x".repeat(1 << 19));
    (0..5).map(one).collect()
}

/// For tests.
#[resource(uri = "slow://it", access = "signedIn")]
fn slow(cx: &Cx) -> &'static str {
    cx.progress(1.0, 2.0, "Reading");
    "read"
}

pub(super) const RESOURCES: &[&tent::Declaration] =
    tent::functions![manual, order, first_order, file, path];

async fn app() -> App {
    App::of(|app| app.functions(RESOURCES)).await
}

fn read(uri: &str) -> Request {
    Request::modern("resources/read", json!({"uri": uri}))
}

fn read_legacy(uri: &str) -> Request {
    Request::legacy("resources/read", json!({"uri": uri}))
}

/// What a modern result has, beside its own.
fn modern(mut own: Value, kept: u64) -> Value {
    own["resultType"] = "complete".into();
    own["ttlMs"] = kept.into();
    own["cacheScope"] = "private".into();
    own["_meta"] = json!({format!("{META}serverInfo"): server()});
    own
}

fn listed_manual() -> Value {
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
async fn lists_each_resource_once() {
    let got = app()
        .await
        .json(200, Request::modern("resources/list", json!({})).by("ada"))
        .await;
    let resources = json!([listed_manual(), listed_order()]);
    assert_eq!(
        got["result"],
        modern(json!({"resources": resources}), 300_000)
    );
    let staff = app()
        .await
        .json(200, Request::modern("resources/list", json!({})))
        .await;
    let first = json!({"uri": "orders://1", "name": "first_order", "title": "First order", "description": "For tests."});
    assert_eq!(
        staff["result"]["resources"],
        json!([first, listed_manual(), listed_order()])
    );
}

#[tokio::test]
async fn lists_resources_with_the_members_of_an_older_revision() {
    let app = app().await;
    let session = app.session_by("ada", "2025-03-26").await;
    let send = Request::legacy("resources/list", json!({}))
        .session(&session)
        .by("ada");
    let (mut manual, mut order) = (listed_manual(), listed_order());
    for one in [&mut manual, &mut order] {
        one.as_object_mut().expect("an object").remove("title");
    }
    order["annotations"] = json!({"audience": ["user"], "priority": 0.5});
    assert_eq!(
        app.json(200, send).await["result"],
        json!({"resources": [manual, order]})
    );
}

#[tokio::test]
async fn lists_templates_separately() {
    let got = app()
        .await
        .json(
            200,
            Request::legacy("resources/templates/list", json!({}))
                .header("mcp-protocol-version", "2025-11-25"),
        )
        .await;
    assert_eq!(
        got["result"],
        json!({"resourceTemplates": [
            {"uriTemplate": "files://{+path}", "name": "file", "title": "File", "description": "For tests."},
            {"uriTemplate": "orders://{id}", "name": "order", "title": "Order", "description": "For tests.", "mimeType": "text/x-order"},
            {"uriTemplate": "paths://{+path}", "name": "path", "title": "Path", "description": "For tests."},
        ]})
    );
}

#[tokio::test]
async fn reads_text_json_and_content_each_with_its_media_type() {
    let app = app().await;
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
            "paths://a/%C3%A4",
            one(
                "paths://a/%C3%A4",
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
        let got = app.json(200, read(uri)).await;
        assert_eq!(
            got["result"],
            modern(json!({"contents": contents}), 0),
            "{uri}"
        );
        let got = app.json(200, read_legacy(uri)).await;
        assert_eq!(got["result"], json!({"contents": contents}), "{uri}");
    }
}

#[tokio::test]
async fn reads_the_most_specific_resource_that_the_caller_can_see() {
    let app = app().await;
    let got = app.json(200, read("orders://1")).await;
    assert_eq!(
        got["result"]["contents"][0]["text"],
        "The first, as staff sees it"
    );
    // For others it is not there, and the template has the URI.
    let got = app.json(200, read("orders://1").by("ada")).await;
    assert_eq!(got["error"]["data"]["code"], "A0001");
}

#[tokio::test]
async fn returns_the_not_found_code_of_the_era_for_an_absent_resource() {
    let app = app().await;
    for uri in [
        "shop://nothing",
        "orders://seven",
        "orders://7/8",
        "orders://",
        "orders://99999999999",
    ] {
        for (send, status) in [(read(uri), -32602), (read_legacy(uri), -32002)] {
            let got = app.json(200, send).await;
            let fix = code("T0001").fix();
            assert_eq!(
                got,
                json!({"jsonrpc": "2.0", "id": 1, "error": {
                    "code": status,
                    "message": "Resource not found",
                    "data": {"uri": uri, "code": "T0001", "fix": fix},
                }}),
                "{uri}"
            );
        }
    }
    let got = app.json(200, read("orders://404")).await;
    assert_eq!(
        got["error"],
        json!({"code": -32602, "message": "Resource not found", "data": {"uri": "orders://404", "code": "A0001"}})
    );
}

#[tokio::test]
async fn distinguishes_internal_errors_from_declared_failures() {
    let app = app().await;
    let internal_error = app.json(200, read("orders://8")).await;
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
    let locked = app.json(200, read("orders://9")).await;
    assert_eq!(
        locked["error"],
        json!({"code": -32602, "message": "Order 9 is locked", "data": {"code": "A0009"}})
    );
    for params in [json!({}), json!({"uri": 7}), json!({"uri": null})] {
        let got = app.modern("resources/read", params).await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn returns_the_same_error_to_an_anonymous_caller_for_every_hidden_uri() {
    let app = App::of(|app| app.functions(RESOURCES).set("mcp.anyone", "true")).await;
    let hidden = app.json(401, read("orders://7").anonymous()).await;
    let absent = app.json(401, read("shop://nothing").anonymous()).await;
    assert_eq!(hidden, absent);
    let list = app
        .json(
            200,
            Request::modern("resources/list", json!({})).anonymous(),
        )
        .await;
    assert_eq!(list["result"]["resources"], json!([]));
}

#[tokio::test]
async fn requires_the_uri_in_the_header() {
    let app = app().await;
    app.json(
        200,
        read("shop://manual").header("mcp-name", "=?base64?c2hvcDovL21hbnVhbA==?="),
    )
    .await;
    for send in [
        read("shop://manual").without("mcp-name"),
        read("shop://manual").header("mcp-name", "orders://7"),
        read_legacy("shop://manual").header("mcp-name", "orders://7"),
    ] {
        assert_eq!(app.json(400, send).await["error"]["code"], -32020);
    }
}

#[tokio::test]
async fn pages_a_long_list_and_refuses_an_unknown_cursor() {
    let app = App::of(|app| app.functions(tent::functions![many])).await;
    let (mut uris, mut cursor, mut pages) = (Vec::new(), json!(null), 0);
    loop {
        let got = app
            .modern("resources/list", json!({"cursor": cursor}))
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
        let other = app.modern("resources/templates/list", params).await;
        assert_eq!(other["error"]["code"], -32602);
    }
    assert_eq!(pages, 5);
    assert_eq!(
        Value::from(uris),
        json!(["many://0", "many://1", "many://2", "many://3", "many://4"])
    );
    for cursor in [json!("made up"), json!(7)] {
        let got = app
            .modern("resources/list", json!({"cursor": cursor}))
            .await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn responds_with_a_stream_to_a_read_that_reports_progress() {
    let app = App::of(|app| app.functions(tent::functions![slow])).await;
    let mut meta = super::app::meta();
    meta["progressToken"] = "p".into();
    let params = json!({"uri": "slow://it", "_meta": meta});
    let got = app.send(Request::modern("resources/read", params)).await;
    let messages = got.events();
    let progress = json!({"progressToken": "p", "progress": 1, "total": 2, "message": "Reading"});
    assert_eq!(messages[0]["params"], progress);
    assert_eq!(messages[1]["result"]["contents"][0]["text"], "read");
    assert_eq!(messages.len(), 2);
    // A client that did not request progress gets one JSON response.
    let quiet = app.json(200, read("slow://it")).await;
    assert_eq!(quiet["result"]["contents"][0]["text"], "read");
}

/// A resource whose URI has an escape.
#[resource(uri = "notes://caf%c3%a9", access = "signedIn")]
fn cafe() -> &'static str {
    "open"
}

/// A note.
#[resource(uri = "notes://by-name/{name}", access = "signedIn")]
fn note(name: String) -> String {
    name
}

// P22.
#[tokio::test]
async fn equal_uris_name_the_same_resource() {
    let app = App::of(|app| app.functions(tent::functions![cafe, note])).await;
    for (uri, text) in [
        ("notes://caf%c3%a9", "open"),
        ("notes://caf%C3%A9", "open"),
        ("NOTES://%63af%C3%a9", "open"),
        ("notes://by-name/%c3%a9%7e", "\u{e9}~"),
        ("notes://%62y%2Dname/%C3%A9~", "\u{e9}~"),
    ] {
        let read = Request::modern("resources/read", json!({"uri": uri}));
        let result = app.result(read).await;
        assert_eq!(result["contents"][0]["text"], text, "{uri}");
    }
    for uri in [
        "notes://caf%C3%A8",
        "notes:%2f%2fcaf%C3%A9",
        "notes://CAF%C3%A9",
    ] {
        let read = Request::modern("resources/read", json!({"uri": uri}));
        assert_eq!(app.error(200, read).await.0, -32602, "{uri}");
    }
}
