//! Outcomes go into the store and come out as they were.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::content::{Annotations, Content, Icon, Meta, Role, Theme};
use crate::function::{PromptMessage, PromptResult};
use crate::settings::Secret;

fn sealer() -> Sealer {
    Sealer::new(&[Secret::random()]).expect("one secret")
}

/// The outcome after it was stored.
fn replayed(recorded: &Recorded) -> Recorded {
    let sealer = sealer();
    let stored = recorded.seal(&sealer, b"a");
    assert!(stored.len() <= MOST_OUTCOME);
    Recorded::open(&sealer, b"a", &stored).expect("it opens")
}

/// One of each kind of content, with all that it can carry.
fn content() -> Vec<Content> {
    let annotations = Annotations::new()
        .audience([Role::User, Role::Assistant])
        .priority(0.1 + 0.2)
        .last_modified("2025-01-12T15:00:58Z");
    let link = Content::link("orders://7", "order 7")
        .title("Order 7")
        .about("The seventh")
        .media_type("text/plain")
        .size(u64::MAX)
        .icon(
            Icon::new("https://shop.example/a.png")
                .sizes(["48x48"])
                .theme(Theme::Dark),
        )
        .icon(
            Icon::new("https://shop.example/b.png")
                .media_type("image/png")
                .theme(Theme::Light),
        )
        .meta("com.example/a", 1);
    vec![
        Content::text("größe \u{0} 🦀")
            .annotated(annotations.clone())
            .meta("ui", json!({"a": [1.5]})),
        Content::image(vec![0, 0xff, 0x89], "image/png").annotated(annotations),
        Content::audio(Vec::new(), "audio/wav"),
        Content::resource_text("a://b", "text/plain", "b").resource_meta("com.example/b", true),
        Content::resource_blob("a://c", "x/y", vec![7; 300]),
        link,
    ]
}

#[test]
fn an_output_is_replayed_as_the_function_returned_it() {
    let value = r#"{"b": 1.10, "a":[12345678901234567890123, null]}"#;
    let mut meta = Meta::default();
    meta.put("com.example/took", 3);
    let output = Output {
        value: Some(RawValue::from_string(value.to_owned()).expect("it is JSON")),
        content: content(),
        replaces_text: true,
        meta,
        ..Output::default()
    };
    let Recorded::Ended(Ok(again)) = replayed(&Recorded::Ended(Ok(output.clone()))) else {
        panic!("it was an output");
    };
    assert_eq!(
        again.value.as_deref().map(RawValue::get),
        Some(value),
        "to the byte"
    );
    assert_eq!(again.content, output.content);
    assert_eq!((again.replaces_text, &again.meta), (true, &output.meta));
    assert!(again.prompt.is_none());

    let Recorded::Ended(Ok(none)) = replayed(&Recorded::Ended(Ok(Output::default()))) else {
        panic!("it was an output");
    };
    assert!(none.value.is_none() && none.content.is_empty() && !none.replaces_text);
}

#[test]
fn a_prompt_is_replayed_with_its_messages() {
    let prompt = PromptResult::new(
        content()
            .into_iter()
            .map(PromptMessage::user)
            .chain([PromptMessage::assistant("A bicycle.")]),
    )
    .about("A letter to Ada")
    .meta("com.example/draft", 7);
    let output = Output {
        prompt: Some(prompt.clone()),
        ..Output::default()
    };
    let Recorded::Ended(Ok(again)) = replayed(&Recorded::Ended(Ok(output))) else {
        panic!("it was an output");
    };
    assert_eq!(again.prompt, Some(prompt));
}

#[test]
fn an_error_is_replayed_with_its_code_and_without_its_source() {
    let of_the_app = Error::declared(crate::code!("A0001"), 409, "The shop is closed")
        .with_name("closed")
        .with_fix("Come back tomorrow")
        .with_field("opens", "09:00")
        .with_retry_after(Duration::from_millis(1500))
        .with_content(content());
    let of_tent = Error::new(codes::NOT_ALLOWED)
        .with_message("No.")
        .with_field("scopes", vec!["read"])
        .with_source("a secret of the log");
    for error in [of_the_app, of_tent] {
        let Recorded::Ended(Err(again)) = replayed(&Recorded::Ended(Err(error.clone()))) else {
            panic!("it was an error");
        };
        assert_eq!(
            (again.code(), again.name(), again.status()),
            (error.code(), error.name(), error.status())
        );
        assert_eq!(
            (again.message(), again.fix()),
            (error.message(), error.fix())
        );
        assert_eq!(again.fields(), error.fields());
        assert_eq!(again.retry_after(), error.retry_after());
        assert_eq!(again.content(), error.content());
        assert_eq!(again.tent_code(), error.tent_code());
        assert!(again.source().is_none());
    }
}

#[test]
fn input_requests_are_replayed_to_the_byte() {
    let requests = r#"{"requestState": "x",  "inputRequests":{}}"#;
    let raw = RawValue::from_string(requests.to_owned()).expect("it is JSON");
    let Recorded::InputRequired(again) = replayed(&Recorded::InputRequired(raw)) else {
        panic!("it waits for input");
    };
    assert_eq!(again.get(), requests);
}

#[test]
fn an_outcome_opens_for_its_own_call_and_format_alone() {
    let sealer = sealer();
    let stored = Recorded::Ended(Ok(Output::default())).seal(&sealer, b"a");
    let code = |key: &[u8], stored: &[u8]| {
        Recorded::open(&sealer, key, stored)
            .err()
            .map(|error| error.code())
    };
    assert_eq!(code(b"a", &stored), None);
    assert_eq!(code(b"b", &stored), Some("T0011"), "another call");
    assert_eq!(code(b"a", &[]), Some("T0011"));
    assert_eq!(code(b"a", &stored[1..]), Some("T0011"), "the format before");
    assert_eq!(
        code(b"a", &[&[FORMAT + 1], &stored[1..]].concat()),
        Some("T0011")
    );
    assert_eq!(code(b"a", &[FORMAT, 0xff]), Some("T0011"));
}

#[test]
fn an_outcome_that_is_too_large_is_stored_as_a_short_error() {
    let sealer = sealer();
    let large = "x".repeat(MOST_OUTCOME);
    let output = Output {
        content: vec![Content::text(large.clone())],
        ..Output::default()
    };
    let error = Error::new(codes::NOT_ALLOWED).with_message(large);
    for outcome in [Ok(output), Err(error)] {
        let stored = Recorded::Ended(outcome).seal(&sealer, b"a");
        assert!(stored.len() < 1024, "{}", stored.len());
        let opened = Recorded::open(&sealer, b"a", &stored).expect("it opens");
        let Recorded::Ended(Err(error)) = opened else {
            panic!("it was too large");
        };
        assert_eq!(error.code(), "T0011");
        assert!(error.message().contains("too large to be stored"));
    }
}
