//! Values of the app that cannot be written as JSON: they nest without bound, have a number that JSON does not have, or
//! panic. The call fails as T0012 at every endpoint, and the process goes on.

use serde_json::{Value, json};
use tent::input::{self, Field, Form, Role, Sampling, SamplingContent, Tool};
use tent::prelude::*;
use tent::{Content, Declaration, Level, PromptMessage, PromptResult, WithContent};

use super::app::{App, Request, capable, codes, tool_error};
use crate::log::Log;

/// Deeper than the stack of a thread holds.
const DEEP: usize = 40_000;

#[data]
#[derive(Debug)]
struct Link {
    next: Option<Box<Link>>,
}

fn links() -> Link {
    (0..DEEP).fold(Link { next: None }, |link, _| Link {
        next: Some(Box::new(link)),
    })
}

fn lists(depth: usize) -> Value {
    (0..depth).fold(json!(1), |value, _| Value::Array(vec![value]))
}

fn deep() -> Value {
    lists(DEEP)
}

/// A value whose `Serialize` panics.
#[derive(Debug, serde::Deserialize)]
struct Panics;
impl serde::Serialize for Panics {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("the value panics")
    }
}
impl schemars::JsonSchema for Panics {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Panics".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object"})
    }
}

#[derive(Debug, Failure)]
enum Unsendable {
    #[failure(code = "A0001", status = 409, message = "Too deep")]
    Deep { link: Link },
    #[failure(code = "A0002", status = 409, message = "Not a number")]
    NotANumber { mean: f64 },
    #[failure(code = "A0003", status = 409, message = "Panics")]
    Panics { value: Panics },
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_links() -> Link {
    links()
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", blocking = true)]
fn deep_value_on_a_thread() -> Result<Value> {
    Ok(deep())
}

/// For tests.
#[query(access = "signedIn", offer = "mcp", structured = false)]
async fn deep_words() -> Value {
    deep()
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_meta() -> WithContent<u8> {
    WithContent::new(1, []).meta("a", deep())
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_content_meta() -> Content {
    Content::text("a").meta("a", deep())
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_error_field() -> Result<u8> {
    Err(Error::declared(tent::code!("A0004"), 409, "no").with_field("a", deep()))
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_error_content() -> Result<u8> {
    let error = Error::declared(tent::code!("A0004"), 409, "no");
    Err(error.with_content([Content::text("a").meta("a", deep())]))
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn deep_failure() -> Result<u8, Unsendable> {
    Err(Unsendable::Deep { link: links() })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn deep_input_of_a_nested_call(cx: &Cx) -> Result<u8> {
    cx.call("deep_links", links()).await
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn not_a_number() -> std::collections::BTreeMap<String, Vec<Option<f64>>> {
    [("means".to_owned(), vec![None, Some(f64::NAN)])].into()
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn not_a_number_in_a_failure() -> Result<u8, Unsendable> {
    Err(Unsendable::NotANumber { mean: f64::NAN })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn not_a_number_in_a_nested_call(cx: &Cx) -> Result<u8> {
    cx.call(
        "deep_links",
        [("mean", f32::INFINITY)]
            .into_iter()
            .collect::<std::collections::BTreeMap<_, _>>(),
    )
    .await
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn panics() -> Panics {
    Panics
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn panics_in_a_failure() -> Result<u8, Unsendable> {
    Err(Unsendable::Panics { value: Panics })
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn panics_in_a_nested_call(cx: &Cx) -> Result<u8> {
    cx.call("deep_links", Panics).await
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn within_bounds() -> Value {
    lists(127)
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn logs(cx: &Cx) -> u8 {
    cx.log(Level::Error, deep());
    cx.log(Level::Error, "after");
    1
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn steps(cx: &Cx, of: String) -> Result<u8> {
    match &*of {
        "deep" => cx.once("a", async { Ok(links()) }).await.map(drop)?,
        "nan" => cx.once("a", async { Ok(f64::NAN) }).await.map(drop)?,
        _ => cx.once("a", async { Ok(Panics) }).await.map(drop)?,
    }
    Ok(1)
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn asks(cx: &Cx, of: String) -> Result<u8> {
    let tool = || Tool::new("a", "a", deep());
    let object = || tent::Map::from_iter([("a".to_owned(), deep())]);
    let sampling = || Sampling::new(1).message(Role::User, [SamplingContent::text("a")]);
    match &*of {
        "schema" => {
            let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
            let mut schema = schema;
            schema["properties"]["a"]["default"] = deep();
            cx.input("a", Form::from_schema("a", schema))
                .await
                .map(drop)?;
        }
        "default" => {
            let form = Form::new("a").field("a", Field::text().default(deep()));
            cx.input("a", form).await.map(drop)?;
        }
        "tool" => cx.input("a", sampling().tool(tool())).await.map(drop)?,
        "metadata" => cx
            .input("a", sampling().metadata(object()))
            .await
            .map(drop)?,
        _ => {
            let call = SamplingContent::ToolUse {
                id: "a".to_owned(),
                name: "a".to_owned(),
                input: object(),
            };
            let request = input::sampling("a", 1).message(Role::Assistant, [call]);
            cx.input("a", request).await.map(drop)?;
        }
    }
    Ok(1)
}

/// For tests.
#[resource(uri = "deep://links", access = "signedIn")]
fn deep_resource() -> Link {
    links()
}

/// For tests.
#[resource(uri = "deep://panics", access = "signedIn")]
fn panicking_resource() -> Panics {
    Panics
}

/// For tests.
#[prompt(access = "signedIn")]
fn deep_prompt() -> PromptResult {
    PromptResult::new([PromptMessage::user("a")]).meta("a", deep())
}

const FUNCTIONS: &[&Declaration] = tent::functions![
    deep_links,
    deep_value_on_a_thread,
    deep_words,
    deep_meta,
    deep_content_meta,
    deep_error_field,
    deep_error_content,
    deep_failure,
    deep_input_of_a_nested_call,
    not_a_number,
    not_a_number_in_a_failure,
    not_a_number_in_a_nested_call,
    panics,
    panics_in_a_failure,
    panics_in_a_nested_call,
    within_bounds,
    logs,
    steps,
    asks,
    deep_resource,
    panicking_resource,
    deep_prompt,
];

/// The tools whose output cannot be written.
const UNWRITABLE: [&str; 15] = [
    "deep_links",
    "deep_value_on_a_thread",
    "deep_words",
    "deep_meta",
    "deep_content_meta",
    "deep_error_field",
    "deep_error_content",
    "deep_failure",
    "deep_input_of_a_nested_call",
    "not_a_number",
    "not_a_number_in_a_failure",
    "not_a_number_in_a_nested_call",
    "panics",
    "panics_in_a_failure",
    "panics_in_a_nested_call",
];

async fn app() -> App {
    App::of(|app| app.functions(FUNCTIONS)).await
}

#[track_caller]
fn check_internal(error: &Value) {
    assert_eq!(error["code"], "T0012", "{error}");
    let reference = error["fields"]["reference"].as_str().expect("a reference");
    assert_eq!(reference.len(), 16, "{error}");
}

// S11, P31, S10
#[tokio::test]
async fn an_output_that_cannot_be_written_is_an_internal_error_at_every_endpoint() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    for name in UNWRITABLE {
        check_internal(tool_error(&app.call(name, json!({})).await));
        let call = Request::legacy_call(&session, name);
        check_internal(tool_error(&app.json(200, call).await));
    }
    for name in [
        "deep_links",
        "deep_error_field",
        "deep_failure",
        "not_a_number",
        "panics",
    ] {
        let path = Box::leak(format!("/api/{name}").into_boxed_str());
        let response = app.send(Request::raw("{}").path(path)).await;
        assert_eq!(response.status, 500, "{name}");
        let problem: Value = serde_json::from_slice(&response.bytes).expect("JSON");
        check_internal(&problem);
    }
    for uri in ["deep://links", "deep://panics"] {
        let read = Request::modern("resources/read", json!({"uri": uri}));
        let response = app.send(read).await;
        assert_eq!(codes(&response.json()), (-32603, "T0012".to_owned()));
    }
    let get = Request::modern("prompts/get", json!({"name": "deep_prompt"}));
    let response = app.send(get).await;
    assert_eq!(codes(&response.json()), (-32603, "T0012".to_owned()));
}

// S11
#[tokio::test]
async fn an_output_nests_as_deep_as_serde_json_reads() {
    let app = app().await;
    let result = app
        .send(Request::raw("{}").path("/api/within_bounds"))
        .await;
    assert_eq!(result.json(), lists(127));
    let called = app.send(Request::call("within_bounds", json!({}))).await;
    assert!(String::from_utf8_lossy(&called.bytes).contains(&lists(127).to_string()));
}

// P31
#[tokio::test]
async fn the_log_names_the_number_that_json_does_not_have() {
    let (log, _kept) = Log::kept();
    let app = app().await;
    app.call("not_a_number", json!({})).await;
    log.line("`means[1]` is NaN or infinite, which JSON does not have");
    app.call("not_a_number_in_a_failure", json!({})).await;
    log.line("the field `mean` of an error A0002 cannot be sent: the value is NaN");
    app.call("deep_links", json!({})).await;
    log.line("nests deeper than 127 levels");
}

// S11
#[tokio::test]
async fn a_log_message_that_nests_too_deep_is_left_out() {
    let (log, _kept) = Log::kept();
    let app = app().await;
    let meta = json!({"io.modelcontextprotocol/logLevel": "debug"});
    let events = app
        .send(Request::call_with_meta("logs", meta))
        .await
        .events();
    let data: Vec<_> = events
        .iter()
        .map(|event| event["params"]["data"].clone())
        .collect();
    assert_eq!(data, [json!("after"), Value::Null]);
    log.line("a log message is left out: the value nests deeper than 100 levels");
    let response = app.send(Request::raw("{}").path("/api/logs")).await;
    assert_eq!(response.json(), 1);
}

// S11, P31, S10
#[tokio::test]
async fn a_step_whose_result_cannot_be_recorded_fails_its_call() {
    let app = app().await;
    for of in ["deep", "nan", "panics"] {
        let meta = capable(json!({"elicitation": {"form": {}}}));
        let params = json!({"name": "steps", "arguments": {"of": of}, "_meta": meta});
        let response = app.modern("tools/call", params).await;
        check_internal(tool_error(&response));
    }
}

// S11
#[tokio::test]
async fn an_input_request_that_nests_too_deep_fails_its_call() {
    let app = app().await;
    let capabilities = json!({"elicitation": {"form": {}}, "sampling": {"tools": {}}});
    for of in ["schema", "default", "tool", "metadata", "call"] {
        let call = Request::modern(
            "tools/call",
            json!({"name": "asks", "arguments": {"of": of}, "_meta": capable(capabilities.clone())}),
        );
        let response = app.send(call).await;
        check_internal(tool_error(&response.json()));
    }
}
