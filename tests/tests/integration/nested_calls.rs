//! Functions that call other functions of the app.

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{Reply, ask, key, tent_with};

/// Callers of other tests may call none of these.
fn nina(cx: &Cx) -> bool {
    cx.caller().user().is_some_and(|user| user.id == "nina")
}

/// Calls the function `name` with `input`, as the caller or as the app.
#[action(access = nina)]
async fn calls(cx: &Cx, name: String, input: Value, as_app: Option<bool>) -> Result<Value> {
    match as_app {
        Some(true) => cx.app().call(&name, input).await,
        _ => cx.call(&name, input).await,
    }
}

/// The same, of a query.
#[query(access = nina)]
async fn calls_from_a_query(cx: &Cx, name: String) -> Result<Value> {
    cx.call(&name, json!({})).await
}

#[query(access = nina)]
async fn caller_of(cx: &Cx) -> String {
    cx.caller().to_string()
}

#[query(access = "app")]
async fn for_the_app(cx: &Cx) -> String {
    cx.caller().to_string()
}

#[query(access = nina)]
async fn doubles(#[arg(max = 100)] number: u32) -> u32 {
    number.saturating_mul(2)
}

#[change(access = nina)]
async fn changes() {}

#[change(access = nina, danger = "ask")]
async fn asks_a_person() -> u8 {
    1
}

#[query(access = nina, scope = "vault")]
async fn vault() -> u8 {
    1
}

/// Calls itself until that fails, and returns how deep it was.
#[query(access = nina)]
async fn descends(cx: &Cx, depth: u32) -> Result<u32> {
    match cx
        .call("descends", json!({"depth": depth.saturating_add(1)}))
        .await
    {
        Ok(deepest) => Ok(deepest),
        Err(_) => Ok(depth),
    }
}

/// Never returns.
#[query(access = nina)]
async fn stuck() {
    std::future::pending().await
}

#[action(access = nina, timeout = "20ms")]
async fn calls_stuck(cx: &Cx) -> Result<()> {
    cx.call("stuck", ()).await
}

async fn app() -> (Tent, String) {
    let functions = tent::functions![
        calls,
        calls_from_a_query,
        caller_of,
        for_the_app,
        doubles,
        changes,
        asks_a_person,
        vault,
        descends,
        stuck,
        calls_stuck,
    ];
    let person = async |id: String| Ok::<_, Error>(Some(tent::User::new(id)));
    let change = |app: App| app.functions(functions).users(person);
    let tent = tent_with(change).await;
    let key = key(&tent, "nina", &["read", "write"]).await;
    (tent, key)
}

async fn post(tent: &Tent, key: &str, name: &str, input: Value) -> Reply {
    let ask = ask(tent, "POST", format!("/api/{name}"));
    ask.key(key).json(input).send().await
}

#[tokio::test]
async fn a_nested_call_has_the_caller_of_its_function() {
    let (tent, key) = app().await;
    let call = async |name: &str, input: Value| {
        let input = json!({"name": name, "input": input});
        post(&tent, &key, "calls", input).await
    };
    let reply = call("doubles", json!({"number": 21})).await;
    assert_eq!(reply.json(), json!(42));
    let who = call("caller_of", json!({})).await.json();
    assert_eq!(
        who,
        post(&tent, &key, "caller_of", json!({})).await.json(),
        "the caller is the same"
    );

    // Every step of dispatch applies, and each refusal reaches the outer caller.
    let reply = call("doubles", json!({"number": 101, "more": 1})).await;
    reply.refuses(422, "T0003");
    assert!(reply.json()["fields"]["number"].is_string(), "{reply:?}");
    call("for_the_app", json!({})).await.refuses(404, "T0001");
    call("no_such", json!({})).await.refuses(404, "T0001");
    call("vault", json!({})).await.refuses(403, "T0005");
    call("asks_a_person", json!({})).await.refuses(403, "T7120");
}

#[tokio::test]
async fn the_app_itself_passes_every_rule_and_needs_no_approval() {
    let (tent, key) = app().await;
    let call = async |name: &str| {
        let input = json!({"name": name, "input": {}, "as_app": true});
        post(&tent, &key, "calls", input).await.json()
    };
    assert_eq!(call("for_the_app").await, json!("app"));
    assert_eq!(call("vault").await, json!(1));
    assert_eq!(call("asks_a_person").await, json!(1));
    assert_eq!(call("changes").await, json!(null));
}

#[tokio::test]
async fn a_query_calls_only_queries() {
    let (tent, key) = app().await;
    let call = async |name: &str| {
        let input = json!({"name": name});
        post(&tent, &key, "calls_from_a_query", input).await
    };
    let reply = call("caller_of").await;
    assert_eq!(reply.status.as_u16(), 200, "{reply:?}");
    call("changes").await.refuses(500, "T0012");
}

#[tokio::test]
async fn calls_nest_eight_deep() {
    let (tent, key) = app().await;
    let reply = post(&tent, &key, "descends", json!({"depth": 0})).await;
    assert_eq!(reply.json(), json!(8));
}

#[tokio::test]
async fn a_nested_call_ends_with_the_deadline_of_the_outer_one() {
    let (tent, key) = app().await;
    post(&tent, &key, "calls_stuck", json!({}))
        .await
        .refuses(504, "T0010");
}

#[tokio::test]
async fn a_call_without_an_app_fails() {
    let cx = Cx::for_test(
        tent::Caller::App,
        tent_runtime::__private::States::default(),
    );
    let error = cx.call::<()>("doubles", json!({"number": 1})).await;
    assert_eq!(error.expect_err("no app").code(), "T0012");
}
