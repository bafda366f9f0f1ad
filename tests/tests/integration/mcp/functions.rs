//! The functions of the app under test.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use tent::prelude::*;
use tent::serde_json::Value;
use tent::{Content, Map};

/// The ids of the requests that ran a function.
#[derive(State, Clone, Default)]
pub(crate) struct Ran(Arc<Mutex<HashSet<String>>>);

impl Ran {
    fn record(&self, cx: &Cx) {
        let mut ids = self.0.lock().expect("no test panics with the lock");
        ids.insert(cx.trace().to_owned());
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        let ids = self.0.lock().expect("no test panics with the lock");
        ids.contains(id)
    }
}

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
fn find_order(ran: &Ran, cx: &Cx, id: String, limit: Option<u32>) -> Result<Order, OrderError> {
    let _ = limit;
    let order = find(id)?;
    ran.record(cx);
    Ok(order)
}

/// For tests.
#[change(access = "role:staff", offer = "mcp", idempotent = true)]
fn delete_order(ran: &Ran, cx: &Cx, id: String, limit: Option<u32>) -> Result<Order, OrderError> {
    let _ = limit;
    let order = find(id)?;
    ran.record(cx);
    Ok(order)
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
fn server_time(ran: &Ran, cx: &Cx) -> &'static str {
    ran.record(cx);
    "noon"
}

#[data]
struct Echo {
    text: String,
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn echo(ran: &Ran, cx: &Cx, text: String) -> Echo {
    ran.record(cx);
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
    ran: &Ran,
    cx: &Cx,
    #[arg(header = "Region")] region: String,
    #[arg(header = "Row")] row: Option<u32>,
) -> Map {
    ran.record(cx);
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
