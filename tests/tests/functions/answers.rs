//! Answers and failures: nothing, values, content, and errors of every kind.

use serde_json::json;
use tent::query;
use tent_runtime::__private::{OutputDeclaration, States};
use tent_runtime::{Content, Error, Failure, State, WithContent};
use tent_tests::{linked, run, run_with};

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Order {
    id: u32,
}

type Alias<T> = Result<T, std::io::Error>;

mod app {
    pub(crate) type Result<T> = std::result::Result<T, super::Stated>;
}

#[derive(Debug)]
pub(crate) struct Stated;

impl std::fmt::Display for Stated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stated")
    }
}

impl std::error::Error for Stated {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        tent_runtime::__private::provide_failure(|| self.failure());
        None
    }
}

impl tent_runtime::__private::DerivedFailure for Stated {}

impl Failure for Stated {
    fn failure(&self) -> Error {
        Error::declared(tent::code!("A0001"), 409, "stated")
    }
}

#[query(access = "anyone")]
async fn nothing() {}

#[query(access = "anyone")]
#[expect(clippy::unused_unit, reason = "it is what is tested")]
fn nothing_sync() -> () {}

#[query(access = "anyone")]
async fn nothing_or_error() -> Alias<()> {
    Ok(())
}

#[query(access = "anyone")]
async fn value() -> Order {
    Order { id: 7 }
}

#[query(access = "anyone")]
async fn value_or_error(fail: bool) -> Alias<Order> {
    if fail {
        return Err(std::io::Error::other("the disk is on fire"));
    }
    Ok(Order { id: 8 })
}

#[query(access = "anyone")]
async fn alias_of_a_result() -> app::Result<u32> {
    Err(Stated)
}

#[query(access = "anyone")]
fn anyhow_error() -> anyhow::Result<Vec<u32>> {
    anyhow::bail!("a secret cause")
}

#[query(access = "anyone")]
fn own_error() -> tent::Result<u32> {
    Err(Error::declared(tent::code!("A0002"), 404, "No such order"))
}

#[query(access = "anyone")]
fn infallible() -> Result<u32, std::convert::Infallible> {
    Ok(1)
}

#[query(access = "anyone")]
async fn one_content() -> Content {
    Content::text("hello")
}

#[query(access = "anyone")]
async fn many_contents() -> tent::Result<Vec<Content>> {
    Ok(vec![Content::text("a"), Content::text("b")])
}

#[query(access = "anyone")]
async fn beside() -> WithContent<Order> {
    WithContent::new(Order { id: 9 }, [Content::text("nine")])
}

#[query(access = "anyone")]
fn in_place() -> tent::Result<WithContent<Order>> {
    Ok(WithContent::replacing_text(Order { id: 9 }, [Content::text("nine")]).meta("a", 1))
}

#[query(access = "anyone")]
fn one_with_meta() -> WithContent<Content> {
    WithContent::new(Content::text("one"), [Content::text("two")]).meta("a", 1)
}

#[query(access = "anyone")]
async fn many_with_meta() -> tent::Result<WithContent<Vec<Content>>> {
    Ok(WithContent::new(vec![Content::text("one")], [Content::text("two")]).meta("a", 1))
}

#[query(access = "anyone")]
async fn raw_value(id: String) -> serde_json::Value {
    json!([id])
}

struct Shop(String);
impl State for Shop {}

#[query(access = "anyone")]
async fn lent(shop: &Shop) -> tent::Result<&str> {
    Ok(&shop.0)
}

#[query(access = "anyone")]
fn lent_sync(shop: &Shop) -> Option<&str> {
    shop.0.get(1..)
}

#[test]
fn the_unit_has_neither_value_nor_content() {
    for name in ["nothing", "nothing_sync", "nothing_or_error"] {
        assert!(
            matches!(linked(name).output, OutputDeclaration::Nothing),
            "{name}"
        );
        let answer = run_with(linked(name), json!({}), States::default()).expect("it runs");
        assert!(
            answer.value.is_none() && answer.content.is_empty(),
            "{name}"
        );
    }
}

#[test]
fn serializes_a_value_with_or_without_a_result() {
    for (name, input, id) in [
        ("value", json!({}), 7),
        ("value_or_error", json!({"fail": false}), 8),
    ] {
        assert!(
            matches!(linked(name).output, OutputDeclaration::Value(_)),
            "{name}"
        );
        assert_eq!(run(name, input).ok(), Some(json!({"id": id})));
    }
    assert_eq!(run("infallible", json!({})).ok(), Some(json!(1)));
    assert_eq!(
        run("raw_value", json!({"id": "a"})).ok(),
        Some(json!(["a"]))
    );
}

#[test]
fn the_error_of_a_result_is_never_a_value_whatever_alias_is_used() {
    let code = |name, input| run(name, input).map_err(|error| error.code());
    assert_eq!(code("value_or_error", json!({"fail": true})), Err("T0012"));
    assert_eq!(code("anyhow_error", json!({})), Err("T0012"));
    assert_eq!(code("own_error", json!({})), Err("A0002"));
    assert_eq!(code("alias_of_a_result", json!({})), Err("A0001"));
}

#[test]
fn distinguishes_content_from_values() {
    for (name, count) in [("one_content", 1), ("many_contents", 2)] {
        assert!(
            matches!(linked(name).output, OutputDeclaration::Content),
            "{name}"
        );
        let answer = run_with(linked(name), json!({}), States::default()).expect("it runs");
        assert!(
            answer.value.is_none() && answer.content.len() == count,
            "{name}"
        );
    }
    assert!(matches!(
        linked("beside").output,
        OutputDeclaration::Value(_)
    ));
    let answer = run_with(linked("beside"), json!({}), States::default()).expect("it runs");
    assert_eq!(answer.value.expect("a value").get(), "{\"id\":9}");
    assert_eq!(answer.content, [Content::text("nine")]);
    assert!(!answer.replaces_text && answer.meta.is_empty());
}

#[test]
fn content_can_replace_a_value_and_metadata_can_accompany_anything() {
    let run = |name: &str| run_with(linked(name), json!({}), States::default()).expect("it runs");
    let wanted = json!({"a": 1});
    assert!(matches!(
        linked("in_place").output,
        OutputDeclaration::Value(_)
    ));
    let answer = run("in_place");
    assert_eq!(answer.value.expect("a value").get(), "{\"id\":9}");
    assert_eq!(answer.content, [Content::text("nine")]);
    assert!(answer.replaces_text);
    assert_eq!(json!(answer.meta.members()), wanted);
    for name in ["one_with_meta", "many_with_meta"] {
        assert!(
            matches!(linked(name).output, OutputDeclaration::Content),
            "{name}"
        );
        let answer = run(name);
        assert!(answer.value.is_none(), "{name}");
        assert_eq!(answer.content, ["one", "two"].map(Content::text), "{name}");
        assert_eq!(json!(answer.meta.members()), wanted, "{name}");
    }
}

#[test]
fn an_output_can_borrow_from_a_state() {
    for (name, text) in [("lent", "\"corner\""), ("lent_sync", "\"orner\"")] {
        let mut states = States::default();
        states.put(Shop("corner".into()));
        let answer = run_with(linked(name), json!({}), states).expect("it runs");
        assert_eq!(answer.value.expect("a value").get(), text);
    }
}
