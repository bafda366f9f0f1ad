//! Functions that serve a custom method: they get the whole parameters of the request.

use serde_json::{Value, json};
use tent::Map;
use tent::prelude::*;

use super::app::{App, META, Request, codes, meta, with};
use super::client::{Client, user};

/// Returns its parameters.
#[action(access = "signedIn", on = "acme/whole")]
fn whole(#[input] input: Map) -> Value {
    json!({"input": input})
}

/// Every member is a member of MCP.
#[action(access = "signedIn", on = "acme/strict")]
fn strict(
    name: String,
    uri: String,
    cursor: Option<String>,
    arguments: Option<Map>,
    level: Option<String>,
    #[arg(rename = "inputResponses")] input_responses: Option<Map>,
) -> Map {
    let _ = (name, uri, cursor, arguments, level, input_responses);
    panic!("the input is not valid")
}

async fn app() -> App {
    App::of(|app| app.functions(tent::functions![whole, strict])).await
}

/// Parameters with every member that MCP reads in some method, of their own types and of others.
fn every_input() -> Vec<Value> {
    let all = json!({
        "name": "n", "uri": "u://", "cursor": "c", "arguments": {"a": [1, {"b": null}]},
        "level": "debug", "requestId": 7, "notifications": {"toolsListChanged": true},
        "protocolVersion": "2025-11-25", "capabilities": {"roots": {}, "own": 1},
        "clientInfo": {"name": "probe", "version": "1", "icons": []},
        "inputResponses": {"a": {"action": "accept"}}, "requestState": "s",
        "ref": {"type": "ref/prompt"}, "argument": {}, "context": {}, "own": 1.5,
    });
    let keys = all.as_object().expect("an object").keys();
    let odd = |value: Value| {
        keys.clone()
            .map(|key| (key.clone(), value.clone()))
            .collect()
    };
    vec![
        odd(json!([7])),
        odd(json!("x")),
        odd(json!({"y": {}})),
        json!({}),
        all.clone(),
    ]
}

#[tokio::test]
async fn a_function_gets_every_member_of_the_parameters() {
    let app = app().await;
    for input in every_input() {
        let result = app
            .result(Request::modern("acme/whole", input.clone()))
            .await;
        assert_eq!(result["input"], input);
        let result = app
            .result(Request::legacy("acme/whole", input.clone()))
            .await;
        assert_eq!(result, json!({"input": input}));
    }
    for none in [Value::Null, json!({"_meta": {"own": 1}})] {
        let result = app.result(Request::legacy("acme/whole", none)).await;
        assert_eq!(result, json!({"input": {}}));
    }
}

#[tokio::test]
async fn a_message_of_a_batch_has_its_own_parameters() {
    let inputs = every_input();
    let messages = inputs.iter().enumerate().map(
        |(id, input)| json!({"jsonrpc": "2.0", "id": id, "method": "acme/whole", "params": input}),
    );
    let body = format!(" \n{}", Value::from_iter(messages));
    let batch = Request::raw(body).header("mcp-protocol-version", "2025-03-26");
    let got = app().await.json(200, batch).await;
    for (id, input) in inputs.iter().enumerate() {
        assert_eq!(got[id]["result"]["input"], *input);
    }
}

#[tokio::test]
async fn a_function_gets_the_same_on_a_connection() {
    let mut client = Client::new(&app().await, user("ada"));
    for input in every_input() {
        let got = client.request(1, "acme/whole", input.clone()).await;
        assert_eq!(got["result"]["input"], input);
        let params = with(input.clone(), json!({"_meta": meta()}));
        let got = client.request(2, "acme/whole", params).await;
        assert_eq!(got["result"]["input"], input);
        assert!(got["result"]["_meta"][format!("{META}serverInfo")].is_object());
    }
    assert!(client.finish().await.is_empty());
}

#[tokio::test]
async fn a_member_of_the_wrong_type_is_an_invalid_field() {
    let app = app().await;
    let params = json!({
        "name": 7, "uri": [], "cursor": 1, "arguments": "x", "level": {}, "inputResponses": [],
    });
    let message = async |request: Request| {
        let got = app.json(200, request).await;
        assert_eq!(codes(&got), (-32602, "T0003".to_owned()));
        got["error"]["message"].as_str().expect("a text").to_owned()
    };
    for request in [Request::modern, Request::legacy] {
        let message = message(request("acme/strict", params.clone())).await;
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
    let missing = message(Request::legacy("acme/strict", json!({"name": "n"}))).await;
    assert!(missing.contains("uri: is required"), "{missing}");
}

#[tokio::test]
async fn refuses_a_duplicate_key_anywhere_in_the_parameters() {
    let app = app().await;
    let message = |inner: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"acme/whole","params":{{"requestId":{inner}}}}}"#
        )
    };
    let duplicate = message(r#"{"a":1,"a":2}"#);
    let got = app.json(400, Request::raw(duplicate.clone())).await;
    assert_eq!(
        (&got["id"], &got["error"]["code"]),
        (&json!(1), &json!(-32600))
    );
    let batch = format!("[{},{duplicate}]", message("1"));
    let batch = Request::raw(batch).header("mcp-protocol-version", "2025-03-26");
    let got = app.json(200, batch).await;
    assert_eq!(got[0]["result"], json!({"input": {"requestId": 1}}));
    assert_eq!(got[1]["error"]["code"], -32600);
}

/// Resources of the app itself.
#[query(access = "signedIn", on = "resources/read")]
fn read_one() -> Value {
    json!({"contents": []})
}

/// Hidden from all but admins.
#[query(access = "role:admin", on = "resources/list")]
fn list_hidden() -> Value {
    json!({"resources": []})
}

#[tokio::test]
async fn a_hidden_list_looks_like_one_that_no_function_implements() {
    let list = || Request::modern("resources/list", json!({})).by("ada");
    let hidden = App::of(|app| app.functions(tent::functions![read_one, list_hidden])).await;
    let absent = App::of(|app| app.functions(tent::functions![read_one])).await;
    let hidden = hidden.json(200, list()).await;
    assert_eq!(hidden, absent.json(200, list()).await);
    assert_eq!(hidden["result"]["resources"], json!([]));
}
