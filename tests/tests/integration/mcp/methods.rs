//! Capabilities, completions, and custom methods (`on`).

use serde_json::{Value, json};
use tent::Map;
use tent::prelude::*;

use super::app::{App, META, Request, meta, server};
use super::prompts::PROMPTS;
use super::resources::RESOURCES;

#[data]
struct Params {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<Map>,
    #[serde(skip_serializing_if = "Option::is_none")]
    give: Option<Map>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

/// For tests.
#[action(access = "signedIn", on = "resources/list")]
fn all(#[input] params: Params) -> Value {
    json!({"resources": [], "_meta": {"own": params}})
}

/// For tests.
#[action(access = "role:staff", on = "acme/do")]
fn acme() -> Value {
    json!({"done": true})
}

/// Returns what `give` has.
#[action(access = "signedIn", on = "prompts/list")]
fn echoed(#[input] params: Params) -> Value {
    json!(params.give)
}

/// For tests.
#[action(access = "signedIn", on = "acme/odd")]
fn odd() -> Value {
    json!([1])
}

const METHODS: &[&tent::Declaration] = tent::functions![all, acme, echoed, odd];

/// For tests.
#[action(access = "signedIn", on = "resources/read")]
fn read(#[input] params: Params) -> Value {
    let _ = params;
    json!({"contents": []})
}

/// For tests.
#[action(access = "signedIn", on = "prompts/get")]
fn get(#[input] params: Params) -> Value {
    let _ = params;
    json!({"messages": []})
}

/// One method of each capability that has lists.
const PARTS: &[&tent::Declaration] = tent::functions![read, get];

/// An app with its tools and `more`.
async fn both(more: &[&'static tent::Declaration]) -> App {
    App::with(|app| app.functions(more)).await
}

fn complete(wanted: Value, argument: &str, value: &str) -> Value {
    json!({"ref": wanted, "argument": {"name": argument, "value": value}})
}

#[tokio::test]
async fn declares_only_the_capabilities_that_the_app_uses() {
    let of = async |app: App| {
        let got = app.modern("server/discover", json!({})).await;
        got["result"]["capabilities"].clone()
    };
    assert_eq!(
        of(both(&RESOURCES[..1]).await).await,
        json!({"logging": {}, "tools": {}, "resources": {}})
    );
    assert_eq!(
        of(both(&PROMPTS[1..]).await).await,
        json!({"logging": {}, "tools": {}, "prompts": {}})
    );
    assert_eq!(
        of(both(PROMPTS).await).await,
        json!({"logging": {}, "tools": {}, "prompts": {}, "completions": {}})
    );
    assert_eq!(
        of(both(METHODS).await).await,
        json!({"logging": {}, "tools": {}, "prompts": {}, "resources": {}})
    );
    let app = both(PROMPTS).await;
    for (revision, wanted) in [
        (
            "2024-11-05",
            json!({"logging": {}, "tools": {}, "prompts": {}}),
        ),
        (
            "2025-11-25",
            json!({"logging": {}, "tools": {}, "prompts": {}, "completions": {}}),
        ),
    ] {
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "p", "version": "1"}});
        let got = app.legacy("initialize", params).await;
        assert_eq!(got["result"]["capabilities"], wanted);
    }
    let app = App::of(|app| app.functions(PROMPTS).set("mcp.stream", "true")).await;
    let list = json!({"listChanged": true});
    let wanted = json!({"logging": {}, "tools": list, "prompts": list, "completions": {}});
    assert_eq!(of(app).await, wanted);
}

#[tokio::test]
async fn methods_without_a_capability_are_unknown() {
    let app = App::new().await;
    for method in [
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "prompts/list",
        "prompts/get",
        "completion/complete",
    ] {
        let modern = app.json(404, Request::modern(method, json!({}))).await;
        let legacy = app.legacy(method, json!({})).await;
        assert_eq!(
            (&modern["error"]["code"], &legacy["error"]["code"]),
            (&json!(-32601), &json!(-32601))
        );
    }
}

#[tokio::test]
async fn completes_arguments_of_prompts_and_variables_of_resources() {
    let app = App::of(|app| app.functions(RESOURCES).functions(PROMPTS)).await;
    let prompt = json!({"type": "ref/prompt", "name": "write_letter"});
    let params = complete(prompt.clone(), "about", "1");
    let got = app.modern("completion/complete", params).await;
    assert_eq!(
        got["result"],
        json!({
            "completion": {"values": ["10"], "total": 1, "hasMore": false},
            "resultType": "complete", "_meta": {format!("{META}serverInfo"): server()},
        })
    );
    for uri in ["orders://{id}", "orders://7"] {
        let params = complete(json!({"type": "ref/resource", "uri": uri}), "id", "7");
        let got = app.legacy("completion/complete", params).await;
        assert_eq!(
            got["result"],
            json!({"completion": {"values": ["70"], "total": 1, "hasMore": false}})
        );
    }
    let mut params = complete(prompt.clone(), "about", "context");
    params["context"] = json!({"arguments": {"to": "ada"}});
    let got = app.modern("completion/complete", params).await;
    assert_eq!(
        got["result"]["completion"]["values"],
        json!([r#"{"to":"ada"}"#])
    );
    let got = app
        .modern(
            "completion/complete",
            complete(prompt.clone(), "about", "many"),
        )
        .await;
    let completion = &got["result"]["completion"];
    assert_eq!(
        (&completion["total"], &completion["hasMore"]),
        (&json!(150), &json!(true))
    );
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    // An argument that nothing completes.
    let got = app
        .modern("completion/complete", complete(prompt, "to", "a"))
        .await;
    assert_eq!(
        got["result"]["completion"],
        json!({"values": [], "total": 0, "hasMore": false})
    );
}

#[tokio::test]
async fn checks_the_access_rule_before_a_completion() {
    let app = App::of(|app| app.functions(RESOURCES).functions(PROMPTS)).await;
    let ask = async |wanted: Value, argument: &str, value: &str, who: &'static str| {
        let params = complete(wanted, argument, value);
        app.json(200, Request::modern("completion/complete", params).by(who))
            .await["error"]
            .clone()
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let hidden = ask(prompt("staff_letter"), "x", "", "ada").await;
    assert_eq!(
        (&hidden["code"], &hidden["message"]),
        (&json!(-32602), &json!("Unknown prompt: staff_letter"))
    );
    assert_eq!(hidden["data"]["code"], "T0001");
    // One that is hidden by its rule is none: the next that has its URI is meant, as for any other URI.
    let mut hidden = ask(resource("orders://1"), "x", "", "ada").await;
    let mut absent = ask(resource("orders://2"), "x", "", "ada").await;
    assert_eq!(hidden["data"]["code"], "T0003");
    for one in [&mut hidden, &mut absent] {
        one["data"]["trace"] = Value::Null;
    }
    assert_eq!(hidden, absent);
    for uri in ["nothing://1", "nothing://{x}"] {
        let got = ask(resource(uri), "x", "", "ada").await;
        assert_eq!(
            (&got["code"], &got["data"]["code"]),
            (&json!(-32602), &json!("T0001")),
            "{uri}"
        );
    }
    let got = ask(prompt("write_letter"), "colour", "", "ada").await;
    assert_eq!(
        (&got["code"], &got["data"]["code"]),
        (&json!(-32602), &json!("T0003"))
    );
    let internal_error = ask(prompt("write_letter"), "about", "panic", "ada").await;
    assert_eq!(
        (&internal_error["code"], &internal_error["data"]["code"]),
        (&json!(-32603), &json!("T0012"))
    );
    assert!(
        !internal_error.to_string().contains("secret"),
        "{internal_error}"
    );
    for params in [
        json!({}),
        json!({"ref": prompt("write_letter")}),
        complete(json!({"type": "ref/tool", "name": "x"}), "a", "b"),
        json!({"ref": prompt("write_letter"), "argument": {"name": "about", "value": 7}}),
        json!({"ref": prompt("write_letter"), "argument": {"name": "about", "value": ""}, "context": 7}),
    ] {
        let got = app.modern("completion/complete", params).await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test]
async fn a_function_serves_a_custom_method_in_both_eras() {
    let app = both(METHODS).await;
    let params = json!({"cursor": "2", "filter": {"a": 1}});
    let got = app.modern("resources/list", params.clone()).await;
    assert_eq!(
        got,
        json!({"jsonrpc": "2.0", "id": 1, "result": {
            "resources": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "_meta": {"own": params, format!("{META}serverInfo"): server()},
        }})
    );
    let got = app.legacy("resources/list", params.clone()).await;
    assert_eq!(
        got["result"],
        json!({"resources": [], "_meta": {"own": params}})
    );
    let got = app.legacy("acme/do", json!({})).await;
    assert_eq!(got["result"], json!({"done": true}));
    // A method is not a tool, and a hidden method looks like an absent one.
    let list = app.modern("tools/list", json!({})).await;
    assert!(!list.to_string().contains("acme"), "{list}");
    let call = app.call("acme", json!({})).await;
    assert_eq!(call["error"]["message"], "Unknown tool: acme");
    let hidden = app
        .json(404, Request::modern("acme/do", json!({})).by("ada"))
        .await;
    assert_eq!(
        hidden["error"],
        json!({"code": -32601, "message": "Method not found: acme/do"})
    );
    // It says itself for how long what it gives can be kept; of a result that is not whole nothing is said.
    for (given, kept) in [
        (
            json!({"prompts": [], "ttlMs": 9, "cacheScope": "public"}),
            (json!(9), json!("public")),
        ),
        (
            json!({"prompts": [], "ttlMs": 9}),
            (json!(9), json!("private")),
        ),
        (
            json!({"resultType": "input_required"}),
            (Value::Null, Value::Null),
        ),
    ] {
        let got = app.modern("prompts/list", json!({"give": given})).await;
        let result = &got["result"];
        assert_eq!(
            (result["ttlMs"].clone(), result["cacheScope"].clone()),
            kept
        );
    }
    let got = app.modern("acme/do", json!({})).await;
    assert_eq!(got["result"].get("ttlMs"), None, "{got}");
    // Nor by what only a method that there is finds wrong.
    let mut misfit = json!({});
    misfit["_meta"] = meta();
    misfit["_meta"]["progressToken"] = json!({});
    for (method, message) in [
        ("acme/do", "Method not found: acme/do"),
        ("acme/no", "Method not found: acme/no"),
    ] {
        let got = app
            .json(404, Request::modern(method, misfit.clone()).by("ada"))
            .await;
        assert_eq!(got["error"], json!({"code": -32601, "message": message}));
        let got = app
            .json(200, Request::legacy(method, json!([])).by("ada"))
            .await;
        assert_eq!(got["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_hidden_method_looks_like_an_absent_one_to_an_anonymous_caller() {
    let app = App::with(|app| app.functions(METHODS).set("mcp.anyone", "true")).await;
    for method in ["acme/do", "acme/odd", "acme/no"] {
        let got = app
            .json(404, Request::modern(method, json!({})).anonymous())
            .await;
        let message = format!("Method not found: {method}");
        assert_eq!(got["error"], json!({"code": -32601, "message": message}));
    }
}

#[tokio::test]
async fn returns_an_error_for_an_invalid_input_or_result_of_a_custom_method() {
    let app = both(METHODS).await;
    let got = app
        .modern("resources/list", json!({"cursor": 7, "colour": 1}))
        .await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(-32602), &json!("T0003"))
    );
    let got = app.legacy("acme/odd", json!({})).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["code"]),
        (&json!(-32603), &json!("T0012"))
    );
    let got = app.legacy("acme/odd", json!([])).await;
    assert_eq!(got["error"]["code"], -32602);
}

#[tokio::test]
async fn serves_empty_lists_for_a_declared_capability_without_items() {
    let app = both(PARTS).await;
    for (method, member) in [
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
        ("prompts/list", "prompts"),
    ] {
        let got = app.modern(method, json!({})).await;
        let result = &got["result"];
        assert_eq!(result[member], json!([]), "{got}");
        assert_eq!(result["resultType"], "complete");
        assert_eq!(result["cacheScope"], "private");
        let got = app.legacy(method, json!({})).await;
        assert_eq!(got["result"], json!({(member): []}));
        let got = app.modern(method, json!({"cursor": "x"})).await;
        assert_eq!(got["error"]["code"], -32602);
    }
    let got = app.modern("resources/read", json!({"uri": "a://"})).await;
    let result = &got["result"];
    assert_eq!(
        (&result["ttlMs"], &result["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let got = app.modern("prompts/get", json!({"name": "x"})).await;
    assert_eq!(got["result"].get("ttlMs"), None, "it is not kept");
    // A capability that is not declared has no lists.
    let app = both(&PARTS[..1]).await;
    app.json(404, Request::modern("prompts/list", json!({})))
        .await;
}

#[tokio::test]
async fn checks_the_log_level_and_progress_token_of_every_modern_method() {
    let app = both(PARTS).await;
    let with = |method: &str, member: &str, value: Value| {
        let mut meta = meta();
        meta[member] = value;
        let named = match method {
            "resources/read" => "uri",
            _ => "name",
        };
        Request::modern(method, json!({(named): "a://", "_meta": meta}))
    };
    let level = format!("{META}logLevel");
    for method in [
        "server/discover",
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
        "prompts/get",
    ] {
        for (member, value) in [
            (&*level, json!("loud")),
            (&*level, json!(7)),
            ("progressToken", json!(1.5)),
            ("progressToken", json!({})),
            ("progressToken", json!([1])),
            ("progressToken", json!(true)),
        ] {
            let got = app.json(200, with(method, member, value.clone())).await;
            assert_eq!(got["error"]["code"], -32602, "{method} {member} {value}");
        }
    }
    for (member, value) in [(&*level, json!("error")), ("progressToken", json!("x"))] {
        let got = app.json(200, with("tools/list", member, value)).await;
        assert!(got["result"]["tools"].is_array(), "{got}");
    }
    let unknown = with("nothing/like", &level, json!("loud"));
    assert_eq!(app.json(404, unknown).await["error"]["code"], -32601);
}
