//! Functions that ask a modern client: rounds over the wire, whole answers compared.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tent_core::codes;

use super::app::{App, META, Send, meta, server};
use super::asking::{ASK_LATE, ASKED_LATE, FUNCTIONS, count, gate};
use crate::error::Error;

fn app() -> App {
    App::of(FUNCTIONS, |_| {})
}

/// A call of a client that can do all, with what it brings.
pub(super) fn call(name: &str, arguments: Value, brings: Value) -> Send {
    let all = json!({
        "elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {},
    });
    call_by(all, name, arguments, brings)
}

fn call_by(said: Value, name: &str, arguments: Value, brings: Value) -> Send {
    let mut meta = meta();
    meta[format!("{META}clientCapabilities")] = said;
    let mut params = json!({"name": name, "arguments": arguments, "_meta": meta});
    for (key, brought) in brings.as_object().expect("an object") {
        params[key] = brought.clone();
    }
    Send::modern("tools/call", params)
}

fn asks_name(message: &str) -> Value {
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

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// What is asked, and the state; the rest of the result is what it has to be.
pub(super) fn asked(answer: &Value) -> (Value, String) {
    let result = &answer["result"];
    let state = result["requestState"].as_str().expect("a state").to_owned();
    assert_eq!(
        *result,
        json!({
            "resultType": "input_required",
            "inputRequests": result["inputRequests"],
            "requestState": state,
            "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    (result["inputRequests"].clone(), state)
}

/// The value that a call gave at last.
pub(super) fn given(answer: &Value) -> &Value {
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete", "{answer}");
    assert_eq!(result.get("isError"), None, "{answer}");
    &result["structuredContent"]["value"]
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_ends_the_call() {
    let app = app();
    let (requests, state) = asked(&app.ask(200, call("greet", json!({}), json!({}))).await);
    assert_eq!(requests, json!({"name": asks_name("Who are you?")}));
    for (response, wanted) in [
        (accept(json!({"name": "Ada"})), json!({"hello": "Ada"})),
        (json!({"action": "decline"}), json!("declined")),
        (
            json!({"action": "cancel", "content": null}),
            json!("cancelled"),
        ),
    ] {
        let brings = json!({
            "requestState": state,
            "inputResponses": {"name": response, "unasked": {"x": 1}},
            "another": true,
        });
        let answer = app.ask(200, call("greet", json!({}), brings)).await;
        assert_eq!(*given(&answer), wanted);
    }
}

#[tokio::test]
async fn three_questions_at_once_are_one_round_and_what_is_missing_is_asked_again() {
    let app = app();
    let (requests, state) = asked(&app.ask(200, call("three", json!({}), json!({}))).await);
    let colour = json!({"method": "sampling/createMessage", "params": {
        "maxTokens": 9,
        "messages": [{"role": "user", "content": {"type": "text", "text": "Name a colour."}}],
    }});
    let folders = json!({"method": "roots/list", "params": {}});
    let name = asks_name("Who are you?");
    assert_eq!(
        requests,
        json!({"name": name, "colour": colour, "folders": folders})
    );
    let brings = json!({"requestState": state, "inputResponses": {
        "name": accept(json!({"name": 7})),
        "folders": {"roots": [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b"}]},
    }});
    let answer = app.ask(200, call("three", json!({}), brings)).await;
    let (requests, second) = asked(&answer);
    assert_eq!(requests, json!({"name": name, "colour": colour}));
    assert_ne!(state, second);
    let brings = json!({"requestState": second, "inputResponses": {
        "name": accept(json!({"name": "Ada"})),
        "colour": {"role": "assistant", "model": "m", "content": {"type": "text", "text": "Red"}},
    }});
    let answer = app.ask(200, call("three", json!({}), brings)).await;
    assert_eq!(
        *given(&answer),
        json!(["Ada", "Red", ["file:///a", "file:///b"]])
    );
}

#[tokio::test]
async fn one_question_asked_again_takes_the_next_answer_and_later_ones_depend_on_it() {
    let app = app();
    let mut brings = json!({});
    for name in ["Ada", "Grace"] {
        let (requests, state) = asked(&app.ask(200, call("chain", json!({}), brings)).await);
        assert_eq!(requests, json!({"name": asks_name("Who?")}));
        brings = json!({
            "requestState": state,
            "inputResponses": {"name": accept(json!({"name": name}))},
        });
    }
    let (requests, state) = asked(&app.ask(200, call("chain", json!({}), brings)).await);
    let page = json!({"method": "elicitation/create", "params": {
        "mode": "url", "message": "Ada or Grace pays?", "url": "https://shop.example/pay",
    }});
    assert_eq!(requests, json!({"page": page}));
    let brings = json!({"requestState": state, "inputResponses": {"page": {"action": "accept"}}});
    let answer = app.ask(200, call("chain", json!({}), brings)).await;
    assert_eq!(*given(&answer), json!([["Ada", "Grace"], true]));
}

#[tokio::test]
async fn an_answer_counts_without_a_state_and_for_no_question_that_was_not_asked_with_one() {
    let app = app();
    let name = json!({"name": accept(json!({"name": "Ada"}))});
    let brings = json!({"inputResponses": name});
    let answer = app.ask(200, call("greet", json!({}), brings)).await;
    assert_eq!(*given(&answer), json!({"hello": "Ada"}));

    let (_, mut state) = asked(&app.ask(200, call("chain", json!({}), json!({}))).await);
    let mut requests = Value::Null;
    for name in ["Ada", "Grace"] {
        let brings = json!({"requestState": state, "inputResponses": {
            "name": accept(json!({"name": name})), "page": {"action": "accept"},
        }});
        (requests, state) = asked(&app.ask(200, call("chain", json!({}), brings)).await);
    }
    assert!(requests.get("page").is_some(), "it was not asked before");
}

#[tokio::test]
async fn a_question_in_a_task_is_asked_and_one_that_was_left_is_not() {
    let app = app();
    let (requests, state) = asked(&app.ask(200, call("spawned", json!({}), json!({}))).await);
    assert_eq!(requests["sure"]["params"]["message"], "Pay it?");
    let brings = json!({
        "requestState": state, "inputResponses": {"sure": accept(json!({"sure": false}))},
    });
    let answer = app.ask(200, call("spawned", json!({}), brings)).await;
    assert_eq!(*given(&answer), json!({"sure": false}));
    let answer = app.ask(200, call("leaves", json!({}), json!({}))).await;
    assert_eq!(*given(&answer), json!("left"));
}

/// The state of a payment, which was asked for by grace.
async fn begun(app: &App, id: &str) -> String {
    asked(
        &app.ask(200, call("pay", json!({"id": id}), json!({})))
            .await,
    )
    .1
}

pub(super) fn yes(state: &str) -> Value {
    json!({"requestState": state, "inputResponses": {"sure": accept(json!({"sure": true}))}})
}

pub(super) fn is_refused(answer: &Value) {
    let refusal = Error::new(codes::INVALID_STATE);
    assert_eq!(
        answer["error"],
        json!({
            "code": -32602,
            "message": refusal.message(),
            "data": {"code": "T0015", "fix": refusal.fix()},
        })
    );
}

#[tokio::test]
async fn k6_16_a_state_of_another_caller_function_or_input_or_a_changed_one_is_refused() {
    let app = app();
    let state = begun(&app, "bound").await;
    let arguments = || json!({"id": "bound"});
    let mut changed = state.clone().into_bytes();
    let middle = changed.len() / 2;
    changed[middle] = if changed[middle] == b'A' { b'B' } else { b'A' };
    let changed = String::from_utf8(changed).expect("it is ASCII");
    let elsewhere = begun(&App::of(FUNCTIONS, |_| {}), "elsewhere").await;
    for send in [
        call("pay", arguments(), yes(&state)).by("ada"),
        call("pay", json!({"id": "another"}), yes(&state)),
        call("pay_slowly", arguments(), yes(&state)),
        call("pay", arguments(), yes(&changed)),
        call("pay", json!({"id": "elsewhere"}), yes(&elsewhere)),
        call("pay", arguments(), yes("")),
        call("greet", arguments(), yes(&state)),
    ] {
        is_refused(&app.ask(200, send).await);
    }
    for id in ["bound", "another", "elsewhere"] {
        assert_eq!(count("paid", id), 0, "{id}");
    }
    let answer = app.ask(200, call("pay", arguments(), yes(&state))).await;
    assert_eq!(*given(&answer), json!([1, 1]), "none of them used it up");
}

#[tokio::test]
async fn k6_16_a_round_that_arrives_twice_is_answered_what_it_was_and_runs_once() {
    let app = app();
    let state = begun(&app, "twice").await;
    let first = app
        .ask(200, call("pay", json!({"id": "twice"}), yes(&state)))
        .await;
    assert_eq!(*given(&first), json!([1, 1]));
    let no = json!({"requestState": state, "inputResponses": {"sure": {"action": "decline"}}});
    for again in [yes(&state), no] {
        let send = call("pay", json!({"id": "twice"}), again);
        assert_eq!(app.ask(200, send).await, first);
    }
    assert_eq!((count("order", "twice"), count("paid", "twice")), (1, 1));

    // A failure and a further question are outcomes too.
    let state = begun(&app, "fails").await;
    let unsure = accept(json!({"sure": false}));
    let unsure = json!({"requestState": state, "inputResponses": {"sure": unsure}});
    let first = app
        .ask(200, call("pay", json!({"id": "fails"}), unsure))
        .await;
    assert_eq!(first["result"]["_meta"]["tent.error"]["code"], "A0001");
    let again = app
        .ask(200, call("pay", json!({"id": "fails"}), yes(&state)))
        .await;
    assert_eq!(again, first);

    let state = begun(&app, "more").await;
    let nothing = json!({"requestState": state});
    let first = app
        .ask(200, call("pay", json!({"id": "more"}), nothing))
        .await;
    let (_, second) = asked(&first);
    let again = app
        .ask(200, call("pay", json!({"id": "more"}), yes(&state)))
        .await;
    assert_eq!(again, first);
    let answer = app
        .ask(200, call("pay", json!({"id": "more"}), yes(&second)))
        .await;
    assert_eq!(*given(&answer), json!([1, 1]));
    assert_eq!(
        count("order", "more"),
        1,
        "a step before a question is done once"
    );
}

#[tokio::test]
async fn k6_16_a_round_that_is_sent_twice_at_once_runs_once_also_when_its_client_goes() {
    let app = Arc::new(app());
    let send = |brings| call("pay_slowly", json!({"id": "at once"}), brings);
    let (_, state) = asked(&app.ask(200, send(json!({}))).await);
    let begin = |brings: Value| {
        let (app, send) = (app.clone(), send(brings));
        tokio::spawn(async move { app.ask(200, send).await })
    };
    let first = begin(yes(&state));
    let gate = gate("at once");
    gate.paying.notified().await;
    let second = begin(yes(&state));
    first.abort();
    assert!(first.await.is_err_and(|error| error.is_cancelled()));
    assert!(!second.is_finished());
    gate.pay_now.notify_one();
    let second = second.await.expect("it does not panic");
    assert_eq!(*given(&second), json!(1));
    assert_eq!(count("paid", "at once"), 1);
}

#[tokio::test]
async fn k6_16_a_state_that_is_too_old_asks_again_and_does_no_step_again() {
    let app = App::of(FUNCTIONS, |settings| {
        settings.limits.ask_time = Duration::ZERO;
    });
    let state = begun(&app, "old").await;
    // A state ends with a millisecond of the system's clock, so this goes on to the next one.
    let start = std::time::Instant::now();
    while start.elapsed() < Duration::from_millis(2) {
        tokio::task::yield_now().await;
    }
    let answer = app
        .ask(200, call("pay", json!({"id": "old"}), yes(&state)))
        .await;
    let (requests, _) = asked(&answer);
    assert_eq!(requests["sure"]["params"]["message"], "Pay it?");
    assert_eq!((count("order", "old"), count("paid", "old")), (1, 0));
    let again = app.ask(200, call("pay", json!({"id": "old"}), yes(&state)));
    assert_eq!(again.await, answer, "its copies are one call");
}

#[tokio::test]
async fn answers_that_are_too_large_for_a_state_end_the_call() {
    let app = app();
    let (_, state) = asked(&app.ask(200, call("chain", json!({}), json!({}))).await);
    let brings = |length| {
        let name = accept(json!({"name": "x".repeat(length)}));
        json!({"requestState": state, "inputResponses": {"name": name}})
    };
    asked(
        &app.ask(200, call("chain", json!({}), brings(60 << 10)))
            .await,
    );
    let answer = app
        .ask(200, call("chain", json!({}), brings(64 << 10)))
        .await;
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    assert_eq!(result["_meta"]["tent.error"]["code"], "T0003");

    // One that ends its call is carried nowhere.
    let (_, state) = asked(&app.ask(200, call("greet", json!({}), json!({}))).await);
    let name = "x".repeat(64 << 10);
    let brings = json!({
        "requestState": state, "inputResponses": {"name": accept(json!({"name": name}))},
    });
    let answer = app.ask(200, call("greet", json!({}), brings)).await;
    assert_eq!(*given(&answer), json!({"hello": name}));
}

#[tokio::test]
async fn what_a_task_asks_after_its_call_has_ended_fails() {
    let app = app();
    let answer = app.ask(200, call("outlived", json!({}), json!({}))).await;
    assert_eq!(*given(&answer), json!("ended"));
    ASK_LATE.notify_one();
    ASKED_LATE.notified().await;
}

#[tokio::test]
async fn a_prompt_asks_as_a_tool_does_and_its_state_is_for_it_alone() {
    let app = app();
    let get = |brings: Value| {
        let mut meta = meta();
        meta[format!("{META}clientCapabilities")] = json!({"elicitation": {}});
        let mut params = json!({"name": "greet", "_meta": meta});
        for (key, brought) in brings.as_object().expect("an object") {
            params[key] = brought.clone();
        }
        Send::modern("prompts/get", params)
    };
    let (requests, state) = asked(&app.ask(200, get(json!({}))).await);
    assert_eq!(requests, json!({"name": asks_name("Who are you?")}));
    let brings = json!({
        "requestState": state, "inputResponses": {"name": accept(json!({"name": "Ada"}))},
    });
    is_refused(&app.ask(200, call("greet", json!({}), brings.clone())).await);
    let answer = app.ask(200, get(brings)).await;
    let text = json!({"type": "text", "text": "Ada"});
    assert_eq!(
        answer["result"]["messages"],
        json!([{"role": "user", "content": text}])
    );
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[tokio::test]
async fn a_prompt_whose_answers_are_too_large_for_a_state_says_so_as_its_other_failures_are_said() {
    let app = app();
    let get = |brings: Value| {
        let mut meta = meta();
        meta[format!("{META}clientCapabilities")] = json!({"elicitation": {}});
        let mut params = json!({"name": "letters", "_meta": meta});
        for (key, brought) in brings.as_object().expect("an object") {
            params[key] = brought.clone();
        }
        Send::modern("prompts/get", params)
    };
    let (_, state) = asked(&app.ask(200, get(json!({}))).await);
    let first = accept(json!({"name": "x".repeat(64 << 10)}));
    let brings = json!({"requestState": state, "inputResponses": {"first": first}});
    let answer = app.ask(200, get(brings)).await;
    let error = &answer["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32602), &json!("T0003")),
        "{answer}"
    );
    let said = error["message"].as_str().expect("a text");
    assert!(said.contains("a request state carries at most"), "{said}");
}

#[tokio::test]
async fn what_a_client_did_not_say_it_can_do_is_never_asked_of_it() {
    let app = app();
    for (name, said, lacks) in [
        ("greet", json!({}), json!({"elicitation": {"form": {}}})),
        (
            "greet",
            json!({"elicitation": {"url": {}}, "sampling": {}}),
            json!({"elicitation": {"form": {}}}),
        ),
        (
            "picky",
            json!({"sampling": {}, "roots": {}}),
            json!({"sampling": {"tools": {}}, "elicitation": {"form": {}}}),
        ),
    ] {
        let answer = app
            .ask(400, call_by(said, name, json!({}), json!({})))
            .await;
        let error = &answer["error"];
        assert_eq!(error["code"], -32021, "{answer}");
        assert_eq!(error["data"]["requiredCapabilities"], lacks);
        assert_eq!(error["data"]["code"], "T0021");
    }
    let all = call("picky", json!({}), json!({}));
    assert_eq!(*given(&app.ask(200, all).await), json!("ran"));
    // No mode is named, which means forms.
    let said = json!({"elicitation": {}});
    asked(
        &app.ask(200, call_by(said, "greet", json!({}), json!({})))
            .await,
    );
}

#[tokio::test]
async fn what_a_client_lacks_for_a_prompt_a_resource_or_a_method_is_told_as_for_a_tool() {
    let app = app();
    let form = json!({"elicitation": {"form": {}}});
    for (method, params, lacks) in [
        ("prompts/get", json!({"name": "greet"}), &form),
        ("resources/read", json!({"uri": "shop://page"}), &form),
        (
            "prompts/get",
            json!({"name": "choosy"}),
            &json!({"sampling": {"tools": {}}, "roots": {}}),
        ),
        ("acme/needs", json!({}), &json!({"roots": {}})),
    ] {
        let answer = app.ask(400, Send::modern(method, params.clone())).await;
        let error = &answer["error"];
        assert_eq!(error["code"], -32021, "{answer}");
        assert_eq!(error["data"]["requiredCapabilities"], *lacks);
        assert_eq!(error["data"]["code"], "T0021");
        // Older revisions have no code for it.
        let answer = app.ask(200, Send::legacy(method, params)).await;
        let error = &answer["error"];
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("T0021")),
            "{answer}"
        );
    }
    // No capability would let it ask there.
    let mut meta = meta();
    meta[format!("{META}clientCapabilities")] = json!({"elicitation": {}});
    let send = Send::modern("acme/asks", json!({"_meta": meta}));
    let error = &app.ask(200, send).await["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(-32603), &json!("T0021"))
    );
    assert_eq!(error["data"].get("requiredCapabilities"), None);
}

#[tokio::test]
async fn an_older_client_without_the_capability_is_told_so_in_a_result() {
    let app = app();
    let session = app.session("2025-11-25").await;
    for name in ["greet", "picky"] {
        let send = Send::legacy("tools/call", json!({"name": name})).session(&session);
        let answer = app.ask(200, send).await;
        assert_eq!(answer["result"]["isError"], true);
        assert_eq!(answer["result"]["_meta"]["tent.error"]["code"], "T0021");
    }
}

#[tokio::test]
async fn what_a_round_brings_has_its_type() {
    let app = app();
    for brings in [
        json!({"inputResponses": []}),
        json!({"inputResponses": "x"}),
        json!({"requestState": 7}),
        json!({"requestState": {}}),
    ] {
        let answer = app.ask(200, call("greet", json!({}), brings)).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let brings = json!({"inputResponses": null, "requestState": null});
    asked(&app.ask(200, call("greet", json!({}), brings)).await);
}
