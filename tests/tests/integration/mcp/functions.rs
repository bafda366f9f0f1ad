//! The functions of the app under test.

use tent::prelude::*;
use tent::serde_json::Value;
use tent::{Content, Map};

use super::events::Events;

#[data]
struct Order {
    id: String,
}

#[derive(Debug, Failure)]
enum OrderError {
    #[failure(
        code = "A0001",
        status = 404,
        message = "There is no order {id}",
        fix = "Call list_orders."
    )]
    NotFound { id: String },
}

fn find(id: String) -> Result<Order, OrderError> {
    match &*id {
        "missing" => Err(OrderError::NotFound { id }),
        _ => Ok(Order { id }),
    }
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn find_order(
    events: &Events,
    cx: &Cx,
    id: String,
    limit: Option<u32>,
) -> Result<Order, OrderError> {
    let _ = limit;
    let order = find(id)?;
    events.emit(cx.trace());
    Ok(order)
}

/// For tests.
#[change(access = "role:staff", offer = "mcp", idempotent = true)]
fn delete_order(
    events: &Events,
    cx: &Cx,
    id: String,
    limit: Option<u32>,
) -> Result<Order, OrderError> {
    let _ = limit;
    let order = find(id)?;
    events.emit(cx.trace());
    Ok(order)
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn server_time(events: &Events, cx: &Cx) -> &'static str {
    events.emit(cx.trace());
    "noon"
}

#[data]
struct Echo {
    text: String,
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn echo(events: &Events, cx: &Cx, text: String) -> Echo {
    events.emit(cx.trace());
    Echo { text }
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn list_orders() -> Vec<Order> {
    vec![Order { id: "A1".into() }]
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn maybe() -> Option<Order> {
    None
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn raw() -> Value {
    tent::serde_json::json!(["any", 1])
}

/// For tests.
#[change(access = "signedIn", offer = "mcp")]
fn touch() {}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn show() -> Vec<Content> {
    vec![
        Content::text("hello"),
        Content::image([1, 2, 3], "image/png"),
        Content::audio([4, 5], "audio/wav"),
        Content::resource_text("file:///a.csv", "text/csv", "a;b"),
        Content::resource_blob("file:///b.pdf", "application/pdf", b"\x00\xff"),
        Content::link("https://shop.example/1", "order 1"),
    ]
}

/// For tests.
#[change(access = "signedIn", offer = "mcp")]
fn save() -> Result<()> {
    Err(Error::unexpected("connect postgres://user:pw@db/x failed"))
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn explode() {
    panic!("secret detail")
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn not_yours(cx: &Cx) -> Result<()> {
    cx.require(false)
}

/// For tests.
#[query(access = "role:staff", offer = "mcp")]
fn report(
    events: &Events,
    cx: &Cx,
    #[arg(header = "Region")] region: String,
    #[arg(header = "Row")] row: Option<u32>,
) -> Map {
    events.emit(cx.trace());
    Map::from_iter([
        ("region".to_owned(), region.into()),
        ("row".to_owned(), row.into()),
    ])
}

/// For tests.
#[change(access = "role:staff", offer = "mcp", danger = "ask")]
fn wipe() {}

#[query(access = "signedIn")]
fn inside() {}

/// All of them, in another order than lists have.
pub(super) const ALL: &[&tent::Declaration] = tent::functions![
    find_order,
    delete_order,
    server_time,
    echo,
    list_orders,
    maybe,
    raw,
    touch,
    show,
    save,
    explode,
    not_yours,
    report,
    wipe,
    inside,
];
