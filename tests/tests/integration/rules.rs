//! Access rules of an app: each runs once per request, whatever the endpoint and the method.

use serde_json::{Value, json};
use tent::Tent;
use tent::prelude::*;

use crate::mcp::events::Events;
use crate::support::{Ask, ask, key, legacy, modern, tent_with};

async fn counted(cx: &Cx) -> Result<bool> {
    cx.state::<Events>()?.emit("rule");
    Ok(true)
}

#[query(about = "Guarded by a counted rule", access = counted, offer = "mcp")]
async fn ruled(#[arg(header = "Ruled-Region")] region: Option<String>) -> Option<String> {
    region
}

#[resource(uri = "ruled://{id}", about = "Guarded by a counted rule", access = counted)]
async fn ruled_resource(#[arg(complete = ruled_ids)] id: String) -> String {
    id
}

async fn ruled_ids(_: &Cx, typed: String, _: tent::Map) -> Result<Vec<String>> {
    Ok(vec![typed])
}

#[prompt(about = "Guarded by a counted rule", access = counted)]
async fn ruled_prompt() -> String {
    "hello".to_owned()
}

#[query(about = "Guarded by a counted rule", access = counted, on = "ruled/method")]
async fn ruled_method() -> tent::Map {
    tent::Map::new()
}

async fn app() -> (Tent, Events) {
    let events = Events::default();
    let functions = tent::functions![ruled, ruled_resource, ruled_prompt, ruled_method];
    let person = async |id: String| Ok::<_, Error>(Some(tent::User::new(id)));
    let change = |app: tent::App| app.functions(functions).users(person).state(events.clone());
    (tent_with(change).await, events)
}

/// R02.
#[tokio::test]
async fn a_rule_runs_once_per_request() {
    let (tent, events) = app().await;
    let key = key(&tent, "rita", &["*"]).await;
    let once = async |name: &str, ask: Ask<'_>| {
        let before = events.count("rule");
        let reply = ask.key(&key).send().await;
        assert_eq!(reply.status.as_u16(), 200, "{name}: {reply:?}");
        let body = reply.json();
        assert_eq!(body.get("error"), None, "{name}");
        assert_eq!(events.count("rule") - before, 1, "{name}");
        body
    };

    once(
        "POST /api",
        ask(&tent, "POST", "/api/ruled").json(json!({})),
    )
    .await;
    once("GET /api", ask(&tent, "GET", "/api/ruled?region=a")).await;
    once("the list of /api", ask(&tent, "GET", "/api")).await;

    let completion = json!({
        "ref": {"type": "ref/resource", "uri": "ruled://{id}"},
        "argument": {"name": "id", "value": "a"},
    });
    let methods: [(&str, Value); 8] = [
        ("tools/call", json!({"name": "ruled", "arguments": {}})),
        ("tools/list", json!({})),
        ("resources/read", json!({"uri": "ruled://a"})),
        ("resources/templates/list", json!({})),
        ("prompts/get", json!({"name": "ruled_prompt"})),
        ("prompts/list", json!({})),
        ("completion/complete", completion),
        ("ruled/method", json!({})),
    ];
    for (method, params) in methods {
        let mut ask = modern(&tent, method, params.clone());
        if let Some(uri) = params["uri"].as_str() {
            ask = ask.header("mcp-name", uri);
        }
        once(method, ask).await;
        once(method, legacy(&tent, "2025-06-18", method, params)).await;
    }

    // Also where the header of an argument disagrees with the body, which only a caller that may call it learns.
    let before = events.count("rule");
    let params = json!({"name": "ruled", "arguments": {"region": "a"}});
    let reply = modern(&tent, "tools/call", params)
        .header("mcp-param-ruled-region", "b")
        .key(&key)
        .send()
        .await;
    assert_eq!(reply.json()["error"]["code"], -32020, "{reply:?}");
    assert_eq!(events.count("rule") - before, 1);
}
