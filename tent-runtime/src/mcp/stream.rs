//! Streams of events: the answer to a call that has something to say before it ends, and what waits to be
//! sent on one.
//!
//! Knows bytes of messages and when they go; what they say is written by others. Nothing here grows
//! without a bound: what a slow reader does not take is dropped, but for answers and questions.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use super::reply::{Refusal, Reply};
use crate::error::Error;

/// How long a call is quiet before its answer becomes a stream, so that who waits sees signs of life.
const QUIET: Duration = Duration::from_secs(1);

/// How long a stream is without a byte at most: there are proxies that close one after 30 seconds.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// A comment, which carries no event.
pub(super) const COMMENT: &[u8] = b":\n\n";

/// The most bytes that wait on one stream, as far as they can be dropped.
const MOST_WAITING: usize = 256 << 10;

/// What one event costs beside its text.
const EACH: usize = 64;

/// What waits to be sent, in order. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Sink(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Notify,
    taken: Notify,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<Event>,
    /// Of those that can be dropped.
    bytes: usize,
    closed: bool,
}

#[derive(Debug)]
struct Event {
    message: Vec<u8>,
    /// Whether it may be left out where the reader is slow.
    can_go: bool,
}

impl Event {
    fn cost(&self) -> usize {
        self.message.len() + EACH
    }
}

impl Sink {
    /// Sends a notification. Where too much waits already the oldest ones go, and where it is too large to
    /// wait at all it goes itself.
    pub(super) fn send(&self, message: Vec<u8>) {
        let event = Event {
            message,
            can_go: true,
        };
        let cost = event.cost();
        let mut waiting = self.lock();
        if waiting.closed || cost > MOST_WAITING {
            return;
        }
        while waiting.bytes + cost > MOST_WAITING {
            let oldest = waiting.events.iter().position(|event| event.can_go);
            let dropped = oldest.and_then(|at| waiting.events.remove(at));
            waiting.bytes -= dropped.map_or(waiting.bytes, |event| event.cost());
        }
        waiting.bytes += cost;
        waiting.events.push_back(event);
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// Sends what must arrive: a question to the client, or an answer. Whoever sends it bounds how many
    /// there are. Tells whether there still is a stream to send it on.
    pub(super) fn send_surely(&self, message: Vec<u8>) -> bool {
        let mut waiting = self.lock();
        if waiting.closed {
            return false;
        }
        waiting.events.push_back(Event {
            message,
            can_go: false,
        });
        drop(waiting);
        self.0.changed.notify_one();
        true
    }

    /// Takes nothing more; what waits is sent.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.0.changed.notify_one();
        self.0.taken.notify_one();
        self.0.ended.notify_waiters();
    }

    /// Ends when nothing more is taken. Any number wait for it.
    pub(super) async fn ended(&self) {
        let mut ended = std::pin::pin!(self.0.ended.notified());
        // Noted as waiting before it is looked at, so that no end is missed.
        ended.as_mut().enable();
        if !self.is_closed() {
            ended.await;
        }
    }

    /// Ends when fewer than `most` messages wait, or none is taken any more. One waits for it at a time.
    pub(super) async fn room(&self, most: usize) {
        loop {
            {
                let waiting = self.lock();
                if waiting.events.len() < most || waiting.closed {
                    return;
                }
            }
            self.0.taken.notified().await;
        }
    }

    /// The next message that waits.
    pub(super) fn take(&self) -> Option<Vec<u8>> {
        let mut waiting = self.lock();
        let event = waiting.events.pop_front()?;
        if event.can_go {
            waiting.bytes -= event.cost();
        }
        drop(waiting);
        self.0.taken.notify_one();
        Some(event.message)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().events.is_empty()
    }

    /// How many messages wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().events.len()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Ends when something waits, or nothing more will. One waits for it at a time.
    pub(super) async fn changed(&self) {
        loop {
            {
                let waiting = self.lock();
                if !waiting.events.is_empty() || waiting.closed {
                    return;
                }
            }
            self.0.changed.notified().await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // Nothing panics while it is held.
        self.0
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A message as one event. A line break in it, which can only stand between two tokens, would end the
/// line of its data.
pub(super) fn event(message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 8);
    out.extend_from_slice(b"data: ");
    on_one_line(&mut out, message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// Writes a JSON text without its line breaks.
pub(super) fn on_one_line(out: &mut Vec<u8>, message: &[u8]) {
    let start = out.len();
    out.extend_from_slice(message);
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

type Ended = Result<Reply, Refusal>;

/// The answer to a request that may say something before it ends: one JSON text, or from its first event on,
/// or after a second, a stream of events. `None` where the client takes no stream.
///
/// Whoever drops what comes back drops the work.
pub(super) async fn answered(
    sink: Option<Sink>,
    id: &str,
    work: impl Future<Output = Ended> + Send + 'static,
) -> Ended {
    let Some(sink) = sink else {
        return work.await;
    };
    let mut work: Pin<Box<dyn Future<Output = Ended> + Send>> = Box::pin(work);
    let (work, quiet) = tokio::select! {
        biased;
        ended = &mut work => {
            sink.close();
            if sink.is_empty() {
                return ended;
            }
            (Work::Ended(bytes(ended, id)), false)
        }
        () = sink.changed() => (Work::spawn(work, &sink), false),
        () = tokio::time::sleep(QUIET) => (Work::spawn(work, &sink), true),
    };
    let streamed = Streamed {
        sink,
        work,
        quiet,
        id: id.into(),
    };
    Ok(Reply::stream(Body::from_stream(stream::unfold(
        streamed,
        Streamed::next,
    ))))
}

/// The bytes of an answer; none where the client wants none.
fn bytes(ended: Ended, id: &str) -> Vec<u8> {
    match ended {
        Ok(reply) => reply.body,
        Err(refusal) => refusal.write(Some(id)),
    }
}

struct Streamed {
    sink: Sink,
    work: Work,
    /// Nothing was sent yet, and nothing waits.
    quiet: bool,
    id: Box<str>,
}

enum Work {
    UnderWay(Task),
    Ended(Vec<u8>),
    Told,
}

/// Work in a task of its own, so that a reader that stands still does not make it stand still too. It ends
/// with this.
struct Task(JoinHandle<Ended>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Closing(Sink);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Work {
    fn spawn(work: Pin<Box<dyn Future<Output = Ended> + Send>>, sink: &Sink) -> Self {
        let sink = sink.clone();
        Work::UnderWay(Task(tokio::spawn(async move {
            // Also where the work panics.
            let _closing = Closing(sink);
            work.await
        })))
    }
}

impl Streamed {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        if std::mem::take(&mut self.quiet) {
            return Some((Ok(Bytes::from_static(COMMENT)), self));
        }
        loop {
            if let Some(message) = self.sink.take() {
                return Some((Ok(event(&message)), self));
            }
            match &mut self.work {
                Work::UnderWay(task) => tokio::select! {
                    biased;
                    () = self.sink.changed(), if !self.sink.is_closed() => {}
                    ended = &mut task.0 => {
                        let ended = ended.unwrap_or_else(|lost| Err(lost_task(lost)));
                        self.work = Work::Ended(bytes(ended, &self.id));
                    }
                    () = tokio::time::sleep(SIGN_OF_LIFE) => {
                        return Some((Ok(Bytes::from_static(COMMENT)), self));
                    }
                },
                Work::Ended(answer) => {
                    let answer = std::mem::take(answer);
                    self.work = Work::Told;
                    if !answer.is_empty() {
                        return Some((Ok(event(&answer)), self));
                    }
                }
                Work::Told => return None,
            }
        }
    }
}

fn lost_task(lost: tokio::task::JoinError) -> Refusal {
    tracing::error!(%lost, "the answer to a call was lost");
    Refusal::of(&Error::of("T0012"), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(sink: &Sink) -> Vec<String> {
        std::iter::from_fn(|| sink.take())
            .map(|message| String::from_utf8(message).expect("a text"))
            .collect()
    }

    #[test]
    fn what_a_slow_reader_leaves_goes_oldest_first_but_for_what_must_arrive() {
        let sink = Sink::default();
        let long = "x".repeat(MOST_WAITING / 4);
        sink.send_surely(b"question".to_vec());
        for n in 0..100 {
            sink.send(format!("{n}{long}").into_bytes());
        }
        assert!(sink.lock().bytes <= MOST_WAITING);
        sink.send("y".repeat(MOST_WAITING).into_bytes());
        sink.send_surely(b"answer".to_vec());
        let got = all(&sink);
        let short: Vec<_> = got.iter().map(|one| one.trim_end_matches('x')).collect();
        assert_eq!(short, ["question", "97", "98", "99", "answer"]);
        assert_eq!(sink.lock().bytes, 0);
    }

    #[test]
    fn nothing_goes_into_a_stream_that_has_ended() {
        let sink = Sink::default();
        sink.send(b"1".to_vec());
        sink.close();
        sink.send(b"2".to_vec());
        assert!(!sink.send_surely(b"3".to_vec()));
        assert_eq!(all(&sink), ["1"]);
    }

    #[test]
    fn a_message_is_one_line() {
        let message = b"{\"a\":\r\n\"b\\n\"}";
        assert_eq!(event(message), "data: {\"a\":  \"b\\n\"}\n\n");
    }
}
