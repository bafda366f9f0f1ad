//! The functions that the integration tests call: one for each thing that can happen at the door.

use std::sync::atomic::{AtomicU64, Ordering};

use tent::prelude::*;

/// What the tests look into from outside.
#[derive(State, Default)]
pub(crate) struct Watched {
    /// How often a function that counts itself has run.
    pub(crate) runs: AtomicU64,
    /// Held by a function that panics.
    pub(crate) lock: std::sync::Mutex<()>,
}

#[data]
#[derive(Debug)]
pub(crate) struct Sum {
    pub(crate) sum: i64,
}

#[data]
pub(crate) struct Line {
    /// What is bought.
    #[schemars(length(min = 1))]
    pub(crate) sku: String,
    #[schemars(range(min = 1, max = 99))]
    pub(crate) count: u32,
}

#[derive(Debug, Failure)]
pub(crate) enum OrderError {
    #[failure(
        code = "A0001",
        status = 409,
        message = "Order {id} is already paid",
        fix = "Call open_orders"
    )]
    AlreadyPaid { id: u32 },
    #[failure(transparent)]
    Other(#[from] tent::Error),
}

#[query(about = "Add two integers", access = "anyone", offer = "mcp")]
fn add(a: i64, b: i64) -> Sum {
    Sum {
        sum: a.saturating_add(b),
    }
}

#[query(
    about = "The name of the person asking",
    access = "signedIn",
    offer = "mcp"
)]
async fn whoami(cx: &Cx) -> Result<String> {
    Ok(cx.user()?.name.clone())
}

/// Find by words.
#[query(access = "signedIn", offer = "mcp")]
async fn search(
    text: Option<String>,
    tags: Option<Vec<String>>,
    #[arg(default = 20, min = 1, max = 100)] limit: u32,
    exact: Option<bool>,
) -> Vec<String> {
    let tags = tags.unwrap_or_default().join(",");
    vec![format!("{text:?} [{tags}] {limit} {exact:?}")]
}

#[change(
    about = "Order something",
    access = "signedIn",
    offer = "mcp",
    writes = "adds"
)]
async fn order(
    watched: &Watched,
    lines: Vec<Line>,
    #[arg(min_len = 2)] note: Option<String>,
) -> u32 {
    watched.runs.fetch_add(1, Ordering::SeqCst);
    let _ = note;
    lines.iter().map(|line| line.count).sum()
}

#[change(about = "Touch something", access = "signedIn", offer = "mcp")]
async fn touch(watched: &Watched) {
    watched.runs.fetch_add(1, Ordering::SeqCst);
}

#[change(about = "Pay", access = "signedIn", offer = "mcp")]
async fn pay(cx: &Cx, id: u32) -> Result<(), OrderError> {
    cx.require(id != 13)?;
    Err(OrderError::AlreadyPaid { id })
}

#[change(
    about = "Delete everything",
    access = "role:staff",
    offer = "mcp",
    danger = "ask"
)]
async fn delete_all(watched: &Watched) {
    watched.runs.fetch_add(1, Ordering::SeqCst);
}

#[query(about = "The books", access = "role:staff", offer = "mcp")]
async fn books() -> &'static str {
    "two"
}

#[action(about = "Only from inside", access = "app")]
async fn inside() -> u8 {
    7
}

#[query(
    about = "Not at the API",
    access = "anyone",
    api = false,
    offer = "mcp"
)]
async fn mcp_only() -> u8 {
    7
}

#[action(about = "Panic", access = "signedIn", offer = "mcp")]
async fn explode(id: String) {
    let nothing: Vec<u8> = Vec::new();
    let _ = nothing[id.len()];
}

#[action(
    about = "Panic on another thread",
    access = "signedIn",
    offer = "mcp",
    blocking = true
)]
fn explode_apart() {
    panic!("the wires are postgres://user:pw@db/x");
}

/// A value whose encoding panics.
pub(crate) struct Unwritable;
impl tent::serde::Serialize for Unwritable {
    fn serialize<S: tent::serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("no words for it")
    }
}
impl tent::schemars::JsonSchema for Unwritable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Unwritable".into()
    }
    fn json_schema(_: &mut tent::schemars::SchemaGenerator) -> tent::schemars::Schema {
        tent::schemars::json_schema!({"type": "object"})
    }
}

#[query(
    about = "An answer that cannot be written",
    access = "signedIn",
    offer = "mcp"
)]
async fn unwritable() -> Unwritable {
    Unwritable
}

/// Panics when it is dropped, unless that is because of another panic.
pub(crate) struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("the bomb")
        }
    }
}

#[action(about = "Panic at the end", access = "signedIn", offer = "mcp")]
async fn explode_late() {
    let _bomb = Bomb;
    tokio::task::yield_now().await;
}

#[action(
    about = "Never end, and panic when it is ended",
    access = "signedIn",
    offer = "mcp",
    timeout = "20ms"
)]
async fn explode_when_ended() {
    let _bomb = Bomb;
    std::future::pending().await
}

#[action(
    about = "Panic while a lock is held, with a value that is not text",
    access = "signedIn",
    offer = "mcp"
)]
async fn explode_locked(watched: &Watched) {
    let _held = watched.lock.lock();
    std::panic::panic_any(7)
}

/// A value that is written in another way than its schema says.
pub(crate) struct Misfit;
impl tent::serde::Serialize for Misfit {
    fn serialize<S: tent::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        tent::serde_json::json!({"count": "seven", "lines": [{"sku": "a", "count": 1}, {"sku": 7}]})
            .serialize(serializer)
    }
}
impl tent::schemars::JsonSchema for Misfit {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Misfit".into()
    }
    fn json_schema(generator: &mut tent::schemars::SchemaGenerator) -> tent::schemars::Schema {
        let lines = generator.subschema_for::<Vec<Line>>();
        tent::schemars::json_schema!({
            "type": "object",
            "properties": {"count": {"type": "integer"}, "lines": lines},
            "required": ["count"],
        })
    }
}

#[query(
    about = "An output that is not valid for its schema",
    access = "signedIn",
    offer = "mcp"
)]
async fn misfit() -> Misfit {
    Misfit
}

/// What serde alone can tell: a schema cannot say it, or no client minds it.
#[query(about = "Look a host up", access = "anyone", offer = "mcp")]
async fn resolve(
    host: std::net::IpAddr,
    v4: Option<std::net::Ipv4Addr>,
    small: Option<std::num::NonZeroU8>,
) -> String {
    format!("{host} {v4:?} {small:?}")
}

#[query(about = "An integer of 128 bits", access = "anyone", offer = "mcp")]
async fn huge(below: bool) -> i128 {
    if below { i128::MIN } else { i128::MAX }
}

#[query(about = "Fail inside", access = "signedIn", offer = "mcp")]
async fn leak() -> Result<u8, anyhow::Error> {
    Err(anyhow::anyhow!("connect postgres://user:pw@db/x failed").context("save"))
}

#[query(
    about = "Never end",
    access = "signedIn",
    offer = "mcp",
    timeout = "20ms"
)]
async fn never() -> u8 {
    std::future::pending().await
}

#[query(about = "Who may, by a rule", access = only_ada, offer = "mcp")]
async fn adas() -> u8 {
    1
}

async fn only_ada(cx: &Cx) -> Result<bool> {
    Ok(cx.user()?.id == "ada")
}

#[query(about = "A rule that breaks", access = broken_rule, offer = "mcp")]
async fn behind_a_broken_rule() -> u8 {
    1
}

fn broken_rule(_: &Cx) -> Result<bool> {
    panic!("the rule")
}

#[query(
    about = "Orders alone",
    access = "signedIn",
    scope = "orders:read",
    offer = "mcp"
)]
async fn scoped() -> u8 {
    1
}

#[query(about = "A picture", access = "anyone", offer = "mcp")]
async fn picture() -> Content {
    Content::image([1, 2, 3], "image/png")
}

#[query(about = "A page that a user wrote", access = "anyone")]
async fn page() -> Content {
    Content::resource_blob("page://1", "text/html", "<script>alert(1)</script>")
}

#[query(about = "A note", access = "anyone")]
async fn note() -> Content {
    Content::text("Ärger – 🦀")
}

#[query(about = "Try a password", access = "anyone")]
async fn unlock(#[arg(secret, min_len = 12)] password: String) -> bool {
    password.is_empty()
}

#[query(about = "Echo", access = "anyone", offer = "mcp")]
async fn echo(value: tent::serde_json::Value) -> tent::serde_json::Value {
    value
}

#[query(about = "A rule that never ends", access = endless_rule, offer = "mcp")]
async fn behind_an_endless_rule() -> u8 {
    1
}

/// Endless for one person alone, so that the lists of all others are made at once.
async fn endless_rule(cx: &Cx) -> Result<bool> {
    match cx.user()?.id.as_str() {
        "eve" => std::future::pending().await,
        _ => Ok(false),
    }
}

#[query(about = "Tell a setting", access = "signedIn", offer = "mcp")]
async fn setting() -> Result<u16> {
    let vars = [("TENT_SHOP__PASSWORD", "hunter2-secret")];
    tent::Settings::from_vars(vars)?.get("shop.password")
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    add,
    whoami,
    search,
    order,
    touch,
    pay,
    delete_all,
    books,
    inside,
    mcp_only,
    explode,
    explode_apart,
    unwritable,
    explode_late,
    explode_when_ended,
    explode_locked,
    misfit,
    resolve,
    huge,
    leak,
    never,
    adas,
    behind_a_broken_rule,
    scoped,
    picture,
    page,
    note,
    unlock,
    echo,
    behind_an_endless_rule,
    setting,
];
