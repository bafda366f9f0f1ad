//! Plain functions: they run on the blocking pool, each caller's on its share of the threads, which they keep when their
//! client is gone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use tent::http::StatusCode;
use tent::prelude::*;
use tent::{App, Tent};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use crate::support::{Directory, ask, key, tent_of};

/// How many run at once, as `query` says.
const PLACES: usize = 256;

/// Told by each `holds` that has its thread.
static BEGUN: Notify = Notify::const_new();
/// Whether `holds` may return.
static OVER: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());
/// Whether `hurries` has had a thread.
static HURRIED: AtomicBool = AtomicBool::new(false);

fn over() -> MutexGuard<'static, bool> {
    OVER.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets every `holds` return, also where the test fails: its runtime waits for them.
struct Held;

impl Drop for Held {
    fn drop(&mut self) {
        *over() = true;
        OVER.1.notify_all();
    }
}

/// Has its thread until all may return.
#[query(access = "role:tester")]
fn holds() {
    BEGUN.notify_one();
    let returned = OVER.1.wait_while(over(), |over| !*over);
    drop(returned.unwrap_or_else(PoisonError::into_inner));
}

/// Has little time.
#[query(access = "role:tester", timeout = "10ms")]
fn hurries() {
    HURRIED.store(true, Ordering::SeqCst);
}

/// Has the time of any call.
#[query(access = "role:tester")]
fn strolls() -> u32 {
    7
}

async fn tent(url: &str) -> (Tent, String) {
    let person = async |id: String| Ok::<_, Error>(Some(User::new(id).role("tester")));
    let change = |app: App| {
        let app = app.functions(FUNCTIONS).set("store.url", url);
        app.users(person)
    };
    let tent = tent_of(change).await;
    let key = key(&tent, "tess", &["*"]).await;
    (tent, key)
}

#[test]
#[cfg_attr(not(feature = "sqlite"), ignore = "needs a store in a file")]
fn abandoned_calls_leave_threads_for_the_store() {
    let directory = Directory::new("blocking");
    let url = directory.store();
    // One thread is left when every place is taken.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(PLACES + 1)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (tent, key) = tent(&url).await;
        let held = Held;
        // A caller takes half of the threads that are free.
        let (mut free, mut caller) = (PLACES, 0);
        while free > 0 {
            let taker = crate::support::key(&tent, &format!("taker{caller}"), &["*"]).await;
            for _ in 0..free.div_ceil(2) {
                let call = ask(&tent, "GET", "/api/holds").key(&taker).send();
                tokio::select! {
                    biased;
                    _ = call => panic!("it does not return"),
                    () = BEGUN.notified() => {}
                }
                free -= 1;
            }
            caller += 1;
        }
        // One more waits, and its time passes.
        let late = ask(&tent, "GET", "/api/hurries").key(&key).send().await;
        late.refuses(504, "T0010");
        assert!(!HURRIED.load(Ordering::SeqCst), "it has had no thread");
        // The key of that call was looked up, and so is all else that is kept.
        let keys = tent.keys().list().await.expect("the store answers");
        assert_eq!(keys.len(), caller + 1);

        // A call that has time is run when one of them returns.
        let call = ask(&tent, "GET", "/api/strolls").key(&key).send();
        let all_return = async { drop(held) };
        let (reply, ()) = tokio::join!(biased; call, all_return);
        assert_eq!(reply.json(), 7);
    });
}

/// Blocks its thread.
#[query(access = "role:tester")]
fn naps(ms: u64) -> u64 {
    std::thread::sleep(Duration::from_millis(ms));
    ms
}

/// Blocks its thread for longer than it has.
#[query(access = "role:tester", timeout = "50ms")]
fn naps_too_long() {
    std::thread::sleep(Duration::from_millis(500));
}

/// The name of its thread.
#[query(access = "role:tester", blocking = false)]
fn in_place() -> Option<String> {
    std::thread::current().name().map(str::to_owned)
}

fn slow_rule(cx: &Cx) -> bool {
    std::thread::sleep(Duration::from_millis(300));
    cx.caller().has_role("tester")
}

/// Behind a rule that blocks its thread.
#[query(access = slow_rule)]
fn behind_a_slow_rule() -> u32 {
    7
}

/// Blocks its thread until a plain function that it calls has returned.
#[query(access = "role:tester")]
fn nests(cx: &Cx, levels: u32) -> Result<u32> {
    if levels == 0 {
        return Ok(0);
    }
    let input = json!({"levels": levels - 1});
    let below: u32 = Handle::current().block_on(cx.call("nests", input))?;
    Ok(below + 1)
}

// P04
#[tokio::test]
async fn a_plain_function_neither_stops_the_runtime_nor_its_timers() {
    let (tent, key) = tent("memory:").await;
    let started = Instant::now();
    let nap = || ask(&tent, "GET", "/api/naps?ms=600").key(&key).send();
    let healthy = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let reply = ask(&tent, "GET", "/healthz").send().await;
        assert_eq!(reply.status, StatusCode::OK);
        started.elapsed()
    };
    let (one, two, three, four, healthy) = tokio::join!(nap(), nap(), nap(), nap(), healthy);
    for reply in [one, two, three, four] {
        assert_eq!(reply.json(), 600);
    }
    assert!(healthy < Duration::from_millis(500), "{healthy:?}");
}

// P04
#[tokio::test]
async fn the_timeout_of_a_plain_function_is_kept() {
    let (tent, key) = tent("memory:").await;
    let started = Instant::now();
    let late = ask(&tent, "GET", "/api/naps_too_long")
        .key(&key)
        .send()
        .await;
    late.refuses(504, "T0010");
    assert!(started.elapsed() < Duration::from_millis(400));
}

// P04
#[tokio::test]
async fn a_function_that_does_not_block_runs_in_place() {
    let (tent, key) = tent("memory:").await;
    let reply = ask(&tent, "GET", "/api/in_place").key(&key).send().await;
    assert_eq!(
        reply.json(),
        std::thread::current().name().unwrap_or_default()
    );
}

// P04
#[tokio::test]
async fn a_plain_access_rule_does_not_stop_the_runtime() {
    let (tent, key) = tent("memory:").await;
    let started = Instant::now();
    let call = ask(&tent, "GET", "/api/behind_a_slow_rule")
        .key(&key)
        .send();
    let timer = async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        started.elapsed()
    };
    let (reply, timer) = tokio::join!(call, timer);
    assert_eq!(reply.json(), 7);
    assert!(timer < Duration::from_millis(250), "{timer:?}");
}

// S12
#[tokio::test]
async fn the_calls_of_one_caller_leave_threads_for_the_others() {
    let (tent, key) = tent("memory:").await;
    let other = crate::support::key(&tent, "ada", &["*"]).await;
    let calls = (0..260).map(|_| {
        let call = ask(&tent, "GET", "/api/naps?ms=1500").key(&key).send();
        tokio::time::timeout(Duration::from_millis(100), call)
    });
    // All have hung up then.
    join_all(calls).await;
    let started = Instant::now();
    let reply = ask(&tent, "GET", "/api/naps?ms=1").key(&other).send().await;
    assert_eq!(reply.json(), 1);
    assert!(
        started.elapsed() < Duration::from_millis(700),
        "{:?}",
        started.elapsed()
    );
}

// S12
#[tokio::test]
async fn plain_functions_that_wait_for_each_other_do_not_wait_for_ever() {
    let (tent, key) = tent("memory:").await;
    let calls = (0..200).map(|_| ask(&tent, "GET", "/api/nests?levels=6").key(&key).send());
    for reply in join_all(calls).await {
        assert_eq!(reply.json(), 6);
    }
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] = tent::functions![
    holds,
    hurries,
    strolls,
    naps,
    naps_too_long,
    in_place,
    behind_a_slow_rule,
    nests,
];
