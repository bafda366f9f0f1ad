//! The response to a request whose function may send notifications before it ends: one JSON text, or a stream of
//! messages.
//! Must not know how a stream is encoded.
//!
//! ```text
//!            ends without a message
//! started ─────────────────────────────► JSON, with the status of the result or error
//!    │
//!    │ first message in the outbox, or QUIET after the call was admitted
//!    ▼
//! streaming: status 200 ── messages and keep-alives ──► the result or error as the last message
//! ```
//!
//! An error before the call is admitted keeps its own HTTP status, however long admission takes.

use std::time::Duration;
use tent_core::codes;

use futures_util::stream;
use serde_json::value::RawValue;
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::function::BoxFuture;
use crate::in_flight::Reservation;
use crate::mcp::client::outbox::{Outbox, Reader};
use crate::mcp::protocol::response::{Response, StreamItem};
use crate::mcp::protocol::rpc_error::RpcError;

/// How long an admitted call sends no message before its response becomes a stream, so that the client sees that
/// the call is alive.
const QUIET: Duration = Duration::from_secs(1);

/// How often a subscription stream checks that its caller may still use it: what is revoked hears nothing a second later.
pub(crate) const CHECK: Duration = Duration::from_secs(1);

/// How long a check may take. The store may be slow, and the client waits meanwhile.
pub(crate) const CHECK_TIME: Duration = Duration::from_secs(5);

/// The longest time without a byte on a stream. Some proxies close a stream after 30 seconds.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(15);

type Served = Result<Response, RpcError>;

/// Runs `work` and responds with what it returns. `outbox` is where its function sends messages; `None` where the
/// client accepts no stream.
///
/// A stream counts in the budget of the bytes in flight, from `reservation`. Most responses are no stream, so it is made
/// for those alone.
///
/// Dropping the response drops the work and the messages in the outbox. The work is boxed because it is large and
/// would otherwise be copied into each future around it.
pub(crate) async fn respond(
    outbox: Option<Outbox>,
    id: &RawValue,
    mut work: BoxFuture<'static, Served>,
    reservation: impl FnOnce() -> Reservation,
) -> Served {
    let Some(outbox) = outbox else {
        return work.await;
    };
    let reader = Reader::of(outbox.clone());
    let quiet = async {
        outbox.admitted().await;
        tokio::time::sleep(QUIET).await;
    };
    let (work, quiet) = tokio::select! {
        biased;
        served = &mut work => {
            outbox.close();
            if outbox.is_empty() {
                return served;
            }
            outbox.count(reservation());
            (Work::done(served, id, &outbox), false)
        }
        () = outbox.ready() => {
            outbox.count(reservation());
            (Work::spawn(work, &outbox), false)
        }
        () = quiet => {
            outbox.count(reservation());
            (Work::spawn(work, &outbox), true)
        }
    };
    let messages = ResponseStream {
        outbox: reader,
        work,
        quiet,
        id: id.to_owned(),
    };
    Ok(Response::stream(stream::unfold(
        messages,
        ResponseStream::next,
    )))
}

/// The bytes of a response; empty where the client gets none.
fn bytes(served: Served, id: &RawValue) -> Vec<u8> {
    match served {
        Ok(response) => response.body,
        Err(error) => error.write(Some(id)),
    }
}

struct ResponseStream {
    outbox: Reader,
    work: Work,
    /// Whether the stream begins with a keep-alive, since no message waits.
    quiet: bool,
    id: Box<RawValue>,
}

enum Work {
    Running(Task),
    /// With the response, which is not sent yet, and its bytes in the budget.
    Done {
        response: Vec<u8>,
        _reservation: Option<Reservation>,
    },
    Sent,
}

/// Work in a task, so that a client that reads nothing does not stop it. Dropping this ends the task.
struct Task(JoinHandle<Served>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct CloseOnDrop(Outbox);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Work {
    /// Work that ended. A response for which the budget has no room becomes an error: the client may read nothing.
    fn done(served: Served, id: &RawValue, outbox: &Outbox) -> Self {
        let response = bytes(served, id);
        match outbox.reserve(response.len()) {
            Ok(_reservation) => Work::Done {
                response,
                _reservation,
            },
            Err(error) => Work::Done {
                response: RpcError::of(&error, "").write(Some(id)),
                _reservation: None,
            },
        }
    }

    fn spawn(work: BoxFuture<'static, Served>, outbox: &Outbox) -> Self {
        let outbox = outbox.clone();
        Work::Running(Task(tokio::spawn(async move {
            // The outbox closes when the work panics, too.
            let _close = CloseOnDrop(outbox);
            work.await
        })))
    }
}

impl ResponseStream {
    async fn next(mut self) -> Option<(StreamItem, Self)> {
        if std::mem::take(&mut self.quiet) {
            return Some((StreamItem::KeepAlive, self));
        }
        loop {
            if let Some(message) = self.outbox.take() {
                return Some((StreamItem::Message(message), self));
            }
            match &mut self.work {
                Work::Running(task) => tokio::select! {
                    biased;
                    () = self.outbox.ready(), if !self.outbox.is_closed() => {}
                    served = &mut task.0 => {
                        let served = served.unwrap_or_else(|lost| Err(lost_task(lost)));
                        self.work = Work::done(served, &self.id, &self.outbox);
                    }
                    () = tokio::time::sleep(KEEP_ALIVE) => {
                        return Some((StreamItem::KeepAlive, self));
                    }
                },
                Work::Done { response, .. } => {
                    let response = std::mem::take(response);
                    self.work = Work::Sent;
                    if !response.is_empty() {
                        return Some((StreamItem::Message(response), self));
                    }
                }
                Work::Sent => return None,
            }
        }
    }
}

fn lost_task(lost: tokio::task::JoinError) -> RpcError {
    tracing::error!(%lost, "the response to a call was lost");
    RpcError::of(&Error::new(codes::INTERNAL), "")
}
