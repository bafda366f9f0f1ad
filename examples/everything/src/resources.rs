//! Resources with a fixed URI, and a template with a resource for each number.

use tent::prelude::*;
use tent::{
    Map, ResourceInfo,
    serde_json::{Value, json},
};

use crate::media::PNG;

/// A text that never changes.
#[resource(
    uri = "test://static-text",
    access = "anyone",
    name = "static-text",
    media_type = "text/plain"
)]
fn static_text() -> String {
    "This is the content of the static text resource.".to_owned()
}

/// A picture that never changes.
#[resource(
    uri = "test://static-binary",
    access = "anyone",
    name = "static-binary",
    media_type = "image/png"
)]
fn static_binary() -> Content {
    Content::resource_blob("test://static-binary", "image/png", PNG)
}

/// A text that clients can subscribe to; `test_trigger_resource_update` notifies them.
#[resource(
    uri = "test://watched-resource",
    access = "anyone",
    name = "watched-resource",
    media_type = "text/plain",
    subscribe = true
)]
fn watched_resource() -> String {
    "Watched resource content".to_owned()
}

/// The data of a number.
#[resource(
    uri = "test://template/{id}/data",
    access = "anyone",
    name = "template",
    media_type = "application/json",
    list = known_numbers
)]
fn template(
    /// The number.
    #[arg(complete = numbers)]
    id: String,
) -> Value {
    json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")})
}

/// The resources of the template that are listed.
fn known_numbers(_cx: &Cx) -> Vec<ResourceInfo> {
    ["1", "2"]
        .map(|id| {
            ResourceInfo::new(format!("test://template/{id}/data"), format!("data {id}"))
                .media_type("application/json")
        })
        .into()
}

fn numbers(_cx: &Cx, typed: String, _others: Map) -> Vec<String> {
    let known = ["1", "2", "12", "123"];
    let matching = known.into_iter().filter(|known| known.starts_with(&typed));
    matching.map(str::to_owned).collect()
}
