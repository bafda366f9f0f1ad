//! Runs plain functions of the app, which may block their thread, on the blocking pool: handlers, access rules, lists and
//! completions. Each caller has a fair share of the threads.
//!
//! A thread stays in use until its function returns, also when the call has ended before: nothing can stop the function.
//! One caller must not take all threads with such calls, so a caller gets one more thread only while it has fewer than
//! are free:
//!
//! | callers with unlimited calls | threads of each | free |
//! |---|---|---|
//! | 1 | 128 | 128 |
//! | 2 | 85 | 86 |
//! | n | 256 / (n + 1) | the same |
//!
//! A caller without a thread therefore gets one at once, as long as any is free. Further calls wait, and callers take
//! turns.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

use super::admit::quota_key;
use super::guard::panicked;
use crate::cx::Cx;
use crate::error::{Error, Result};
use crate::function::BoxFuture;

/// How many plain functions run at once: half of the threads of tokio's blocking pool by default. The store works on
/// the same pool, and always has a thread, whatever the functions hold.
const MAX_THREADS: usize = 256;

thread_local! {
    /// Whether this thread runs a plain function now.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// The threads for plain functions.
#[derive(Clone, Default)]
pub(super) struct BlockingThreads(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    in_use: usize,
    /// The callers with a thread or a waiting call.
    callers: HashMap<Arc<str>, Share>,
    /// The callers with a waiting call, in the order of their turns.
    turns: VecDeque<Arc<str>>,
    next_id: u64,
}

/// What one caller has.
#[derive(Default)]
struct Share {
    in_use: usize,
    /// The waiting calls, oldest first.
    waiting: BTreeMap<u64, oneshot::Sender<Permit>>,
}

/// One thread of the pool, until it is dropped.
struct Permit {
    threads: BlockingThreads,
    caller: Arc<str>,
}

impl BlockingThreads {
    /// Runs `work` on the blocking pool for the caller of `cx`. If this future is dropped, the work goes on and its
    /// result is lost.
    ///
    /// # Errors
    /// T0012 if the work panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        cx: &Cx,
        work: impl FnOnce(&Cx) -> T + Send + 'static,
    ) -> Result<T> {
        let caller: Arc<str> = quota_key(cx.caller(), cx.parts().client_address).into();
        let permit = match self.permit(&caller) {
            Some(permit) => permit,
            // A plain function waits on this thread for a function that it calls. To wait for another thread could take
            // for ever: those who hold the threads may all wait like this.
            None if IS_RUNNING.get() => return Ok(in_place(|| work(cx))),
            None => self.wait(&caller).await?,
        };
        let cx = cx.clone();
        let span = tracing::Span::current();
        let running = tokio::task::spawn_blocking(move || {
            // Held to the end of the work, also after the call was dropped: the thread is in use until then.
            let _permit = permit;
            let _running = Running::new();
            span.in_scope(|| work(&cx))
        });
        match running.await {
            Ok(result) => Ok(result),
            Err(lost) if lost.is_panic() => Err(panicked(lost.into_panic())),
            Err(lost) => Err(Error::unexpected(lost)),
        }
    }

    /// Takes a thread for a caller, if it may have one now.
    fn permit(&self, caller: &Arc<str>) -> Option<Permit> {
        let mut state = self.lock();
        let share = state.callers.get(caller);
        let is_first = share.is_none_or(|share| share.waiting.is_empty());
        (is_first && state.take(caller)).then(|| self.permit_of(caller))
    }

    /// Waits for a thread.
    async fn wait(&self, caller: &Arc<str>) -> Result<Permit> {
        let (sender, receiver) = oneshot::channel();
        let id = {
            let mut state = self.lock();
            let id = state.next_id;
            state.next_id += 1;
            let share = state.callers.entry(caller.clone()).or_default();
            let is_first = share.waiting.is_empty();
            share.waiting.insert(id, sender);
            if is_first {
                state.turns.push_back(caller.clone());
            }
            id
        };
        let _waiting = Waiting {
            threads: self,
            caller,
            id,
        };
        // A thread may have become free since the call was refused one.
        self.hand_out();
        receiver.await.map_err(Error::unexpected)
    }

    /// Gives the free threads to the callers that may have one, in turn.
    fn hand_out(&self) {
        while let Some((waiting, permit)) = self.next() {
            // If the call has ended meanwhile, the permit comes back here, and is dropped after the lock.
            drop(waiting.send(permit));
        }
    }

    fn next(&self) -> Option<(oneshot::Sender<Permit>, Permit)> {
        let mut state = self.lock();
        for _ in 0..state.turns.len() {
            let caller = state.turns.pop_front()?;
            if !state.take(&caller) {
                state.turns.push_back(caller);
                continue;
            }
            let share = state.callers.get_mut(&caller)?;
            let waiting = share.waiting.pop_first();
            if !share.waiting.is_empty() {
                state.turns.push_back(caller.clone());
            }
            let (_, waiting) = waiting?;
            return Some((waiting, self.permit_of(&caller)));
        }
        None
    }

    fn permit_of(&self, caller: &Arc<str>) -> Permit {
        Permit {
            threads: self.clone(),
            caller: caller.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No code panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs `work` on this thread, where it may block on a future as on any other thread of the pool.
fn in_place<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(work),
        // Its only thread runs other tasks meanwhile. There, `work` cannot block on a future.
        _ => work(),
    }
}

/// The result of a plain function: its future is ready when it returns.
pub(super) fn ready<T>(future: BoxFuture<'_, Result<T>>) -> Result<T> {
    let result = future.now_or_never();
    result.unwrap_or_else(|| {
        Err(Error::unexpected(
            "a plain function returned a pending future",
        ))
    })
}

impl State {
    /// Counts one more thread of a caller, if it has fewer than are free.
    fn take(&mut self, caller: &Arc<str>) -> bool {
        let free = MAX_THREADS - self.in_use;
        let of_caller = self.callers.get(caller).map_or(0, |share| share.in_use);
        if of_caller >= free {
            return false;
        }
        self.in_use += 1;
        self.callers.entry(caller.clone()).or_default().in_use += 1;
        true
    }

    /// Forgets a caller that has neither a thread nor a waiting call, so that there are no more callers than calls.
    fn forget(&mut self, caller: &Arc<str>) {
        let share = self.callers.get(caller);
        if share.is_some_and(|share| share.in_use == 0 && share.waiting.is_empty()) {
            self.callers.remove(caller);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        {
            let mut state = self.threads.lock();
            state.in_use -= 1;
            if let Some(share) = state.callers.get_mut(&self.caller) {
                share.in_use -= 1;
            }
            state.forget(&self.caller);
        }
        self.threads.hand_out();
    }
}

/// A waiting call. Dropping it ends the wait.
struct Waiting<'a> {
    threads: &'a BlockingThreads,
    caller: &'a Arc<str>,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.threads.lock();
        let Some(share) = state.callers.get_mut(self.caller) else {
            return;
        };
        let was_waiting = share.waiting.remove(&self.id).is_some();
        if was_waiting && share.waiting.is_empty() {
            state.turns.retain(|caller| caller != self.caller);
        }
        state.forget(self.caller);
    }
}

/// Marks the thread while it runs a plain function, also when that panics.
struct Running;

impl Running {
    fn new() -> Self {
        IS_RUNNING.set(true);
        Running
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        IS_RUNNING.set(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_all(threads: &BlockingThreads, caller: &str) -> Vec<Permit> {
        let caller = caller.into();
        std::iter::from_fn(|| threads.permit(&caller)).collect()
    }

    #[test]
    fn a_caller_gets_a_thread_only_while_it_has_fewer_than_are_free() {
        let threads = BlockingThreads::default();
        let shares: Vec<_> = ["ada", "bob", "cleo"]
            .map(|one| take_all(&threads, one))
            .into();
        let sizes: Vec<_> = shares.iter().map(Vec::len).collect();
        assert_eq!(sizes, [128, 64, 32]);
        drop(shares);
        assert_eq!(threads.lock().callers.len(), 0);
        assert_eq!(threads.lock().in_use, 0);
    }

    #[tokio::test]
    async fn a_free_thread_goes_to_the_callers_in_turn() {
        let threads = BlockingThreads::default();
        let all: Vec<_> = (0..MAX_THREADS)
            .map(|n| take_all_one(&threads, n))
            .collect();
        let (ada, bob): (Arc<str>, Arc<str>) = ("ada".into(), "bob".into());
        let mut first = Box::pin(threads.wait(&ada));
        let mut second = Box::pin(threads.wait(&ada));
        let mut other = Box::pin(threads.wait(&bob));
        for wait in [&mut first, &mut second, &mut other] {
            assert!(wait.now_or_never().is_none());
        }
        let mut all = all.into_iter();
        drop(all.next());
        let first = first.await.expect("a permit");
        drop(all.next());
        let other = other.await.expect("a permit");
        drop(second);
        assert_eq!(threads.lock().turns.len(), 0);
        drop((all, first, other));
        assert!(threads.lock().callers.is_empty());
    }

    fn take_all_one(threads: &BlockingThreads, caller: usize) -> Permit {
        threads
            .permit(&caller.to_string().into())
            .expect("a free thread")
    }

    #[tokio::test]
    async fn a_permit_for_a_call_that_has_ended_goes_on() {
        let threads = BlockingThreads::default();
        let mut all: Vec<_> = (0..MAX_THREADS)
            .map(|n| take_all_one(&threads, n))
            .collect();
        let ada: Arc<str> = "ada".into();
        let mut ended = Box::pin(threads.wait(&ada));
        let mut waits = Box::pin(threads.wait(&ada));
        assert!((&mut ended).now_or_never().is_none());
        assert!((&mut waits).now_or_never().is_none());
        drop(all.pop());
        // The permit was sent to it.
        drop(ended);
        assert!(waits.now_or_never().is_some_and(|permit| permit.is_ok()));
    }
}
