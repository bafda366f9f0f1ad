//! Multi round-trip requests: functions that need input from a modern client.

use serde_json::{Value, json};
use tent::input::{self, Field, Form, Reply};
use tent::prelude::*;
use tent::{PromptMessage, PromptResult};

use super::app::{App, META, Request, capable, codes, server, tool_error, with};
use super::events::Events;

#[data]
struct Name {
    name: String,
}

fn sure() -> Form {
    Form::new("Pay it?").field("sure", Field::boolean())
}

async fn name(cx: &Cx, key: &str, message: &str) -> Result<Reply<Name>> {
    cx.input(key, input::form::<Name>(message)).await
}

async fn hello(cx: &Cx) -> Result<Value> {
    Ok(match name(cx, "name", "Who are you?").await? {
        Reply::Accepted(Name { name }) => json!({"hello": name}),
        Reply::Declined => json!("declined"),
        _ => json!("cancelled"),
    })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn greet(cx: &Cx, id: Option<String>) -> Result<Value> {
    let _ = id;
    hello(cx).await
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn three(cx: &Cx) -> Result<Value> {
    let (name, colour, folders) = tokio::join!(
        name(cx, "name", "Who are you?"),
        cx.input("colour", input::sampling("Name a colour.", 9)),
        cx.input("folders", input::roots()),
    );
    let name = name?.accepted().map(|name| name.name);
    let folders: Vec<_> = folders?.into_iter().map(|root| root.uri).collect();
    Ok(json!([name, colour?.text(), folders]))
}

/// Sends one input request twice, and another that depends on the responses.
#[query(access = "signedIn", offer = "mcp")]
async fn chain(cx: &Cx) -> Result<Value> {
    let mut names = Vec::new();
    while names.len() < 2 {
        let name = name(cx, "name", "Who?").await?.accepted();
        names.push(name.map(|name| name.name).unwrap_or_default());
    }
    let message = format!("{} pays?", names.join(" or "));
    let page = cx.input("page", input::url(message, "https://shop.example/pay"));
    Ok(json!([names, page.await?.accepted().is_some()]))
}

/// Sends an input request from a task.
#[query(access = "signedIn", offer = "mcp")]
async fn spawned(cx: &Cx) -> Result<Value> {
    let cx = cx.clone();
    let task = tokio::spawn(async move {
        tokio::task::yield_now().await;
        cx.input("sure", sure()).await
    });
    Ok(json!(task.await??.accepted()))
}

/// Leaves a task behind that sends an input request.
#[query(access = "signedIn", offer = "mcp")]
async fn outlived(cx: &Cx, events: &Events) -> &'static str {
    let (cx, events) = (cx.clone(), events.clone());
    tokio::spawn(async move {
        events.next("go on").await;
        if cx.input("sure", sure()).await.is_err() {
            events.emit("failed");
        }
    });
    "ended"
}

/// Drops its input request when something else is faster.
#[query(access = "signedIn", offer = "mcp")]
async fn leaves(cx: &Cx) -> Result<Value> {
    tokio::select! {
        biased;
        reply = cx.input("sure", sure()) => Ok(json!(reply?.accepted())),
        () = std::future::ready(()) => Ok(json!("left")),
    }
}

/// For tests.
#[change(access = "anyone", offer = "mcp")]
async fn pay(cx: &Cx, events: &Events, id: Option<String>) -> Result<Value> {
    let id = id.unwrap_or_default();
    let order = async { Ok::<_, Error>(events.emit(&format!("order {id}"))) };
    let order = cx.once("order", order).await?;
    let Reply::Accepted(filled) = cx.input("sure", sure()).await? else {
        return Ok(json!("not paid"));
    };
    if filled["sure"] != true {
        return Err(Error::declared(tent::code!("A0001"), 409, "Not sure"));
    }
    Ok(json!([order, events.emit(&format!("paid {id}"))]))
}

/// Waits between the response of the client and the payment.
#[action(access = "anyone", offer = "mcp", timeout = "1h")]
async fn pay_slowly(cx: &Cx, events: &Events, id: String) -> Result<u32> {
    cx.input("sure", sure()).await?;
    events.emit(&format!("paying {id}"));
    events.next(&format!("pay {id}")).await;
    if cx.is_cancelled() {
        events.emit(&format!("cancelled {id}"));
    }
    Ok(events.emit(&format!("paid {id}")))
}

/// Has the name of a tool.
#[prompt(access = "signedIn", name = "greet")]
async fn letter(cx: &Cx) -> Result<PromptResult> {
    let name = name(cx, "name", "Who are you?").await?.accepted();
    let name = name.map(|name| name.name).unwrap_or_default();
    Ok(PromptResult::new([PromptMessage::user(name)]).about("A letter."))
}

/// Sends two input requests, so the state has to carry the first response.
#[prompt(access = "signedIn")]
async fn letters(cx: &Cx) -> Result<String> {
    name(cx, "first", "Who?").await?;
    name(cx, "second", "Who?").await?;
    Ok(String::new())
}

/// For tests.
#[prompt(access = "signedIn", needs = ["sampling.tools", "roots"])]
fn choosy() -> &'static str {
    ""
}

/// For tests.
#[resource(uri = "shop://page", access = "signedIn")]
async fn page(cx: &Cx) -> Result<Value> {
    hello(cx).await
}

/// For tests.
#[query(access = "signedIn", on = "acme/needs", needs = ["roots"])]
fn needs() -> tent::Map {
    tent::Map::new()
}

/// For tests.
#[query(access = "signedIn", on = "acme/input")]
async fn needs_input(cx: &Cx) -> Result<Value> {
    hello(cx).await
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", needs = ["sampling.tools", "elicitation.form", "roots"])]
fn picky() -> &'static str {
    "ran"
}

pub(super) const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    greet,
    three,
    chain,
    spawned,
    outlived,
    leaves,
    pay,
    pay_slowly,
    letter,
    letters,
    choosy,
    page,
    needs,
    needs_input,
    picky,
];

async fn app() -> App {
    App::of(|app| app.functions(FUNCTIONS)).await
}

/// A call of a client with all capabilities; `retry` has its state and its responses.
pub(super) fn call(name: &str, arguments: Value, retry: Value) -> Request {
    let all = json!({
        "elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {},
    });
    call_by(all, name, arguments, retry)
}

fn call_by(capabilities: Value, name: &str, arguments: Value, retry: Value) -> Request {
    let params = json!({"name": name, "arguments": arguments, "_meta": capable(capabilities)});
    Request::modern("tools/call", with(params, retry))
}

fn get_prompt(name: &str, retry: Value) -> Request {
    let params = json!({"name": name, "_meta": capable(json!({"elicitation": {}}))});
    Request::modern("prompts/get", with(params, retry))
}

fn name_form(message: &str) -> Value {
    json!({"method": "elicitation/create", "params": {
        "mode": "form",
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
    }})
}

pub(super) fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

fn accept_name(name: &str) -> Value {
    accept(json!({"name": name}))
}

fn retry(state: &str, responses: Value) -> Value {
    json!({"requestState": state, "inputResponses": responses})
}

/// A retry that agrees to a payment.
pub(super) fn agree(state: &str) -> Value {
    retry(state, json!({"sure": accept(json!({"sure": true}))}))
}

/// The input requests and the state of a response that needs input.
pub(super) fn input_required(response: &Value) -> (Value, String) {
    let result = &response["result"];
    let state = result["requestState"].as_str();
    let state = state.unwrap_or_else(|| panic!("no input required: {response}"));
    assert_eq!(
        *result,
        json!({
            "resultType": "input_required",
            "inputRequests": result["inputRequests"],
            "requestState": state,
            "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    (result["inputRequests"].clone(), state.to_owned())
}

/// The value of a response that is complete.
pub(super) fn complete(response: &Value) -> &Value {
    let result = &response["result"];
    assert_eq!(result["resultType"], "complete", "{response}");
    assert_eq!(result.get("isError"), None, "{response}");
    &result["structuredContent"]["value"]
}

impl App {
    /// The input requests and the state of a call.
    async fn needs_input(&self, name: &str, retry: Value) -> (Value, String) {
        input_required(&self.json(200, call(name, json!({}), retry)).await)
    }

    /// The value of a call.
    async fn completes(&self, name: &str, retry: Value) -> Value {
        complete(&self.json(200, call(name, json!({}), retry)).await).clone()
    }

    /// A call of `pay`.
    async fn pay(&self, id: &str, retry: Value) -> Value {
        self.json(200, call("pay", json!({"id": id}), retry)).await
    }

    /// The state of a payment by grace.
    async fn payment(&self, id: &str) -> String {
        input_required(&self.pay(id, json!({})).await).1
    }
}

#[tokio::test]
async fn a_retry_with_the_response_completes_the_call() {
    let app = app().await;
    let (requests, state) = app.needs_input("greet", json!({})).await;
    assert_eq!(requests, json!({"name": name_form("Who are you?")}));
    for (response, value) in [
        (accept_name("Ada"), json!({"hello": "Ada"})),
        (json!({"action": "decline"}), json!("declined")),
        (
            json!({"action": "cancel", "content": null}),
            json!("cancelled"),
        ),
    ] {
        let responses = json!({"name": response, "unknown": {"x": 1}});
        let retry = with(retry(&state, responses), json!({"another": true}));
        assert_eq!(app.completes("greet", retry).await, value);
    }
}

#[tokio::test]
async fn concurrent_input_requests_go_out_together_and_missing_ones_again() {
    let app = app().await;
    let (requests, state) = app.needs_input("three", json!({})).await;
    let colour = json!({"method": "sampling/createMessage", "params": {
        "maxTokens": 9,
        "messages": [{"role": "user", "content": {"type": "text", "text": "Name a colour."}}],
    }});
    let folders = json!({"method": "roots/list", "params": {}});
    let name = name_form("Who are you?");
    assert_eq!(
        requests,
        json!({"name": name, "colour": colour, "folders": folders})
    );
    let responses = json!({
        "name": accept(json!({"name": 7})),
        "folders": {"roots": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b"}]},
    });
    let (requests, second) = app.needs_input("three", retry(&state, responses)).await;
    assert_eq!(requests, json!({"name": name, "colour": colour}));
    assert_ne!(state, second);
    let red = json!({"type": "text", "text": "Red"});
    let responses = json!({
        "name": accept_name("Ada"),
        "colour": {"role": "assistant", "model": "m", "content": red},
    });
    let value = app.completes("three", retry(&second, responses)).await;
    assert_eq!(value, json!(["Ada", "Red", ["file:///a", "file:///b"]]));
}

#[tokio::test]
async fn a_key_that_is_used_again_gets_the_next_response() {
    let app = app().await;
    let mut brings = json!({});
    for name in ["Ada", "Grace"] {
        let (requests, state) = app.needs_input("chain", brings).await;
        assert_eq!(requests, json!({"name": name_form("Who?")}));
        brings = retry(&state, json!({"name": accept_name(name)}));
    }
    let (requests, state) = app.needs_input("chain", brings).await;
    let page = json!({"method": "elicitation/create", "params": {
        "mode": "url", "message": "Ada or Grace pays?", "url": "https://shop.example/pay",
    }});
    assert_eq!(requests, json!({"page": page}));
    let retry = retry(&state, json!({"page": {"action": "accept"}}));
    assert_eq!(
        app.completes("chain", retry).await,
        json!([["Ada", "Grace"], true])
    );
}

#[tokio::test]
async fn accepts_a_response_without_a_state_but_none_to_a_request_that_the_state_does_not_have() {
    let app = app().await;
    let early = json!({"inputResponses": {"name": accept_name("Ada")}});
    assert_eq!(app.completes("greet", early).await, json!({"hello": "Ada"}));

    let (mut requests, mut state) = app.needs_input("chain", json!({})).await;
    for name in ["Ada", "Grace"] {
        let responses = json!({"name": accept_name(name), "page": {"action": "accept"}});
        (requests, state) = app.needs_input("chain", retry(&state, responses)).await;
    }
    assert!(requests.get("page").is_some(), "no earlier response had it");
}

#[tokio::test]
async fn sends_the_input_request_of_a_task_but_not_one_that_was_dropped() {
    let app = app().await;
    let (requests, state) = app.needs_input("spawned", json!({})).await;
    assert_eq!(requests["sure"]["params"]["message"], "Pay it?");
    let retry = retry(&state, json!({"sure": accept(json!({"sure": false}))}));
    assert_eq!(
        app.completes("spawned", retry).await,
        json!({"sure": false})
    );
    assert_eq!(app.completes("leaves", json!({})).await, "left");
}

#[tokio::test]
async fn an_input_request_after_the_end_of_its_call_fails() {
    let app = app().await;
    assert_eq!(app.completes("outlived", json!({})).await, "ended");
    app.events.emit("go on");
    app.events.next("failed").await;
}

// K6-16.
#[tokio::test]
async fn refuses_a_changed_state_and_one_of_another_caller_function_input_or_app() {
    let app = app().await;
    let state = app.payment("bound").await;
    let arguments = || json!({"id": "bound"});
    let mut changed = state.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).expect("ASCII");
    let elsewhere = self::app().await.payment("elsewhere").await;
    for request in [
        call("pay", arguments(), agree(&state)).by("ada"),
        call("pay", json!({"id": "another"}), agree(&state)),
        call("pay_slowly", arguments(), agree(&state)),
        call("pay", arguments(), agree(&changed)),
        call("pay", json!({"id": "elsewhere"}), agree(&elsewhere)),
        call("pay", arguments(), agree("")),
        call("greet", arguments(), agree(&state)),
    ] {
        refuses_state(&app.json(200, request).await);
    }
    for id in ["bound", "another", "elsewhere"] {
        assert_eq!(app.events.count(&format!("paid {id}")), 0, "{id}");
    }
    let paid = app.pay("bound", agree(&state)).await;
    assert_eq!(*complete(&paid), json!([1, 1]), "the state is unused");
}

fn refuses_state(response: &Value) {
    let code = super::app::code("T0015");
    assert_eq!(
        response["error"],
        json!({
            "code": -32602,
            "message": code.meaning(),
            "data": {"code": "T0015", "fix": code.fix()},
        })
    );
}

// K6-16.
#[tokio::test]
async fn a_repeated_retry_gets_the_stored_outcome_and_runs_once() {
    let app = app().await;
    let state = app.payment("twice").await;
    let first = app.pay("twice", agree(&state)).await;
    assert_eq!(*complete(&first), json!([1, 1]));
    let decline = retry(&state, json!({"sure": {"action": "decline"}}));
    for again in [agree(&state), decline] {
        assert_eq!(app.pay("twice", again).await, first);
    }
    for event in ["order twice", "paid twice"] {
        assert_eq!(app.events.count(event), 1);
    }

    // An error and a further input request are outcomes too.
    let state = app.payment("fails").await;
    let unsure = retry(&state, json!({"sure": accept(json!({"sure": false}))}));
    let first = app.pay("fails", unsure).await;
    assert_eq!(tool_error(&first)["code"], "A0001");
    assert_eq!(app.pay("fails", agree(&state)).await, first);

    let state = app.payment("more").await;
    let first = app.pay("more", json!({"requestState": state})).await;
    let (_, second) = input_required(&first);
    assert_eq!(app.pay("more", agree(&state)).await, first);
    assert_eq!(
        *complete(&app.pay("more", agree(&second)).await),
        json!([1, 1])
    );
    assert_eq!(app.events.count("order more"), 1, "a step runs once");
}

// K6-16.
#[tokio::test]
async fn concurrent_equal_retries_run_once_even_if_the_first_client_disconnects() {
    let app = app().await;
    let pay = |retry| call("pay_slowly", json!({"id": "7"}), retry);
    let (_, state) = input_required(&app.json(200, pay(json!({}))).await);
    let first = app.start(pay(agree(&state)));
    app.events.next("paying 7").await;
    let second = app.start(pay(agree(&state)));
    first.disconnect().await;
    assert!(!second.is_finished());
    app.events.emit("pay 7");
    assert_eq!(*complete(&second.json().await), json!(1));
    assert_eq!(app.events.count("paid 7"), 1);
}

// K6-16.
#[tokio::test]
async fn an_expired_state_needs_the_input_again_and_repeats_no_step() {
    let app = App::of(|app| app.functions(FUNCTIONS).set("limits.ask_time", "1ms")).await;
    let state = app.payment("old").await;
    // The state expires by the clock of the system.
    let start = std::time::Instant::now();
    while start.elapsed() < std::time::Duration::from_millis(3) {
        tokio::task::yield_now().await;
    }
    let response = app.pay("old", agree(&state)).await;
    let (requests, _) = input_required(&response);
    assert_eq!(requests["sure"]["params"]["message"], "Pay it?");
    assert_eq!(
        (app.events.count("order old"), app.events.count("paid old")),
        (1, 0)
    );
    assert_eq!(
        app.pay("old", agree(&state)).await,
        response,
        "copies are one call"
    );
}

#[tokio::test]
async fn responses_that_are_too_large_for_a_state_end_the_call() {
    let app = app().await;
    let (_, state) = app.needs_input("chain", json!({})).await;
    let named = |length| retry(&state, json!({"name": accept_name(&"x".repeat(length))}));
    app.needs_input("chain", named(60 << 10)).await;
    let response = app
        .json(200, call("chain", json!({}), named(64 << 10)))
        .await;
    assert_eq!(tool_error(&response)["code"], "T0003");

    // The last response is in no state.
    let (_, state) = app.needs_input("greet", json!({})).await;
    let long = "x".repeat(64 << 10);
    let retry_with = |key: &str, state: &str| retry(state, json!({key: accept_name(&long)}));
    assert_eq!(
        app.completes("greet", retry_with("name", &state)).await,
        json!({"hello": long})
    );

    let (_, state) = input_required(&app.json(200, get_prompt("letters", json!({}))).await);
    let response = app
        .json(200, get_prompt("letters", retry_with("first", &state)))
        .await;
    assert_eq!(codes(&response), (-32602, "T0003".to_owned()));
    let message = response["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("a request state carries at most"),
        "{message}"
    );
}

#[tokio::test]
async fn a_prompt_needs_input_as_a_tool_does_with_a_state_for_itself() {
    let app = app().await;
    let (requests, state) = input_required(&app.json(200, get_prompt("greet", json!({}))).await);
    assert_eq!(requests, json!({"name": name_form("Who are you?")}));
    let retry = retry(&state, json!({"name": accept_name("Ada")}));
    refuses_state(&app.json(200, call("greet", json!({}), retry.clone())).await);
    let result = app.result(get_prompt("greet", retry)).await;
    let text = json!({"type": "text", "text": "Ada"});
    assert_eq!(
        result["messages"],
        json!([{"role": "user", "content": text}])
    );
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn refuses_a_call_that_needs_a_capability_that_the_client_did_not_declare() {
    let app = app().await;
    let form = json!({"elicitation": {"form": {}}});
    let lacks = async |request: Request, required: &Value| {
        let response = app.json(400, request).await;
        assert_eq!(codes(&response), (-32021, "T0021".to_owned()), "{response}");
        assert_eq!(response["error"]["data"]["requiredCapabilities"], *required);
    };
    for (name, capabilities, required) in [
        ("greet", json!({}), form.clone()),
        (
            "greet",
            json!({"elicitation": {"url": {}}, "sampling": {}}),
            form.clone(),
        ),
        (
            "picky",
            json!({"sampling": {}, "roots": {}}),
            json!({"sampling": {"tools": {}}, "elicitation": {"form": {}}}),
        ),
    ] {
        lacks(call_by(capabilities, name, json!({}), json!({})), &required).await;
    }
    assert_eq!(app.completes("picky", json!({})).await, "ran");
    // An elicitation capability without a mode means forms.
    let elicitation = call_by(json!({"elicitation": {}}), "greet", json!({}), json!({}));
    input_required(&app.json(200, elicitation).await);

    for (method, params, required) in [
        ("prompts/get", json!({"name": "greet"}), form.clone()),
        ("resources/read", json!({"uri": "shop://page"}), form),
        (
            "prompts/get",
            json!({"name": "choosy"}),
            json!({"sampling": {"tools": {}}, "roots": {}}),
        ),
        ("acme/needs", json!({}), json!({"roots": {}})),
    ] {
        lacks(Request::modern(method, params.clone()), &required).await;
        // Older revisions have no code for it.
        assert_eq!(
            app.error(200, Request::legacy(method, params)).await,
            (-32602, "T0021".to_owned())
        );
    }
    let session = app.session("2025-11-25").await;
    for name in ["greet", "picky"] {
        let response = app.json(200, Request::legacy_call(&session, name)).await;
        assert_eq!(tool_error(&response)["code"], "T0021");
    }
    // No capability lets a custom method send input requests.
    let meta = capable(json!({"elicitation": {}}));
    let custom = Request::modern("acme/input", json!({"_meta": meta}));
    let response = app.json(200, custom).await;
    assert_eq!(codes(&response), (-32603, "T0021".to_owned()));
    assert_eq!(response["error"]["data"].get("requiredCapabilities"), None);
}

#[tokio::test]
async fn refuses_a_retry_with_members_of_the_wrong_type() {
    let app = app().await;
    for retry in [
        json!({"inputResponses": []}),
        json!({"inputResponses": "x"}),
        json!({"requestState": 7}),
        json!({"requestState": {}}),
    ] {
        assert_eq!(
            app.error(200, call("greet", json!({}), retry)).await.0,
            -32602
        );
    }
    let null = json!({"inputResponses": null, "requestState": null});
    app.needs_input("greet", null).await;
}
