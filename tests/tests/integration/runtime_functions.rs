//! Functions that are made at run time: they behave as declared functions, and the same rules hold for them.

use std::time::Duration;

use serde_json::{Value, json};
use tent::http::StatusCode;
use tent::prelude::*;
use tent::{Access, Diagnostics, Function, FunctionBuilder, Handled, Kind, Map};

use crate::support::{ask, key, modern, tent_with};

#[data]
struct Add {
    a: i64,
    b: i64,
}

#[data]
struct Total {
    total: i64,
}

fn add_up() -> FunctionBuilder<Handled> {
    Function::builder("add_up")
        .about("Add two integers.")
        .access(Access::SignedIn)
        .offer_mcp()
        .handler(async |_, input: Add| {
            Ok::<_, Error>(Total {
                total: input.a + input.b,
            })
        })
}

fn built(builder: FunctionBuilder<Handled>) -> Function {
    builder.build().expect("the function is valid")
}

/// The codes of the problems of a function.
fn codes(built: Result<Function, Diagnostics>) -> Vec<&'static str> {
    let problems = built.expect_err("it has problems");
    problems
        .iter()
        .map(|problem| problem.code.as_str())
        .collect()
}

#[tokio::test]
async fn a_built_function_is_called_listed_and_guarded_as_a_declared_one() {
    let tent = tent_with(|app| app.function(built(add_up()))).await;
    let key = key(&tent, "ada", &["read"]).await;

    let input = json!({"a": 2, "b": 40});
    let call = || ask(&tent, "POST", "/api/add_up").json(input.clone());
    let added = call().key(&key).send().await;
    assert_eq!(
        (added.status, added.json()),
        (StatusCode::OK, json!({"total": 42}))
    );
    call().send().await.refuses(401, "T0004");

    let wrong = ask(&tent, "POST", "/api/add_up").json(json!({"a": "x", "c": 1}));
    let wrong = wrong.key(&key).send().await;
    wrong.refuses(422, "T0003");
    let fields = wrong.json()["fields"].as_object().map(Map::len);
    assert_eq!(fields, Some(3), "{}", wrong.json());

    let params = json!({"name": "add_up", "arguments": input});
    let called = modern(&tent, "tools/call", params).key(&key).send().await;
    assert_eq!(
        called.json()["result"]["structuredContent"],
        json!({"total": 42})
    );
    let listed = modern(&tent, "tools/list", json!({}))
        .key(&key)
        .send()
        .await;
    let listed = listed.json();
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let tool = tools
        .iter()
        .find(|tool| tool["name"] == "add_up")
        .expect("it is listed");
    assert_eq!(tool["title"], "Add up");
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["inputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(
        tool["outputSchema"]["properties"]["total"]["type"],
        "integer"
    );
}

#[tokio::test]
async fn a_function_of_a_schema_gets_the_map_and_returns_what_its_schema_declares() {
    let greet = Function::builder("greet")
        .access(Access::Anyone)
        .input_schema(json!({
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1}},
            "required": ["name"],
        }))
        .output_schema(json!({"type": "object", "properties": {"text": {"type": "string"}}}))
        .sync_handler(|cx, input: Map| {
            let name = input["name"].as_str().unwrap_or_default();
            let text = format!("Hello {name}, from {}", cx.caller());
            Ok::<_, Error>(json!({"text": text}))
        });
    let nap = Function::builder("nap")
        .kind(Kind::Action)
        .access(Access::Anyone)
        .timeout(Duration::from_secs(5))
        .blocking(true)
        .sync_handler(|_, ()| Ok::<_, Error>(std::thread::current().name().map(str::to_owned)));
    let (greet, nap) = (built(greet), built(nap));
    let tent = tent_with(|app| app.function(greet).function(nap)).await;

    let greeted = ask(&tent, "GET", "/api/greet?name=Ada").send().await;
    assert!(
        greeted.json()["text"]
            .as_str()
            .is_some_and(|text| text.starts_with("Hello Ada, from ")),
        "{}",
        greeted.json()
    );
    let refused = ask(&tent, "POST", "/api/greet")
        .json(json!({"name": ""}))
        .send()
        .await;
    refused.refuses(422, "T0003");
    let napped = ask(&tent, "POST", "/api/nap").json(json!({})).send().await;
    assert_eq!(napped.status, StatusCode::OK, "{}", napped.json());
}

#[tokio::test]
async fn an_access_rule_of_a_closure_hides_the_function() {
    let secret = Function::builder("secret")
        .access(Access::rule("is_grace", async |cx: Cx| {
            Ok::<_, Error>(cx.user()?.id == "grace")
        }))
        .handler(async |_, ()| Ok::<_, Error>("the plan"));
    let secret = built(secret);
    let tent = tent_with(|app| app.function(secret)).await;
    let (ada, grace) = (
        key(&tent, "ada", &["read"]).await,
        key(&tent, "grace", &["read"]).await,
    );
    let call = || ask(&tent, "GET", "/api/secret");
    call().key(&ada).send().await.refuses(404, "T0001");
    assert_eq!(call().key(&grace).send().await.json(), json!("the plan"));
}

#[test]
fn every_problem_of_a_built_function_is_reported_at_once() {
    let none = || async |_: Cx, _: ()| Ok::<_, Error>(());
    let found = codes(
        Function::builder("find-function")
            .offer_mcp()
            .handler(none())
            .build(),
    );
    assert!(
        found.contains(&"T7001") && found.contains(&"T7009"),
        "{found:?}"
    );

    let name = Function::builder("größe")
        .access(Access::Anyone)
        .handler(none());
    assert_eq!(codes(name.build()), ["T1015"]);
    let long = Function::builder("x".repeat(65))
        .access(Access::Anyone)
        .handler(none());
    assert_eq!(codes(long.build()), ["T1014"]);
    let reserved = Function::builder("callFunction")
        .access(Access::Anyone)
        .handler(none());
    assert_eq!(codes(reserved.build()), ["T1009"]);

    let clash = Function::builder("wipe")
        .access(Access::Anyone)
        .needs_approval()
        .handler(none());
    assert_eq!(
        codes(clash.build()),
        ["T7008", "T7008"],
        "a query, and anyone"
    );
    let text = Function::builder("text")
        .access(Access::Anyone)
        .input_schema(json!({"type": "string"}))
        .handler(async |_, _: Map| Ok::<_, Error>(()));
    assert_eq!(codes(text.build()), ["T7012"]);
    let list = Function::builder("list")
        .access(Access::Anyone)
        .handler(async |_, _: Vec<u8>| Ok::<_, Error>(()));
    assert_eq!(codes(list.build()), ["T7012"]);
    let unknown = Function::builder("unknown")
        .access(Access::Anyone)
        .output_schema(Value::Null)
        .handler(none());
    assert_eq!(codes(unknown.build()), ["T7017"]);
}

#[tokio::test]
async fn a_built_function_answers_a_method() {
    let status = Function::builder("status")
        .access(Access::Anyone)
        .on("acme/status")
        .limit(10, Duration::from_secs(60))
        .handler(async |_, ()| Ok::<_, Error>(json!({"open": true})));
    let status = built(status);
    let tent = tent_with(|app| app.function(status)).await;
    let key = key(&tent, "ada", &["read"]).await;
    let answered = modern(&tent, "acme/status", json!({})).key(&key);
    assert_eq!(answered.send().await.json()["result"]["open"], true);
    let called = ask(&tent, "GET", "/api/status").key(&key).send().await;
    called.refuses(404, "T0001");
}

#[test]
fn refuses_scopes_capabilities_methods_and_limits_that_are_not_valid() {
    let builder = || Function::builder("f").access(Access::Anyone);
    let codes_of =
        |one: FunctionBuilder| codes(one.handler(async |_, ()| Ok::<_, Error>(())).build());
    for (one, code) in [
        (builder().scope("two words"), "T7014"),
        (builder().needs(["simpling"]), "T7014"),
        (builder().on("tools/call"), "T7014"),
        (builder().on("notifications/cancelled"), "T7014"),
        (builder().limit(0, Duration::from_secs(1)), "T7014"),
        (builder().limit(1, Duration::ZERO), "T7014"),
        (builder().timeout(Duration::ZERO), "T7014"),
        (builder().about("F").offer_mcp().on("acme/f"), "T7008"),
        (builder().api(true).on("acme/f"), "T7008"),
    ] {
        assert_eq!(codes_of(one), [code]);
    }
    let valid = builder().scope("orders:write").needs(["sampling"]);
    built(
        valid
            .on("acme/f")
            .limit(10, Duration::from_secs(60))
            .handler(async |_, ()| Ok::<_, Error>(())),
    );
}

#[tokio::test]
async fn a_built_function_takes_part_in_the_rules_of_the_app() {
    #[derive(State)]
    struct Missing;

    let taken = built(
        Function::builder("Add")
            .access(Access::Anyone)
            .handler(async |_, ()| Ok::<_, Error>(())),
    );
    let needy = Function::builder("needy")
        .access(Access::Anyone)
        .needs_state::<Missing>()
        .handler(async |cx, ()| cx.state::<Missing>().map(|_| ()));
    let app = tent::App::new("shop", "1")
        .set("store.url", "memory:")
        .state(crate::app::Watched::default())
        .function(taken)
        .function(built(needy));
    let error = app.build().await.expect_err("two problems");
    let message = error.message();
    assert!(
        message.contains("T1001") && message.contains("`Add`"),
        "{message}"
    );
    assert!(
        message.contains("T7011") && message.contains("Missing"),
        "{message}"
    );
    assert!(
        message.contains("runtime_functions.rs:"),
        "the location: {message}"
    );
}

/// The next event of a subscription stream that carries a message.
async fn event(body: &mut axum::body::BodyDataStream) -> Value {
    use futures_util::StreamExt as _;
    loop {
        let bytes = body
            .next()
            .await
            .expect("the stream is open")
            .expect("bytes");
        let text = String::from_utf8(bytes.to_vec()).expect("a text");
        let data = text.lines().find_map(|line| line.strip_prefix("data: "));
        if let Some(data) = data {
            return serde_json::from_str(data).expect("JSON");
        }
    }
}

#[tokio::test]
async fn functions_change_while_the_app_runs_and_subscribers_are_notified() {
    let tent = tent_with(|app| app.set("mcp.stream", "true")).await;
    let key = key(&tent, "ada", &["read"]).await;
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let listening = modern(&tent, "subscriptions/listen", wanted)
        .key(&key)
        .open()
        .await;
    assert_eq!(listening.status(), StatusCode::OK);
    let mut stream = listening.into_body().into_data_stream();
    let acknowledged = event(&mut stream).await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );

    let has = async |name: &str| {
        let listed = modern(&tent, "tools/list", json!({}))
            .key(&key)
            .send()
            .await
            .json();
        let tools = listed["result"]["tools"]
            .as_array()
            .expect("a list")
            .clone();
        tools.iter().any(|tool| tool["name"] == name)
    };
    let call = || {
        ask(&tent, "POST", "/api/add_up")
            .json(json!({"a": 2, "b": 40}))
            .key(&key)
    };
    assert!(!has("add_up").await);
    call().send().await.refuses(404, "T0001");

    tent.functions().add(built(add_up())).expect("it is valid");
    let changed = event(&mut stream).await;
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert!(has("add_up").await);
    assert_eq!(call().send().await.json(), json!({"total": 42}));
    let params = json!({"name": "add_up", "arguments": {"a": 2, "b": 40}});
    let called = modern(&tent, "tools/call", params).key(&key).send().await;
    assert_eq!(
        called.json()["result"]["structuredContent"],
        json!({"total": 42})
    );

    // The same name again is a problem, and changes nothing.
    let before = tent.registry();
    let taken = tent
        .functions()
        .add(built(add_up()))
        .expect_err("the name is taken");
    assert!(
        taken.iter().all(|problem| problem.code.as_str() == "T1001"),
        "{taken}"
    );
    assert!(std::sync::Arc::ptr_eq(&before, &tent.registry()));

    // Another handler behind the same entry notifies no one; another description does.
    let replaced = tent
        .functions()
        .replace(built(add_up()))
        .expect("it is valid");
    assert_eq!(replaced.as_ref().map(|old| old.name()), Some("add_up"));
    let described = add_up().about("Add two integers, exactly.");
    tent.functions()
        .replace(built(described))
        .expect("it is valid");
    let removed = tent.functions().remove("add_up").expect("it is there");
    assert_eq!(removed.about(), "Add two integers, exactly.");
    for _ in 0..2 {
        let changed = event(&mut stream).await;
        assert_eq!(changed["method"], "notifications/tools/list_changed");
    }
    assert!(!has("add_up").await);
    call().send().await.refuses(404, "T0001");
    assert!(tent.functions().remove("add_up").is_none());

    tent.shutdown();
    let ended = event(&mut stream).await;
    assert_ne!(
        ended["method"], "notifications/tools/list_changed",
        "no other change was told"
    );
}

#[tokio::test]
async fn a_running_call_keeps_its_function() {
    let (started, starts) = tokio::sync::oneshot::channel();
    let (go_on, goes_on) = tokio::sync::oneshot::channel::<()>();
    let once = std::sync::Mutex::new(Some((started, goes_on)));
    let slow = Function::builder("slow")
        .access(Access::Anyone)
        .handler(move |_, ()| {
            let once = once.lock().ok().and_then(|mut once| once.take());
            async move {
                let (started, goes_on) = once.expect("it is called once");
                let _ = started.send(());
                let _ = goes_on.await;
                Ok::<_, Error>("done")
            }
        });
    let tent = tent_with(|app| app.function(built(slow))).await;
    let call = ask(&tent, "GET", "/api/slow").send();
    let removed = async {
        starts.await.expect("it runs");
        assert!(tent.functions().remove("slow").is_some());
        go_on.send(()).expect("it waits");
    };
    let (response, ()) = tokio::join!(call, removed);
    assert_eq!(response.json(), json!("done"));
    ask(&tent, "GET", "/api/slow")
        .send()
        .await
        .refuses(401, "T0004");
}
