//! [`Outbox`]: the messages that wait to be sent to one client.
//! Must not know how messages travel. It holds bytes.
//!
//! Senders and one reader share an outbox. Memory is bounded by the kind of a message:
//!
//! | kind | bound | when the bound is reached |
//! |---|---|---|
//! | notification | [`MAX_NOTIFICATIONS`] bytes, and the budget of the bytes in flight | the oldest notifications go; a larger one is never queued |
//! | response | its sender bounds how many there are | the connection loop stops reading: see [`Outbox::wait_for_room`] |
//! | request to the client | its sender bounds how many there are | the sender gets an error |
//!
//! ```text
//!            refuse_requests                close, close_with          empty
//! ┌──────┐ ───────────────► ┌─────────────┐ ────────────► ┌────────┐ ───────► end
//! │ open │                  │ no requests │               │ closed │
//! └──────┘ ───────────────────────────────────────────►  └────────┘
//!   accepts all               accepts notifications          accepts nothing;
//!                             and responses                  the reader takes what waits
//! ```
//!
//! `abandon` closes an outbox and drops what waits: the reader is gone. A request to the client that is dropped before
//! the reader takes it tells its sender by [`PendingMessage::dropped`].

mod pending_message;

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};

use crate::error::Result;
use crate::in_flight::Reservation;

pub(crate) use pending_message::PendingMessage;

/// The most bytes of notifications that wait.
const MAX_NOTIFICATIONS: usize = 256 << 10;

/// The bytes that one message takes beside its text.
const OVERHEAD: usize = 64;

/// The messages that wait to be sent to one client, in order. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Notified when a message waits or the outbox closes.
    ready: Notify,
    /// Notified when a message leaves.
    taken: Notify,
    admitted: Notify,
    closed: Notify,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// The bytes of the notifications.
    notification_bytes: usize,
    /// The bytes of the responses and requests.
    required_bytes: usize,
    /// How many messages the reader took so far.
    taken: u64,
    /// Whether dispatch admitted the call that sends here.
    admitted: bool,
    closed: bool,
    /// Whether the client can no longer respond to a request.
    refuses_requests: bool,
    /// How many requests were sent so far.
    requests: u64,
    /// The bytes that wait, in the budget of the bytes in flight. `None` on a connection, of which the app or the operating
    /// system limits the number.
    reservation: Option<Reservation>,
}

#[derive(Debug)]
struct Message {
    bytes: Vec<u8>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Notification,
    Response,
    /// A request to the client: its number, and the sender that tells when the reader takes it.
    Request(u64, oneshot::Sender<()>),
}

impl Message {
    fn cost(&self) -> usize {
        self.bytes.len() + OVERHEAD
    }

    fn is_notification(&self) -> bool {
        matches!(self.kind, Kind::Notification)
    }
}

impl Queue {
    fn push_required(&mut self, bytes: Vec<u8>, kind: Kind) {
        let message = Message { bytes, kind };
        self.required_bytes += message.cost();
        self.messages.push_back(message);
    }

    /// Uncounts a message that leaves the queue.
    fn uncount(&mut self, message: &Message) {
        let bytes = match message.is_notification() {
            true => &mut self.notification_bytes,
            false => &mut self.required_bytes,
        };
        *bytes -= message.cost();
    }

    fn bytes(&self) -> usize {
        self.notification_bytes + self.required_bytes
    }

    /// Whether the budget has room for all that waits and these bytes more.
    fn covers(&mut self, more: usize) -> bool {
        let bytes = self.bytes() + more;
        let reservation = self.reservation.as_mut();
        reservation.is_none_or(|reservation| reservation.cover(bytes).is_ok())
    }

    /// Returns what the budget holds for messages that left.
    fn shrink(&mut self) {
        let bytes = self.bytes();
        if let Some(reservation) = &mut self.reservation {
            reservation.shrink(bytes);
        }
    }

    /// Drops the oldest notification. Returns whether there was one.
    fn drop_oldest(&mut self) -> bool {
        let oldest = self.messages.iter().position(Message::is_notification);
        let dropped = oldest.and_then(|at| self.messages.remove(at));
        if let Some(dropped) = &dropped {
            self.uncount(dropped);
        }
        dropped.is_some()
    }

    fn has_room(&self, room: Room) -> bool {
        self.closed || self.messages.len() < room.messages && self.required_bytes <= room.bytes
    }
}

/// How much may wait before the connection loop stops reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) messages: usize,
    /// The bytes of responses and requests. Notifications have their own bound.
    pub(crate) bytes: usize,
}

impl Outbox {
    /// Counts the messages in the budget of the bytes in flight from now on. The oldest notifications go if it has no room.
    pub(crate) fn count(&self, reservation: Reservation) {
        let mut queue = self.lock();
        queue.reservation = Some(reservation);
        while !queue.covers(0) && queue.drop_oldest() {}
    }

    /// Reserves room for a response that the sender holds until the reader takes it.
    ///
    /// # Errors
    /// T0013 or T0006 if the budget has no room.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Option<Reservation>> {
        let Some(mut reservation) = self.lock().reservation.as_ref().map(Reservation::another)
        else {
            return Ok(None);
        };
        reservation.cover(bytes)?;
        Ok(Some(reservation))
    }

    /// Sends a notification. The oldest notifications make room for it. One that is larger than the bound is dropped.
    pub(crate) fn send(&self, bytes: Vec<u8>) {
        let message = Message {
            bytes,
            kind: Kind::Notification,
        };
        let cost = message.cost();
        let mut queue = self.lock();
        if queue.closed || cost > MAX_NOTIFICATIONS {
            return;
        }
        while queue.notification_bytes + cost > MAX_NOTIFICATIONS || !queue.covers(cost) {
            if !queue.drop_oldest() {
                return;
            }
        }
        queue.notification_bytes += cost;
        queue.messages.push_back(message);
        drop(queue);
        self.0.ready.notify_one();
    }

    /// Sends a message that must arrive, such as a response. The sender bounds how many there are.
    pub(crate) fn send_required(&self, bytes: Vec<u8>) {
        let mut queue = self.lock();
        if queue.closed {
            return;
        }
        queue.push_required(bytes, Kind::Response);
        drop(queue);
        self.0.ready.notify_one();
    }

    /// Sends a request to the client, which can be withdrawn. The sender bounds how many there are. Returns `None` when
    /// the client can get no request any more.
    pub(crate) fn send_request(&self, bytes: Vec<u8>) -> Option<PendingMessage> {
        let (taken, was_taken) = oneshot::channel();
        let mut queue = self.lock();
        if queue.closed || queue.refuses_requests {
            return None;
        }
        let number = queue.requests;
        queue.requests += 1;
        queue.push_required(bytes, Kind::Request(number, taken));
        drop(queue);
        self.0.ready.notify_one();
        Some(PendingMessage {
            outbox: self.clone(),
            number,
            was_taken,
        })
    }

    /// Refuses requests from now on and drops those that wait: the client can no longer respond.
    pub(crate) fn refuse_requests(&self) {
        let dropped = {
            let mut queue = self.lock();
            queue.refuses_requests = true;
            let is_request = |message: &Message| matches!(message.kind, Kind::Request(..));
            let (dropped, left) = std::mem::take(&mut queue.messages)
                .into_iter()
                .partition::<VecDeque<_>, _>(is_request);
            queue.messages = left;
            for message in &dropped {
                queue.uncount(message);
            }
            dropped
        };
        self.0.taken.notify_one();
        // Dropping a request wakes its sender, which must not happen under the lock.
        drop(dropped);
    }

    /// Records that dispatch admitted the call.
    pub(crate) fn admit(&self) {
        self.lock().admitted = true;
        self.0.admitted.notify_waiters();
    }

    /// Resolves after [`admit`](Self::admit).
    pub(crate) async fn admitted(&self) {
        let mut admitted = std::pin::pin!(self.0.admitted.notified());
        // Registered before the flag is read, so that no notification is lost between the two.
        admitted.as_mut().enable();
        if !self.lock().admitted {
            admitted.await;
        }
    }

    /// Accepts nothing more. The reader still takes what waits.
    pub(crate) fn close(&self) {
        if !std::mem::replace(&mut self.lock().closed, true) {
            self.notify_closed();
        }
    }

    fn notify_closed(&self) {
        self.0.ready.notify_one();
        self.0.taken.notify_one();
        self.0.closed.notify_waiters();
    }

    /// Accepts nothing more and drops what waits: no reader is left.
    pub(crate) fn abandon(&self) {
        self.close_with([]);
    }

    /// Drops what waits, and closes with these messages.
    pub(crate) fn close_with(&self, last: impl IntoIterator<Item = Vec<u8>>) {
        let (dropped, was_open) = {
            let mut queue = self.lock();
            let dropped = std::mem::take(&mut queue.messages);
            (queue.notification_bytes, queue.required_bytes) = (0, 0);
            for bytes in last {
                queue.push_required(bytes, Kind::Response);
            }
            queue.shrink();
            (dropped, !std::mem::replace(&mut queue.closed, true))
        };
        if was_open || !dropped.is_empty() {
            self.notify_closed();
        }
        // Dropping a request wakes its sender, which must not happen under the lock.
        drop(dropped);
    }

    /// Resolves when the outbox is closed. Any number of tasks may wait.
    pub(crate) async fn closed(&self) {
        let mut closed = std::pin::pin!(self.0.closed.notified());
        // Registered before the flag is read, so that no notification is lost between the two.
        closed.as_mut().enable();
        if !self.is_closed() {
            closed.await;
        }
    }

    /// Resolves when less than `room` waits, or the outbox is closed. One task may wait at a time.
    pub(crate) async fn wait_for_room(&self, room: Room) {
        while !self.lock().has_room(room) {
            self.0.taken.notified().await;
        }
    }

    /// Takes the next message.
    pub(crate) fn take(&self) -> Option<Vec<u8>> {
        let mut queue = self.lock();
        let message = queue.messages.pop_front()?;
        queue.uncount(&message);
        queue.shrink();
        queue.taken += 1;
        drop(queue);
        self.0.taken.notify_one();
        if let Kind::Request(_, taken) = message.kind {
            // The send fails when the sender of the request no longer waits.
            let _ = taken.send(());
        }
        Some(message.bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().messages.is_empty()
    }

    /// How many messages the reader took so far.
    pub(crate) fn taken_count(&self) -> u64 {
        self.lock().taken
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Resolves when a message waits, or the outbox is closed. One task may wait at a time.
    pub(crate) async fn ready(&self) {
        loop {
            {
                let queue = self.lock();
                if !queue.messages.is_empty() || queue.closed {
                    return;
                }
            }
            self.0.ready.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        // No code panics while the lock is held.
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The reader of an outbox. Dropping it abandons the outbox, also when the task of the reader panics.
#[derive(Debug)]
pub(crate) struct Reader(Outbox);

impl Reader {
    pub(crate) fn of(outbox: Outbox) -> Self {
        Reader(outbox)
    }
}

impl Deref for Reader {
    type Target = Outbox;

    fn deref(&self) -> &Outbox {
        &self.0
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

#[cfg(test)]
mod tests;
