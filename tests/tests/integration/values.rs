//! Values that serde reads in another way than by the name and type of a field: the function reads what the client
//! wrote, or the call fails and names the field.

use std::collections::HashMap;

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use tent::prelude::*;
use tent::{App, Tent};

use crate::support::{ask, tent_of};

fn some<'de, D: Deserializer<'de>>(
    value: D,
) -> std::result::Result<Option<Option<String>>, D::Error> {
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
fn words(
    words: Option<u32>,
    flag: Option<bool>,
    list: Option<Vec<u8>>,
    one: Option<Either>,
    text: Option<String>,
) -> String {
    let text = text.map_or("", |_| ", a text");
    let one = one.is_some().then_some("one");
    format!("{words:?} {flag:?} {list:?} {one:?}{text}")
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
    Since {
        since: Moment,
    },
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

/// serde reads the variant with more fields first.
#[data]
#[serde(untagged)]
enum Ordered {
    Large { a: u8, b: u8 },
    Small { a: u8 },
}

/// Each variant has a field of another type.
#[data]
#[serde(untagged)]
enum Disjoint {
    Text { a: String },
    Number { a: u8, b: u8 },
}

/// The first variant reads its own fields alone.
#[data]
#[serde(untagged, deny_unknown_fields)]
enum Closed {
    Small { a: u8 },
    Large { a: u8, b: u8 },
}

/// For tests.
#[query(access = "anyone")]
fn untagged(ordered: Ordered, disjoint: Disjoint, closed: Closed) -> [String; 3] {
    let ordered = match ordered {
        Ordered::Large { a, b } => format!("large {a} {b}"),
        Ordered::Small { a } => format!("small {a}"),
    };
    let disjoint = match disjoint {
        Disjoint::Text { a } => a,
        Disjoint::Number { a, b } => format!("{a} {b}"),
    };
    let closed = match closed {
        Closed::Small { a } => format!("small {a}"),
        Closed::Large { a, b } => format!("large {a} {b}"),
    };
    [ordered, disjoint, closed]
}

#[data]
#[serde(tag = "kind")]
enum Tagged {
    Counts { counts: HashMap<u32, u8> },
    None,
}

/// For tests.
#[query(access = "anyone")]
fn tagged(v: Tagged) -> usize {
    match v {
        Tagged::Counts { counts } => counts.len(),
        Tagged::None => 0,
    }
}

/// serde buffers no field beside the flattened one, and no externally tagged variant.
#[data]
struct Beside {
    counts: HashMap<u32, u8>,
    either: Either,
    #[serde(flatten)]
    inner: HashMap<String, u8>,
}

#[data]
enum Either {
    Counts(HashMap<i64, u8>),
    None,
}

/// For tests.
#[query(access = "anyone")]
fn beside(v: Beside) -> usize {
    let more = match v.either {
        Either::Counts(counts) => counts.len(),
        Either::None => 0,
    };
    v.counts.len() + v.inner.len() + more
}

async fn app() -> Tent {
    let functions = tent::functions![patch, search, words, status, untagged, beside, named];
    tent_of(|app: App| app.functions(functions)).await
}

/// What a call returns, or the fields that it names.
async fn call(tent: &Tent, name: &str, input: Value) -> Value {
    let reply = ask(tent, "POST", format!("/api/{name}"))
        .json(input)
        .send()
        .await;
    match reply.status.as_u16() {
        200 => reply.json(),
        _ => reply.json()["fields"].clone(),
    }
}

/// The problems of these functions at start.
async fn problems(functions: &'static [&'static tent::Declaration]) -> String {
    let app = App::new("refused", "1.0.0").functions(functions);
    match app.set("store.url", "memory:").build().await {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

// P05: as in a JSON Merge Patch.
#[tokio::test]
async fn a_field_that_tells_null_from_absent_reads_both() {
    let tent = app().await;
    for (note, read) in [
        (json!({}), "a None"),
        (json!({"note": null}), "a Some(None)"),
        (json!({"note": "x"}), "a Some(Some(\"x\"))"),
    ] {
        let mut input = note;
        input["name"] = "a".into();
        assert_eq!(call(&tent, "patch", json!({"v": input})).await, read);
    }
    let listed = ask(&tent, "GET", "/api").send().await.json();
    let schema = listed.to_string();
    assert!(
        schema.contains(r#""note":{"oneOf":[{"type":"string"},{"type":"null"}]"#),
        "{schema}"
    );
}

// P07.
#[tokio::test]
async fn a_field_is_read_by_each_of_its_names_once() {
    let tent = app().await;
    for (input, read) in [
        (json!({"query": "x"}), json!("x None")),
        (json!({"q": "x"}), json!("x None")),
        (json!({"search": "x", "n": 1}), json!("x Some(1)")),
        (json!({"q": "x", "n": null}), json!("x None")),
        (
            json!({"q": 1}),
            json!({"q": "expected a string, got a number"}),
        ),
        (
            json!({"q": "x", "query": "y"}),
            json!({"q": "is the same field as `query`: give one of them"}),
        ),
        (
            json!({}),
            json!({"query": "is required: expected a string"}),
        ),
    ] {
        assert_eq!(call(&tent, "search", input.clone()).await, read, "{input}");
    }
}

#[data]
enum Named {
    #[serde(alias = "first", alias = "1st")]
    One,
    #[serde(alias = "second")]
    Two(u8),
    Three,
}

/// For tests.
#[query(access = "anyone")]
fn named(v: Named, kind: Status) -> String {
    let v = match v {
        Named::One => "one".to_owned(),
        Named::Two(two) => format!("two {two}"),
        Named::Three => "three".to_owned(),
    };
    format!("{v} {}", matches!(kind, Status::None))
}

// P07.
#[tokio::test]
async fn a_variant_is_read_by_each_of_its_names() {
    let tent = app().await;
    for (v, kind, read) in [
        (json!("One"), "None", "one true"),
        (json!("1st"), "nothing", "one true"),
        (json!({"second": 2}), "nothing", "two 2 true"),
        (json!({"Two": 2}), "nothing", "two 2 true"),
    ] {
        let input = json!({"v": v, "kind": {"kind": kind}});
        assert_eq!(call(&tent, "named", input.clone()).await, read, "{input}");
    }
    let unknown = json!({"v": "third", "kind": {"kind": "never"}});
    let fields = call(&tent, "named", unknown).await;
    assert_eq!(
        fields.as_object().map(|fields| fields.len()),
        Some(2),
        "{fields}"
    );
}

// P13.
#[tokio::test]
async fn an_empty_text_is_absent_where_the_wire_has_only_strings_and_the_type_takes_no_text() {
    let tent = app().await;
    for (query, read) in [
        ("words=", "None None None None"),
        ("words=&flag=&list=&one=", "None None None None"),
        (
            "words=3&flag=true&list=1&one=",
            "Some(3) Some(true) Some([1]) None",
        ),
    ] {
        let reply = ask(&tent, "GET", format!("/api/words?{query}"))
            .send()
            .await;
        assert_eq!(reply.json(), read, "{query}");
    }
    let reply = ask(&tent, "GET", "/api/words?text=&words=").send().await;
    assert_eq!(reply.json(), "None None None None, a text");
    // JSON has other values than texts.
    let fields = call(&tent, "words", json!({"words": ""})).await;
    assert!(fields["words"].is_string(), "{fields}");
}

// R15: serde names the enum alone.
#[tokio::test]
async fn a_text_in_an_enum_that_its_type_rejects_is_named() {
    let tent = app().await;
    let input = json!({"status": {"kind": "Since", "since": "20"}});
    let fields = call(&tent, "status", input).await;
    assert_eq!(
        fields,
        json!({"status.since": "must be a date and time with an offset, such as 2026-05-28T20:26:40Z"})
    );
    let long = json!({"status": {"kind": "Since", "since": "2026-07-28T12:00:00Z"}});
    assert_eq!(call(&tent, "status", long).await, true);
}

// P16.
#[tokio::test]
async fn a_variant_that_would_read_the_values_of_a_later_one_is_refused() {
    let refused = problems(tent::functions![shape]).await;
    assert!(refused.contains("T7017"), "{refused}");
    assert!(refused.contains("without the field `b`"), "{refused}");
    let tent = app().await;
    let input = json!({
        "ordered": {"a": 1, "b": 2}, "disjoint": {"a": 1, "b": 2}, "closed": {"a": 1, "b": 2},
    });
    let read = json!(["large 1 2", "1 2", "large 1 2"]);
    assert_eq!(call(&tent, "untagged", input).await, read);
}

// P17.
#[tokio::test]
async fn a_map_with_integer_keys_that_serde_cannot_read_is_refused() {
    for functions in [tent::functions![flat], tent::functions![tagged]] {
        let refused = problems(functions).await;
        assert!(refused.contains("field `v.counts`"), "{refused}");
        assert!(refused.contains("integer keys"), "{refused}");
    }
    let tent = app().await;
    let input = json!({"v": {"counts": {"7": 1}, "either": {"Counts": {"-1": 1}}, "x": 1}});
    assert_eq!(call(&tent, "beside", input).await, 3);
}
