//! `blocking` functions whose client is gone: they keep their threads, and only a limited number of them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tent::prelude::*;
use tent::{App, Tent};
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
#[query(access = "role:tester", blocking = true)]
fn holds() {
    BEGUN.notify_one();
    let returned = OVER.1.wait_while(over(), |over| !*over);
    drop(returned.unwrap_or_else(PoisonError::into_inner));
}

/// Has little time.
#[query(access = "role:tester", blocking = true, timeout = "10ms")]
fn hurries() {
    HURRIED.store(true, Ordering::SeqCst);
}

/// Has the time of any call.
#[query(access = "role:tester", blocking = true)]
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
        for _ in 0..PLACES {
            let call = ask(&tent, "GET", "/api/holds").key(&key).send();
            tokio::select! {
                biased;
                _ = call => panic!("it does not return"),
                () = BEGUN.notified() => {}
            }
        }
        // One more waits, and its time passes.
        let late = ask(&tent, "GET", "/api/hurries").key(&key).send().await;
        late.refuses(504, "T0010");
        assert!(!HURRIED.load(Ordering::SeqCst), "it has had no thread");
        // The key of that call was looked up, and so is all else that is kept.
        let keys = tent.keys().list().await.expect("the store answers");
        assert_eq!(keys.len(), 1);

        // A call that has time is run when one of them returns.
        let call = ask(&tent, "GET", "/api/strolls").key(&key).send();
        let all_return = async { drop(held) };
        let (reply, ()) = tokio::join!(biased; call, all_return);
        assert_eq!(reply.json(), 7);
    });
}

/// The functions of this file.
pub(crate) const FUNCTIONS: &[&tent::Declaration] = tent::functions![holds, hurries, strolls,];
