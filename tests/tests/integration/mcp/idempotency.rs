//! Claimed retries of multi round-trip requests: each runs once, in one process or in two on one store, and within limits.

use futures_util::future::select_all;
use serde_json::{Value, json};

use super::app::{App, Request, capable, codes, tool_error, with};
use super::client::{Client, user};
use super::mrtr::{self, agree, call, complete, input_required};
use crate::support::Directory;

async fn app_with(set: &[(&str, &str)]) -> App {
    App::of(|app| {
        let app = app.functions(mrtr::FUNCTIONS);
        set.iter()
            .fold(app, |app, (key, value)| app.set(*key, *value))
    })
    .await
}

/// A payment whose response is never an event stream.
fn pay(id: &str, retry: Value) -> Request {
    call("pay_slowly", json!({"id": id}), retry).header("accept", "application/json")
}

/// The state of a payment.
async fn state(app: &App, request: Request) -> String {
    input_required(&app.json(200, request).await).1
}

#[tokio::test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
async fn a_retry_waits_for_the_call_in_another_process() {
    let directory = Directory::new("claims");
    let url = directory.store();
    let set = [("store.url", &*url)];
    let here = app_with(&set).await;
    let there = app_with(&set).await.with_keys_of(&here);
    let state = state(&here, pay("7", json!({}))).await;
    let first = here.start(pay("7", agree(&state)));
    here.events.next("paying 7").await;
    let repeat = there.start(pay("7", agree(&state)));
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    here.events.emit("pay 7");
    let response = first.json().await;
    assert_eq!(*complete(&response), json!(1));
    assert_eq!(repeat.json().await, response);
    assert_eq!(
        (here.events.count("paid 7"), there.events.count("paid 7")),
        (1, 0)
    );
}

#[tokio::test]
async fn sixteen_retries_wait_for_one_call() {
    let app = app_with(&[]).await;
    let state = state(&app, pay("many", json!({}))).await;
    let first = app.start(pay("many", agree(&state)));
    app.events.next("paying many").await;
    let repeat = || Box::pin(app.json(200, pay("many", agree(&state))));
    // A client that disconnects makes room for another.
    for _ in 0..3 {
        let (refused, _, waiting) = select_all((0..17).map(|_| repeat())).await;
        assert_eq!(tool_error(&refused)["code"], "T0009");
        assert_eq!(waiting.len(), 16);
    }
    let (_, _, waiting) = select_all((0..17).map(|_| repeat())).await;
    app.events.emit("pay many");
    let response = first.json().await;
    assert_eq!(*complete(&response), json!(1));
    for repeat in waiting {
        assert_eq!(repeat.await, response);
    }
    assert_eq!(app.events.count("paying many"), 1);
}

#[tokio::test]
async fn one_caller_leaves_room_for_the_retries_of_others() {
    let app = app_with(&[("mcp.anyone", "true")]).await;
    // All addresses of a /64 network are one caller.
    let from = |id: usize, request: Request| request.anonymous().from(&format!("2001:db8::{id:x}"));
    let pay = |id: usize, retry| from(id, pay(&id.to_string(), retry));
    let mut running = Vec::new();
    let refused = loop {
        let id = running.len();
        let state = state(&app, pay(id, json!({}))).await;
        let mut request = Box::pin(app.send(pay(id, agree(&state))));
        let paying = format!("paying {id}");
        tokio::select! {
            () = app.events.next(&paying) => running.push((id, request)),
            response = &mut request => break response,
        }
    };
    assert_eq!(running.len(), 128, "each takes 256 KiB of 32 MiB");
    assert_eq!(refused.status, 429);
    let wait = refused
        .header("retry-after")
        .expect("it is known")
        .to_owned();
    let refused = refused.json();
    assert_eq!(codes(&refused), (6, "T0006".to_owned()));
    let fix = format!("Wait {wait} seconds, then send the same request again.");
    assert_eq!(refused["error"]["data"]["fix"], fix);

    let other = |retry| call("pay", json!({"id": "other"}), retry).by("ada");
    let other_state = state(&app, other(json!({}))).await;
    let paid = app.json(200, other(agree(&other_state))).await;
    assert_eq!(*complete(&paid), json!([1, 1]));

    // An outcome is stored too, so the end of one call is not enough room.
    let (id, request) = running.swap_remove(0);
    app.events.emit(&format!("pay {id}"));
    request.await;
    let last = state(&app, pay(1000, json!({}))).await;
    app.events.emit("pay 1000");
    assert_eq!(app.send(pay(1000, agree(&last))).await.status, 429);
    for (id, request) in running {
        app.events.emit(&format!("pay {id}"));
        request.await;
    }
    let paid = app.json(200, pay(1000, agree(&last))).await;
    assert_eq!(*complete(&paid), json!(1));
}

#[tokio::test]
async fn limits_count_a_known_caller_and_the_network_of_an_anonymous_one() {
    let set = [
        ("mcp.anyone", "true"),
        ("mcp.stream", "true"),
        ("limits.streams_per_caller", "1"),
    ];
    let app = app_with(&set).await;
    let listen = || Request::modern("subscriptions/listen", json!({"notifications": {}}));
    let mut streams = Vec::new();
    for (request, status) in [
        (listen().from("192.0.2.1"), 200),
        (listen().from("192.0.2.2"), 429),
        (listen().by("ada"), 200),
        (listen().anonymous().from("192.0.2.1"), 200),
        (listen().anonymous().from("::ffff:192.0.2.1"), 429),
        (listen().anonymous().from("2001:db8::1"), 200),
        (listen().anonymous().from("2001:db8::2"), 429),
    ] {
        let response = app.open(request).await;
        assert_eq!(response.status(), status);
        streams.push(response);
    }
}

#[tokio::test]
async fn a_claimed_retry_outlives_its_cancellation_and_its_connection() {
    let app = app_with(&[]).await;
    let mut client = Client::new(&app, user("ada"));
    let params = |retry| {
        let meta = capable(json!({"elicitation": {}}));
        with(
            json!({"name": "pay_slowly", "arguments": {"id": "7"}, "_meta": meta}),
            retry,
        )
    };
    let (_, state) = input_required(&client.request(1, "tools/call", params(json!({}))).await);
    client.start(2, "tools/call", params(agree(&state))).await;
    app.events.next("paying 7").await;
    // A repeat has claimed nothing, so it can be cancelled.
    client.start(3, "tools/call", params(agree(&state))).await;
    client.cancel(3).await;
    client.cancel(2).await;
    let discover = json!({"_meta": super::app::meta()});
    assert_eq!(
        client.request(4, "server/discover", discover).await["id"],
        4
    );
    assert!(client.finish().await.is_empty(), "neither gets a response");

    let mut drained = Box::pin(app.tent.drained());
    for _ in 0..1000 {
        tokio::task::yield_now().await;
        assert!(futures_util::FutureExt::now_or_never(&mut drained).is_none());
    }
    app.events.emit("pay 7");
    drained.await;
    let counts = ["paying 7", "cancelled 7", "paid 7"].map(|event| app.events.count(event));
    assert_eq!(counts, [1, 0, 1]);
}
