//! Values that serde reads in another way than by the name and type of a field: the function reads what the client
//! wrote, or the call fails and names the field.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{ask, tent_of};

fn some<'de, D: Deserializer<'de>>(value: D) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

#[data]
struct Patch {
    name: String,
    #[serde(default, deserialize_with = "some")]
    note: Option<Option<String>>,
}

/// For tests.
#[query(access = "anyone")]
fn patch(v: Patch) -> String {
    format!("{} {:?}", v.name, v.note)
}

#[data]
struct Search {
    #[serde(alias = "q", alias = "search")]
    query: String,
    #[serde(alias = "n")]
    limit: Option<u32>,
}

/// For tests.
#[query(access = "anyone")]
fn search(#[input] v: Search) -> String {
    format!("{} {:?}", v.query, v.limit)
}

#[data]
#[serde(untagged)]
enum Shape {
    Small { a: u8 },
    Large { a: u8, b: Option<u8> },
}

/// For tests.
#[query(access = "anyone")]
fn shape(v: Shape) -> String {
    match v {
        Shape::Small { a } => format!("small {a}"),
        Shape::Large { a, b } => format!("large {a} {b:?}"),
    }
}

/// For tests.
#[query(access = "anyone")]
fn words(words: Option<u32>, flag: Option<bool>, list: Option<Vec<u8>>) -> String {
    format!("{words:?} {flag:?} {list:?}")
}

/// A time, as crates for times read it.
#[derive(serde::Serialize)]
#[serde(transparent)]
struct Moment(String);

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(value: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(value)?;
        match text.len() {
            20.. => Ok(Moment(text)),
            _ => Err(serde::de::Error::custom("premature end of input")),
        }
    }
}

impl tent::schemars::JsonSchema for Moment {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut tent::schemars::SchemaGenerator) -> tent::schemars::Schema {
        tent::schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

#[data]
#[serde(tag = "kind")]
enum Status {
    Since { since: Moment },
    #[serde(alias = "nothing")]
    None,
}

/// For tests.
#[query(access = "anyone")]
fn status(status: Status) -> bool {
    matches!(status, Status::Since { .. })
}

#[data]
struct Flat {
    #[serde(flatten)]
    inner: Counts,
}

#[data]
struct Counts {
    counts: HashMap<u32, u8>,
}

/// For tests.
#[query(access = "anyone")]
fn flat(v: Flat) -> usize {
    v.inner.counts.len()
}

async fn app() -> Tent {
    tent_of(|app: App| app.functions(tent::functions![patch, search, shape, words, status, flat])).await
}

async fn call(tent: &Tent, name: &str, input: Value) -> (u16, Value) {
    let reply = ask(tent, "POST", &format!("/api/{name}")).json(input).send().await;
    (reply.status.as_u16(), reply.json())
}

#[tokio::test]
async fn probe() {
    let tent = app().await;
    for (name, input) in [
        ("patch", json!({"v": {"name": "a"}})),
        ("patch", json!({"v": {"name": "a", "note": null}})),
        ("patch", json!({"v": {"name": "a", "note": "x"}})),
        ("search", json!({"q": "x"})),
        ("search", json!({"q": "x", "query": "y"})),
        ("search", json!({"query": "x", "n": 1})),
        ("shape", json!({"v": {"a": 1}})),
        ("shape", json!({"v": {"a": 1, "b": 2}})),
        ("status", json!({"status": {"kind": "Since", "since": "20"}})),
        ("status", json!({"status": {"kind": "nothing"}})),
        ("flat", json!({"v": {"counts": {"7": 1}}})),
    ] {
        println!("{name} {input} -> {:?}", call(&tent, name, input.clone()).await);
    }
    for query in ["words=", "flag=", "list=", "words=&flag=true"] {
        let reply = ask(&tent, "GET", &format!("/api/words?{query}")).send().await;
        println!("{query} -> {} {}", reply.status, reply.json());
    }
}
