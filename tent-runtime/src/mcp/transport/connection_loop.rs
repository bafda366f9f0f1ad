//! Serves one connection from its first message to its end, whatever carries its messages. Requests run at once;
//! responses and notifications leave in the order in which they are ready.
//! Must not know what a message means: [`Connection`] does.
//!
//! ```text
//!               input ends or breaks                     all requests done,
//!               server shuts down                        or the grace is over, or HURRY
//! ┌─────────┐   client reads nothing     ┌──────────┐    (the rest is cancelled)     ┌──────────┐
//! │ reading │ ─────────────────────────► │ draining │ ─────────────────────────────► │ flushing │ ──► end
//! └─────────┘                            └──────────┘                                └──────────┘
//!   reads a message when the outbox        reads no message;                           writes what waits, until
//!   has room, and starts its request       requests in flight go on                    the client reads nothing
//! ```
//!
//! How long each state may last depends on who ended the connection:
//!
//! | | draining | flushing |
//! |---|---|---|
//! | the input ended | `limits.grace` | while the client reads something within each [`UNREAD_LAST`] |
//! | the server shuts down | `limits.grace` | until `limits.grace` after the start of draining, at least [`LAST`] |
//! | both | [`HURRY`] | [`LAST`] |
//!
//! While the outbox is full, the loop does not read, so it would see neither the end of the input nor an error. A
//! client that then reads nothing for [`UNREAD`] ends the connection.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt as _, Sink, SinkExt as _, Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::codec::FramedRead;

use crate::dispatch::{Admitted, Identity};
use crate::error::Result;
use crate::mcp::client::outbox::{Outbox, Reader, Room};
use crate::mcp::methods::server::Mcp;
use crate::mcp::transport::connection::Connection;
use crate::mcp::transport::frame::{Frame, Framer};
use crate::mcp::transport::sse::on_one_line;

/// The most messages in the outbox before the loop stops reading.
const MAX_WAITING: usize = 1024;

/// The same bound in bytes, counted in responses of the largest size: one is written while the next is made.
const MAX_WAITING_RESPONSES: usize = 2;

/// How long a client may read nothing while the outbox is full.
const UNREAD: Duration = Duration::from_secs(60);

/// How long a client may read nothing of the last responses.
const UNREAD_LAST: Duration = Duration::from_secs(10);

/// How long the last responses may take to write after that.
const LAST: Duration = Duration::from_secs(1);

/// The same as `limits.grace` when the input ended and the server shuts down: a client that does not wait does both.
const HURRY: Duration = Duration::from_millis(500);

/// Serves one client on a byte stream until `read` ends, `write` fails, or the server shuts down.
///
/// # Errors
/// T0004 for credentials that are not valid; T0012 when `read` fails. Requests in flight are still served.
pub(crate) async fn on_bytes(
    mcp: Arc<Mcp>,
    identity: Identity,
    read: impl AsyncRead + Send + Unpin,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<()> {
    let max = mcp.dispatcher.settings().limits.max_body;
    let messages = FramedRead::new(read, Framer::new(max));
    let outbox = Outbox::default();
    let writer = write_lines(write, Reader::of(outbox.clone()));
    run(mcp, identity, outbox, messages, writer).await
}

/// Serves one client on whole messages until there are no more, none can be sent, or the server shuts down.
///
/// # Errors
/// T0004 for credentials that are not valid.
pub(crate) async fn on_messages<M: AsRef<[u8]> + Send + Sync + 'static>(
    mcp: Arc<Mcp>,
    identity: Identity,
    incoming: impl Stream<Item = M> + Send,
    outgoing: impl Sink<Vec<u8>> + Send + 'static,
) -> Result<()> {
    let outbox = Outbox::default();
    let writer = write_messages(outgoing, Reader::of(outbox.clone()));
    let messages = incoming.map(Frame::Message).map(Ok);
    run(mcp, identity, outbox, messages, writer).await
}

/// Serves one client whose output a task writes.
async fn run<M: AsRef<[u8]> + Send + Sync + 'static>(
    mcp: Arc<Mcp>,
    identity: Identity,
    outbox: Outbox,
    messages: impl Stream<Item = io::Result<Frame<M>>> + Send,
    writer: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let connection = Connection::new(mcp.clone(), identity, outbox.clone());
    let connection = opened(connection).await?;
    let mut writing = JoinSet::new();
    writing.spawn(writer);
    let signals = Signals {
        shutdown: mcp.dispatcher.closed(),
        // Calls without a client may belong to other connections of this process. The process waits for them.
        drained: std::future::ready(()),
        written: async move {
            writing.join_next().await;
        },
    };
    serve(connection, outbox, messages, signals).await
}

/// What the loop waits for beside messages.
pub(crate) struct Signals<S, D, W> {
    /// Resolves when the server shuts down.
    pub(crate) shutdown: S,
    /// Resolves when the calls that draining waits for, beside the connection's own, are done.
    pub(crate) drained: D,
    /// Resolves when the outbox is written, or nothing can be written any more.
    pub(crate) written: W,
}

/// Checks the credentials of a connection.
///
/// # Errors
/// T0004 for credentials that are not valid.
pub(crate) async fn opened(connection: Connection) -> Result<Arc<Connection>> {
    connection.admit().await?;
    Ok(Arc::new(connection))
}

/// Serves one client: see the module.
///
/// # Errors
/// T0012 when the input fails.
pub(crate) async fn serve<M: AsRef<[u8]> + Send + Sync + 'static>(
    connection: Arc<Connection>,
    outbox: Outbox,
    messages: impl Stream<Item = io::Result<Frame<M>>> + Send,
    signals: Signals<impl Future<Output = ()>, impl Future<Output = ()>, impl Future<Output = ()>>,
) -> Result<()> {
    let mut messages = pin!(messages);
    let mut requests = JoinSet::new();
    let shutdown = signals.shutdown.shared();
    let mut failure = None;
    let mut input_ended = false;

    // Reading.
    let mut shuts_down = pin!(shutdown.clone());
    let watched = connection.clone();
    let mut watched = pin!(async move { watched.watch_session().await });
    let room = Room {
        messages: MAX_WAITING,
        bytes: connection
            .max_response()
            .saturating_mul(MAX_WAITING_RESPONSES),
    };
    loop {
        let mut next = pin!(next(&connection, &outbox, room, messages.as_mut()));
        let next = loop {
            tokio::select! {
                next = &mut next => break Some(next),
                // Frees the memory of requests that are done.
                Some(_) = requests.join_next() => {}
                () = outbox.closed() => break None,
                () = &mut shuts_down => break None,
                () = &mut watched => {}
            }
        };
        let (frame, admitted) = match next {
            Some(Next::Message(frame, admitted)) => (frame, admitted),
            Some(Next::Failed(error)) => {
                (failure, input_ended) = (Some(error), true);
                break;
            }
            Some(Next::End) => {
                input_ended = true;
                break;
            }
            Some(Next::Unread) | None => break,
        };
        let mut request = Box::pin({
            let (connection, outbox) = (connection.clone(), outbox.clone());
            async move {
                let response = match frame {
                    Frame::Message(message) => connection.answer(admitted, message.as_ref()).await,
                    Frame::TooLong {
                        beginning,
                        is_whole,
                    } => Some(connection.too_long(&beginning, is_whole)),
                };
                if let Some(response) = response {
                    outbox.send_required(response);
                }
            }
        });
        // A handshake or a cancellation completes at the first poll, so it takes effect before the next message is
        // read. A request that waits for anything goes on in a task.
        if (&mut request).now_or_never().is_none() {
            requests.spawn(request);
        }
    }

    // Draining.
    connection.end();
    let draining_since = Instant::now();
    let grace = connection.grace();
    if !requests.is_empty() {
        tracing::info!(
            requests = requests.len(),
            "waits up to {grace:?} for running requests, then ends"
        );
    }
    let shuts_down = shutdown.clone();
    let ended_twice = async {
        shuts_down.await;
        // Messages that still arrive are not served. They are read for the end of the input.
        while !input_ended && messages.next().await.is_some_and(|one| one.is_ok()) {
            consume_budget().await;
        }
        Instant::now()
    };
    let ended_twice = ended_twice.shared();
    let done = async {
        let mut client_reads = true;
        loop {
            tokio::select! {
                ended = requests.join_next() => if ended.is_none() {
                    break;
                },
                () = outbox.closed(), if client_reads => {
                    client_reads = false;
                    connection.stop();
                }
            }
        }
        signals.drained.await;
    };
    let hurried = async { sleep_until(ended_twice.clone().await + HURRY).await };
    let in_time = tokio::select! {
        biased;
        () = done => true,
        () = sleep_until(draining_since + grace) => false,
        () = hurried => false,
    };
    if !in_time {
        tracing::warn!("some requests did not end in time and were cancelled");
        connection.stop();
        requests.abort_all();
    }

    // Flushing.
    outbox.close();
    let shut_down = async {
        shutdown.await;
        sleep_until((draining_since + grace).max(Instant::now() + LAST)).await;
    };
    let hurried = async { sleep_until(ended_twice.await + LAST).await };
    let is_written = tokio::select! {
        biased;
        // First, since it also resolves when the other end is gone.
        () = signals.written => true,
        () = shut_down => false,
        () = hurried => false,
        () = unread(&outbox, UNREAD_LAST) => false,
    };
    if !is_written {
        tracing::warn!("the client does not read its output, and the rest of it was dropped");
    }
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// What the input brings next.
enum Next<M> {
    /// A message, with its sender.
    Message(Frame<M>, Result<Admitted>),
    Failed(io::Error),
    End,
    /// The outbox stays full: the client reads nothing.
    Unread,
}

/// Waits for room in the outbox, then for the next message.
async fn next<M>(
    connection: &Connection,
    outbox: &Outbox,
    room: Room,
    mut messages: std::pin::Pin<&mut impl Stream<Item = io::Result<Frame<M>>>>,
) -> Next<M> {
    if !has_room(outbox, room).await {
        return Next::Unread;
    }
    // An input that always has a message must not starve the other branches of the loop.
    consume_budget().await;
    let Some(frame) = messages.next().await else {
        return Next::End;
    };
    match frame {
        // The caller is looked up here, since it asks the store and the app.
        Ok(frame) => Next::Message(frame, connection.admit().await),
        Err(error) => Next::Failed(error),
    }
}

/// Waits until the outbox has room. Returns false when the client reads nothing for [`UNREAD`].
async fn has_room(outbox: &Outbox, room: Room) -> bool {
    tokio::select! {
        biased;
        () = outbox.wait_for_room(room) => true,
        () = unread(outbox, UNREAD) => false,
    }
}

/// Resolves when nothing leaves the outbox for a whole `time`.
async fn unread(outbox: &Outbox, time: Duration) {
    loop {
        let taken = outbox.taken_count();
        sleep(time).await;
        if outbox.taken_count() == taken {
            return;
        }
    }
}

/// The next message to write; `None` when the outbox is closed and empty.
pub(crate) async fn taken(outbox: &Outbox) -> Option<Vec<u8>> {
    loop {
        // Read before the message: a message that was sent before the outbox closed is still written.
        let closed = outbox.is_closed();
        match outbox.take() {
            Some(message) => return Some(message),
            None if closed => return None,
            None => outbox.ready().await,
        }
    }
}

/// Writes a message as one line.
pub(crate) fn line_of(out: &mut Vec<u8>, message: &[u8]) {
    out.clear();
    on_one_line(out, message);
    out.push(b'\n');
}

/// Writes each message as a line, until the outbox is closed and empty, or the output fails.
async fn write_lines(mut write: impl AsyncWrite + Unpin, outbox: Reader) {
    let mut out = Vec::new();
    while let Some(message) = taken(&outbox).await {
        line_of(&mut out, &message);
        let written = async {
            write.write_all(&out).await?;
            write.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the output is closed");
            return;
        }
    }
    // An error means that the reader is gone, which is fine here.
    let _ = write.shutdown().await;
}

/// Sends each message, until the outbox is closed and empty, or the output fails.
async fn write_messages(outgoing: impl Sink<Vec<u8>>, outbox: Reader) {
    let mut outgoing = pin!(outgoing);
    while let Some(message) = taken(&outbox).await {
        if outgoing.send(message).await.is_err() {
            tracing::debug!("the output is closed");
            return;
        }
    }
    let _ = outgoing.close().await;
}
