//! Requests of the server to legacy clients, and their responses, which may arrive on another connection: a request and
//! its response match by session, caller and id.
//! Must not decide whether a client may get a request: its sender does. Pending requests live in this process alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tent_core::codes;
use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::json;
use crate::mcp::client::outbox::{Outbox, PendingMessage};
use crate::mcp::protocol::json_rpc::write;
use crate::mcp::protocol::message::ClientResponse;
use crate::mcp::protocol::notification::{self, CancelledParams};
use crate::mcp::session::in_flight::RequestKey;
use crate::quota::{Exceeded, Quota};
use crate::random;

/// The most requests that wait for a response, of all clients.
const MAX: usize = 10_000;

/// The most of them for one quota key, so that one caller leaves room for others.
const MAX_OF_ONE: usize = 1000;

/// The most characters of a client's error message.
const MAX_MESSAGE: usize = 200;

/// The client that gets a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipient<'a> {
    pub(crate) session: &'a RequestKey,
    pub(crate) quota_key: &'a str,
    pub(crate) outbox: &'a Outbox,
}

/// The requests that wait for a response. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingRequests(Arc<Mutex<Pending>>);

#[derive(Debug, Default)]
struct Pending {
    requests: HashMap<RequestKey, Waiter>,
    quota: Quota,
}

#[derive(Debug)]
struct Waiter {
    sender: oneshot::Sender<ClientResponse>,
    quota_key: Box<str>,
}

impl Pending {
    fn remove(&mut self, key: &RequestKey) -> Option<Waiter> {
        let waiter = self.requests.remove(key)?;
        self.quota.give_back(&waiter.quota_key, 1);
        Some(waiter)
    }
}

impl PendingRequests {
    /// Sends a request and waits for its response. The wait has no bound, and goes on when the stream ends: the response
    /// may arrive on another connection. `request` makes the method and the params from the id. Returns `None` when the
    /// request never left, or when the connection ended on which alone the response could arrive.
    ///
    /// Dropping the future withdraws the request, or sends `notifications/cancelled` if the client read it already.
    ///
    /// # Errors
    /// T0006 when too many requests wait for a response.
    pub(crate) async fn send(
        &self,
        recipient: Recipient<'_>,
        request: impl FnOnce(&str) -> Value,
    ) -> Result<Option<ClientResponse>> {
        // Random, so that no other client can guess it, and two servers of one session never use the same.
        let id = format!("tent-{}", json::hex(&random::bytes::<16>()));
        let mut request = request(&id);
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.as_str().into();
        let mut out = Vec::new();
        write(&mut out, &request);

        let key = recipient.session.with_id(&format!("\"{id}\""));
        let response = self.begin(key.clone(), recipient.quota_key)?;
        let mut sent = SentRequest {
            requests: self,
            key,
            id: &id,
            outbox: recipient.outbox,
            message: None,
        };
        let Some(message) = recipient.outbox.send_request(out) else {
            return Ok(None);
        };
        let message = sent.message.insert(message);
        tokio::select! {
            biased;
            // The sender is dropped with a response, with `sent`, or with the connection.
            response = response => Ok(response.ok()),
            () = message.dropped() => Ok(None),
        }
    }

    fn begin(&self, key: RequestKey, quota_key: &str) -> Result<oneshot::Receiver<ClientResponse>> {
        let too_many = |max: usize, clients: &str| {
            Error::new(codes::TOO_MANY_REQUESTS).with_message(format!(
                "{max} requests to {clients} wait for a response, which is the most at once."
            ))
        };
        let (sender, response) = oneshot::channel();
        let mut pending = self.lock();
        let taken = pending.quota.take(quota_key, 1, MAX_OF_ONE, MAX);
        taken.map_err(|exceeded| match exceeded {
            Exceeded::Total => too_many(MAX, "clients"),
            Exceeded::OfOne => too_many(MAX_OF_ONE, "the clients of one caller")
                .with_fix("Answer some of them first."),
        })?;
        let waiter = Waiter {
            sender,
            quota_key: quota_key.into(),
        };
        pending.requests.insert(key, waiter);
        Ok(response)
    }

    /// Hands a response to the request that waits for it, if there is one.
    pub(crate) fn resolve(&self, key: &RequestKey, response: ClientResponse) {
        let waiter = self.lock().remove(key);
        if let Some(waiter) = waiter {
            // The send fails when the request was dropped meanwhile.
            let _ = waiter.sender.send(response);
        }
    }

    /// Ends the requests of a connection on which no response can arrive any more.
    pub(crate) fn end_connection(&self, nonce: &[u8; 16]) {
        let left: Vec<_> = {
            let mut pending = self.lock();
            let of_connection = |key: &&RequestKey| key.is_in(nonce);
            let keys: Vec<_> = pending
                .requests
                .keys()
                .filter(of_connection)
                .cloned()
                .collect();
            let left = keys.iter().filter_map(|key| pending.remove(key));
            left.collect()
        };
        // Dropping a waiter wakes its request, which must not happen under the lock.
        drop(left);
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        // No code panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits for its response. Dropping it earlier withdraws the request.
struct SentRequest<'a> {
    requests: &'a PendingRequests,
    key: RequestKey,
    id: &'a str,
    outbox: &'a Outbox,
    message: Option<PendingMessage>,
}

impl Drop for SentRequest<'_> {
    fn drop(&mut self) {
        let has_response = self.requests.lock().remove(&self.key).is_none();
        let sent = self.message.as_ref().filter(|_| !has_response);
        if sent.is_some_and(|message| !message.withdraw()) {
            let id = serde_json::to_string(self.id).unwrap_or_default();
            let params = CancelledParams {
                meta: None,
                request_id: notification::raw(&id),
                reason: None,
            };
            // There are as many of these as requests that the client read, which are bounded.
            let cancelled = notification::write("notifications/cancelled", params);
            self.outbox.send_required(cancelled);
        }
    }
}

/// The error when no client can get the request.
pub(crate) fn gone() -> Error {
    Error::new(codes::APPROVAL_NEEDED).with_message("The client of this request is not connected.")
}

/// The error when a client responds with an error.
pub(crate) fn rejected(error: &Value) -> Error {
    let code = error.get("code").and_then(Value::as_i64);
    let message = match message_of(error) {
        message if message.is_empty() => "without a message".to_owned(),
        message => message,
    };
    let message = match code {
        Some(code) => format!("The client rejected the request ({code}): {message}"),
        None => format!("The client rejected the request: {message}"),
    };
    Error::new(codes::APPROVAL_NEEDED).with_message(message)
}

/// The message of a client's error.
pub(crate) fn message_of(error: &Value) -> String {
    let message = error.get("message").and_then(Value::as_str);
    message
        .unwrap_or_default()
        .chars()
        .take(MAX_MESSAGE)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Caller;

    #[tokio::test]
    async fn bounds_the_requests_of_one_caller_and_of_all() {
        let requests = PendingRequests::default();
        let session = RequestKey::new([1; 16], &Caller::App, "");
        let begin = |n: usize, quota_key: &str| {
            let begin = requests.begin(session.with_id(&n.to_string()), quota_key);
            begin.map_err(|error| (error.code().to_owned(), error.message().to_owned()))
        };
        let waiter: Vec<_> = (0..MAX_OF_ONE).map(|n| begin(n, "a")).collect();
        assert!(waiter.iter().all(Result::is_ok));
        let refused = begin(MAX_OF_ONE, "a").expect_err("there are too many");
        let message = "1000 requests to the clients of one caller wait for a response, which is the most at once.";
        assert_eq!(refused, ("T0006".to_owned(), message.to_owned()));
        assert!(begin(MAX_OF_ONE, "b").is_ok());
        requests.resolve(&session.with_id("0"), Ok(Value::Null));
        assert!(begin(0, "a").is_ok(), "one got its response");

        for n in MAX_OF_ONE + 1..MAX {
            assert!(begin(n, &(n / MAX_OF_ONE).to_string()).is_ok());
        }
        let refused = begin(MAX, "c").expect_err("there are too many");
        let message = "10000 requests to clients wait for a response, which is the most at once.";
        assert_eq!(refused, ("T0006".to_owned(), message.to_owned()));
        for n in 0..MAX {
            requests.resolve(&session.with_id(&n.to_string()), Ok(Value::Null));
        }
        assert_eq!(requests.lock().quota.taken(), (0, 0));
    }

    #[tokio::test]
    async fn a_request_without_a_waiter_is_withdrawn_or_cancelled() {
        use futures_util::FutureExt as _;
        let (requests, outbox) = (PendingRequests::default(), Outbox::default());
        let session = RequestKey::new([1; 16], &Caller::App, "");
        let recipient = Recipient {
            session: &session,
            quota_key: "a",
            outbox: &outbox,
        };
        let send = || Box::pin(requests.send(recipient, |_| serde_json::json!({"method": "ping"})));
        let taken = || {
            let message = outbox.take()?;
            Some(serde_json::from_slice::<Value>(&message).expect("JSON"))
        };
        let mut unsent = send();
        assert!(unsent.as_mut().now_or_never().is_none());
        drop(unsent);
        assert_eq!(taken(), None);

        let mut sent = send();
        assert!(sent.as_mut().now_or_never().is_none());
        let id = taken().expect("it was sent")["id"].take();
        drop(sent);
        let cancelled = taken().expect("it is cancelled");
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"], serde_json::json!({"requestId": id}));

        let mut response = send();
        assert!(response.as_mut().now_or_never().is_none());
        let id = taken().expect("it was sent")["id"].to_string();
        requests.resolve(&session.with_id(&id), Ok(Value::Null));
        assert!(matches!(response.await, Ok(Some(Ok(Value::Null)))));
        assert_eq!((taken(), requests.lock().requests.len()), (None, 0));

        let mut unread = send();
        assert!(unread.as_mut().now_or_never().is_none());
        outbox.abandon();
        assert!(matches!(unread.now_or_never(), Some(Ok(None))));
        assert!(
            matches!(send().now_or_never(), Some(Ok(None))),
            "there is no stream any more"
        );
        assert_eq!(requests.lock().requests.len(), 0);
    }

    #[tokio::test]
    async fn a_refused_request_is_not_cancelled() {
        use futures_util::FutureExt as _;
        let (requests, outbox) = (PendingRequests::default(), Outbox::default());
        let recipient = Recipient {
            session: &RequestKey::new([1; 16], &Caller::App, ""),
            quota_key: "a",
            outbox: &outbox,
        };
        let mut unread =
            Box::pin(requests.send(recipient, |_| serde_json::json!({"method": "ping"})));
        assert!(unread.as_mut().now_or_never().is_none());
        outbox.refuse_requests();
        assert!(matches!(unread.now_or_never(), Some(Ok(None))));
        assert_eq!(outbox.take(), None, "the client never got the request");
    }
}
