//! Functions that ask an older client: the question on the stream of the call, the answer by another request.
//!
//! The clock stands still in these, and goes on by itself where everything waits for it.

use std::time::Duration;

use serde_json::{Value, json};

use super::app::{App, Send};
use super::asking::FUNCTIONS;
use super::streams::Read;
use crate::cx::input::{Field, Form, Role, Sampling, SamplingContent};
use crate::mcp::protocol::input_request;
use crate::mcp::protocol::revision::Revision;

fn app() -> App {
    App::of(FUNCTIONS, |_| {})
}

fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

fn call(session: &str, name: &str) -> Send {
    Send::legacy("tools/call", json!({"name": name})).session(session)
}

fn answer(id: &Value, result: Value) -> Send {
    Send::raw(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

/// The next message that is no sign of life.
async fn next(read: &mut Read) -> Value {
    loop {
        match read.next().await.expect("the stream goes on") {
            Value::Null => {}
            message => return message,
        }
    }
}

/// A question without its id, and the id.
async fn asked(read: &mut Read) -> (Value, Value) {
    let mut question = next(read).await;
    let id = question["id"].take();
    assert!(id.as_str().is_some_and(|id| id.len() > 32), "{question}");
    assert_eq!(question["jsonrpc"], "2.0");
    let question = json!({"method": question["method"], "params": question["params"]});
    (question, id)
}

/// The failure that a call ended with.
fn failed(answer: &Value) -> (&str, &str) {
    let error = &answer["result"]["_meta"]["tent.error"];
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = |name: &str| error[name].as_str().expect("a text");
    (text("code"), text("message"))
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

#[tokio::test(start_paused = true)]
async fn an_older_client_is_asked_on_the_stream_of_the_call_and_answers_on_another_connection() {
    let app = app();
    for (revision, mode) in [("2025-11-25", Some("form")), ("2025-06-18", None)] {
        let session = app.session_of(revision, all()).await;
        let mut read = Read::of(app.open(call(&session, "greet")).await);
        let (question, id) = asked(&mut read).await;
        let mut params = json!({
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        });
        if let Some(mode) = mode {
            params["mode"] = mode.into();
        }
        assert_eq!(
            question,
            json!({"method": "elicitation/create", "params": params})
        );
        // Another caller, another session, no session and another id answer nothing.
        let other = app.session_of(revision, all()).await;
        let says = |name: &str| answer(&id, accept(json!({"name": name})));
        for send in [
            says("Eve").session(&session).by("ada"),
            says("Eve").session(&other),
            says("Eve"),
            answer(&json!("tent-1"), accept(json!({"name": "Eve"}))).session(&session),
        ] {
            assert_eq!(app.send(send).await.status, 202);
        }
        let got = app.send(says("Ada").session(&session)).await;
        assert_eq!((got.status.as_u16(), got.bytes.len()), (202, 0));
        // A second answer is nobody's.
        assert_eq!(app.send(says("Eve").session(&session)).await.status, 202);
        let ended = next(&mut read).await;
        assert_eq!(
            ended["result"]["structuredContent"]["value"],
            json!({"hello": "Ada"})
        );
        assert_eq!(read.next().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn three_questions_at_once_are_three_requests_answered_in_any_order() {
    let app = app();
    let session = app.session_of("2025-11-25", all()).await;
    let mut read = Read::of(app.open(call(&session, "three")).await);
    let mut ids = Vec::new();
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        let (question, id) = asked(&mut read).await;
        assert_eq!(question["method"], method);
        ids.push(id);
    }
    let said =
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Red"}});
    let roots = json!({"roots": [{"uri": "file:///a"}]});
    let answers = [(2, roots), (0, json!({"action": "decline"})), (1, said)];
    for (at, result) in answers {
        app.send(answer(&ids[at], result).session(&session)).await;
    }
    let ended = next(&mut read).await;
    assert_eq!(
        ended["result"]["structuredContent"]["value"],
        json!([null, "Red", ["file:///a"]])
    );
}

#[tokio::test(start_paused = true)]
async fn an_address_has_an_id_and_each_question_is_asked_in_turn() {
    let app = app();
    let session = app.session_of("2025-11-25", all()).await;
    let mut read = Read::of(app.open(call(&session, "chain")).await);
    for name in ["Ada", "Grace"] {
        let (_, id) = asked(&mut read).await;
        let says = answer(&id, accept(json!({"name": name})));
        app.send(says.session(&session)).await;
    }
    let (question, id) = asked(&mut read).await;
    let params = json!({
        "mode": "url",
        "message": "Ada or Grace pays?",
        "url": "https://shop.example/pay",
        "elicitationId": id,
    });
    assert_eq!(
        question,
        json!({"method": "elicitation/create", "params": params})
    );
    app.send(answer(&id, json!({"action": "cancel"})).session(&session))
        .await;
    let ended = next(&mut read).await;
    assert_eq!(
        ended["result"]["structuredContent"]["value"],
        json!([["Ada", "Grace"], false])
    );
}

#[tokio::test(start_paused = true)]
async fn k6_14_a_call_that_waits_for_an_answer_stands_still_and_ends_after_the_time_to_ask() {
    let app = App::of(FUNCTIONS, |settings| {
        settings.limits.ask_time = Duration::from_secs(300);
        settings.limits.call_timeout = Duration::from_secs(2);
    });
    let session = app.session_of("2025-11-25", all()).await;
    let mut read = Read::of(app.open(call(&session, "greet")).await);
    let (_, id) = asked(&mut read).await;
    tokio::time::advance(Duration::from_secs(200)).await;
    app.send(answer(&id, accept(json!({"name": "Ada"}))).session(&session))
        .await;
    let ended = next(&mut read).await;
    assert_eq!(
        ended["result"]["structuredContent"]["value"],
        json!({"hello": "Ada"}),
        "its own deadline of two seconds stood still"
    );

    let mut read = Read::of(app.open(call(&session, "greet")).await);
    let (_, id) = asked(&mut read).await;
    let taken_back = next(&mut read).await;
    assert_eq!(
        taken_back,
        json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
        })
    );
    let ended = next(&mut read).await;
    assert_eq!(
        failed(&ended),
        (
            "T0022",
            "The client's answer to \"name\" did not come in time."
        )
    );
    let late = answer(&id, accept(json!({"name": "Ada"}))).session(&session);
    assert_eq!(
        app.send(late).await.status,
        202,
        "a late answer does nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_and_a_failure_end_the_question() {
    let app = app();
    let session = app.session_of("2025-11-25", all()).await;
    let refused = |id: &Value| {
        let error = json!({"code": -1, "message": "User rejected sampling request"});
        Send::raw(json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string())
    };
    let misfit = |id: &Value| answer(id, accept(json!({"name": 7})));
    let nothing = |id: &Value| answer(id, json!([]));
    type Answers = fn(&Value) -> Send;
    let sends: [(Answers, &str); 3] = [
        (refused, "is an error: User rejected sampling request."),
        (misfit, "is not valid: name "),
        (nothing, "is not an object."),
    ];
    for (send, wanted) in sends {
        let mut read = Read::of(app.open(call(&session, "greet")).await);
        let (_, id) = asked(&mut read).await;
        app.send(send(&id).session(&session)).await;
        let ended = next(&mut read).await;
        let (code, message) = failed(&ended);
        assert_eq!(code, "T0022");
        let what = message.strip_prefix("The client's answer to \"name\" ");
        let what = what.expect("it names the question");
        assert!(what.starts_with(wanted), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_ends_with_its_call() {
    let app = app();
    let session = app.session_of("2025-11-25", all()).await;
    let mut read = Read::of(app.open(call(&session, "greet")).await);
    let (_, id) = asked(&mut read).await;
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1},
    });
    app.send(Send::raw(cancel.to_string()).session(&session))
        .await;
    let taken_back = next(&mut read).await;
    assert_eq!(taken_back["params"], json!({"requestId": id}));
    assert_eq!(read.next().await, None, "a cancelled call has no answer");
    assert_eq!(app.questions(), 0);
}

#[tokio::test]
async fn what_older_forms_do_not_have_is_not_asked() {
    let app = app();
    let session = app.session_of("2025-06-18", all()).await;
    let ended = app.ask(200, call(&session, "several")).await;
    assert_eq!(
        failed(&ended),
        (
            "T0021",
            "The client speaks MCP 2025-06-18, whose forms have no choice of several, as `colours` is one."
        )
    );
    assert_eq!(app.questions(), 0);
    let session = app.session_of("2025-11-25", all()).await;
    let mut read = Read::of(app.open(call(&session, "several")).await);
    let (question, id) = asked(&mut read).await;
    assert_eq!(question["method"], "elicitation/create");
    let says = answer(&id, json!({"action": "decline"}));
    app.send(says.session(&session)).await;
    assert_eq!(
        next(&mut read).await["result"]["structuredContent"]["value"],
        Value::Null
    );
}

#[tokio::test]
async fn what_a_client_says_counts_as_far_as_its_revision_has_it() {
    let app = app();
    let everything = json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}, "context": {}},
        "roots": {},
    });
    for (revision, name, wanted) in [
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
        let ended = app.ask(200, call(&session, name)).await;
        match wanted {
            None => assert_eq!(ended["result"]["isError"], Value::Null, "{ended}"),
            Some(lacking) => {
                let what = "The client did not say that it can do what is asked of it:";
                assert_eq!(failed(&ended), ("T0021", &*format!("{what} {lacking}.")));
            }
        }
    }
}

/// The parameters that a question is asked with.
fn params(asked: impl crate::cx::input::IntoInputRequest, revision: Revision) -> Value {
    let question = asked
        .into_input_request()
        .expect("it can be asked")
        .request();
    input_request::request(&question, revision, "")["params"].take()
}

#[test]
fn fields_are_in_the_words_of_older_revisions() {
    let choice = Field::titled_choice([("f00", "Red"), ("00f", "Blue")]).default("f00");
    let untitled = Form::from_schema(
        "",
        json!({"type": "object", "properties": {"colour": {
            "type": "string", "oneOf": [{"const": "f00"}, {"const": "00f", "title": "Blue"}],
        }}}),
    );
    let form = |field: Field| Form::new("Which?").field("colour", field);
    let colour = |form: Form, revision| {
        params(form, revision)["requestedSchema"]["properties"]["colour"].take()
    };
    let titled = json!([{"const": "f00", "title": "Red"}, {"const": "00f", "title": "Blue"}]);
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        assert_eq!(
            colour(form(choice.clone()), revision),
            json!({"type": "string", "oneOf": titled, "default": "f00"})
        );
    }
    let older =
        |names: [&str; 2]| json!({"type": "string", "enum": ["f00", "00f"], "enumNames": names});
    let old = Revision::V2025_06_18;
    assert_eq!(colour(form(choice), old), older(["Red", "Blue"]));
    assert_eq!(colour(untitled, old), older(["f00", "Blue"]));
    for (field, wanted) in [
        (Field::text().default("a"), json!({"type": "string"})),
        (Field::number().default(1.5), json!({"type": "number"})),
        (
            Field::boolean().default(true),
            json!({"type": "boolean", "default": true}),
        ),
    ] {
        assert_eq!(colour(form(field), old), wanted);
    }
}

#[test]
fn a_message_of_several_parts_is_several_to_revisions_without_them() {
    let sound = |data: &[u8]| SamplingContent::Audio {
        data: data.to_vec(),
        media_type: "audio/wav".to_owned(),
    };
    let messages = |revision| {
        let asked = Sampling::new(9)
            .message(
                Role::User,
                [SamplingContent::text("Listen:"), sound(b"four")],
            )
            .message(Role::Assistant, [SamplingContent::text("I do.")])
            .message(Role::User, [sound(b"three")]);
        params(asked, revision)["messages"].take()
    };
    let message = |role: &str, content: Value| json!({"role": role, "content": content});
    let text = |text: &str| json!({"type": "text", "text": text});
    let audio = |data: &str| json!({"type": "audio", "data": data, "mimeType": "audio/wav"});
    let (four, three) = (audio("Zm91cg=="), audio("dGhyZWU="));
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        assert_eq!(
            messages(revision),
            json!([
                message("user", json!([text("Listen:"), four])),
                message("assistant", text("I do.")),
                message("user", three.clone()),
            ])
        );
    }
    for (revision, four, three) in [
        (Revision::V2025_06_18, four.clone(), three.clone()),
        (Revision::V2025_03_26, four, three),
        (
            Revision::V2024_11_05,
            text("[a sound: audio/wav, 4 bytes]"),
            text("[a sound: audio/wav, 5 bytes]"),
        ),
    ] {
        assert_eq!(
            messages(revision),
            json!([
                message("user", text("Listen:")),
                message("user", four),
                message("assistant", text("I do.")),
                message("user", three),
            ]),
            "{}",
            revision.name()
        );
    }
}
