//! Limits on ids, tokens, URIs and completions.

use serde_json::{Value, json};

use super::app::{App, Request};
use super::prompts::PROMPTS;
use super::resources::RESOURCES;

#[tokio::test]
async fn limits_the_length_of_ids_and_tokens() {
    let app = App::new().await;
    let quoted = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
    let call = |id: &str| Request::modern_with_id(id, "tools/call", json!({"name": "server_time"}));
    assert!(app.json(200, call(&quoted(1024))).await["result"].is_object());
    for id in [quoted(1025), "1".repeat(1025)] {
        let got = app.json(400, call(&id)).await;
        assert_eq!(
            (&got["error"]["code"], got.get("id")),
            (&json!(-32600), None)
        );
    }
    let with_token = |bytes: usize| {
        let mut meta = super::app::meta();
        meta["progressToken"] = "x".repeat(bytes - 2).into();
        let params = json!({"name": "server_time", "_meta": meta});
        Request::modern("tools/call", params).without("accept")
    };
    assert!(app.json(200, with_token(1024)).await["result"].is_object());
    let got = app.json(200, with_token(1025)).await;
    assert_eq!(got["error"]["code"], -32602);
}

#[tokio::test]
async fn a_uri_that_is_too_long_is_not_found() {
    let app = App::of(|app| app.functions(RESOURCES)).await;
    let uri = |bytes: usize| format!("files://{}", "x".repeat(bytes - 8));
    let read = |bytes| Request::modern("resources/read", json!({"uri": uri(bytes)}));
    let got = app.json(200, read(8 << 10)).await;
    assert!(got["result"]["contents"].is_array(), "{got}");
    let got = app.json(200, read((8 << 10) + 1)).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(-32602), &json!("T0001"))
    );
    let params = json!({"uri": uri(1 << 20)});
    let got = app.legacy("resources/read", params).await;
    assert_eq!(got["error"]["code"], -32002);
}

#[tokio::test]
async fn passes_only_texts_to_a_completion() {
    let app = App::of(|app| app.functions(PROMPTS)).await;
    let complete = |arguments: Value| {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "write_letter"},
            "argument": {"name": "about", "value": "context"},
            "context": {"arguments": arguments},
        });
        Request::modern("completion/complete", params)
    };
    let got = app.json(200, complete(json!({"to": "ada"}))).await;
    assert_eq!(
        got["result"]["completion"]["values"],
        json!([r#"{"to":"ada"}"#])
    );
    for odd in [json!({"to": 7}), json!({"to": {"a": []}}), json!([])] {
        let got = app.json(200, complete(odd)).await;
        assert_eq!(got["error"]["code"], -32602);
    }
}
