//! Rounds that run once: who waits for whom, in one process and in two on one store, and what holds them back.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::app::{App, META, Send, meta};
use super::asking::{FUNCTIONS, count, gate};
use super::dispatch::Place;
use super::lines::Client;
use super::rounds::{asked, call, given, yes};
use crate::clock::Time;
use crate::dispatch::Identity;
use crate::error::Result;
use crate::store::{Found, Key, Memory, Op, Page, Record, Space, Sqlite, Store, Written};

/// Counts how often it is asked about rounds. Keys are in memory.
struct Counted {
    rounds: Arc<dyn Store>,
    rest: Arc<Memory>,
    looks: AtomicU32,
    claims: AtomicU32,
    /// On whom they counted.
    callers: Mutex<Vec<[u8; 32]>>,
}

impl Counted {
    fn new(rounds: Arc<dyn Store>, rest: &Arc<Memory>) -> Arc<Self> {
        Arc::new(Counted {
            rounds,
            rest: rest.clone(),
            looks: AtomicU32::new(0),
            claims: AtomicU32::new(0),
            callers: Mutex::default(),
        })
    }

    fn asked(&self) -> (u32, u32) {
        (
            self.looks.load(Ordering::SeqCst),
            self.claims.load(Ordering::SeqCst),
        )
    }
}

impl Store for Counted {
    fn now(&self) -> Time {
        self.rounds.now()
    }
    fn read(&self, keys: Vec<Key>) -> BoxFuture<'_, Result<Found>> {
        if keys.iter().any(|key| key.space != Space::IDEMPOTENCY) {
            return self.rest.read(keys);
        }
        self.looks.fetch_add(1, Ordering::SeqCst);
        self.rounds.read(keys)
    }
    fn scan(&self, page: Page) -> BoxFuture<'_, Result<Vec<Record>>> {
        self.rest.scan(page)
    }
    fn write(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Written>> {
        match &*ops {
            [Op::Claim(claim)] => {
                self.claims.fetch_add(1, Ordering::SeqCst);
                let mut callers = self.callers.lock().expect("no test panics in it");
                callers.push(claim.owner);
            }
            [Op::Put(_)] => return self.rest.write(ops),
            _ => {}
        }
        self.rounds.write(ops)
    }
}

fn code(answer: &Value) -> &Value {
    &answer["result"]["_meta"]["tent.error"]["code"]
}

/// By a client that takes no stream, as which an answer comes that takes long.
fn pays(id: &str, brings: Value) -> Send {
    call("pay_slowly", json!({"id": id}), brings).header("accept", "application/json")
}

/// The state of a slow payment, by grace.
async fn begun(app: &App, id: &str) -> String {
    asked(&app.ask(200, pays(id, json!({}))).await).1
}

fn begin(app: &Arc<App>, send: Send) -> tokio::task::JoinHandle<Value> {
    let app = app.clone();
    tokio::spawn(async move { app.ask(200, send).await })
}

#[tokio::test(start_paused = true)]
async fn a_repeat_waits_for_another_process_by_looking_now_and_then() -> Result<()> {
    let directory = std::env::temp_dir().join(format!("tent-claims-{}", std::process::id()));
    std::fs::create_dir(&directory)?;
    let file = directory.join("tent.db");
    let (keys, mut stores) = (Arc::default(), Vec::new());
    for _ in 0..2 {
        stores.push(Counted::new(Arc::new(Sqlite::open(&file).await?), &keys));
    }
    let shared = Place::default();
    let process = |store: &Arc<Counted>, time| {
        let place = Place {
            store: store.clone(),
            ..shared.clone()
        };
        let app = App::on(&place, FUNCTIONS, |settings| {
            settings.limits.call_timeout = Duration::from_secs(time);
        });
        Arc::new(app)
    };
    let (here, there) = (process(&stores[0], 3600), process(&stores[1], 30));
    let state = begun(&here, "another process").await;
    let first = begin(&here, pays("another process", yes(&state)));
    let gate = gate("another process");
    gate.paying.notified().await;
    assert_eq!(stores[0].asked(), (1, 1));

    // Its thirty seconds are over before the first has ended.
    let repeat = there.ask(200, pays("another process", yes(&state))).await;
    assert_eq!(code(&repeat), "T0009");
    let (looks, claims) = stores[1].asked();
    assert_eq!(claims, 0, "nothing is written to look");
    assert!((10..40).contains(&looks), "{looks}");

    let repeat = begin(&there, pays("another process", yes(&state)));
    gate.pay_now.notify_one();
    let answer = first.await.expect("it does not panic");
    assert_eq!(*given(&answer), json!(1));
    assert_eq!(repeat.await.expect("it does not panic"), answer);
    assert_eq!(count("paid", "another process"), 1);
    assert_eq!(stores[1].asked().1, 0);
    drop((here, there, stores));
    std::fs::remove_dir_all(directory)?;
    Ok(())
}

#[tokio::test]
async fn repeats_in_one_process_ask_the_store_nothing_while_they_wait_and_only_so_many_wait() {
    let store = Counted::new(Arc::new(Memory::default()), &Arc::default());
    let place = Place {
        store: store.clone(),
        ..Place::default()
    };
    let app = Arc::new(App::on(&place, FUNCTIONS, |_| {}));
    let state = begun(&app, "many").await;
    let first = begin(&app, pays("many", yes(&state)));
    let gate = gate("many");
    gate.paying.notified().await;

    // Those whose client goes make place for others.
    for _ in 0..3 {
        let mut repeats: Vec<_> = (0..17)
            .map(|_| begin(&app, pays("many", yes(&state))))
            .collect();
        let (refused, _, waiting) = futures_util::future::select_all(&mut repeats).await;
        assert_eq!(code(&refused.expect("it does not panic")), "T0009");
        assert_eq!(waiting.len(), 16);
        for repeat in repeats {
            repeat.abort();
        }
        while app.mcp().dispatcher.claims().waiting() > 0 {
            tokio::task::yield_now().await;
        }
    }
    let repeats: Vec<_> = (0..16)
        .map(|_| begin(&app, pays("many", yes(&state))))
        .collect();
    while app.mcp().dispatcher.claims().waiting() < 16 {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.asked(), (1, 1));
    gate.pay_now.notify_one();
    let answer = first.await.expect("it does not panic");
    assert_eq!(*given(&answer), json!(1));
    for repeat in repeats {
        assert_eq!(repeat.await.expect("it does not panic"), answer);
    }
    assert_eq!(store.asked(), (17, 1));
    assert_eq!(count("began", "many"), 1);
}

#[tokio::test]
async fn one_caller_cannot_keep_others_from_answering() {
    let app = Arc::new(App::of(FUNCTIONS, |_| {}));
    let mut under_way = Vec::new();
    let mut refused = loop {
        let id = format!("hoarded {}", under_way.len());
        let state = begun(&app, &id).await;
        let (sending, send) = (app.clone(), pays(&id, yes(&state)));
        let mut task = tokio::spawn(async move { sending.send(send).await });
        let gate = gate(&id);
        tokio::select! {
            () = gate.paying.notified() => under_way.push((task, id)),
            got = &mut task => break got.expect("it does not panic"),
        }
    };
    assert_eq!(under_way.len(), 128, "256 KiB are kept free for each");
    assert_eq!(refused.status, 429);
    let wait = refused.headers.remove("retry-after").expect("it is there");
    let wait: u64 = wait.to_str().expect("a text").parse().expect("a number");
    let error = &refused.json()["error"];
    assert_eq!(
        (&error["code"], &error["data"]["code"]),
        (&json!(6), &json!("T0006"))
    );
    let fix = format!("Wait {wait} seconds, then send the same request again.");
    assert_eq!(error["data"]["fix"], fix);

    let (_, state) = asked(
        &app.ask(200, call("pay", json!({"id": "room"}), json!({})).by("ada"))
            .await,
    );
    let send = call("pay", json!({"id": "room"}), yes(&state)).by("ada");
    assert_eq!(*given(&app.ask(200, send).await), json!([1, 1]));

    // What has ended leaves room for what is larger than it was.
    let (task, id) = under_way.swap_remove(0);
    gate(&id).pay_now.notify_one();
    task.await.expect("it does not panic");
    let state = begun(&app, "after all").await;
    gate("after all").pay_now.notify_one();
    let refused = app.send(pays("after all", yes(&state))).await;
    assert_eq!(refused.status, 429, "an outcome is kept, of some bytes");
    for (task, id) in under_way {
        gate(&id).pay_now.notify_one();
        task.await.expect("it does not panic");
    }
    let answer = app.ask(200, pays("after all", yes(&state))).await;
    assert_eq!(*given(&answer), json!(1));
}

#[tokio::test]
async fn a_round_counts_on_its_caller_and_nobodys_on_the_address() {
    let store = Counted::new(Arc::new(Memory::default()), &Arc::default());
    let place = Place {
        store: store.clone(),
        ..Place::default()
    };
    let app = App::on(&place, FUNCTIONS, |settings| settings.mcp.anyone = true);
    let senders: [fn(Send) -> Send; 7] = [
        |send| send.from("192.0.2.1"),
        |send| send.from("192.0.2.2"),
        |send| send.by("ada"),
        |send| send.by_nobody().from("192.0.2.1"),
        |send| send.by_nobody().from("::ffff:192.0.2.1"),
        |send| send.by_nobody().from("2001:db8::1"),
        |send| send.by_nobody().from("2001:db8::2"),
    ];
    for (at, by) in senders.into_iter().enumerate() {
        let tip = |brings| by(call("tip", json!({"id": format!("tip {at}")}), brings));
        let (_, state) = asked(&app.ask(200, tip(json!({}))).await);
        assert_eq!(*given(&app.ask(200, tip(yes(&state))).await), json!([1, 1]));
    }
    let callers = store.callers.lock().expect("no test panics in it");
    let first = |caller| callers.iter().position(|one| one == caller);
    let same: Vec<_> = callers.iter().map(first).collect();
    assert_eq!(same, [0, 0, 2, 3, 3, 5, 5].map(Some));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_claimed_round_runs_on_when_its_client_cancels_it_and_is_waited_for_at_the_end() {
    let app = App::of(FUNCTIONS, |_| {});
    let mut client = Client::new(&app, Identity::User("ada".to_owned()));
    let params = |brings: Value| {
        let mut meta = meta();
        meta[format!("{META}clientCapabilities")] = json!({"elicitation": {}});
        let mut params = json!({"name": "pay_slowly", "arguments": {"id": "line"}, "_meta": meta});
        for (key, brought) in brings.as_object().expect("an object") {
            params[key] = brought.clone();
        }
        params
    };
    let cancel = |id: u32| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.request(1, "tools/call", params(json!({})));
    let (_, state) = asked(&client.next().await.expect("an answer"));
    client.request(2, "tools/call", params(yes(&state)));
    let gate = gate("line");
    gate.paying.notified().await;

    // A repeat waits, and is dropped, since it has claimed nothing.
    client.request(3, "tools/call", params(yes(&state)));
    while app.mcp().dispatcher.claims().waiting() == 0 {
        tokio::task::yield_now().await;
    }
    client.send(cancel(3));
    while app.mcp().dispatcher.claims().waiting() == 1 {
        tokio::task::yield_now().await;
    }
    client.send(cancel(2));
    client.request(4, "server/discover", json!({"_meta": meta()}));
    assert_eq!(client.next().await.expect("an answer")["id"], 4);

    // The line has ended, and the call has not.
    client.tell();
    for _ in 0..1000 {
        tokio::task::yield_now().await;
        assert!(!client.has_ended());
    }
    gate.pay_now.notify_one();
    assert_eq!(
        client.ended().await,
        [] as [Value; 0],
        "it wanted no answer"
    );
    let counts = ["began", "cancelled", "paid"].map(|what| count(what, "line"));
    assert_eq!(counts, [1, 0, 1]);
}
