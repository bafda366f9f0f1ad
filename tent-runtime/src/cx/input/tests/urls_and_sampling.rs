//! URLs and sampling requests: what is refused.

use serde_json::Map;

use super::*;

#[test]
fn accepts_absolute_urls_only() {
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
fn requires_the_results_of_tool_calls_in_the_next_message() {
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
    let alone = "tool results must be the only content of a user message";
    let missing = "the message after the tool call \"1\" does not contain its result";
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
            "there is a result for the tool call \"3\", which the previous message does not contain",
        ),
        (
            vec![
                (model, vec![call("1")]),
                (user, vec![result("1"), result("1")]),
            ],
            "there is a result for the tool call \"1\", which the previous message does not contain",
        ),
        (
            vec![(model, vec![call("1")])],
            "the tool call \"1\" has no result",
        ),
        (
            vec![(user, vec![call("1")])],
            "a user message cannot call a tool",
        ),
        (vec![(user, vec![])], "a message needs content"),
    ] {
        let wrong = format!("the sampling request is not valid: {wrong}");
        assert_eq!(request(messages), Err(wrong));
    }
}

#[test]
fn clamps_priorities_and_ignores_numbers_that_are_not_finite() {
    let request = sampling("?", 9).priorities(-1.0, f64::NAN, f64::INFINITY);
    let request = request.temperature(f64::NAN);
    assert_eq!(
        (
            request.cost_priority,
            request.speed_priority,
            request.intelligence_priority
        ),
        (Some(0.0), None, Some(1.0))
    );
    assert_eq!(request.temperature, None);
}
