//! Metadata, hints and titles, as the macros write them.

use serde_json::{Value, json};
use tent::prelude::*;
use tent_runtime::__private::Primitive;
use tent_tests::linked;

const PAGE: &str = "ui://clock/page";

fn looks() -> tent::Map {
    [("ui".to_owned(), json!({"prefersBorder": true}))]
        .into_iter()
        .collect()
}

/// The time.
#[query(access = "anyone", offer = "mcp", meta = json!({"ui": {"resourceUri": PAGE}}))]
fn clock(#[arg(title = "Time zone", min_len = 1)] zone: String) -> String {
    zone
}

/// The page of the clock.
#[resource(
    uri = "ui://clock/page",
    access = "anyone",
    media_type = "text/html;profile=mcp-app",
    meta = looks(),
    annotations = Annotations::new().audience([Role::User]).priority(1.0),
    size = PAGE.len() as u64
)]
fn clock_page() -> String {
    "<p>noon</p>".to_owned()
}

/// A letter.
#[prompt(access = "anyone", meta = looks())]
fn clock_letter(#[arg(title = "Whom it is to")] to: String) -> String {
    to
}

fn stated(name: &str) -> Value {
    linked(name).meta.expect("it is stated")()
}

#[test]
fn metadata_is_any_expression_of_an_object() {
    assert_eq!(stated("clock"), json!({"ui": {"resourceUri": PAGE}}));
    assert_eq!(stated("clock_page"), Value::Object(looks()));
    assert_eq!(stated("clock_letter"), Value::Object(looks()));
    assert!(linked("plain").meta.is_none());
}

#[test]
fn a_resource_has_hints_and_a_size() {
    let Primitive::Resource(page) = linked("clock_page").primitive else {
        panic!("a resource");
    };
    assert_eq!(page.size, Some(PAGE.len() as u64));
    let hints = page.annotations.expect("they are stated")();
    let wanted = Annotations::new().audience([Role::User]).priority(1.0);
    assert_eq!(hints, wanted);
}

#[test]
fn a_field_has_its_title_in_the_schema() {
    let function = tent::Function::try_from(linked("clock")).expect("it is valid");
    let schema = function.input_schema();
    assert_eq!(
        schema["properties"]["zone"],
        json!({"type": "string", "title": "Time zone", "minLength": 1})
    );
    assert_eq!(function.meta().members()["ui"]["resourceUri"], PAGE);
}
