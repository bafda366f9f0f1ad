//! What a function that answers a method by `on` is handed: the params of the request, whole.

use serde_json::{Map, Value, json};

use super::app::{App, META, Send, meta};
use super::functions::function;
use super::lines::Client;
use crate::caller::{Caller, User};
use crate::dispatch::Identity;
use crate::function::{AccessDeclaration, Declaration, Input, Kind, Output, OutputDeclaration};
use crate::schema::Field;

const OBJECT: OutputDeclaration =
    OutputDeclaration::Value(|g| g.subschema_for::<Map<String, Value>>());

const MISFIT: &[Field] = &[
    Field::new::<String>("name"),
    Field::new::<String>("uri"),
    Field::new::<Option<String>>("cursor"),
    Field::new::<Option<Map<String, Value>>>("arguments"),
    Field::new::<Option<String>>("level"),
    Field::new::<Option<Map<String, Value>>>("inputResponses"),
];

static ANSWERS: &[&Declaration] = &[
    &Declaration {
        mcp: false,
        input: Input::Custom(|| json!({"type": "object"})),
        ..function(
            Kind::Action,
            "whole",
            AccessDeclaration::SignedIn,
            &[],
            OBJECT,
            |_, input| {
                let value = json!({ "handed": input });
                Ok(Output {
                    value: Some(serde_json::value::to_raw_value(&value)?),
                    ..Output::default()
                })
            },
        )
        .on("acme/whole")
    },
    &Declaration {
        mcp: false,
        ..function(
            Kind::Action,
            "strict",
            AccessDeclaration::SignedIn,
            MISFIT,
            OBJECT,
            |_, _| panic!("its input does not fit"),
        )
        .on("acme/strict")
    },
];

fn app() -> App {
    App::of(ANSWERS, |_| {})
}

/// Every member that the protocol has a use for somewhere, of its own type and of others.
fn handed() -> Vec<Value> {
    let all = json!({
        "name": "n", "uri": "u://", "cursor": "c", "arguments": {"a": [1, {"b": null}]},
        "level": "debug", "requestId": 7, "notifications": {"toolsListChanged": true},
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}, "own": 1},
        "clientInfo": {"name": "probe", "version": "1", "icons": []},
        "inputResponses": {"a": {"action": "accept"}}, "requestState": "s",
        "ref": {"type": "ref/prompt"}, "argument": {}, "context": {}, "own": 1.5,
    });
    let Value::Object(all) = all else {
        panic!("it is an object")
    };
    let odd = |with: Value| {
        let members = all.keys().map(|key| (key.clone(), with.clone()));
        Value::Object(members.collect())
    };
    let mut each = vec![odd(json!([7])), odd(json!("x")), odd(json!({"y": {}}))];
    each.push(json!({}));
    each.push(Value::Object(all));
    each
}

#[tokio::test]
async fn a_function_is_handed_every_member_of_the_params() {
    let app = app();
    for params in handed() {
        let got = app
            .ask(200, Send::modern("acme/whole", params.clone()))
            .await;
        assert_eq!(got["result"]["handed"], params);
        let got = app
            .ask(200, Send::legacy("acme/whole", params.clone()))
            .await;
        assert_eq!(got["result"], json!({ "handed": params }));
    }
    for absent in [Value::Null, json!({"_meta": {"own": 1}})] {
        let got = app.ask(200, Send::legacy("acme/whole", absent)).await;
        assert_eq!(got["result"], json!({"handed": {}}));
    }
}

#[tokio::test]
async fn an_element_of_an_array_is_handed_its_own_params() {
    let app = app();
    let each = handed();
    let messages = each.iter().enumerate().map(|(id, params)| {
        json!({"jsonrpc": "2.0", "id": id, "method": "acme/whole", "params": params})
    });
    let body = format!(" \n{}", Value::from(messages.collect::<Vec<_>>()));
    let send = Send::raw(body).header("mcp-protocol-version", "2025-03-26");
    let got = app.ask(200, send).await;
    let got: Vec<_> = (0..each.len())
        .map(|id| got[id]["result"]["handed"].clone())
        .collect();
    assert_eq!(got, each);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_is_handed_the_same_on_a_line() {
    let app = app();
    let ada = Caller::User(std::sync::Arc::new(User::new("ada")));
    let mut client = Client::new(&app, Identity::Caller(ada));
    for params in handed() {
        client.request(1, "acme/whole", params.clone());
        let got = client.next().await.expect("an answer");
        assert_eq!(got["result"]["handed"], params);
        let mut modern = params.clone();
        modern["_meta"] = meta();
        client.request(2, "acme/whole", modern);
        let got = client.next().await.expect("an answer");
        assert_eq!(got["result"]["handed"], params);
        assert!(got["result"]["_meta"][format!("{META}serverInfo")].is_object());
    }
    assert!(client.ended().await.is_empty());
}

#[tokio::test]
async fn a_member_of_a_wrong_type_is_a_field_that_does_not_fit() {
    let app = app();
    let params = json!({
        "name": 7, "uri": [], "cursor": 1, "arguments": "x", "level": {}, "inputResponses": [],
    });
    for (status, send) in [
        (200, Send::modern("acme/strict", params.clone())),
        (200, Send::legacy("acme/strict", params.clone())),
    ] {
        let error = &app.ask(status, send).await["error"];
        assert_eq!(
            (&error["code"], &error["data"]["code"]),
            (&json!(-32602), &json!("T0003"))
        );
        let message = error["message"].as_str().expect("a text");
        for field in [
            "name",
            "uri",
            "cursor",
            "arguments",
            "level",
            "inputResponses",
        ] {
            assert!(
                message.contains(&format!(" {field}: ")),
                "{field} in {message}"
            );
        }
    }
    let missing = app
        .ask(200, Send::legacy("acme/strict", json!({"name": "n"})))
        .await;
    let message = missing["error"]["message"].as_str().expect("a text");
    assert!(message.contains("uri: is required"), "{message}");
}

/// What the first reading passes over is read as strictly as the rest.
#[tokio::test]
async fn a_key_twice_is_refused_in_what_is_read_again_too() {
    let app = app();
    let message = |inner: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"acme/whole","params":{{"requestId":{inner}}}}}"#
        )
    };
    let twice = message(r#"{"a":1,"a":2}"#);
    let got = app.ask(400, Send::raw(twice.clone())).await;
    assert_eq!(
        (&got["id"], &got["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    let array = format!("[{},{twice}]", message("1"));
    let send = Send::raw(array).header("mcp-protocol-version", "2025-03-26");
    let got = app.ask(200, send).await;
    assert_eq!(got[0]["result"], json!({"handed": {"requestId": 1}}));
    assert_eq!(got[1]["error"]["code"], -32600);
}

/// "Servers that declare the resources capability MUST respond to resources/list", and so for prompts.
#[tokio::test]
async fn a_capability_that_functions_answer_in_part_has_its_lists() {
    let part = |name, on| {
        let made = Declaration {
            mcp: false,
            ..function(
                Kind::Action,
                name,
                AccessDeclaration::SignedIn,
                &[],
                OBJECT,
                |_, _| panic!("no test calls it"),
            )
        };
        &*Box::leak(Box::new(made.on(on)))
    };
    let app = App::of(
        &[part("read", "resources/read"), part("get", "prompts/get")],
        |_| {},
    );
    for (method, member) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let got = app.ask(200, Send::modern(method, json!({}))).await;
        assert_eq!(got["result"][member], json!([]), "{got}");
        let got = app.ask(200, Send::legacy(method, json!({}))).await;
        assert_eq!(got["result"], json!({ member: [] }));
    }
    let unknown = App::of(&[part("other", "acme/other")], |_| {});
    unknown
        .ask(404, Send::modern("resources/list", json!({})))
        .await;
}
