use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::function::{Access, Function};
use crate::keys::NewKey;
use crate::server::App;

#[tokio::test(start_paused = true)]
async fn a_subscription_ends_when_the_key_of_its_connection_is_revoked() {
    let function = Function::builder("any").access(Access::Anyone);
    let function = function.sync_handler(|_, (): ()| Ok::<_, Error>(()));
    let app = App::new("shop", "1.2.3")
        .function(function.build().expect("the function is valid"))
        .set("store.url", "memory:")
        .set("mcp.stream", "true");
    let tent = app.build().await.expect("the app is valid");
    let key = tent.keys().create(NewKey::new(["*"])).await.expect("a key");
    let outbox = Outbox::default();
    let identity = Identity::Key(key.text().to_owned());
    let connection = Connection::new(tent.mcp_server().clone(), identity, outbox.clone());
    let meta = |name: &str| format!("io.modelcontextprotocol/{name}");
    let listen = json!({
        "jsonrpc": "2.0", "id": 3, "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}, "_meta": {
            meta("protocolVersion"): "2026-07-28", meta("clientCapabilities"): {},
        }},
    });
    let listen = listen.to_string().into_bytes();
    let admitted = connection.admit().await;
    let mut response = Box::pin(connection.answer(admitted, &listen));
    tokio::time::timeout(Duration::from_secs(100), &mut response)
        .await
        .expect_err("the key is valid");
    outbox.take().expect("an acknowledgement");
    assert!(tent.keys().revoke(&key.record.id).await.expect("memory"));
    let response = response.await.expect("a response");
    let messages = [outbox.take().expect("a notification"), response];
    let [cancelled, response] =
        messages.map(|one| serde_json::from_slice::<Value>(&one).expect("JSON"));
    assert_eq!(cancelled["method"], "notifications/cancelled");
    let reason = "The caller may no longer use this server.";
    assert_eq!(cancelled["params"]["reason"], reason);
    assert_eq!(
        (&response["id"], &response["result"]["resultType"]),
        (&json!(3), &json!("complete"))
    );
    assert!(outbox.take().is_none() && !outbox.is_closed());
}
