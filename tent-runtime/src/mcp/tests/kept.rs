//! Streams that clients keep open for what concerns no call.

use futures_util::FutureExt as _;
use http::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::app::{App, META, Send, meta, server};
use super::functions::FUNCTIONS;
use super::lines::Client;
use super::resources::RESOURCES;
use super::streams::{Read, note};
use crate::caller::Caller;
use crate::clock::{Clock as _, SystemClock};
use crate::dispatch::Identity;
use crate::mcp::Connection;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::session::token::Session;

fn app() -> App {
    App::of(FUNCTIONS, |settings| settings.mcp.stream = true)
}

fn get(session: &str) -> Send {
    Send::with_method(Method::GET)
        .header("accept", "text/event-stream")
        .session(session)
}

fn listen(id: &str, filter: Value) -> Send {
    Send::modern_with_id(id, "subscriptions/listen", json!({"notifications": filter}))
}

fn subscribed(id: &Value, mut more: Value) -> Value {
    more["_meta"] = json!({(format!("{META}subscriptionId")): id});
    more
}

const CHANGED: &str = "notifications/tools/list_changed";

#[tokio::test]
async fn without_the_setting_no_stream_is_kept_and_nothing_is_declared() {
    let app = App::new();
    let session = app.session("2025-11-25").await;
    let got = app.send(get(&session)).await;
    assert_eq!(
        (got.status.as_u16(), got.header("allow")),
        (405, Some("POST, DELETE"))
    );
    let got = app
        .ask(404, listen("1", json!({"toolsListChanged": true})))
        .await;
    assert_eq!(got["error"]["code"], -32601);
    let got = app
        .ask(200, Send::modern("server/discover", json!({})))
        .await;
    assert_eq!(got["result"]["capabilities"]["tools"], json!({}));
}

#[tokio::test(start_paused = true)]
async fn a_legacy_session_is_told_of_changes_and_shown_signs_of_life() {
    let app = app();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let got = app.ask(200, Send::legacy("initialize", hello)).await;
    assert_eq!(
        got["result"]["capabilities"]["tools"],
        json!({"listChanged": true})
    );

    let session = app.session("2025-11-25").await;
    let mut stream = Read::of(app.open(get(&session)).await);
    assert_eq!(
        stream.next().await,
        Some(Value::Null),
        "before there is anything to tell"
    );
    let began = Instant::now();
    assert_eq!(stream.next().await, Some(Value::Null));
    assert_eq!(began.elapsed().as_secs(), 15);
    app.notes().tools_changed();
    let changed = json!({"jsonrpc": "2.0", "method": CHANGED, "params": {}});
    assert_eq!(stream.next().await, Some(changed.clone()));

    // A new GET takes over: what is told from then on goes there alone.
    let mut second = Read::of(app.open(get(&session)).await);
    app.notes().tools_changed();
    assert_eq!(stream.rest().await, [] as [Value; 0]);
    assert_eq!(second.next().await, Some(Value::Null));
    assert_eq!(second.next().await, Some(changed));
    assert_eq!(app.notes().streams().len(), 1);
    drop(second);
    assert_eq!(
        app.notes().streams().len(),
        0,
        "who goes leaves nothing behind"
    );
}

#[tokio::test]
async fn k4_04_a_get_wants_a_session_that_is_not_lost_and_a_type_to_be_answered_in() {
    let app = app();
    let session = app.session("2025-11-25").await;
    let status = async |send: Send| app.open(send).await.status().as_u16();
    assert_eq!(status(get(&session).without("mcp-session-id")).await, 400);
    assert_eq!(status(get("lost")).await, 404);
    assert_eq!(
        status(get("lost").by("tk_wrong")).await,
        401,
        "who asks comes first"
    );
    assert_eq!(status(get(&session).by_nobody()).await, 401);
    let json = get(&session).header("accept", "application/json");
    assert_eq!(status(json).await, 406);
    let modern = get(&session).header("mcp-protocol-version", "2026-07-28");
    assert_eq!(status(modern).await, 405);
    assert_eq!(status(get(&session)).await, 200);
}

#[tokio::test(start_paused = true)]
async fn a_subscription_is_acknowledged_told_what_it_named_and_ended_with_an_answer() {
    let app = app();
    let filter = json!({"toolsListChanged": true, "promptsListChanged": true});
    let mut stream = Read::of(app.open(listen(r#""s""#, filter)).await);
    let id = json!("s");
    let told = json!({"notifications": {"toolsListChanged": true}});
    let acknowledged = note(
        "notifications/subscriptions/acknowledged",
        subscribed(&id, told),
    );
    assert_eq!(stream.next().await, Some(acknowledged));
    app.notes().prompts_changed();
    app.notes().resources_changed();
    app.notes().resource_updated("file:///a");
    app.notes().tools_changed();
    assert_eq!(
        stream.next().await,
        Some(note(CHANGED, subscribed(&id, json!({}))))
    );
    assert_eq!(stream.next().await, Some(Value::Null));

    // Nothing that was named is told: nothing is.
    let mut deaf = Read::of(app.open(listen("7", json!({}))).await);
    let first = deaf.next().await.expect("an acknowledgement");
    assert_eq!(first["params"]["notifications"], json!({}));
    app.notes().tools_changed();
    assert_eq!(
        stream.next().await,
        Some(note(CHANGED, subscribed(&id, json!({}))))
    );

    app.mcp().dispatcher.close();
    let ends = |id: &Value| {
        let result = json!({
            "resultType": "complete",
            "_meta": {(format!("{META}serverInfo")): server(), (format!("{META}subscriptionId")): id},
        });
        [
            note(
                "notifications/cancelled",
                subscribed(id, json!({"requestId": id, "reason": "The server ends."})),
            ),
            json!({"jsonrpc": "2.0", "id": id, "result": result}),
        ]
    };
    assert_eq!(stream.rest().await, ends(&id));
    assert_eq!(deaf.rest().await, ends(&json!(7)));
    let got = app.ask(503, listen("1", json!({}))).await;
    assert_eq!(got["error"]["data"]["code"], "T0013");
}

#[tokio::test]
async fn a_filter_that_is_none_is_refused() {
    let app = app();
    for params in [
        json!({}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": 1}}),
    ] {
        let got = app
            .ask(200, Send::modern("subscriptions/listen", params))
            .await;
        assert_eq!(got["error"]["code"], -32602);
    }
}

#[tokio::test(start_paused = true)]
async fn k4_08_kept_streams_end_when_the_server_or_their_session_does() {
    let app = app();
    let session = app.session("2025-06-18").await;
    let stream = Read::of(app.open(get(&session)).await);
    let delete = Send::with_method(Method::DELETE).session(&session);
    assert_eq!(app.send(delete).await.status, 204);
    assert_eq!(stream.rest().await, [Value::Null]);

    let session = app.session("2025-06-18").await;
    let stream = Read::of(app.open(get(&session)).await);
    app.mcp().dispatcher.close();
    assert_eq!(stream.rest().await, [Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn who_may_not_come_any_more_is_told_nothing_more() {
    let app = app();
    let session = app.session("2025-06-18").await;
    let mut stream = Read::of(app.open(get(&session).by("ada")).await);
    assert_eq!(stream.next().await, Some(Value::Null));
    let keys = app.mcp().dispatcher.keys();
    let all = keys.list().await.expect("a list");
    for key in all {
        keys.revoke(&key.id).await.expect("it is there");
    }
    while let Some(told) = stream.next().await {
        assert_eq!(told, Value::Null);
    }
    assert_eq!(app.notes().streams().len(), 0);
}

/// How many of ten messages are told, one every five seconds.
async fn told_of_ten(app: &App, stream: &mut Read) -> usize {
    for told in 0..10 {
        tokio::time::advance(std::time::Duration::from_secs(5)).await;
        app.notes().tools_changed();
        if stream.next().await.is_none() {
            return told;
        }
    }
    10
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_never_quiet_ends_for_who_may_not_come_any_more() {
    let app = app();
    let session = app.session("2025-06-18").await;
    let mut stream = Read::of(app.open(get(&session).by("ada")).await);
    let filter = json!({"toolsListChanged": true});
    let mut subscription = Read::of(app.open(listen("1", filter).by("ada")).await);
    for one in [&mut stream, &mut subscription] {
        assert!(one.next().await.is_some());
    }
    let mut welcome = Read::of(app.open(get(&app.session("2025-06-18").await)).await);
    assert!(welcome.next().await.is_some());
    assert_eq!(told_of_ten(&app, &mut welcome).await, 10);
    drop(welcome);
    let keys = app.mcp().dispatcher.keys();
    for key in keys.list().await.expect("a list") {
        keys.revoke(&key.id).await.expect("it is there");
    }
    // What waits is kept back too; a subscription is told that it is over.
    assert_eq!(stream.next().await, None);
    assert_eq!(subscription.rest().await, turned_away(1));
    assert_eq!(app.notes().streams().len(), 0);
}

/// What is told last on a subscription whose caller may not call any more.
fn turned_away(id: i64) -> [Value; 2] {
    let cancelled = json!({
        "requestId": id, "reason": "The caller may no longer use this server.",
    });
    let mut result = json!({"resultType": "complete"});
    result["_meta"] = json!({
        (format!("{META}serverInfo")): server(), (format!("{META}subscriptionId")): id,
    });
    [
        note("notifications/cancelled", subscribed(&json!(id), cancelled)),
        json!({"jsonrpc": "2.0", "id": id, "result": result}),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_quiet_subscription_is_told_that_it_is_over_where_its_caller_may_not_come_any_more() {
    let app = app();
    let filter = json!({"toolsListChanged": true});
    let mut subscription = Read::of(app.open(listen("7", filter).by("ada")).await);
    assert!(subscription.next().await.is_some(), "it is acknowledged");
    revoke_all(&app).await;
    assert_eq!(subscription.rest().await, turned_away(7));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_on_a_line_is_over_where_its_caller_may_not_come_any_more() {
    let app = app();
    let outbox = Outbox::default();
    let key = app.key("ada").to_owned();
    let line = Connection::new(app.shared(), Identity::Key(key), outbox.clone());
    let request = json!({
        "jsonrpc": "2.0", "id": 3, "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}, "_meta": meta()},
    });
    let request = request.to_string().into_bytes();
    let admitted = line.admit().await;
    let mut listening = Box::pin(line.answer(admitted, &request));
    let long = std::time::Duration::from_secs(100);
    let still = tokio::time::timeout(long, &mut listening).await;
    assert!(still.is_err(), "who may call goes on listening");
    outbox.take().expect("an acknowledgement");
    revoke_all(&app).await;
    let answer = listening.await.expect("an answer");
    let cancelled = outbox.take().expect("it is told");
    let told = [cancelled, answer].map(|one| serde_json::from_slice(&one).expect("JSON"));
    let told: [Value; 2] = told;
    assert_eq!(told, turned_away(3));
    assert_eq!((outbox.take(), outbox.is_closed()), (None, false));
    assert_eq!(app.notes().streams().len(), 0);
}

async fn revoke_all(app: &App) {
    let keys = app.mcp().dispatcher.keys();
    for key in keys.list().await.expect("a list") {
        keys.revoke(&key.id).await.expect("it is there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_ends_when_another_server_ended_its_session() {
    let app = app();
    let session = app.session("2025-06-18").await;
    let mut stream = Read::of(app.open(get(&session)).await);
    assert_eq!(stream.next().await, Some(Value::Null));
    let mcp = app.mcp();
    let opened = Session::open(mcp.dispatcher.sealer(), &session, SystemClock.now());
    let opened = opened.expect("it is one");
    let ended = mcp
        .state
        .ended
        .end(&opened.nonce, opened.ends(), [0; 32])
        .await;
    ended.expect("it is noted");
    assert_eq!(told_of_ten(&app, &mut stream).await, 2);
}

#[tokio::test]
async fn a_caller_has_so_many_streams_and_a_thousand_cost_little() {
    let app = App::of(FUNCTIONS, |settings| {
        settings.mcp.stream = true;
        settings.limits.streams_per_caller = 1000;
    });
    let mut streams = Vec::new();
    for n in 0..1000 {
        let send = listen(&n.to_string(), json!({"toolsListChanged": true}));
        streams.push(Read::of(app.open(send).await));
    }
    let got = app.ask(429, listen("1", json!({}))).await;
    assert_eq!(got["error"]["data"]["code"], "T0006");
    assert_eq!(
        app.open(listen("1", json!({})).by("ada")).await.status(),
        200,
        "another caller"
    );
    // Many changes, and a reader that takes none of them meanwhile.
    for _ in 0..50 {
        app.notes().tools_changed();
    }
    for (n, stream) in streams.iter_mut().enumerate() {
        for wanted in
            std::iter::once("notifications/subscriptions/acknowledged").chain([CHANGED; 50])
        {
            let told = stream.next().await.expect("it is open");
            assert_eq!(
                (&told["method"], &told["params"]["_meta"]),
                (&json!(wanted), &subscribed(&json!(n), json!({}))["_meta"])
            );
        }
        assert!(stream.next().now_or_never().is_none());
    }
    streams.pop();
    assert_eq!(
        app.open(listen("1", json!({}))).await.status(),
        200,
        "there is room again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_stdio_sessions_and_subscriptions_share_the_one_way() {
    let app = app();
    let mut client = Client::new(&app, Identity::Caller(Caller::Anonymous));
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}});
    client.request(1, "initialize", hello);
    // Before the client has begun it is told nothing, and a ping begins nothing.
    client.request(2, "ping", json!({}));
    for id in 1..=2 {
        assert_eq!(client.next().await.expect("an answer")["id"], id);
        app.notes().tools_changed();
    }
    client.send(note("notifications/initialized", json!({})));
    client.request(3, "ping", json!({}));
    assert_eq!(client.next().await.expect("an answer")["id"], 3);
    app.notes().prompts_changed();
    app.notes().tools_changed();
    assert_eq!(client.next().await, Some(note(CHANGED, json!({}))));

    let params = |filter: Value| {
        let mut params = json!({"notifications": filter});
        params["_meta"] = super::app::meta();
        params
    };
    client.request(
        "s",
        "subscriptions/listen",
        params(json!({"toolsListChanged": true})),
    );
    let acknowledged = client.next().await.expect("an acknowledgement");
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    app.notes().tools_changed();
    let mut both = [client.next().await, client.next().await].map(|one| one.expect("a note"));
    both.sort_by_key(|one| one["params"].get("_meta").is_some());
    assert_eq!(
        both,
        [
            note(CHANGED, json!({})),
            note(CHANGED, subscribed(&json!("s"), json!({})))
        ]
    );

    client.send(note("notifications/cancelled", json!({"requestId": "s"})));
    client.request("t", "subscriptions/listen", params(json!({})));
    assert_eq!(
        client.next().await.expect("an acknowledgement")["params"]["_meta"]
            [format!("{META}subscriptionId")],
        "t"
    );
    let rest = client.ended().await;
    assert_eq!(
        (rest[0]["method"].as_str(), &rest[1]["id"]),
        (Some("notifications/cancelled"), &json!("t"))
    );
    assert_eq!(rest.len(), 2, "and no answer to the one that was cancelled");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_on_stdio_that_never_says_that_it_has_begun_begins_by_its_first_request() {
    let app = app();
    let mut client = Client::new(&app, Identity::Caller(Caller::Anonymous));
    // A second handshake begins anew.
    for begun in [false, true, false] {
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}});
        client.request(1, "initialize", hello);
        if begun {
            client.request(2, "tools/list", json!({}));
        }
        for id in 1..=1 + u64::from(begun) {
            assert_eq!(client.next().await.expect("an answer")["id"], id);
        }
        let notes = app.notes();
        let asking = notes.request(&Caller::Anonymous, "roots/list", None);
        let mut asking = std::pin::pin!(asking);
        let asked = asking.as_mut().now_or_never();
        assert_eq!(asked.is_none(), begun, "{asked:?}");
        if begun {
            let question = client.next().await.expect("a question");
            assert_eq!(question["method"], "roots/list");
            let roots = json!({"roots": []});
            client.send(json!({"jsonrpc": "2.0", "id": question["id"], "result": roots}));
            assert_eq!(asking.await.ok(), Some(roots));
        }
    }
}

#[tokio::test]
async fn k4_04_a_stream_and_the_end_of_a_session_want_a_revision_that_is_served_where_one_is_named()
{
    let app = app();
    let session = app.session("2025-11-25").await;
    let delete = || Send::with_method(Method::DELETE).session(&session);
    for send in [get(&session), delete()] {
        let send = send.header("mcp-protocol-version", "2099-01-01");
        let got = app.ask(400, send).await;
        assert_eq!(got["error"]["code"], -32022);
    }
    for send in [get(&session), delete()] {
        let send = send
            .header("mcp-protocol-version", "2025-11-25")
            .and_header("mcp-protocol-version", "2025-06-18");
        assert_eq!(app.send(send).await.status, 400);
    }
    let named = |send: Send| send.header("mcp-protocol-version", "2025-11-25");
    assert_eq!(app.open(named(get(&session))).await.status(), 200);
    assert_eq!(app.send(named(delete())).await.status, 204);
}

#[tokio::test]
async fn a_client_is_asked_down_its_kept_stream_and_answers_by_any_post() {
    let app = app();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}});
    let got = app.send(Send::legacy("initialize", hello)).await;
    let session = got.header("mcp-session-id").expect("a session").to_owned();
    let other = app.session("2025-11-25").await;
    let mut stream = Read::of(app.open(get(&session)).await);
    let mut cannot = Read::of(app.open(get(&other)).await);
    for one in [&mut stream, &mut cannot] {
        assert_eq!(one.next().await, Some(Value::Null));
    }
    let grace = app.caller("staff").await;
    let answered = async |id: &Value, answer: Value, send: fn(Send, &str) -> Send| {
        let mut answer = answer;
        answer["jsonrpc"] = "2.0".into();
        answer["id"] = id.clone();
        let sent = send(Send::raw(answer.to_string()), &session);
        assert_eq!(app.send(sent).await.status, 202);
    };

    let notes = app.notes();
    let mut asking = std::pin::pin!(notes.request(&grace, "roots/list", None));
    assert!(asking.as_mut().now_or_never().is_none());
    let mut question = stream.next().await.expect("a question");
    let id = question["id"].take();
    assert_eq!(
        question,
        json!({"jsonrpc": "2.0", "id": null, "method": "roots/list"})
    );
    assert!(
        cannot.next().now_or_never().is_none(),
        "it did not say that it can"
    );
    let result = json!({"result": {"roots": [{"uri": "file:///a"}]}});
    // Another caller, and no session: neither is the client that was asked.
    answered(&id, result.clone(), |send, session| {
        send.session(session).by("ada")
    })
    .await;
    answered(&id, result.clone(), |send, _| send).await;
    assert!(asking.as_mut().now_or_never().is_none());
    answered(&id, result.clone(), |send, session| send.session(session)).await;
    assert_eq!(asking.await.ok(), Some(result["result"].clone()));

    let mut asking = std::pin::pin!(notes.request(&grace, "ping", None));
    assert!(asking.as_mut().now_or_never().is_none());
    for one in [&mut stream, &mut cannot] {
        let question = one.next().await.expect("a question");
        assert_eq!(question["method"], "ping");
        let error = json!({"error": {"code": -32601, "message": "no"}});
        answered(&question["id"], error, |send, session| {
            send.session(session)
        })
        .await;
    }
    drop(cannot);
    let refused = asking
        .await
        .expect_err("one refused, and the other went away");
    assert_eq!(refused.code(), "T7120");

    let params = Some(json!({"messages": []}));
    let refused = notes
        .request(&grace, "sampling/createMessage", params)
        .await;
    assert_eq!(
        refused.map_err(|error| error.code().to_owned()),
        Err("T7120".to_owned())
    );
    drop(stream);
    let refused = notes.request(&grace, "ping", None).await;
    assert_eq!(
        refused.map_err(|error| error.code().to_owned()),
        Err("T7120".to_owned())
    );
}

fn with_resources() -> App {
    App::of(RESOURCES, |settings| settings.mcp.stream = true)
}

const UPDATED: &str = "notifications/resources/updated";

#[tokio::test]
async fn a_legacy_session_subscribes_to_what_its_caller_may_read() {
    let app = with_resources();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let got = app.ask(200, Send::legacy("initialize", hello)).await;
    assert_eq!(
        got["result"]["capabilities"]["resources"],
        json!({"listChanged": true, "subscribe": true})
    );
    let session = app.session("2025-11-25").await;
    let send = |method: &str, uri: Value| {
        Send::legacy(method, json!({"uri": uri}))
            .session(&session)
            .by("ada")
    };
    let subscribe = |uri: &str| send("resources/subscribe", uri.into());
    let mut stream = Read::of(app.open(get(&session).by("ada")).await);
    let done = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    assert_eq!(app.ask(200, subscribe("orders://7")).await, done);
    for (uri, code) in [
        // Not there, not for subscriptions, and that whose variable does not fit.
        ("nothing://", -32002),
        ("shop://manual", -32602),
        ("orders://x", -32002),
        (&format!("orders://{}", "7".repeat(2048)), -32602),
    ] {
        assert_eq!(
            app.ask(200, subscribe(uri)).await["error"]["code"],
            code,
            "{uri}"
        );
    }
    let misfit = app.ask(200, send("resources/subscribe", json!(7))).await;
    assert_eq!(misfit["error"]["code"], -32602);
    let send_alone = Send::legacy("resources/subscribe", json!({"uri": "orders://7"}));
    assert_eq!(app.ask(400, send_alone).await["error"]["code"], -32600);

    assert_eq!(stream.next().await, Some(Value::Null));
    for uri in ["orders://8", "orders://7"] {
        app.notes().resource_updated(uri);
    }
    app.notes().resources_changed();
    let list = "notifications/resources/list_changed";
    assert_eq!(
        stream.next().await,
        Some(note(UPDATED, json!({"uri": "orders://7"})))
    );
    assert_eq!(stream.next().await, Some(note(list, json!({}))));

    let unsubscribe = send("resources/unsubscribe", "orders://7".into());
    assert_eq!(app.ask(200, unsubscribe).await, done);
    app.notes().resource_updated("orders://7");
    // A list that was not declared is not told of.
    app.notes().prompts_changed();
    app.notes().resources_changed();
    assert_eq!(stream.next().await, Some(note(list, json!({}))));
}

#[tokio::test]
async fn a_subscription_honours_the_resources_that_its_caller_may_read() {
    let app = with_resources();
    let filter = json!({
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["orders://7", "orders://x", "shop://manual", "nothing://"],
    });
    let mut stream = Read::of(app.open(listen("1", filter)).await);
    let told = json!({"resourcesListChanged": true, "resourceSubscriptions": ["orders://7"]});
    let acknowledged = stream.next().await.expect("an acknowledgement");
    assert_eq!(acknowledged["params"]["notifications"], told);
    for uri in ["shop://manual", "orders://7"] {
        app.notes().resource_updated(uri);
    }
    let updated = subscribed(&json!(1), json!({"uri": "orders://7"}));
    assert_eq!(stream.next().await, Some(note(UPDATED, updated)));

    // Where none is honoured nothing is said of any.
    for uris in [json!([]), json!(["shop://manual", "nothing://"])] {
        let filter = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
        let mut stream = Read::of(app.open(listen("2", filter)).await);
        let acknowledged = stream.next().await.expect("an acknowledgement");
        let told = json!({"resourcesListChanged": true});
        assert_eq!(acknowledged["params"]["notifications"], told);
    }
}

#[tokio::test]
async fn subscriptions_of_sessions_are_bounded() {
    let app = with_resources();
    let session = app.session("2025-11-25").await;
    for id in 0..1001 {
        let params = json!({"uri": format!("orders://{id}")});
        let send = Send::legacy("resources/subscribe", params)
            .session(&session)
            .by("ada");
        let status = if id < 1000 { 200 } else { 429 };
        assert_eq!(app.send(send).await.status.as_u16(), status, "{id}");
    }
}
