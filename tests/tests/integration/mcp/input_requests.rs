//! Input requests to a legacy client: on the response stream of the call. Its responses are requests of their own.

use std::time::Duration;

use serde_json::{Value, json};
use tent::input::{self, Field, Form, Role, Sampling, SamplingContent};
use tent::prelude::*;
use tokio::time::{Instant, advance, sleep, timeout};

use super::app::{App, EventStream, Request, notification, tool_error, with};
use super::client::{Client, user};
use super::events::Events;
use super::meta::REVISIONS;
use super::mrtr::{self, accept};

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn several(cx: &Cx) -> Result<Value> {
    let form = Form::new("Which?").field("colours", Field::choices(["red", "blue"]));
    Ok(json!(cx.input("colours", form).await?.accepted()))
}

async fn send_roots(cx: &Cx, events: &Events, after: Duration) -> Result<()> {
    sleep(after).await;
    let folders = cx.input("folders", input::roots()).await;
    events.emit(&match folders {
        Ok(folders) => format!("{} folders", folders.len()),
        Err(error) => format!("{} {}", error.code(), error.message()),
    });
    Ok(())
}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
async fn asks(cx: &Cx, events: &Events) -> Result<()> {
    send_roots(cx, events, Duration::ZERO).await
}

/// For tests.
#[action(access = "signedIn", offer = "mcp")]
async fn asks_late(cx: &Cx, events: &Events) -> Result<()> {
    send_roots(cx, events, Duration::from_secs(10)).await
}

/// Sends two input requests, one after the other has failed.
#[action(access = "signedIn", offer = "mcp")]
async fn asks_again(cx: &Cx) -> Result<()> {
    let form = || Form::new("Sure?").field("sure", Field::boolean());
    let first = cx.input("sure", form()).await;
    let second = cx.input("again", form()).await.map(drop);
    assert_eq!(second.expect_err("it fails too").code(), "T0022");
    first.map(drop)
}

fn colour_form(field: Field) -> Form {
    Form::new("Which?").field("colour", field)
}

fn titled() -> Field {
    Field::titled_choice([("f00", "Red"), ("00f", "Blue")]).default("f00")
}

/// A form of one field, by the name of the case.
#[query(access = "signedIn", offer = "mcp")]
async fn colour(cx: &Cx, case: String) -> Result<()> {
    let form = match &*case {
        "titled" => colour_form(titled()),
        "untitled" => Form::from_schema(
            "",
            json!({"type": "object", "properties": {"colour": {
                "type": "string",
                "oneOf": [{"const": "f00"}, {"const": "00f", "title": "Blue"}],
            }}}),
        ),
        "text" => colour_form(Field::text().default("a")),
        "number" => colour_form(Field::number().default(1.5)),
        _ => colour_form(Field::boolean().default(true)),
    };
    cx.input("colour", form).await.map(drop)
}

fn sound(data: &[u8]) -> SamplingContent {
    SamplingContent::Audio {
        data: data.to_vec(),
        media_type: "audio/wav".to_owned(),
    }
}

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
async fn samples(cx: &Cx) -> Result<()> {
    let sampling = Sampling::new(9)
        .message(
            Role::User,
            [SamplingContent::text("Listen:"), sound(b"four")],
        )
        .message(Role::Assistant, [SamplingContent::text("I do.")])
        .message(Role::User, [sound(b"three")]);
    cx.input("sampling", sampling).await.map(drop)
}

async fn app_with(set: &[(&str, &str)]) -> App {
    App::of(|app| {
        let more = tent::functions![several, asks, asks_late, asks_again, colour, samples];
        let app = app.functions(mrtr::FUNCTIONS).functions(more);
        set.iter()
            .fold(app, |app, (key, value)| app.set(*key, *value))
    })
    .await
}

async fn app() -> App {
    app_with(&[]).await
}

fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// The next message, an input request, without its id, and the id.
async fn input_request(stream: &mut EventStream) -> (Value, Value) {
    let mut request = stream.message().await;
    let id = request["id"].take();
    assert!(id.as_str().is_some_and(|id| id.len() > 32), "{request}");
    assert_eq!(request["jsonrpc"], "2.0");
    (
        json!({"method": request["method"], "params": request["params"]}),
        id,
    )
}

/// The value of the response to a call.
async fn value(stream: &mut EventStream) -> Value {
    stream.message().await["result"]["structuredContent"]["value"].take()
}

/// The code and the message of the error that a call returns.
fn failure(response: &Value) -> (&str, &str) {
    let error = tool_error(response);
    let text = |name: &str| error[name].as_str().expect("a text");
    (text("code"), text("message"))
}

fn named(name: &str) -> Value {
    accept(json!({"name": name}))
}

fn elicitation(params: Value) -> Value {
    json!({"method": "elicitation/create", "params": params})
}

#[tokio::test(start_paused = true)]
async fn sends_an_input_request_on_the_stream_and_accepts_the_response_in_another_request() {
    let app = app().await;
    for (revision, mode) in [
        ("2025-11-25", json!({"mode": "form"})),
        ("2025-06-18", json!({})),
    ] {
        let session = app.session_of(revision, all()).await;
        let mut stream = app.stream(Request::legacy_call(&session, "greet")).await;
        let (request, id) = input_request(&mut stream).await;
        let params = json!({
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        });
        assert_eq!(request, elicitation(with(params, mode)));
        // A response of another caller, another session, no session or with another id is ignored, and so is a second one.
        let other = app.session_of(revision, all()).await;
        let eve = || Request::respond(&id, named("Eve"));
        for response in [
            eve().session(&session).by("ada"),
            eve().session(&other),
            eve(),
            Request::respond(&json!("tent-1"), named("Eve")).session(&session),
            Request::respond(&id, named("Ada")).session(&session),
            eve().session(&session),
        ] {
            let got = app.send(response).await;
            assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
        }
        assert_eq!(value(&mut stream).await, json!({"hello": "Ada"}));
        assert_eq!(stream.next().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn accepts_responses_to_concurrent_input_requests_in_any_order() {
    let app = app().await;
    let session = app.session_of("2025-11-25", all()).await;
    let mut stream = app.stream(Request::legacy_call(&session, "three")).await;
    let mut ids = Vec::new();
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        let (request, id) = input_request(&mut stream).await;
        assert_eq!(request["method"], method);
        ids.push(id);
    }
    let red =
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Red"}});
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    for (at, result) in [(2, roots), (0, json!({"action": "decline"})), (1, red)] {
        app.send(Request::respond(&ids[at], result).session(&session))
            .await;
    }
    assert_eq!(
        value(&mut stream).await,
        json!([null, "Red", ["file:///a"]])
    );
}

#[tokio::test(start_paused = true)]
async fn sends_sequential_input_requests_in_turn_and_an_id_with_a_url() {
    let app = app().await;
    let session = app.session_of("2025-11-25", all()).await;
    let mut stream = app.stream(Request::legacy_call(&session, "chain")).await;
    for name in ["Ada", "Grace"] {
        let (_, id) = input_request(&mut stream).await;
        app.send(Request::respond(&id, named(name)).session(&session))
            .await;
    }
    let (request, id) = input_request(&mut stream).await;
    let url = json!({
        "mode": "url",
        "message": "Ada or Grace pays?",
        "url": "https://shop.example/pay",
        "elicitationId": id,
    });
    assert_eq!(request, elicitation(url));
    app.send(Request::respond(&id, json!({"action": "cancel"})).session(&session))
        .await;
    assert_eq!(value(&mut stream).await, json!([["Ada", "Grace"], false]));
}

// K6-14.
#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_call_pauses_for_an_input_request_with_its_own_deadline() {
    let app = app_with(&[("limits.ask_time", "300s"), ("limits.call_timeout", "2s")]).await;
    let session = app.session_of("2025-11-25", all()).await;
    let call = || Request::legacy_call(&session, "greet");
    let respond = |id: &Value| Request::respond(id, named("Ada")).session(&session);
    let mut stream = app.stream(call()).await;
    let (_, id) = input_request(&mut stream).await;
    advance(Duration::from_secs(200)).await;
    app.send(respond(&id)).await;
    assert_eq!(value(&mut stream).await, json!({"hello": "Ada"}));

    let mut stream = app.stream(call()).await;
    let (_, id) = input_request(&mut stream).await;
    let cancelled = notification("notifications/cancelled", json!({"requestId": id}));
    assert_eq!(stream.message().await, cancelled);
    let message = "The client's response to \"name\" did not come in time.";
    assert_eq!(failure(&stream.message().await), ("T0022", message));
    assert_eq!(
        app.send(respond(&id)).await.status,
        202,
        "a late response is ignored"
    );
}

#[tokio::test(start_paused = true)]
async fn an_invalid_response_or_an_error_ends_the_input_request() {
    let app = app().await;
    let session = app.session_of("2025-11-25", all()).await;
    for (response, message) in [
        (
            json!({"error": {"code": -1, "message": "User rejected sampling request"}}),
            "is an error: User rejected sampling request.",
        ),
        (
            json!({"result": accept(json!({"name": 7}))}),
            "is not valid: name ",
        ),
        (json!({"result": []}), "is not an object."),
    ] {
        let mut stream = app.stream(Request::legacy_call(&session, "greet")).await;
        let (_, id) = input_request(&mut stream).await;
        let response = with(json!({"jsonrpc": "2.0", "id": id}), response);
        app.send(Request::raw(response.to_string()).session(&session))
            .await;
        let ended = stream.message().await;
        let (code, text) = failure(&ended);
        assert_eq!(code, "T0022");
        let text = text.strip_prefix("The client's response to \"name\" ");
        assert!(
            text.is_some_and(|text| text.starts_with(message)),
            "{ended}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_a_call_cancels_its_input_request() {
    let app = app().await;
    let session = app.session_of("2025-11-25", all()).await;
    let mut stream = app.stream(Request::legacy_call(&session, "greet")).await;
    let (_, id) = input_request(&mut stream).await;
    app.send(Request::cancel(1).session(&session)).await;
    assert_eq!(stream.message().await["params"], json!({"requestId": id}));
    assert_eq!(
        stream.next().await,
        None,
        "a cancelled call has no response"
    );
}

#[tokio::test]
async fn does_not_send_a_form_that_the_revision_does_not_have() {
    let app = app().await;
    let session = app.session_of("2025-06-18", all()).await;
    let response = app
        .json(200, Request::legacy_call(&session, "several"))
        .await;
    let message = "The client uses MCP 2025-06-18, whose forms cannot ask for several choices, as `colours` does.";
    assert_eq!(failure(&response), ("T0021", message));
    let session = app.session_of("2025-11-25", all()).await;
    let mut stream = app.stream(Request::legacy_call(&session, "several")).await;
    let (request, id) = input_request(&mut stream).await;
    assert_eq!(request["method"], "elicitation/create");
    app.send(Request::respond(&id, json!({"action": "decline"})).session(&session))
        .await;
    assert_eq!(value(&mut stream).await, Value::Null);
}

#[tokio::test]
async fn a_capability_counts_only_in_revisions_that_have_it() {
    let app = app().await;
    let everything = json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}, "context": {}},
        "roots": {},
    });
    for (revision, name, lacks) in [
        ("2025-11-25", "picky", None),
        ("2025-06-18", "picky", Some("sampling.tools")),
        (
            "2025-03-26",
            "picky",
            Some("sampling.tools, elicitation.form"),
        ),
        ("2024-11-05", "greet", Some("elicitation.form")),
    ] {
        let session = app.session_of(revision, everything.clone()).await;
        let response = app.json(200, Request::legacy_call(&session, name)).await;
        match lacks {
            None => assert_eq!(response["result"]["isError"], Value::Null, "{response}"),
            Some(lacks) => {
                let what = "The client did not declare a capability that this call needs:";
                assert_eq!(failure(&response), ("T0021", &*format!("{what} {lacks}.")));
            }
        }
    }
}

/// The parameters of the input request of a call in this revision.
async fn params(app: &App, revision: &str, name: &str, arguments: Value) -> Value {
    let call = json!({"name": name, "arguments": arguments});
    if revision == "2026-07-28" {
        let Value::Object(call) = call else {
            unreachable!()
        };
        let request = mrtr::call(name, call["arguments"].clone(), json!({}));
        let (requests, _) = mrtr::input_required(&app.json(200, request).await);
        let requests = requests.as_object().expect("an object");
        return requests.values().next().expect("a request")["params"].clone();
    }
    let session = app.session_of(revision, all()).await;
    let call = Request::legacy("tools/call", call).session(&session);
    let (mut request, _) = input_request(&mut app.stream(call).await).await;
    request["params"].take()
}

#[tokio::test(start_paused = true)]
async fn a_form_has_the_keywords_of_its_revision() {
    let app = app().await;
    let options = json!([{"const": "f00", "title": "Red"}, {"const": "00f", "title": "Blue"}]);
    let titled = json!({"type": "string", "oneOf": options, "default": "f00"});
    let older =
        |names: [&str; 2]| json!({"type": "string", "enum": ["f00", "00f"], "enumNames": names});
    for (revision, case, field) in [
        ("2025-11-25", "titled", titled.clone()),
        ("2026-07-28", "titled", titled),
        ("2025-06-18", "titled", older(["Red", "Blue"])),
        ("2025-06-18", "untitled", older(["f00", "Blue"])),
        ("2025-06-18", "text", json!({"type": "string"})),
        ("2025-06-18", "number", json!({"type": "number"})),
        (
            "2025-06-18",
            "boolean",
            json!({"type": "boolean", "default": true}),
        ),
    ] {
        let params = params(&app, revision, "colour", json!({"case": case})).await;
        assert_eq!(
            params["requestedSchema"]["properties"]["colour"], field,
            "{revision} {case}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_of_several_parts_is_several_messages_before_2025_11_25() {
    let app = app().await;
    let message = |role: &str, content: Value| json!({"role": role, "content": content});
    let text = |text: &str| json!({"type": "text", "text": text});
    let audio = |data: &str| json!({"type": "audio", "data": data, "mimeType": "audio/wav"});
    for revision in REVISIONS {
        let (four, three) = match revision {
            "2024-11-05" => (
                text("[a sound: audio/wav, 4 bytes]"),
                text("[a sound: audio/wav, 5 bytes]"),
            ),
            _ => (audio("Zm91cg=="), audio("dGhyZWU=")),
        };
        let first = match revision {
            "2025-11-25" | "2026-07-28" => vec![message("user", json!([text("Listen:"), four]))],
            _ => vec![message("user", text("Listen:")), message("user", four)],
        };
        let last = [message("assistant", text("I do.")), message("user", three)];
        let expected: Vec<_> = first.into_iter().chain(last).collect();
        let params = params(&app, revision, "samples", json!({})).await;
        assert_eq!(params["messages"], json!(expected), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_input_request_that_no_client_reads_fails_and_one_that_was_read_waits() {
    let app = app().await;
    let session = app.session_of("2025-11-25", json!({"roots": {}})).await;
    let call = |name| Request::legacy_call(&session, name);
    let gone = "T0022 The client's response to \"folders\" cannot come: the client went away.";
    let start = Instant::now();

    // The client closes the connection before the response is a stream.
    let closed = timeout(Duration::from_millis(500), app.open(call("asks_late"))).await;
    assert!(closed.is_err(), "the response is not a stream yet");
    app.events.next(gone).await;

    // It closes the stream before the input request.
    drop(app.open(call("asks_late")).await);
    app.events.next(gone).await;

    // It closes the stream without reading the input request.
    drop(app.stream(call("asks")).await);
    app.events.next(gone).await;
    assert!(
        start.elapsed() < Duration::from_secs(600),
        "before `limits.ask_time`"
    );

    // It reads the input request, and responds on another connection.
    let mut stream = app.stream(call("asks")).await;
    let (_, id) = input_request(&mut stream).await;
    drop(stream);
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    app.send(Request::respond(&id, roots).session(&session))
        .await;
    app.events.next("1 folders").await;
}

#[tokio::test(start_paused = true)]
async fn does_not_send_an_input_request_that_the_function_dropped() {
    let app = app().await;
    let session = app.session_of("2025-11-25", all()).await;
    let response = app
        .json(200, Request::legacy_call(&session, "leaves"))
        .await;
    assert_eq!(response["result"]["structuredContent"]["value"], "left");
}

#[tokio::test]
async fn an_input_request_fails_at_once_when_the_input_of_the_connection_has_ended() {
    let app = app().await;
    let mut client = Client::initialized(&app, user("ada"), json!({"elicitation": {}})).await;
    let asks = json!({"name": "asks_again"});
    let request = client.request(1, "tools/call", asks).await;
    assert_eq!(request["method"], "elicitation/create");
    client.close().await;
    let response = client.message().await;
    let message = "The client's response to \"sure\" cannot come: the client went away.";
    assert_eq!(failure(&response), ("T0022", message));
    assert!(
        client.finish().await.is_empty(),
        "neither a cancellation nor a request"
    );
}
