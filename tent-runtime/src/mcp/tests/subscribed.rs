//! Which resources a client is told of, in both eras.

use http::Method;
use serde_json::{Value, json};

use super::app::{App, META, Send};
use super::resources::RESOURCES;
use super::streams::{Read, note};

const UPDATED: &str = "notifications/resources/updated";

fn app() -> App {
    App::of(RESOURCES, |settings| settings.mcp.stream = true)
}

fn get(session: &str) -> Send {
    Send::with_method(Method::GET)
        .header("accept", "text/event-stream")
        .session(session)
}

fn subscribe(session: &str, uri: &str) -> Send {
    Send::legacy("resources/subscribe", json!({"uri": uri})).session(session)
}

fn unsubscribe(session: &str, uri: &str) -> Send {
    Send::legacy("resources/unsubscribe", json!({"uri": uri})).session(session)
}

#[tokio::test]
async fn a_session_is_told_of_what_it_subscribed_to_until_it_does_not_want_it_any_more() {
    let app = app();
    let session = app.session("2025-11-25").await;
    let other = app.session("2025-11-25").await;
    let mut stream = Read::of(app.open(get(&session)).await);
    let mut others = Read::of(app.open(get(&other)).await);
    for stream in [&mut stream, &mut others] {
        assert_eq!(stream.next().await, Some(Value::Null));
    }
    for uri in ["orders://7", "orders://7", "orders://8"] {
        let got = app.ask(200, subscribe(&session, uri)).await;
        assert_eq!(got["result"], json!({}), "{got}");
    }
    app.notes().resource_updated("orders://9");
    app.notes().resource_updated("orders://7");
    let updated = |uri: &str| Some(note(UPDATED, json!({"uri": uri})));
    assert_eq!(stream.next().await, updated("orders://7"));

    let got = app.ask(200, unsubscribe(&session, "orders://7")).await;
    assert_eq!(got["result"], json!({}));
    app.notes().resource_updated("orders://7");
    app.notes().resource_updated("orders://8");
    assert_eq!(stream.next().await, updated("orders://8"));

    // Of another session's subscriptions nothing is told.
    app.notes().tools_changed();
    let changed = note("notifications/tools/list_changed", json!({}));
    assert_eq!(others.next().await, Some(changed));
}

#[tokio::test]
async fn what_cannot_be_read_or_does_not_change_is_not_subscribed_to() {
    let app = app();
    let session = app.session("2025-11-25").await;
    let got = app.ask(200, subscribe(&session, "shop://nowhere")).await;
    assert_eq!(
        (&got["error"]["code"], &got["error"]["data"]["uri"]),
        (&json!(-32002), &json!("shop://nowhere"))
    );
    let got = app.ask(200, subscribe(&session, "shop://manual")).await;
    assert_eq!(got["error"]["code"], -32602);
    let no_uri = Send::legacy("resources/subscribe", json!({})).session(&session);
    let got = app.ask(200, no_uri).await;
    assert_eq!(got["error"]["code"], -32602);
    let sessionless = Send::legacy("resources/subscribe", json!({"uri": "orders://7"}));
    let got = app.ask(400, sessionless).await;
    assert_eq!(got["error"]["code"], -32600);
    // Who never subscribed may say that it does not want it.
    let got = app.ask(200, unsubscribe(&session, "orders://7")).await;
    assert_eq!(got["result"], json!({}));
}

#[tokio::test]
async fn it_is_declared_where_there_are_streams_and_a_resource_that_changes() {
    let can = async |app: &App| {
        let got = app
            .ask(200, Send::modern("server/discover", json!({})))
            .await;
        got["result"]["capabilities"]["resources"].clone()
    };
    assert_eq!(
        can(&app()).await,
        json!({"listChanged": true, "subscribe": true})
    );
    let still = App::of(RESOURCES, |_| {});
    assert_eq!(can(&still).await, json!({}));
    let session = still.session("2025-11-25").await;
    let got = still.ask(200, subscribe(&session, "orders://7")).await;
    assert_eq!(got["error"]["code"], -32601);
}

#[tokio::test]
async fn a_subscription_names_what_its_caller_may_read_and_what_changes() {
    let app = app();
    let uris = [
        "orders://7",
        "orders://x",
        "shop://manual",
        "shop://nowhere",
    ];
    let filter = json!({"notifications": {"resourceSubscriptions": uris}});
    let listen = Send::modern_with_id("1", "subscriptions/listen", filter);
    let mut stream = Read::of(app.open(listen).await);
    let first = stream.next().await.expect("an acknowledgement");
    assert_eq!(
        first["params"]["notifications"],
        json!({"resourceSubscriptions": ["orders://7"]})
    );
    app.notes().resource_updated("shop://manual");
    app.notes().resource_updated("orders://7");
    let told = json!({"uri": "orders://7", "_meta": {(format!("{META}subscriptionId")): 1}});
    loop {
        match stream.next().await {
            Some(Value::Null) => {}
            other => break assert_eq!(other, Some(note(UPDATED, told))),
        }
    }
}
