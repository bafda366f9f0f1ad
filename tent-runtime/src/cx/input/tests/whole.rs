//! Addresses and sampling: what of them is never sent.

use serde_json::json;

use super::*;

#[test]
fn an_address_is_a_whole_url() {
    let request = |address: &str| match url("Look", address).into_input_request() {
        Ok(_) => "asked".to_owned(),
        Err(error) => error.code().to_owned(),
    };
    for address in [
        "https://shop.example",
        "https://shop.example:8443/pay/7?a=%20b#c",
        "http://[::1]:8080/",
        "shop://pay/7",
    ] {
        assert_eq!(request(address), "asked", "{address}");
    }
    for address in [
        "",
        "shop.example/pay",
        "/pay/7",
        "https://",
        "https:///pay",
        "mailto:ada@shop.example",
        "https://shop.example/a b",
        "https://shop.example/#a b",
        "https://shop.example/#a\nb",
        "https://shop.example/<a>",
        " https://shop.example",
    ] {
        assert_eq!(request(address), "T0012", "{address}");
    }
}

#[test]
fn calls_of_tools_are_answered_by_the_message_after_them() {
    let call = |id: &str| SamplingContent::ToolUse {
        id: id.to_owned(),
        name: "weather".to_owned(),
        input: Map::new(),
    };
    let result = |id: &str| SamplingContent::ToolResult {
        id: id.to_owned(),
        text: "Rain.".to_owned(),
        failed: false,
    };
    let (user, model) = (Role::User, Role::Assistant);
    let words = || SamplingContent::text("So.");
    let request = |messages: Vec<(Role, Vec<SamplingContent>)>| {
        let request = messages.into_iter().fold(
            sampling("What is the weather?", 9),
            |request, (who, parts)| request.message(who, parts),
        );
        match request.into_input_request() {
            Ok(request) => Ok(request.request().needs()),
            Err(error) => {
                assert_eq!(error.code(), "T0012");
                Err(error.chain().join(" "))
            }
        }
    };
    assert_eq!(request(vec![(model, vec![words()])]), Ok(vec!["sampling"]));
    // Two calls at once, answered in any order, and the conversation goes on.
    assert_eq!(
        request(vec![
            (model, vec![words(), call("1"), call("2")]),
            (user, vec![result("2"), result("1")]),
            (model, vec![call("1")]),
            (user, vec![result("1")]),
            (model, vec![words()]),
        ]),
        Ok(vec!["sampling", "sampling.tools"]),
        "a call without the tools needs them too"
    );
    let alone = "results of tools stand alone, in a message of the user's with nothing else";
    let missing = "the message after the call \"1\" does not give its result";
    for (messages, wrong) in [
        (
            vec![(model, vec![call("1")]), (user, vec![words(), result("1")])],
            alone,
        ),
        (
            vec![(model, vec![call("1")]), (model, vec![result("1")])],
            alone,
        ),
        (
            vec![
                (model, vec![call("1"), call("2")]),
                (user, vec![result("2")]),
            ],
            missing,
        ),
        (
            vec![(model, vec![call("1")]), (user, vec![words()])],
            missing,
        ),
        (
            vec![(user, vec![result("3")])],
            "a result is of the call \"3\", which the message before it does not make",
        ),
        (
            vec![
                (model, vec![call("1")]),
                (user, vec![result("1"), result("1")]),
            ],
            "a result is of the call \"1\", which the message before it does not make",
        ),
        (
            vec![(model, vec![call("1")])],
            "no message follows the call \"1\" with its result",
        ),
        (
            vec![(user, vec![call("1")])],
            "a tool is called by the model, not by the user",
        ),
        (vec![(user, vec![])], "a message has no part"),
    ] {
        let wrong = format!("a model cannot be asked this: {wrong}");
        assert_eq!(request(messages), Err(wrong));
    }
}

#[test]
fn numbers_of_sampling_are_those_that_it_has() {
    let params = |request: Sampling| match request
        .into_input_request()
        .expect("it can be")
        .request()
        .kind()
    {
        Kind::Sampling(params) => params.clone(),
        other => panic!("{other:?}"),
    };
    let request = sampling("?", 9).priorities(-1.0, f64::NAN, f64::INFINITY);
    let request = params(request.temperature(f64::NAN));
    assert_eq!(
        request["modelPreferences"],
        json!({"costPriority": 0.0, "intelligencePriority": 1.0})
    );
    assert!(!request.contains_key("temperature"));
    let none = params(sampling("?", 9).priorities(f64::NAN, f64::NAN, f64::NAN));
    assert!(!none.contains_key("modelPreferences"));
}
