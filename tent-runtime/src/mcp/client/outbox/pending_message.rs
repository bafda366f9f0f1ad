//! [`PendingMessage`]: a request to the client that waits in an outbox, or was sent.

use tokio::sync::oneshot;

use super::{Kind, Message, Outbox};

/// A request to the client that was sent.
#[derive(Debug)]
pub(crate) struct PendingMessage {
    pub(super) outbox: Outbox,
    pub(super) number: u64,
    pub(super) was_taken: oneshot::Receiver<()>,
}

impl PendingMessage {
    /// Resolves when the request is dropped before the reader takes it. Never resolves once the reader took it.
    pub(crate) async fn dropped(&mut self) {
        if (&mut self.was_taken).await.is_ok() {
            std::future::pending::<()>().await;
        }
    }

    /// Removes the request from the outbox. Returns false when the reader took it already, and the client can still
    /// respond to it.
    pub(crate) fn withdraw(&self) -> bool {
        let is_own = |message: &Message| matches!(message.kind, Kind::Request(number, _) if number == self.number);
        let (withdrawn, is_over) = {
            let mut queue = self.outbox.lock();
            let at = queue.messages.iter().position(is_own);
            let message = at.and_then(|at| queue.messages.remove(at));
            if let Some(message) = &message {
                queue.uncount(message);
            }
            // Refused requests were dropped, whether or not their sender has seen that yet.
            (message, queue.refuses_requests)
        };
        self.outbox.0.taken.notify_one();
        withdrawn.is_some() || is_over
    }
}
