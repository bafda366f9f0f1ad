//! The deadline of a request: access rules, lists, completions and the function share it.

use std::time::Duration;

use serde_json::{Value, json};
use tent::prelude::*;
use tent::{Caller, Map, ResourceInfo};
use tent_runtime::__private::Primitive;
use tokio::time::{Instant, sleep};

use super::app::{App, Request, codes};
use super::events::Events;

async fn slow(cx: &Cx) -> Result<bool> {
    cx.state::<Events>()?.emit("rule");
    sleep(Duration::from_secs(10)).await;
    Ok(true)
}

async fn endless(cx: &Cx) -> Result<bool> {
    cx.state::<Events>()?.emit("rule");
    std::future::pending().await
}

async fn slow_list(_: &Cx) -> Vec<ResourceInfo> {
    sleep(Duration::from_secs(10)).await;
    vec![ResourceInfo::new("orders://7", "order 7")]
}

async fn endless_completion(_: &Cx, _: String, _: Map) -> Vec<String> {
    std::future::pending().await
}

/// For tests.
#[resource(uri = "shop://listed/{id}", access = "signedIn", list = slow_list)]
fn listed(id: String) -> String {
    id
}

/// For tests.
#[resource(uri = "shop://endless/{id}", access = endless, subscribe = true)]
fn endless_resource(id: String) -> String {
    id
}

/// For tests.
#[query(access = slow, offer = "mcp")]
fn slow_rule() {}

/// For tests.
#[query(access = endless, offer = "mcp")]
fn endless_rule() {}

/// For tests.
#[query(access = [endless, "signedIn"], offer = "mcp")]
fn open() {}

/// For tests.
#[query(access = endless, offer = "mcp", timeout = "300s")]
fn long_endless_rule() {}

/// For tests.
#[query(access = slow, on = "acme/ends")]
fn ends() -> Map {
    Map::new()
}

/// For tests.
#[query(access = slow, on = "acme/endless")]
async fn never_ends() -> Map {
    std::future::pending().await
}

/// For tests.
#[query(access = slow, on = "acme/brief", timeout = "15s")]
async fn brief() -> Map {
    std::future::pending().await
}

/// For tests.
#[resource(uri = "shop://usual/{id}", access = slow)]
async fn usual(id: String) -> String {
    let _ = id;
    std::future::pending().await
}

/// For tests.
#[resource(uri = "shop://long/{id}", access = slow, timeout = "40s")]
async fn long(id: String) -> String {
    let _ = id;
    std::future::pending().await
}

/// For tests.
#[resource(uri = "shop://completed/{id}", access = slow)]
fn completed(#[arg(complete = endless_completion)] id: String) -> String {
    id
}

/// So many copies of a declaration, each with its own name and URI.
fn copies(of: &[&tent::Declaration], count: usize) -> Vec<&'static tent::Declaration> {
    let copy = |n| {
        let mut copy = *of[0];
        copy.name = String::leak(format!("copy_{n}"));
        if let Primitive::Resource(resource) = &mut copy.primitive {
            resource.uri = String::leak(format!("shop://copy_{n}/{{id}}"));
        }
        &*Box::leak(Box::new(copy))
    };
    (0..count).map(copy).collect()
}

/// An app whose requests have 30 seconds.
async fn app(functions: &[&'static tent::Declaration]) -> App {
    App::of(|app| {
        app.functions(functions)
            .set("limits.call_timeout", "30s")
            .set("mcp.stream", "true")
    })
    .await
}

/// The response to a request, and after how many seconds it arrives.
async fn timed(app: &App, request: Request) -> (Value, u64) {
    let start = Instant::now();
    let response = app.send(request).await.json();
    (response, start.elapsed().as_secs())
}

/// Asserts that a request fails at its deadline, after so many seconds.
async fn times_out(app: &App, request: Request, after: u64) {
    let (response, took) = timed(app, request).await;
    assert_eq!(
        (codes(&response), took),
        ((-32603, "T0010".to_owned()), after)
    );
}

fn list(method: &str) -> Request {
    Request::modern(method, json!({}))
}

#[tokio::test(start_paused = true)]
async fn a_subscription_runs_each_rule_once_within_one_deadline() {
    let app = app(&copies(tent::functions![endless_resource], 3)).await;
    let uris: Vec<_> = (0..900)
        .map(|n| format!("shop://copy_{}/{n}", n % 3))
        .collect();
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    let start = Instant::now();
    let stream = app
        .open(Request::modern("subscriptions/listen", filter))
        .await;
    assert_eq!(
        (stream.status().as_u16(), start.elapsed().as_secs()),
        (200, 30)
    );
    // The first rule has all the time, and the others do not start.
    assert_eq!(app.events.count("rule"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_takes_too_long_is_an_error_and_never_partial() {
    let templates = |count, timeout: Option<u64>| {
        let mut templates = copies(tent::functions![listed], count);
        for template in &mut templates {
            let timeout = timeout.map(Duration::from_secs);
            *template = Box::leak(Box::new(tent::Declaration {
                timeout,
                ..**template
            }));
        }
        templates
    };
    let (got, took) = timed(&app(&templates(2, None)).await, list("resources/list")).await;
    assert_eq!(
        (got["result"]["resources"].as_array().map(Vec::len), took),
        (Some(1), 20)
    );
    // A list counts against the time limit of its function too, if that is shorter.
    for (count, timeout, after) in [(100, None, 30), (1, Some(3), 3), (100, Some(300), 30)] {
        times_out(
            &app(&templates(count, timeout)).await,
            list("resources/list"),
            after,
        )
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_rules_of_a_list_run_concurrently_while_there_is_time() {
    let names = |got: &Value| -> Vec<String> {
        let tools = got["result"]["tools"].as_array().expect("a list").iter();
        tools
            .map(|tool| tool["name"].as_str().expect("a name").to_owned())
            .collect()
    };
    let slow = app(&copies(tent::functions![slow_rule], 16)).await;
    let (got, took) = timed(&slow, list("tools/list")).await;
    assert_eq!((names(&got).len(), took), (16, 10));
    assert!(names(&got).is_sorted());

    // A rule that does not return leaves time for the others.
    let mut some = copies(tent::functions![endless_rule], 4);
    some.extend(tent::functions![open, slow_rule]);
    let (got, took) = timed(&app(&some).await, list("tools/list")).await;
    assert_eq!(
        (names(&got), took),
        (vec!["open".to_owned(), "slow_rule".to_owned()], 30)
    );

    let endless = app(&copies(tent::functions![endless_rule], 40)).await;
    times_out(&endless, list("tools/list"), 30).await;
    assert_eq!(endless.events.count("rule"), 16);
}

// Each rule takes ten seconds, and runs once.
#[tokio::test(start_paused = true)]
async fn the_rules_of_a_request_and_its_function_share_its_deadline() {
    let functions = tent::functions![ends, never_ends, brief, usual, long, completed];
    let app = app(functions).await;
    let method = |name: &str| Request::legacy(&format!("acme/{name}"), json!({})).without("accept");
    let read = |name: &str| {
        let params = json!({"uri": format!("shop://{name}/1")});
        Request::modern("resources/read", params).without("accept")
    };
    let (got, took) = timed(&app, method("ends")).await;
    assert_eq!((&got["result"], took), (&json!({}), 10));
    times_out(&app, method("endless"), 30).await;
    // The time limit of a function counts from the start of the request, and includes the rule.
    times_out(&app, method("brief"), 15).await;
    times_out(&app, read("usual"), 30).await;
    times_out(&app, read("long"), 40).await;
    let params = json!({
        "ref": {"type": "ref/resource", "uri": "shop://completed/{id}"},
        "argument": {"name": "id", "value": ""},
    });
    times_out(&app, Request::modern("completion/complete", params), 30).await;

    // The same without HTTP. Each message of a batch has its own deadline.
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "acme/endless"});
    let start = Instant::now();
    let got = app
        .tent
        .handle_mcp(Caller::App, message.to_string().as_bytes())
        .await;
    let got: Value = serde_json::from_slice(&got.expect("a response")).expect("JSON");
    assert_eq!(
        (codes(&got).1.as_str(), start.elapsed().as_secs()),
        ("T0010", 30)
    );
    let batch = Request::raw(json!([message, message]).to_string());
    let (got, took) = timed(&app, batch.header("mcp-protocol-version", "2025-03-26")).await;
    let got = [&got[0], &got[1]].map(|one| codes(one).1);
    assert_eq!((got, took), (["T0010", "T0010"].map(str::to_owned), 60));
}

// The function looks like an absent one.
#[tokio::test(start_paused = true)]
async fn a_rule_that_does_not_return_by_the_deadline_refuses() {
    let app = app(tent::functions![long_endless_rule]).await;
    let call = |name| Request::call(name, json!({})).without("accept");
    let absent = timed(&app, call("absent")).await.0.to_string();
    let (hidden, took) = timed(&app, call("long_endless_rule")).await;
    assert_eq!(
        hidden.to_string().replace("long_endless_rule", "absent"),
        absent
    );
    // By the deadline of the request, not by that of the function.
    assert_eq!(took, 30);
}
