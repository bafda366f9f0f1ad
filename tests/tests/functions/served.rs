//! Resources, prompts and completions, as the macros write them.

use serde_json::{Map, Value, json};
use tent::prelude::*;
use tent_runtime::__private::{OutputDeclaration, Primitive};
use tent_runtime::{Declaration, Output};
use tent_tests::{block_on, linked, run_with};

#[data]
struct Order {
    id: u32,
}

type Alias<T> = std::result::Result<T, std::io::Error>;

/// The manual.
#[resource(uri = "shop://manual", access = "anyone", media_type = "text/markdown")]
fn manual() -> &'static str {
    "# The shop"
}

/// An order as a value.
#[resource(uri = "orders://{year}/{id}", access = "signedIn", list = listed::later, subscribe = true)]
async fn stored_order(_: &Cx, #[arg(complete = at_once)] year: u32, id: u32) -> Alias<Order> {
    Ok(Order { id: year + id })
}

/// A picture.
#[resource(uri = "pictures://{+path}", access = "anyone", name = "The picture", title = "A picture", list = at_once_too)]
async fn picture(#[arg(rename = "path", complete = failing)] at: String) -> Result<Vec<Content>> {
    Ok(vec![Content::text(at), Content::image([1], "image/png")])
}

mod listed {
    use super::{Cx, ResourceInfo};

    pub(super) async fn later(_: &Cx) -> super::Alias<Vec<ResourceInfo>> {
        Ok(vec![ResourceInfo::new("orders://2026/1", "1")])
    }
}

fn at_once_too(_: &Cx) -> Vec<ResourceInfo> {
    Vec::new()
}

fn at_once(_: &Cx, typed: String, so_far: tent::Map) -> Vec<String> {
    vec![typed, Value::Object(so_far).to_string()]
}

async fn failing(_: &Cx, _: String, _: tent::Map) -> Alias<Vec<String>> {
    Err(std::io::Error::other("gone"))
}

/// Several messages.
#[prompt(access = "anyone")]
async fn talk(to: String, times: Option<u32>) -> Alias<Vec<PromptMessage>> {
    let times = times.unwrap_or(1);
    Ok(vec![
        PromptMessage::user(format!("{to} {times}")),
        PromptMessage::assistant("yes"),
    ])
}

/// One message.
#[prompt(access = "anyone", name = "say-it")]
fn say() -> PromptMessage {
    PromptMessage::assistant(Content::link("a://b", "b"))
}

/// A text.
#[prompt(access = "anyone")]
fn plain_text() -> String {
    "hello".to_owned()
}

/// With a description of its own.
#[prompt(access = "anyone")]
fn described() -> Result<PromptResult> {
    Ok(PromptResult::new([PromptMessage::user("a")]).about("mine"))
}

fn answer(declaration: &Declaration, input: Value) -> Output {
    run_with(
        declaration,
        input,
        tent_runtime::__private::States::default(),
    )
    .expect("it answers")
}

fn stated(name: &str) -> tent_runtime::__private::Resource {
    match linked(name).primitive {
        Primitive::Resource(stated) => stated,
        other => panic!("a resource, not {other:?}"),
    }
}

#[test]
fn a_resource_has_its_declared_options() {
    let order = linked("stored_order");
    assert!(!order.api && !order.mcp && matches!(order.output, OutputDeclaration::Value(_)));
    assert_eq!(order.about, "An order as a value.");
    let order = stated("stored_order");
    assert_eq!(
        (order.uri, order.media_type, order.subscribe),
        ("orders://{year}/{id}", None, true)
    );
    let manual = stated("manual");
    assert_eq!(
        (manual.media_type, manual.subscribe),
        (Some("text/markdown"), false)
    );
    assert!(manual.list.is_none());
    let picture = linked("The picture");
    assert_eq!(
        (picture.title, picture.completions[0].argument),
        (Some("A picture"), "path")
    );
}

#[test]
fn a_resource_returns_text_a_value_or_content() {
    let text = answer(linked("manual"), json!({}));
    assert_eq!(
        text.value.map(|value| value.get().to_owned()).as_deref(),
        Some("\"# The shop\"")
    );
    let order = answer(linked("stored_order"), json!({"year": 2026, "id": 7}));
    assert_eq!(
        order.value.map(|value| value.get().to_owned()).as_deref(),
        Some("{\"id\":2033}")
    );
    let picture = answer(linked("The picture"), json!({"path": "a/b"}));
    assert_eq!(
        picture.content,
        [Content::text("a/b"), Content::image([1], "image/png")]
    );
}

#[test]
fn lists_and_completions_may_be_sync_or_async_and_may_fail() {
    let cx = Cx::for_test(
        Caller::Anonymous,
        tent_runtime::__private::States::default(),
    );
    let list = |name: &str| {
        let list = stated(name).list.expect("it lists");
        block_on((list.run)(Some(&cx)).result()).expect("they are listed")
    };
    assert_eq!(
        list("stored_order"),
        [ResourceInfo::new("orders://2026/1", "1")]
    );
    assert_eq!(list("The picture"), []);
    let complete = |name: &str| {
        let complete = linked(name).completions[0];
        let so_far = Map::from_iter([("id".to_owned(), json!("7"))]);
        block_on((complete.run)(Some(&cx), "2".to_owned(), so_far).result())
    };
    assert_eq!(
        complete("stored_order").expect("it completes"),
        ["2", r#"{"id":"7"}"#]
    );
    assert_eq!(
        complete("The picture").expect_err("it fails").chain(),
        ["gone"]
    );
    assert_eq!(
        stated("stored_order").list.map(|list| list.path),
        Some("listed::later")
    );
}

#[test]
fn a_prompt_returns_messages() {
    let prompted = |name: &str, input: Value| answer(linked(name), input).prompt.expect("messages");
    assert!(matches!(linked("talk").primitive, Primitive::Prompt) && !linked("talk").api);
    for (name, input, about, messages) in [
        (
            "talk",
            json!({"to": "a", "times": 2}),
            "",
            vec![PromptMessage::user("a 2"), PromptMessage::assistant("yes")],
        ),
        (
            "say-it",
            json!({}),
            "",
            vec![PromptMessage::assistant(Content::link("a://b", "b"))],
        ),
        (
            "plain_text",
            json!({}),
            "",
            vec![PromptMessage::user("hello")],
        ),
        (
            "described",
            json!({}),
            "mine",
            vec![PromptMessage::user("a")],
        ),
    ] {
        let wanted = PromptResult::new(messages).about(about);
        assert_eq!(prompted(name, input), wanted, "{name}");
    }
}
