//! Streams of events: the answer to a call that has something to say before it ends.
//!
//! Knows bytes of messages and when they go; what they say is written by others, and what waits is kept in
//! a [`Sink`].

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::function::BoxFuture;
use crate::mcp::client::outbox::{Reader, Sink};
use crate::mcp::protocol::response::{Refusal, Reply};

/// How long a call that was let in is quiet before its answer becomes a stream, so that who waits sees signs of
/// life.
const QUIET: Duration = Duration::from_secs(1);

/// How long a stream is without a byte at most: there are proxies that close one after 30 seconds.
pub(crate) const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// A comment, which carries no event.
pub(crate) const COMMENT: &[u8] = b":\n\n";

/// A message as one event. A line break in it, which can only stand between two tokens, would end the
/// line of its data.
pub(crate) fn event(message: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(message.len() + 8);
    out.extend_from_slice(b"data: ");
    on_one_line(&mut out, message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// Writes a JSON text without its line breaks.
pub(crate) fn on_one_line(out: &mut Vec<u8>, message: &[u8]) {
    let start = out.len();
    out.extend_from_slice(message);
    for byte in &mut out[start..] {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
}

type Ended = Result<Reply, Refusal>;

/// The answer to a request that may say something before it ends: one JSON text, or a stream of events from its
/// first event on, or from a second on after it was let in. What is refused before has a status of its own, which
/// a stream could not have, however long that takes. `None` where the client takes no stream.
///
/// Whoever drops what comes back drops the work, and what waits in the sink. The work comes in a box, since
/// it is large and would else be copied with everything that holds it.
pub(crate) async fn answered(
    sink: Option<Sink>,
    id: &str,
    mut work: BoxFuture<'static, Ended>,
) -> Ended {
    let Some(sink) = sink else {
        return work.await;
    };
    let reader = Reader::of(sink.clone());
    let quiet = async {
        sink.begun().await;
        tokio::time::sleep(QUIET).await;
    };
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
        () = quiet => (Work::spawn(work, &sink), true),
    };
    let streamed = Streamed {
        sink: reader,
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
    sink: Reader,
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
    fn spawn(work: BoxFuture<'static, Ended>, sink: &Sink) -> Self {
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

    #[test]
    fn a_message_is_one_line() {
        let message = b"{\"a\":\r\n\"b\\n\"}";
        assert_eq!(event(message), "data: {\"a\":  \"b\\n\"}\n\n");
    }
}
