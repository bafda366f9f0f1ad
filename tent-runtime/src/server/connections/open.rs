//! [`OpenConnections`]: the table of the open connections, which bounds how many there are, in total and of each client
//! address.
//!
//! Must not read or write a connection. When a bound is reached, it closes the connection that is idle for the longest
//! time; see [`Idleness`](super::activity::Idleness).
//!
//! The search for it looks at every connection, under the lock. It runs only when a bound is reached: 16,384 connections
//! take some 50 microseconds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::activity::Activity;
use crate::in_flight::ClientNetwork;

/// How often a server whose connections are all busy looks for one that stalls.
const RETRY: Duration = Duration::from_millis(250);

/// The open connections of one listener.
#[derive(Debug)]
pub(in crate::server) struct OpenConnections {
    max: usize,
    max_per_address: usize,
    epoch: Instant,
    table: Mutex<Table>,
    /// Notified when a connection ends.
    freed: Notify,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    open: HashMap<u64, Open>,
    by_network: HashMap<ClientNetwork, usize>,
}

#[derive(Debug)]
struct Open {
    activity: Arc<Activity>,
    network: Option<ClientNetwork>,
    /// Ends the task of the connection; `None` until it has one.
    task: Option<AbortHandle>,
}

/// A client address has as many connections as it may have, and none of them is idle.
#[derive(Debug)]
pub(super) struct TooMany;

/// Whether there is room for a connection.
enum Room {
    Free,
    /// A connection is being closed, or none can be.
    Wait,
    TooMany,
}

impl OpenConnections {
    pub(super) fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Arc::new(OpenConnections {
            max,
            max_per_address,
            epoch: Instant::now(),
            table: Mutex::default(),
            freed: Notify::new(),
        })
    }

    /// How many there are.
    pub(in crate::server) fn count(&self) -> usize {
        self.lock().open.len()
    }

    /// Adds a connection, after the one that is idle for the longest time has made room if that is necessary. Waits while
    /// all connections are busy.
    ///
    /// # Errors
    /// [`TooMany`] if the bound of the client's address is reached, and all its connections are busy.
    pub(super) async fn admit(
        self: &Arc<Self>,
        network: Option<ClientNetwork>,
    ) -> Result<Slot, TooMany> {
        loop {
            let mut freed = std::pin::pin!(self.freed.notified());
            // Registered before the table is read, so that no notification is lost between the two.
            freed.as_mut().enable();
            {
                let mut table = self.lock();
                match self.room(&table, network) {
                    Room::Free => return Ok(self.add(&mut table, network)),
                    Room::TooMany => return Err(TooMany),
                    Room::Wait => {}
                }
            }
            let _ = tokio::time::timeout(RETRY, freed).await;
        }
    }

    fn room(&self, table: &Table, network: Option<ClientNetwork>) -> Room {
        let of_address = network.map_or(0, |network| {
            table.by_network.get(&network).copied().unwrap_or_default()
        });
        if network.is_some() && of_address >= self.max_per_address {
            let is_its = |open: &Open| open.network == network;
            return match table.close_one(is_its) {
                true => Room::Wait,
                false => Room::TooMany,
            };
        }
        if table.open.len() >= self.max {
            table.close_one(|_| true);
            return Room::Wait;
        }
        Room::Free
    }

    fn add(self: &Arc<Self>, table: &mut Table, network: Option<ClientNetwork>) -> Slot {
        let id = table.next;
        table.next += 1;
        let activity = Arc::new(Activity::new(self.epoch));
        let open = Open {
            activity: activity.clone(),
            network,
            task: None,
        };
        table.open.insert(id, open);
        if let Some(network) = network {
            *table.by_network.entry(network).or_default() += 1;
        }
        Slot {
            connections: self.clone(),
            id,
            activity,
        }
    }

    /// Lets the table end the task of a connection. Without effect if it has ended already.
    pub(super) fn set_task(&self, id: u64, task: AbortHandle) {
        if let Some(open) = self.lock().open.get_mut(&id) {
            open.task = Some(task);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // No code panics while it holds the lock.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Closes the connection that is idle for the longest time. Returns whether one is being closed.
    fn close_one(&self, counts: impl Fn(&Open) -> bool) -> bool {
        let counted = || self.open.values().filter(|open| counts(open));
        // Its task has not ended yet.
        if counted().any(|open| open.activity.is_closed()) {
            return true;
        }
        let idle = counted().filter_map(|open| {
            let task = open.task.as_ref()?;
            Some((open.activity.idleness()?, &open.activity, task))
        });
        let Some((idleness, activity, task)) = idle.min_by_key(|(idleness, ..)| *idleness) else {
            return false;
        };
        // Otherwise a request has just begun on it: the caller tries again.
        if activity.close(idleness) {
            task.abort();
        }
        true
    }
}

/// A connection in the table. Dropping it removes the connection.
#[derive(Debug)]
pub(super) struct Slot {
    connections: Arc<OpenConnections>,
    pub(super) id: u64,
    pub(super) activity: Arc<Activity>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut table = self.connections.lock();
            let open = table.open.remove(&self.id);
            if let Some(network) = open.and_then(|open| open.network)
                && let Some(count) = table.by_network.get_mut(&network)
            {
                *count -= 1;
                if *count == 0 {
                    table.by_network.remove(&network);
                }
            }
        }
        self.connections.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn network(last: u8) -> Option<ClientNetwork> {
        Some(ClientNetwork::of([192, 0, 2, last].into()))
    }

    /// A connection that holds its slot until its task is ended.
    async fn connected(connections: &Arc<OpenConnections>, of: u8) -> Arc<Activity> {
        let slot = connections.admit(network(of)).await.expect("room");
        let (id, activity) = (slot.id, slot.activity.clone());
        let task = tokio::spawn(async move {
            let _slot = slot;
            std::future::pending::<()>().await
        });
        connections.set_task(id, task.abort_handle());
        // Another moment for each, so that one is idle for longer.
        tokio::time::sleep(Duration::from_millis(1)).await;
        activity
    }

    // S03.
    #[tokio::test(start_paused = true)]
    async fn the_connection_that_is_idle_for_the_longest_time_makes_room() {
        let connections = OpenConnections::new(3, 3);
        let busy = connected(&connections, 1).await;
        assert!(busy.begin(false));
        let first = connected(&connections, 2).await;
        let second = connected(&connections, 3).await;
        let third = connected(&connections, 4).await;
        assert_eq!(
            [&first, &second, &third].map(|one| one.is_closed()),
            [true, false, false]
        );
        let _fourth = connected(&connections, 5).await;
        assert!(second.is_closed() && !third.is_closed() && !busy.is_closed());
        assert_eq!(connections.lock().open.len(), 3);
    }

    // S03.
    #[tokio::test(start_paused = true)]
    async fn an_address_makes_room_among_its_own_connections() {
        let connections = OpenConnections::new(10, 2);
        let other = connected(&connections, 1).await;
        let first = connected(&connections, 2).await;
        let second = connected(&connections, 2).await;
        let third = connected(&connections, 2).await;
        assert!(first.is_closed() && !second.is_closed() && !other.is_closed());
        for activity in [&second, &third] {
            assert!(activity.begin(false));
        }
        assert!(
            connections.admit(network(2)).await.is_err(),
            "both are busy"
        );
        assert!(connections.admit(network(1)).await.is_ok());
        assert!(
            connections.admit(None).await.is_ok(),
            "a proxy counts only in total"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn waits_while_every_connection_is_busy() {
        let connections = OpenConnections::new(1, 1);
        let busy = connected(&connections, 1).await;
        assert!(busy.begin(true));
        let mut waiting = std::pin::pin!(connections.admit(network(2)));
        assert!(waiting.as_mut().now_or_never().is_none());
        // The client stalls in the middle of its body.
        assert!(waiting.await.is_ok());
        assert!(busy.is_closed());
    }
}
