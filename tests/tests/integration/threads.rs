//! Plain functions: one that blocks delays no other call, its time limit is kept, and no caller takes all threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tent::prelude::*;
use tent::{App, Tent};
use tokio::time::timeout;

use crate::support::{ask, key, tent_of};

/// A gate that bodies wait at, one for each test.
#[derive(Clone, Default, State)]
struct Gate(Arc<Inside>);

#[derive(Default)]
struct Inside {
    arrived: AtomicUsize,
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self) {
        self.0.arrived.fetch_add(1, Ordering::SeqCst);
        let is_open = self
            .0
            .is_open
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let passed = self.0.opened.wait_while(is_open, |is_open| !*is_open);
        drop(passed.unwrap_or_else(PoisonError::into_inner));
    }

    fn open(&self) {
        *self
            .0
            .is_open
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.0.opened.notify_all();
    }

    fn arrived(&self) -> usize {
        self.0.arrived.load(Ordering::SeqCst)
    }
}

/// Opens the gate also where the test fails: its runtime waits for the threads.
struct Opened(Gate);

impl Drop for Opened {
    fn drop(&mut self) {
        self.0.open();
    }
}

/// Blocks its thread until the gate opens.
#[query(access = "anyone")]
fn waits_at_the_gate(gate: &Gate) {
    gate.pass();
}

/// Blocks its thread longer than its time limit.
#[query(access = "anyone", timeout = "50ms")]
fn waits_beyond_its_time(gate: &Gate) {
    gate.pass();
}

/// For tests.
#[query(access = "anyone")]
fn short() -> u8 {
    7
}

/// Runs on the thread of its caller.
#[query(access = "anyone", blocking = false)]
fn in_place() -> bool {
    std::thread::current()
        .name()
        .is_some_and(|name| name.contains("threads::"))
}

/// Calls a plain function from a plain function.
#[query(access = "anyone")]
fn calls_another(cx: &Cx) -> Result<u8> {
    tokio::runtime::Handle::current().block_on(cx.call::<u8>("short", tent::serde_json::json!({})))
}

async fn app() -> (Tent, Opened) {
    let gate = Gate::default();
    let state = gate.clone();
    let functions = tent::functions![
        waits_at_the_gate,
        waits_beyond_its_time,
        short,
        in_place,
        calls_another
    ];
    let tent = tent_of(|app: App| app.functions(functions).state(state)).await;
    (tent, Opened(gate))
}

/// Waits until the condition holds; fails after some seconds.
async fn until(condition: impl Fn() -> bool) {
    let poll = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(20), poll)
        .await
        .expect("it comes true");
}

// P04: all workers of the runtime would be blocked.
#[tokio::test]
async fn a_plain_function_that_blocks_delays_no_other_call() {
    let (tent, gate) = app().await;
    let waiting = ask(&tent, "GET", "/api/waits_at_the_gate").send();
    let others = async {
        until(|| gate.0.arrived() == 1).await;
        assert_eq!(ask(&tent, "GET", "/healthz").send().await.status, 200);
        assert_eq!(ask(&tent, "GET", "/api/short").send().await.json(), 7);
        gate.0.open();
    };
    let (waited, ()) = tokio::join!(waiting, others);
    assert_eq!(waited.status, 204);
}

// P04.
#[tokio::test]
async fn the_time_limit_of_a_plain_function_is_kept() {
    let (tent, gate) = app().await;
    let reply = ask(&tent, "GET", "/api/waits_beyond_its_time").send().await;
    reply.refuses(504, "T0010");
    assert_eq!(gate.0.arrived(), 1, "its body still runs");
}

#[tokio::test]
async fn a_function_that_never_blocks_runs_in_place() {
    let (tent, _gate) = app().await;
    assert_eq!(ask(&tent, "GET", "/api/in_place").send().await.json(), true);
}

// S12: calls whose client hung up keep their threads.
#[tokio::test]
async fn one_caller_does_not_take_all_threads() {
    let (tent, gate) = app().await;
    let mut calls = Vec::new();
    for _ in 0..300 {
        let tent = tent.clone();
        let call = async move {
            ask(&tent, "GET", "/api/waits_at_the_gate")
                .send()
                .await
                .status
        };
        calls.push(tokio::spawn(call));
    }
    until(|| gate.0.arrived() == 128).await;
    // They hang up, and call again.
    calls.into_iter().for_each(|call| call.abort());
    let again = ask(&tent, "GET", "/api/short").send();
    assert!(
        timeout(Duration::from_millis(200), again).await.is_err(),
        "the share is in use"
    );
    assert_eq!(gate.0.arrived(), 128);
    let key = key(&tent, "ada", &["*"]).await;
    let other = ask(&tent, "GET", "/api/short").key(&key).send();
    let other = timeout(Duration::from_secs(10), other)
        .await
        .expect("it has a thread");
    assert_eq!(other.json(), 7);
    // After their bodies have returned, the caller is served again.
    gate.0.open();
    assert_eq!(ask(&tent, "GET", "/api/short").send().await.json(), 7);
}

#[tokio::test]
async fn plain_functions_that_call_plain_functions_end() {
    let (tent, gate) = app().await;
    gate.0.open();
    let calls = (0..200).map(|_| {
        let tent = tent.clone();
        tokio::spawn(async move { ask(&tent, "GET", "/api/calls_another").send().await.json() })
    });
    for call in calls.collect::<Vec<_>>() {
        let ended = timeout(Duration::from_secs(20), call)
            .await
            .expect("it ends");
        assert_eq!(ended.expect("no panic"), 7);
    }
}
