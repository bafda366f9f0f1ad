//! Requests of the server's to legacy clients, and their answers, which come by a POST of their own: a
//! question and its answer are found together by session, caller and id.
//!
//! Sends, matches and takes back; whether a client may be asked something is for who asks to know. What is
//! under way lives in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tent_core::codes;
use tokio::sync::oneshot;

use crate::error::{Error, Result};
use crate::json;
use crate::mcp::client::outbox::{Outbox, PendingMessage};
use crate::mcp::protocol::message::ClientResponse;
use crate::mcp::protocol::notification;
use crate::mcp::protocol::response::write;
use crate::mcp::session::in_flight::RequestKey;
use crate::random;

/// The most questions under way at once, of all clients.
const MOST: usize = 10_000;

/// The most of them that count on one caller, so that one leaves room for others.
const MOST_OF_ONE: usize = 1000;

/// The most characters of a client's own words about why it does not answer.
const MOST_WORDS: usize = 200;

/// A client that can be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipient<'a> {
    pub(crate) session: &'a RequestKey,
    /// On whom its questions count.
    pub(crate) on: &'a str,
    /// The stream that they go down.
    pub(crate) outbox: &'a Outbox,
}

/// The questions under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingRequests(Arc<Mutex<UnderWay>>);

#[derive(Debug, Default)]
struct UnderWay {
    questions: HashMap<RequestKey, Waiting>,
    /// How many there are by whom they count on.
    counts: HashMap<Box<str>, usize>,
}

#[derive(Debug)]
struct Waiting {
    answer: oneshot::Sender<ClientResponse>,
    on: Box<str>,
}

impl UnderWay {
    fn remove(&mut self, key: &RequestKey) -> Option<Waiting> {
        let waiting = self.questions.remove(key)?;
        if let Some(count) = self.counts.get_mut(&waiting.on) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&waiting.on);
            }
        }
        Some(waiting)
    }
}

impl PendingRequests {
    /// Sends a request down a stream, and waits for its answer however long that takes, also when the stream
    /// ends meanwhile: the answer may come on another connection. `request` is its method and its params, by
    /// its id.
    ///
    /// Whoever drops what comes back takes the request back: it is not sent, or
    /// `notifications/cancelled` is sent after it.
    ///
    /// # Errors
    /// T0006 where too many are under way. `None` where it never left, since nobody reads the stream any more, or
    /// its line has ended, on which alone its answer could have come.
    pub(crate) async fn put(
        &self,
        asked: Recipient<'_>,
        request: impl FnOnce(&str) -> Value,
    ) -> Result<Option<ClientResponse>> {
        // Nobody else can know it, and no two servers of one session take the same.
        let id = format!("tent-{}", json::hex(&random::bytes::<16>()));
        let mut request = request(&id);
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.as_str().into();
        let mut out = Vec::new();
        write(&mut out, &request);

        let key = asked.session.with_id(&format!("\"{id}\""));
        let answer = self.begin(key.clone(), asked.on)?;
        let mut put = Put {
            questions: self,
            key,
            id: &id,
            outbox: asked.outbox,
            ticket: None,
        };
        let Some(ticket) = asked.outbox.send_request(out) else {
            return Ok(None);
        };
        let ticket = put.ticket.insert(ticket);
        tokio::select! {
            biased;
            // The sender goes with an answer, with `put`, or with its line.
            answer = answer => Ok(answer.ok()),
            () = ticket.dropped() => Ok(None),
        }
    }

    fn begin(&self, key: RequestKey, on: &str) -> Result<oneshot::Receiver<ClientResponse>> {
        let too_many = |most: usize, whose: &str| {
            Error::new(codes::TOO_MANY_REQUESTS).with_message(format!(
                "{most} questions to {whose} wait for an answer, which is the most at once."
            ))
        };
        let (answer, answered) = oneshot::channel();
        let mut under_way = self.lock();
        if under_way.questions.len() >= MOST {
            return Err(too_many(MOST, "clients"));
        }
        let count = under_way.counts.get(on).copied().unwrap_or_default();
        if count >= MOST_OF_ONE {
            return Err(too_many(MOST_OF_ONE, "the clients of one caller")
                .with_fix("Answer some of them first."));
        }
        under_way.counts.insert(on.into(), count + 1);
        let waiting = Waiting {
            answer,
            on: on.into(),
        };
        under_way.questions.insert(key, waiting);
        Ok(answered)
    }

    /// Hands an answer to who waits for it, if somebody does.
    pub(crate) fn answer(&self, key: &RequestKey, answer: ClientResponse) {
        let waiting = self.lock().remove(key);
        if let Some(waiting) = waiting {
            // Who asked may have gone meanwhile.
            let _ = waiting.answer.send(answer);
        }
    }

    /// Ends the questions to the client of a line, on which no answer comes any more.
    pub(crate) fn end_line(&self, nonce: &[u8; 16]) {
        let left: Vec<_> = {
            let mut under_way = self.lock();
            let of_line = |key: &&RequestKey| key.is_in(nonce);
            let keys: Vec<_> = under_way
                .questions
                .keys()
                .filter(of_line)
                .cloned()
                .collect();
            let left = keys.iter().filter_map(|key| under_way.remove(key));
            left.collect()
        };
        // Who waits is told by this, and not while they are held.
        drop(left);
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.lock().questions.len()
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        // Nothing panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question under way. When this goes before an answer came, it is taken back.
struct Put<'a> {
    questions: &'a PendingRequests,
    key: RequestKey,
    id: &'a str,
    outbox: &'a Outbox,
    ticket: Option<PendingMessage>,
}

impl Drop for Put<'_> {
    fn drop(&mut self) {
        let is_answered = self.questions.lock().remove(&self.key).is_none();
        let sent = self.ticket.as_ref().filter(|_| !is_answered);
        if sent.is_some_and(|ticket| !ticket.withdraw()) {
            let mut out = notification::begin("notifications/cancelled");
            out.extend_from_slice(br#""requestId":"#);
            write(&mut out, self.id);
            // As many as there are questions that were read, so these are bounded too.
            self.outbox.send_required(notification::end(out));
        }
    }
}

/// There is no client to ask any more.
pub(crate) fn gone() -> Error {
    Error::new(codes::APPROVAL_NEEDED).with_message("The client that was to be asked is not there.")
}

/// A client's refusal of what it was asked.
pub(crate) fn refused(error: &Value) -> Error {
    let code = error.get("code").and_then(Value::as_i64);
    let said = match words(error) {
        said if said.is_empty() => "without a message".to_owned(),
        said => said,
    };
    let message = match code {
        Some(code) => format!("The client refused what it was asked ({code}): {said}"),
        None => format!("The client refused what it was asked: {said}"),
    };
    Error::new(codes::APPROVAL_NEEDED).with_message(message)
}

/// A client's own words about why it does not answer.
pub(crate) fn words(error: &Value) -> String {
    let words = error.get("message").and_then(Value::as_str);
    words.unwrap_or_default().chars().take(MOST_WORDS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caller::Caller;

    #[tokio::test]
    async fn one_caller_leaves_room_for_others() {
        let questions = PendingRequests::default();
        let session = RequestKey::new([1; 16], &Caller::App, "");
        let begin = |n: usize, on: &str| {
            let begun = questions.begin(session.with_id(&n.to_string()), on);
            begun.map_err(|error| (error.code().to_owned(), error.message().to_owned()))
        };
        let waiting: Vec<_> = (0..MOST_OF_ONE).map(|n| begin(n, "a")).collect();
        assert!(waiting.iter().all(Result::is_ok));
        let refused = begin(MOST_OF_ONE, "a").expect_err("there are too many");
        let message = "1000 questions to the clients of one caller wait for an answer, which is the most at once.";
        assert_eq!(refused, ("T0006".to_owned(), message.to_owned()));
        assert!(begin(MOST_OF_ONE, "b").is_ok());
        questions.answer(&session.with_id("0"), Ok(Value::Null));
        assert!(begin(0, "a").is_ok(), "one was answered");

        for n in MOST_OF_ONE + 1..MOST {
            assert!(begin(n, &(n / MOST_OF_ONE).to_string()).is_ok());
        }
        let refused = begin(MOST, "c").expect_err("there are too many");
        let message = "10000 questions to clients wait for an answer, which is the most at once.";
        assert_eq!(refused, ("T0006".to_owned(), message.to_owned()));
        for n in 0..MOST {
            questions.answer(&session.with_id(&n.to_string()), Ok(Value::Null));
        }
        assert_eq!(questions.lock().counts.len(), 0);
    }

    /// A question that nobody waits for any more is not sent, or taken back where it was.
    #[tokio::test]
    async fn a_question_that_nobody_waits_for_is_taken_back() {
        use futures_util::FutureExt as _;
        let (questions, outbox) = (PendingRequests::default(), Outbox::default());
        let session = RequestKey::new([1; 16], &Caller::App, "");
        let asked = Recipient {
            session: &session,
            on: "a",
            outbox: &outbox,
        };
        let put = || Box::pin(questions.put(asked, |_| serde_json::json!({"method": "ping"})));
        let taken = || {
            let message = outbox.take()?;
            Some(serde_json::from_slice::<Value>(&message).expect("JSON"))
        };
        let mut unsent = put();
        assert!(unsent.as_mut().now_or_never().is_none());
        drop(unsent);
        assert_eq!(taken(), None);

        let mut sent = put();
        assert!(sent.as_mut().now_or_never().is_none());
        let id = taken().expect("it was sent")["id"].take();
        drop(sent);
        let cancelled = taken().expect("it is taken back");
        assert_eq!(cancelled["method"], "notifications/cancelled");
        assert_eq!(cancelled["params"], serde_json::json!({"requestId": id}));

        let mut answered = put();
        assert!(answered.as_mut().now_or_never().is_none());
        let id = taken().expect("it was sent")["id"].to_string();
        questions.answer(&session.with_id(&id), Ok(Value::Null));
        assert!(matches!(answered.await, Ok(Some(Ok(Value::Null)))));
        assert_eq!((taken(), questions.len()), (None, 0));

        let mut unread = put();
        assert!(unread.as_mut().now_or_never().is_none());
        outbox.abandon();
        assert!(matches!(unread.now_or_never(), Some(Ok(None))));
        assert!(
            matches!(put().now_or_never(), Some(Ok(None))),
            "there is no stream any more"
        );
        assert_eq!(questions.len(), 0);
    }
}
