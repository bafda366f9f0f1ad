//! Events by name, through which a test sees what its functions do, and lets them go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tent::State;
use tokio::sync::Semaphore;

/// The events of one app. Each occurrence of an event wakes one waiter, also one that waits later.
#[derive(State, Clone, Default)]
pub(crate) struct Events(Arc<Mutex<HashMap<String, Event>>>);

struct Event {
    count: u32,
    unseen: Arc<Semaphore>,
}

impl Events {
    fn of<T>(&self, name: &str, run: impl FnOnce(&mut Event) -> T) -> T {
        let mut events = self.0.lock().expect("no test panics with the lock");
        run(events.entry(name.to_owned()).or_insert_with(|| Event {
            count: 0,
            unseen: Arc::new(Semaphore::new(0)),
        }))
    }

    /// Lets the event occur, and returns how often it has occurred.
    pub(crate) fn emit(&self, name: &str) -> u32 {
        self.of(name, |event| {
            event.unseen.add_permits(1);
            event.count += 1;
            event.count
        })
    }

    /// Lets the event occur when the returned guard is dropped.
    pub(crate) fn emit_on_drop(&self, name: &'static str) -> impl Drop + use<> {
        EmitOnDrop(self.clone(), name)
    }

    /// How often the event has occurred.
    pub(crate) fn count(&self, name: &str) -> u32 {
        self.of(name, |event| event.count)
    }

    /// Waits for an occurrence that no waiter has seen.
    pub(crate) async fn next(&self, name: &str) {
        let unseen = self.of(name, |event| event.unseen.clone());
        unseen.acquire().await.expect("never closed").forget();
    }

    /// Whether there was an occurrence that no waiter had seen.
    pub(crate) fn take(&self, name: &str) -> bool {
        let unseen = self.of(name, |event| event.unseen.clone());
        unseen.try_acquire().map(|permit| permit.forget()).is_ok()
    }
}

struct EmitOnDrop(Events, &'static str);

impl Drop for EmitOnDrop {
    fn drop(&mut self) {
        self.0.emit(self.1);
    }
}
