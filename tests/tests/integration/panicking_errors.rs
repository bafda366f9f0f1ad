//! Errors of an app whose own code panics: their `Display`, their `source` or their `Drop` (S10).

use std::fmt;

use serde_json::json;
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{Reply, ask, key, modern, tent_of};

/// What of an error panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Panics {
    Display,
    Source,
    Drop,
    /// The value of the panic panics too.
    DropTwice,
}

struct Bad(Panics);

impl fmt::Debug for Bad {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("in Debug")
    }
}

impl fmt::Display for Bad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        assert_ne!(self.0, Panics::Display, "in Display");
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        assert_ne!(self.0, Panics::Source, "in source");
        None
    }
}

impl Drop for Bad {
    fn drop(&mut self) {
        assert_ne!(self.0, Panics::Drop, "in Drop");
        if self.0 == Panics::DropTwice {
            std::panic::panic_any(Bad(Panics::Drop));
        }
    }
}

fn error(kind: &str) -> Error {
    Error::unexpected(Bad(match kind {
        "display" => Panics::Display,
        "source" => Panics::Source,
        "drop" => Panics::Drop,
        _ => Panics::DropTwice,
    }))
}

const KINDS: [&str; 4] = ["display", "source", "drop", "drop-twice"];

/// Fails after it waited.
#[query(access = "anyone", offer = "mcp")]
async fn fails_later(kind: String) -> Result<()> {
    tokio::task::yield_now().await;
    Err(error(&kind))
}

/// Fails on the blocking pool.
#[query(access = "anyone", offer = "mcp")]
fn fails_at_once(kind: String) -> Result<()> {
    Err(error(&kind))
}

/// Fails where it is called.
#[query(access = "anyone", offer = "mcp", blocking = false)]
fn fails_in_place(kind: String) -> Result<()> {
    Err(error(&kind))
}

/// Fails with an error of its own crate.
#[query(access = "anyone", offer = "mcp")]
async fn fails_with_a_box(kind: String) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err(Box::new(Bad(match &*kind {
        "display" => Panics::Display,
        "drop" => Panics::Drop,
        _ => Panics::DropTwice,
    })))
}

/// For tests.
#[resource(uri = "bad://{kind}", access = "signedIn")]
async fn bad_page(kind: String) -> Result<String> {
    Err(error(&kind))
}

/// For tests.
#[prompt(access = "signedIn")]
async fn bad_prompt(kind: String) -> Result<String> {
    Err(error(&kind))
}

async fn bad_rule(_cx: &Cx) -> Result<bool> {
    Err(error("display"))
}

async fn worse_rule(_cx: &Cx) -> Result<bool> {
    Err(error("drop"))
}

/// For tests.
#[query(access = bad_rule, offer = "mcp")]
async fn behind_a_bad_rule() -> u8 {
    7
}

/// For tests.
#[query(access = worse_rule, offer = "mcp")]
async fn behind_a_worse_rule() -> u8 {
    7
}

/// For tests.
#[query(access = "anyone", offer = "mcp")]
async fn unharmed() -> u8 {
    7
}

async fn app() -> Tent {
    let functions = tent::functions![
        fails_later,
        fails_at_once,
        fails_in_place,
        fails_with_a_box,
        bad_page,
        bad_prompt,
        behind_a_bad_rule,
        behind_a_worse_rule,
        unharmed
    ];
    tent_of(|app: App| app.functions(functions)).await
}

async fn goes_on(tent: &Tent) {
    let reply = ask(tent, "GET", "/api/unharmed").send().await;
    assert_eq!(reply.json(), 7);
}

fn has_reference(reply: &Reply, place: &str) {
    let text = reply.shown();
    assert!(
        text.contains("T0012") && text.contains("Internal error (reference "),
        "{place}: {text}"
    );
}

// S10.
#[tokio::test]
async fn a_call_whose_error_panics_is_t0012_with_a_reference() {
    let tent = app().await;
    let key = key(&tent, "ada", &["*"]).await;
    for name in [
        "fails_later",
        "fails_at_once",
        "fails_in_place",
        "fails_with_a_box",
    ] {
        for kind in KINDS {
            let api = ask(&tent, "GET", format!("/api/{name}?kind={kind}"))
                .send()
                .await;
            assert_eq!(api.refusal(), (500, "T0012".to_owned()), "{name} {kind}");
            has_reference(&api, name);
            let call = json!({"name": name, "arguments": {"kind": kind}});
            let mcp = modern(&tent, "tools/call", call).key(&key).send().await;
            has_reference(&mcp, name);
            goes_on(&tent).await;
        }
    }
}

// S10.
#[tokio::test]
async fn a_resource_a_prompt_and_a_rule_whose_error_panics_are_t0012() {
    let tent = app().await;
    let key = key(&tent, "ada", &["*"]).await;
    for kind in KINDS {
        let read = modern(
            &tent,
            "resources/read",
            json!({"uri": format!("bad://{kind}")}),
        );
        let read = read.header("mcp-name", &format!("bad://{kind}"));
        has_reference(&read.key(&key).send().await, "resources/read");
        let get = json!({"name": "bad_prompt", "arguments": {"kind": kind}});
        has_reference(
            &modern(&tent, "prompts/get", get).key(&key).send().await,
            "prompts/get",
        );
        goes_on(&tent).await;
    }
    for name in ["behind_a_bad_rule", "behind_a_worse_rule"] {
        let api = ask(&tent, "GET", format!("/api/{name}"))
            .key(&key)
            .send()
            .await;
        assert!(matches!(api.status.as_u16(), 404 | 500), "{}", api.shown());
        let list = modern(&tent, "tools/list", json!({}))
            .key(&key)
            .send()
            .await;
        assert_eq!(list.status, 200);
        goes_on(&tent).await;
    }
}
