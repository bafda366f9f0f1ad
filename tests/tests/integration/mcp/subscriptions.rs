//! Streams that stay open outside a call: those of legacy sessions, and `subscriptions/listen`.

use std::time::Duration;

use serde_json::{Value, json};
use tent::http::Method;
use tent::prelude::*;
use tokio::time::{Instant, advance};

use super::app::{App, EventStream, META, Request, meta, notification, server, with};
use super::client::{Client, initialize, user};
use super::events::Events;
use crate::support::Directory;

/// For tests.
#[query(access = "signedIn", offer = "mcp")]
fn tool() {}

/// A resource without subscriptions.
#[resource(uri = "shop://manual", access = "signedIn")]
fn manual() -> &'static str {
    ""
}

/// A template with subscriptions.
#[resource(uri = "orders://{id}", access = "signedIn", subscribe = true)]
fn order(id: u32) -> String {
    id.to_string()
}

async fn app_with(set: &[(&str, &str)]) -> App {
    App::of(|app| {
        let app = app
            .functions(tent::functions![tool])
            .set("mcp.stream", "true");
        set.iter()
            .fold(app, |app, (key, value)| app.set(*key, *value))
    })
    .await
}

async fn app() -> App {
    app_with(&[]).await
}

async fn app_with_resources() -> App {
    App::of(|app| {
        app.functions(tent::functions![manual, order])
            .set("mcp.stream", "true")
    })
    .await
}

fn listen(id: &str, filter: Value) -> Request {
    Request::modern_with_id(id, "subscriptions/listen", json!({"notifications": filter}))
}

fn delete(session: &str) -> Request {
    Request::with_method(Method::DELETE).session(session)
}

fn tools() -> Value {
    json!({"toolsListChanged": true})
}

fn subscribed(id: &Value, params: Value) -> Value {
    with(
        params,
        json!({"_meta": {(format!("{META}subscriptionId")): id}}),
    )
}

/// The notification of a change of the tools, outside and inside a subscription.
fn changed(id: Option<&Value>) -> Value {
    let params = id.map_or(json!({}), |id| subscribed(id, json!({})));
    notification("notifications/tools/list_changed", params)
}

/// The last messages of a subscription that the server ends.
fn end(id: &Value, reason: &str) -> [Value; 2] {
    let cancelled = subscribed(id, json!({"requestId": id, "reason": reason}));
    let result = json!({
        "resultType": "complete",
        "_meta": {(format!("{META}serverInfo")): server(), (format!("{META}subscriptionId")): id},
    });
    [
        notification("notifications/cancelled", cancelled),
        json!({"jsonrpc": "2.0", "id": id, "result": result}),
    ]
}

const SHUTDOWN: &str = "The server ends.";
const FORBIDDEN: &str = "The caller may no longer use this server.";

/// The filter of an acknowledgement.
async fn acknowledged(stream: &mut EventStream, id: &Value) -> Value {
    let mut message = stream.message().await;
    let filter = message["params"]["notifications"].take();
    assert_eq!(
        message,
        notification(
            "notifications/subscriptions/acknowledged",
            subscribed(id, json!({"notifications": null}))
        )
    );
    filter
}

#[tokio::test]
async fn serves_no_stream_and_declares_none_without_the_setting() {
    let app = App::new().await;
    let session = app.session("2025-11-25").await;
    let got = app.send(Request::get(&session)).await;
    assert_eq!(
        (got.status.as_u16(), got.header("allow")),
        (405, Some("POST, DELETE"))
    );
    assert_eq!(app.error(404, listen("1", tools())).await.0, -32601);
    let got = app
        .result(Request::modern("server/discover", json!({})))
        .await;
    assert_eq!(got["capabilities"]["tools"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_legacy_session_gets_notifications_and_comments_on_its_newest_stream() {
    let app = app_with(&[("limits.streams_per_caller", "2")]).await;
    let got = app
        .result(Request::legacy("initialize", initialize(json!({}))))
        .await;
    assert_eq!(got["capabilities"]["tools"], json!({"listChanged": true}));

    let session = app.session("2025-11-25").await;
    let mut stream = app.stream(Request::get(&session)).await;
    assert_eq!(
        stream.next().await,
        Some(Value::Null),
        "before any notification"
    );
    let start = Instant::now();
    assert_eq!(stream.next().await, Some(Value::Null));
    assert_eq!(start.elapsed().as_secs(), 15);
    app.notifier().tools_changed();
    assert_eq!(stream.next().await, Some(changed(None)));

    // A newer stream replaces it, and later notifications go there alone.
    let mut second = app.stream(Request::get(&session)).await;
    app.notifier().tools_changed();
    assert_eq!(stream.rest().await, [] as [Value; 0]);
    assert_eq!(second.next().await, Some(Value::Null));
    assert_eq!(second.next().await, Some(changed(None)));

    // Only one of the two counts, and none after it is closed.
    let third = app.stream(listen("1", json!({}))).await;
    assert_eq!(app.error(429, listen("1", json!({}))).await.1, "T0006");
    drop((second, third));
    let _fourth = app.stream(listen("1", json!({}))).await;
    app.stream(listen("2", json!({}))).await;
}

// K4-04.
#[tokio::test]
async fn a_stream_needs_a_session_a_caller_and_the_accept_header() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    let get = || Request::get(&session);
    for (request, status) in [
        (get().without("mcp-session-id"), 400),
        (Request::get("lost"), 404),
        // The caller comes before the session.
        (Request::get("lost").by("tk_wrong"), 401),
        (get().anonymous(), 401),
        (get().header("accept", "application/json"), 406),
        (get().header("mcp-protocol-version", "2026-07-28"), 405),
        (get(), 200),
    ] {
        assert_eq!(app.open(request).await.status(), status);
    }
}

// K4-04.
#[tokio::test]
async fn the_version_header_of_a_stream_or_a_delete_must_be_a_supported_revision() {
    let app = app().await;
    let session = app.session("2025-11-25").await;
    for request in [Request::get, delete] {
        let version = |version| request(&session).header("mcp-protocol-version", version);
        assert_eq!(app.error(400, version("2099-01-01")).await.0, -32022);
        let two = version("2025-11-25").and_header("mcp-protocol-version", "2025-06-18");
        assert_eq!(app.send(two).await.status, 400);
    }
    let version = |request: Request| request.header("mcp-protocol-version", "2025-11-25");
    assert_eq!(
        app.open(version(Request::get(&session))).await.status(),
        200
    );
    assert_eq!(app.send(version(delete(&session))).await.status, 204);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_is_acknowledged_notified_and_ended_with_a_response() {
    let app = app().await;
    let id = json!("s");
    let filter = with(tools(), json!({"promptsListChanged": true}));
    let mut stream = app.stream(listen(r#""s""#, filter)).await;
    assert_eq!(acknowledged(&mut stream, &id).await, tools());
    let notifier = app.notifier();
    notifier.prompts_changed();
    notifier.resources_changed();
    notifier.resource_updated("file:///a");
    notifier.tools_changed();
    assert_eq!(stream.next().await, Some(changed(Some(&id))));
    assert_eq!(stream.next().await, Some(Value::Null));

    // An empty filter gets nothing.
    let mut empty = app.stream(listen("7", json!({}))).await;
    assert_eq!(acknowledged(&mut empty, &json!(7)).await, json!({}));
    notifier.tools_changed();
    assert_eq!(stream.next().await, Some(changed(Some(&id))));

    app.tent.shutdown();
    assert_eq!(stream.rest().await, end(&id, SHUTDOWN));
    assert_eq!(empty.rest().await, end(&json!(7), SHUTDOWN));
    assert_eq!(app.error(503, listen("1", json!({}))).await.1, "T0013");
}

#[tokio::test]
async fn refuses_an_invalid_filter() {
    let app = app().await;
    for params in [
        json!({}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": 1}}),
    ] {
        let listen = Request::modern("subscriptions/listen", params);
        assert_eq!(app.error(200, listen).await.0, -32602);
    }
}

// K4-08.
#[tokio::test(start_paused = true)]
async fn a_stream_ends_with_its_session_and_with_the_server() {
    let app = app().await;
    for ends_session in [true, false] {
        let session = app.session("2025-06-18").await;
        let stream = app.stream(Request::get(&session)).await;
        match ends_session {
            true => assert_eq!(app.send(delete(&session)).await.status, 204),
            false => app.tent.shutdown(),
        }
        assert_eq!(stream.rest().await, [Value::Null]);
    }
}

/// How many of ten notifications arrive, one every five seconds.
async fn arrived_of_ten(app: &App, stream: &mut EventStream) -> usize {
    for arrived in 0..10 {
        advance(Duration::from_secs(5)).await;
        app.notifier().tools_changed();
        if stream.next().await.is_none() {
            return arrived;
        }
    }
    10
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_the_key_of_its_caller_is_revoked() {
    let app = app().await;
    let open = async |request: Request| {
        let mut stream = app.stream(request).await;
        assert!(stream.next().await.is_some());
        stream
    };
    let session = app.session_by("ada", "2025-06-18").await;
    let mut unread = open(Request::get(&session).by("ada")).await;
    let unread_subscription = open(listen("1", tools()).by("ada")).await;
    let of_another = app.session("2025-06-18").await;
    let mut other = open(Request::get(&of_another)).await;
    assert_eq!(arrived_of_ten(&app, &mut other).await, 10);
    let session = app.session_by("ada", "2025-06-18").await;
    let quiet = open(Request::get(&session).by("ada")).await;
    let quiet_subscription = open(listen("7", tools()).by("ada")).await;
    app.revoke_keys().await;
    // What waits on a stream is not sent.
    assert_eq!(unread.next().await, None);
    assert_eq!(unread_subscription.rest().await, end(&json!(1), FORBIDDEN));
    assert!(quiet.messages().await.is_empty());
    assert_eq!(quiet_subscription.rest().await, end(&json!(7), FORBIDDEN));
}

#[tokio::test(start_paused = true)]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
async fn a_stream_ends_when_another_process_ends_its_session() {
    let directory = Directory::new("ended-session");
    let url = directory.store();
    let set = [("store.url", &*url), ("limits.call_timeout", "1h")];
    let (here, there) = (app_with(&set).await, app_with(&set).await);
    let there = there.with_keys_of(&here);
    let session = here.session("2025-06-18").await;
    let mut stream = here.stream(Request::get(&session)).await;
    assert_eq!(stream.next().await, Some(Value::Null));
    assert_eq!(there.send(delete(&session)).await.status, 204);
    // The process looks at the store again after a second of real time, which is many checks in paused time.
    while stream.next().await.is_some() {}
}

#[tokio::test]
async fn limits_the_streams_of_a_caller_and_serves_many() {
    let app = app_with(&[("limits.streams_per_caller", "1000")]).await;
    let mut streams = Vec::new();
    for n in 0..1000 {
        streams.push(app.stream(listen(&n.to_string(), tools())).await);
    }
    assert_eq!(app.error(429, listen("1", json!({}))).await.1, "T0006");
    let another_caller = listen("1", json!({})).by("ada");
    assert_eq!(app.open(another_caller).await.status(), 200);
    // Many notifications, while no stream is read.
    for _ in 0..50 {
        app.notifier().tools_changed();
    }
    for (n, stream) in streams.iter_mut().enumerate() {
        let id = json!(n);
        assert_eq!(acknowledged(stream, &id).await, tools());
        let expected = changed(Some(&id));
        for _ in 0..50 {
            assert_eq!(stream.next().await.as_ref(), Some(&expected));
        }
        assert!(stream.is_silent());
    }
    streams.pop();
    assert_eq!(app.open(listen("1", json!({}))).await.status(), 200);
}

#[tokio::test]
async fn notifications_and_subscriptions_share_a_connection() {
    let app = app().await;
    let mut client = Client::initialized(&app, user("ada"), json!({})).await;
    // Before the client is initialized it gets no notification, and a ping does not initialize it.
    for id in 1..=2 {
        app.notifier().tools_changed();
        assert_eq!(client.request(id, "ping", json!({})).await["id"], id);
    }
    client.notify("notifications/initialized", json!({})).await;
    assert_eq!(client.request(3, "ping", json!({})).await["id"], 3);
    app.notifier().prompts_changed();
    app.notifier().tools_changed();
    assert_eq!(client.message().await, changed(None));

    let params = |filter: Value| json!({"notifications": filter, "_meta": meta()});
    let listen = client
        .request("s", "subscriptions/listen", params(tools()))
        .await;
    assert_eq!(listen["method"], "notifications/subscriptions/acknowledged");
    app.notifier().tools_changed();
    let mut both = [client.message().await, client.message().await];
    both.sort_by_key(|one| one["params"].get("_meta").is_some());
    assert_eq!(both, [changed(None), changed(Some(&json!("s")))]);

    client.cancel("s").await;
    let listen = client
        .request("t", "subscriptions/listen", params(json!({})))
        .await;
    assert_eq!(
        listen["params"]["_meta"][format!("{META}subscriptionId")],
        "t"
    );
    let rest = client.finish().await;
    assert_eq!(
        (rest.len(), &rest[0]["method"], &rest[1]["id"]),
        (2, &json!("notifications/cancelled"), &json!("t")),
        "and no response to the subscription that was cancelled"
    );
}

const UPDATED: &str = "notifications/resources/updated";

#[tokio::test]
async fn a_legacy_session_subscribes_to_resources_that_its_caller_can_read() {
    let app = app_with_resources().await;
    let got = app
        .result(Request::legacy("initialize", initialize(json!({}))))
        .await;
    let declared = json!({"listChanged": true, "subscribe": true});
    assert_eq!(got["capabilities"]["resources"], declared);
    let session = app.session_by("ada", "2025-11-25").await;
    let send = |method: &str, uri: Value| {
        let request = Request::legacy(method, json!({"uri": uri}));
        request.session(&session).by("ada")
    };
    let subscribe = |uri: Value| send("resources/subscribe", uri);
    let mut stream = app.stream(Request::get(&session).by("ada")).await;
    assert_eq!(app.result(subscribe("orders://7".into())).await, json!({}));
    for (uri, code) in [
        ("nothing://".into(), -32002),
        // A resource without subscriptions.
        ("shop://manual".into(), -32602),
        // An invalid variable.
        ("orders://x".into(), -32002),
        (format!("orders://{}", "7".repeat(2048)).into(), -32602),
        (json!(7), -32602),
    ] {
        assert_eq!(app.error(200, subscribe(uri)).await.0, code);
    }
    let without_session = Request::legacy("resources/subscribe", json!({"uri": "orders://7"}));
    assert_eq!(app.error(400, without_session).await.0, -32600);

    assert_eq!(stream.next().await, Some(Value::Null));
    for uri in ["orders://8", "orders://7"] {
        app.notifier().resource_updated(uri);
    }
    app.notifier().resources_changed();
    let list = notification("notifications/resources/list_changed", json!({}));
    assert_eq!(
        stream.message().await,
        notification(UPDATED, json!({"uri": "orders://7"}))
    );
    assert_eq!(stream.message().await, list);

    let unsubscribe = send("resources/unsubscribe", "orders://7".into());
    assert_eq!(app.result(unsubscribe).await, json!({}));
    app.notifier().resource_updated("orders://7");
    // The app has no prompts, so their list is not declared.
    app.notifier().prompts_changed();
    app.notifier().resources_changed();
    assert_eq!(stream.message().await, list);
}

#[tokio::test]
async fn a_subscription_accepts_the_resources_that_its_caller_can_read() {
    let app = app_with_resources().await;
    let id = json!(1);
    let filter = json!({
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["orders://7", "orders://x", "shop://manual", "nothing://"],
    });
    let mut stream = app.stream(listen("1", filter)).await;
    let accepted = json!({"resourcesListChanged": true, "resourceSubscriptions": ["orders://7"]});
    assert_eq!(acknowledged(&mut stream, &id).await, accepted);
    for uri in ["shop://manual", "orders://7"] {
        app.notifier().resource_updated(uri);
    }
    let updated = subscribed(&id, json!({"uri": "orders://7"}));
    assert_eq!(stream.message().await, notification(UPDATED, updated));

    // The acknowledgement has no empty list.
    for uris in [json!([]), json!(["shop://manual", "nothing://"])] {
        let filter = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
        let mut stream = app.stream(listen("1", filter)).await;
        assert_eq!(
            acknowledged(&mut stream, &id).await,
            json!({"resourcesListChanged": true})
        );
    }
}

#[tokio::test]
async fn limits_the_subscriptions_of_a_session() {
    let app = app_with_resources().await;
    let session = app.session_by("ada", "2025-11-25").await;
    for id in 0..1001 {
        let params = json!({"uri": format!("orders://{id}")});
        let subscribe = Request::legacy("resources/subscribe", params);
        let status = if id < 1000 { 200 } else { 429 };
        app.json(status, subscribe.session(&session).by("ada"))
            .await;
    }
}

// P22.
#[tokio::test]
async fn an_equal_uri_subscribes_to_the_same_resource_and_is_named_as_it_was_written() {
    let app = app_with_resources().await;
    let session = app.session_by("ada", "2025-11-25").await;
    let mut stream = app.stream(Request::get(&session).by("ada")).await;
    assert_eq!(stream.next().await, Some(Value::Null));
    let send = |method: &str, uri: &str| {
        let request = Request::legacy(method, json!({"uri": uri}));
        request.session(&session).by("ada")
    };
    let written = "ORDERS://%37";
    assert_eq!(
        app.result(send("resources/subscribe", written)).await,
        json!({})
    );
    let filter = json!({"resourceSubscriptions": [written, "orders://7"]});
    let mut subscription = app.stream(listen("1", filter)).await;
    let accepted = json!({"resourceSubscriptions": [written]});
    let id = json!(1);
    assert_eq!(acknowledged(&mut subscription, &id).await, accepted);
    app.notifier().resource_updated("orders://7");
    let updated = json!({"uri": written});
    assert_eq!(
        stream.message().await,
        notification(UPDATED, updated.clone())
    );
    let updated = notification(UPDATED, subscribed(&id, updated));
    assert_eq!(subscription.message().await, updated);
    assert_eq!(
        app.result(send("resources/unsubscribe", "orders://7"))
            .await,
        json!({})
    );
    app.notifier().resource_updated(written);
    app.notifier().resources_changed();
    let list = notification("notifications/resources/list_changed", json!({}));
    assert_eq!(stream.message().await, list);
}

/// Waits until it may accept the caller.
async fn slowly(cx: &Cx) -> Result<bool> {
    let events = cx.state::<Events>()?;
    events.emit("asked");
    events.next("accept").await;
    Ok(true)
}

/// Its rule takes its time.
#[resource(uri = "slow://one", access = slowly, subscribe = true)]
fn slow() -> &'static str {
    ""
}

// S14.
#[tokio::test]
async fn a_subscription_that_is_cancelled_while_its_rule_runs_subscribes_to_nothing() {
    let events = Events::default();
    let app = App::of(|app| {
        app.functions(tent::functions![slow, tool])
            .state(events.clone())
            .set("mcp.stream", "true")
    })
    .await;
    let mut client = Client::initialized(&app, user("ada"), json!({})).await;
    client.notify("notifications/initialized", json!({})).await;
    let listen =
        json!({"notifications": {"resourceSubscriptions": ["slow://one"]}, "_meta": meta()});
    for (id, method, params) in [
        (1, "subscriptions/listen", listen),
        (2, "resources/subscribe", json!({"uri": "slow://one"})),
    ] {
        client.start(id, method, params).await;
        events.next("asked").await;
        client.cancel(id).await;
        let pong = client.request(10, "ping", json!({})).await;
        assert_eq!(pong["id"], 10, "{method}");
        events.emit("accept");
        app.notifier().resource_updated("slow://one");
        let pong = client.request(11, "ping", json!({})).await;
        assert_eq!(pong["id"], 11, "{method}");
        app.notifier().resource_updated("slow://one");
        assert!(events.take("accept"), "the rule of {method} was dropped");
    }
    let rest = client.finish().await;
    assert_eq!(rest, [] as [Value; 0]);
}

#[tokio::test]
async fn a_second_handshake_keeps_nothing_of_the_session_before() {
    let app = app_with_resources().await;
    let mut client = Client::initialized(&app, user("ada"), json!({})).await;
    client.notify("notifications/initialized", json!({})).await;
    let uri = json!({"uri": "orders://7"});
    let subscribed = client.request(1, "resources/subscribe", uri.clone()).await;
    assert_eq!(subscribed["result"], json!({}));
    app.notifier().resource_updated("orders://7");
    assert_eq!(client.message().await, notification(UPDATED, uri));
    let second = client.request(2, "initialize", initialize(json!({}))).await;
    assert_eq!(second["id"], 2);
    client.notify("notifications/initialized", json!({})).await;
    assert_eq!(client.request(3, "ping", json!({})).await["id"], 3);
    app.notifier().resource_updated("orders://7");
    assert_eq!(client.request(4, "ping", json!({})).await["id"], 4);
    let rest = client.finish().await;
    assert_eq!(rest, [] as [Value; 0]);
}

// S15.
#[tokio::test]
async fn capabilities_are_those_of_the_app_for_every_caller() {
    /// Hidden from all but staff.
    #[resource(uri = "secret://one", access = "role:staff")]
    fn secret() -> &'static str {
        ""
    }

    let app = App::of(|app| app.functions(tent::functions![secret])).await;
    let declared = async |caller: &'static str| {
        let request = Request::legacy("initialize", initialize(json!({}))).by(caller);
        let modern = Request::modern("server/discover", json!({})).by(caller);
        let old = app.result(request).await["capabilities"].clone();
        [old, app.result(modern).await["capabilities"].clone()]
    };
    let capabilities = declared("ada").await;
    assert!(
        capabilities
            .iter()
            .all(|one| one.get("resources").is_some())
    );
    assert_eq!(capabilities, declared("staff").await);
    let list = Request::modern("resources/list", json!({})).by("ada");
    assert_eq!(app.result(list).await["resources"], json!([]));
}

/// Whether the caller may read what its rule guards.
#[derive(State, Clone, Default)]
struct Open(std::sync::Arc<std::sync::atomic::AtomicBool>);

impl Open {
    fn set(&self, open: bool) {
        self.0.store(open, std::sync::atomic::Ordering::SeqCst);
    }
}

fn is_open(cx: &Cx) -> Result<bool> {
    let open = cx.state::<Open>()?;
    Ok(open.0.load(std::sync::atomic::Ordering::SeqCst))
}

/// Guarded by a rule that changes its mind.
#[resource(uri = "guarded://{id}", access = is_open, subscribe = true)]
fn guarded(id: u8) -> String {
    id.to_string()
}

// S09.
#[tokio::test]
async fn the_updates_of_a_resource_end_a_second_after_the_right_to_read_it() {
    let open = Open::default();
    open.set(true);
    let app = App::of(|app| {
        app.functions(tent::functions![guarded, order])
            .state(open.clone())
            .set("mcp.stream", "true")
    })
    .await;
    let uris = ["guarded://1", "orders://7"];
    let session = app.session_by("ada", "2025-11-25").await;
    let mut legacy = app.stream(Request::get(&session).by("ada")).await;
    assert_eq!(legacy.next().await, Some(Value::Null));
    let filter = json!({"resourceSubscriptions": uris});
    let mut modern = app.stream(listen("1", filter.clone())).await;
    acknowledged(&mut modern, &json!(1)).await;
    let mut client = Client::initialized(&app, user("ada"), json!({})).await;
    client.notify("notifications/initialized", json!({})).await;
    for (id, uri) in uris.into_iter().enumerate() {
        let params = json!({"uri": uri});
        let request = Request::legacy("resources/subscribe", params.clone());
        app.result(request.session(&session).by("ada")).await;
        client.request(id, "resources/subscribe", params).await;
    }
    let mut listener = Client::new(&app, user("ada"));
    let params = json!({"notifications": filter, "_meta": meta()});
    listener.request("s", "subscriptions/listen", params).await;

    let update = || uris.map(|uri| app.notifier().resource_updated(uri));
    let uri = |message: Value| message["params"]["uri"].clone();
    update();
    for expected in uris {
        assert_eq!(uri(legacy.message().await), expected);
        assert_eq!(uri(modern.message().await), expected);
        assert_eq!(uri(client.message().await), expected);
        assert_eq!(uri(listener.message().await), expected);
    }
    open.set(false);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    update();
    assert_eq!(uri(legacy.message().await), "orders://7");
    assert_eq!(uri(modern.message().await), "orders://7");
    assert_eq!(uri(client.message().await), "orders://7");
    assert_eq!(uri(listener.message().await), "orders://7");
}
