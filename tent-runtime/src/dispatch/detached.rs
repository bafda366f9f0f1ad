//! The calls whose client is gone: how many of them go on.
//!
//! A disconnect cancels nothing for a legacy client of MCP, so it could leave any number of calls behind. Of one caller
//! [`MAX_OF_ONE`] go on, and [`MAX`] of all; beyond that, the disconnect cancels the call. Their inputs count in the
//! budget of bytes until they end, as those of all calls.
//!
//! ```text
//!              the client goes ┌─► bounds kept: detached ──► ends, and is counted no more
//! connected ───────────────────┤
//!      └─► ends                └─► bounds reached: cancelled
//! ```

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::admit::quota_key;
use crate::cx::Cx;
use crate::quota::Quota;

/// How many calls of one caller go on without their client.
const MAX_OF_ONE: usize = 32;

/// How many calls go on without their client.
const MAX: usize = 1024;

/// The calls whose client is gone.
#[derive(Clone, Default)]
pub(super) struct DetachedCalls(Arc<Mutex<Quota>>);

/// A call that runs in a separate task, which holds this to its end.
pub(super) struct DetachableCall {
    calls: DetachedCalls,
    cx: Cx,
    is_detached: AtomicBool,
}

/// The client of a call. If it is dropped before the call has ended, the client is gone.
pub(super) struct ConnectedClient(Option<Arc<DetachableCall>>);

impl DetachedCalls {
    /// A call whose client is connected: what its task holds, and what its client holds.
    pub(super) fn connected(&self, cx: &Cx) -> (Arc<DetachableCall>, ConnectedClient) {
        let call = Arc::new(DetachableCall {
            calls: self.clone(),
            cx: cx.clone(),
            is_detached: AtomicBool::new(false),
        });
        (call.clone(), ConnectedClient(Some(call)))
    }

    fn lock(&self) -> MutexGuard<'_, Quota> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DetachableCall {
    fn quota_key(&self) -> String {
        quota_key(self.cx.caller(), self.cx.parts().client_address)
    }

    fn detach(&self) {
        let key = self.quota_key();
        let taken = self.calls.lock().take(&key, 1, MAX_OF_ONE, MAX);
        match taken {
            // Read when both holders are gone, so after this.
            Ok(()) => self.is_detached.store(true, Ordering::Release),
            Err(_) => {
                tracing::warn!(
                    caller = %self.cx.caller(),
                    "a call was cancelled when its client disconnected: as many as may go on without their client do"
                );
                self.cx.cancellation().request();
            }
        }
    }
}

impl Drop for DetachableCall {
    fn drop(&mut self) {
        if *self.is_detached.get_mut() {
            let key = self.quota_key();
            self.calls.lock().give_back(&key, 1);
        }
    }
}

impl ConnectedClient {
    /// The call ended while its client was connected.
    pub(super) fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for ConnectedClient {
    fn drop(&mut self) {
        // The last holder is the client if the task has ended.
        if let Some(call) = self.0.take()
            && Arc::strong_count(&call) > 1
        {
            call.detach();
        }
    }
}
