//! One client on a line, from its first message to its end, whatever carries the messages: bytes, where each
//! message is a line, or messages as they are. Calls run at once; their answers, and what they say before, go out
//! as they come.
//!
//! Says when a line ends and what is still waited for then. What a message means is for [`Connection`] to know.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{
    FutureExt as _, Sink as Outgoing, SinkExt as _, Stream, StreamExt as _, stream,
};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader,
};
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, sleep, sleep_until};

use crate::dispatch::{Admitted, Identity};
use crate::error::Result;
use crate::mcp::client::outbox::{Outbox, Room};
use crate::mcp::methods::server::Mcp;
use crate::mcp::transport::connection::Connection;
use crate::mcp::transport::frame::{Frame, Lines};
use crate::mcp::transport::sse::on_one_line;

/// So many messages wait to be written before no more are read: who asks without reading the answers waits.
const MOST_WAITING: usize = 1024;

/// The same of bytes, in answers of the most that a function may give: one is written while the next is made.
const MOST_ANSWERS: usize = 2;

/// How long a client that has left no room may take nothing of what waits for it. While there is none its input is
/// not read, so that neither its end nor its breaking off would be seen.
const UNREAD: Duration = Duration::from_secs(60);

/// How long calls under way may go on when the input has ended, or the server was told to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long what was answered last is waited for where the grace is over.
const LAST: Duration = Duration::from_secs(1);

/// How long calls under way may go on when the input has ended and the server was told to end too: a client that
/// does not wait has done both.
const HURRY: Duration = Duration::from_millis(500);

/// Serves one client on bytes until `read` ends, `write` takes nothing more, or the server is shut down.
///
/// # Errors
/// T0004 where who calls is not known; T0012 where `read` breaks off: what is under way has its time all the same.
pub(crate) async fn on_bytes(
    mcp: Arc<Mcp>,
    who: Identity,
    read: impl AsyncRead + Send + Unpin,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<()> {
    let most = mcp.dispatcher.settings().limits.max_body;
    let input = (BufReader::new(read), Lines::new(most));
    let messages = stream::unfold(input, async |(mut read, mut lines)| {
        let came = next(&mut read, &mut lines).await.transpose()?;
        Some((came, (read, lines)))
    });
    let outbox = Outbox::default();
    let writing = write_lines(write, outbox.clone());
    on_tasks(mcp, who, outbox, messages, writing).await
}

/// Serves one client on whole messages, until there are no more, none is taken, or the server is shut down.
///
/// # Errors
/// T0004 where who calls is not known.
pub(crate) async fn on_messages<M: AsRef<[u8]> + Send + Sync + 'static>(
    mcp: Arc<Mcp>,
    who: Identity,
    incoming: impl Stream<Item = M> + Send,
    outgoing: impl Outgoing<Vec<u8>> + Send + 'static,
) -> Result<()> {
    let outbox = Outbox::default();
    let writing = write_messages(outgoing, outbox.clone());
    on_tasks(
        mcp,
        who,
        outbox,
        incoming.map(Frame::Whole).map(Ok),
        writing,
    )
    .await
}

/// Serves one client whose output is written by a task, which ends with this.
async fn on_tasks<M: AsRef<[u8]> + Send + Sync + 'static>(
    mcp: Arc<Mcp>,
    who: Identity,
    outbox: Outbox,
    messages: impl Stream<Item = io::Result<Frame<M>>> + Send,
    writing: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let line = Connection::new(mcp.clone(), who, outbox.clone());
    let line = opened(line).await?;
    let mut task = JoinSet::new();
    task.spawn(writing);
    let end = End {
        told: mcp.dispatcher.closed(),
        // Of what goes on without its client, others in this process may have more: who ends the process waits for it.
        drained: std::future::ready(()),
        written: async move {
            task.join_next().await;
        },
    };
    serve(line, outbox, messages, end).await
}

/// What ends a line, and what its end waits for.
pub(crate) struct End<T, D, W> {
    /// Ends when the server is told to end.
    pub(crate) told: T,
    /// What is waited for beside the calls of the line.
    pub(crate) drained: D,
    /// Ends when all that the outbox took is written, or nobody takes it any more.
    pub(crate) written: W,
}

/// A line whose caller is known.
///
/// # Errors
/// T0004 where it is not.
pub(crate) async fn opened(line: Connection) -> Result<Arc<Connection>> {
    line.admit().await?;
    Ok(Arc::new(line))
}

/// Serves one client until its messages end or the server is told to end, then gives calls under way their time. A
/// client that reads nothing keeps it from neither: told to end it ends within [`GRACE`] and [`LAST`], and within
/// [`LAST`] where its input has ended too; where that alone has ended it waits for as long as something is taken
/// within each [`GRACE`]. Where so much waits for it that nothing more is read of it, it ends when nothing is taken
/// for as long as [`UNREAD`].
///
/// # Errors
/// T0012 where the messages break off.
pub(crate) async fn serve<M: AsRef<[u8]> + Send + Sync + 'static>(
    line: Arc<Connection>,
    outbox: Outbox,
    messages: impl Stream<Item = io::Result<Frame<M>>> + Send,
    end: End<impl Future<Output = ()>, impl Future<Output = ()>, impl Future<Output = ()>>,
) -> Result<()> {
    let mut messages = pin!(messages);
    let mut calls = JoinSet::new();
    let told = end.told.shared();
    let mut heard = pin!(told.clone());
    let mut internal_error = None;
    let mut has_ended = false;
    let most = Room {
        messages: MOST_WAITING,
        bytes: line.max_response().saturating_mul(MOST_ANSWERS),
    };
    loop {
        let mut next = pin!(async {
            if !has_room(&outbox, most).await {
                return Next::Unread;
            }
            // Messages that are always there leave room for the rest all the same.
            consume_budget().await;
            let Some(message) = messages.next().await else {
                return Next::End;
            };
            // It asks the store, and the app itself.
            match message {
                Ok(message) => Next::Message(message, line.admit().await),
                Err(error) => Next::Broke(error),
            }
        });
        let next = loop {
            tokio::select! {
                next = &mut next => break Some(next),
                // Frees what the calls that have ended still hold.
                Some(_) = calls.join_next() => {}
                () = outbox.ended() => break None,
                () = &mut heard => break None,
            }
        };
        let (message, admitted) = match next {
            Some(Next::Message(message, admitted)) => (message, admitted),
            Some(Next::Broke(error)) => {
                (internal_error, has_ended) = (Some(error), true);
                break;
            }
            Some(Next::End) => {
                has_ended = true;
                break;
            }
            Some(Next::Unread) | None => break,
        };
        let mut answering = Box::pin({
            let (line, outbox) = (line.clone(), outbox.clone());
            async move {
                let answer = match message {
                    Frame::Whole(message) => line.answer(admitted, message.as_ref()).await,
                    Frame::TooLong(id) => Some(line.too_long(id.as_deref())),
                };
                if let Some(answer) = answer {
                    outbox.send_surely(answer);
                }
            }
        });
        // A handshake and a cancellation are served here, so that they count for what comes after them; a
        // function runs in a task of its own.
        if (&mut answering).now_or_never().is_none() {
            calls.spawn(answering);
        }
    }
    line.end();
    let begun = Instant::now();
    let heard_too = told.clone();
    let both = async {
        heard_too.await;
        // What is still sent is served no more; it is looked at for its end.
        while !has_ended && messages.next().await.is_some_and(|one| one.is_ok()) {
            consume_budget().await;
        }
        Instant::now()
    };
    let both = both.shared();
    let all = async {
        let mut read = true;
        loop {
            tokio::select! {
                ended = calls.join_next() => if ended.is_none() {
                    break;
                },
                () = outbox.ended(), if read => {
                    // Nobody hears of them any more.
                    read = false;
                    line.stop();
                }
            }
        }
        end.drained.await;
    };
    let hurried = async { sleep_until(both.clone().await + HURRY).await };
    let in_time = tokio::select! {
        biased;
        () = all => true,
        () = sleep_until(begun + GRACE) => false,
        () = hurried => false,
    };
    if !in_time {
        tracing::warn!("some calls did not end in time and were dropped");
        line.stop();
        calls.abort_all();
    }
    outbox.close();
    let over = async {
        told.await;
        sleep_until((begun + GRACE).max(Instant::now() + LAST)).await;
    };
    let hurried = async { sleep_until(both.await + LAST).await };
    let is_read = tokio::select! {
        biased;
        // It is gone where the other end is.
        () = end.written => true,
        () = over => false,
        () = hurried => false,
        () = left(&outbox, GRACE) => false,
    };
    if !is_read {
        tracing::warn!("the output is not read, and what waited for it was dropped");
    }
    internal_error.map_or(Ok(()), |error| Err(error.into()))
}

/// What comes next on a line.
enum Next<M> {
    /// With its sender.
    Message(Frame<M>, Result<Admitted>),
    Broke(io::Error),
    End,
    /// Nobody takes what waits, so that nothing more was read.
    Unread,
}

/// Waits until less than `most` waits. Whether that came: not where nothing was taken for a whole [`UNREAD`].
async fn has_room(outbox: &Outbox, most: Room) -> bool {
    tokio::select! {
        biased;
        () = outbox.room(most) => true,
        () = left(outbox, UNREAD) => false,
    }
}

/// Ends when nobody has taken anything of what waits for a whole `time`.
async fn left(outbox: &Outbox, time: Duration) {
    loop {
        let taken = outbox.taken();
        sleep(time).await;
        if outbox.taken() == taken {
            return;
        }
    }
}

/// The next line that is not empty.
async fn next(
    read: &mut (impl AsyncBufRead + Unpin),
    lines: &mut Lines,
) -> io::Result<Option<Frame>> {
    loop {
        let bytes = read.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(lines.end());
        }
        let (taken, came) = lines.take(bytes);
        read.consume(taken);
        if came.is_some() {
            return Ok(came);
        }
    }
}

/// The next message to be written; `None` where the outbox is closed and empty.
async fn taken(outbox: &Outbox) -> Option<Vec<u8>> {
    loop {
        // RequestContext first: what was sent before it was closed is written.
        let closed = outbox.is_closed();
        match outbox.take() {
            Some(message) => return Some(message),
            None if closed => return None,
            None => outbox.changed().await,
        }
    }
}

/// A message as it goes on a wire where each is a line.
pub(crate) fn line_of(out: &mut Vec<u8>, message: &[u8]) {
    out.clear();
    on_one_line(out, message);
    out.push(b'\n');
}

/// Writes each message as a line, until the outbox is closed and empty.
async fn write_lines(mut write: impl AsyncWrite + Unpin, outbox: Outbox) {
    let mut out = Vec::new();
    while let Some(message) = taken(&outbox).await {
        line_of(&mut out, &message);
        let written = async {
            write.write_all(&out).await?;
            write.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the output is closed");
            outbox.abandon();
            return;
        }
    }
    // Identity reads learns that nothing more comes, or is gone.
    let _ = write.shutdown().await;
}

async fn write_messages(outgoing: impl Outgoing<Vec<u8>>, outbox: Outbox) {
    let mut outgoing = pin!(outgoing);
    while let Some(message) = taken(&outbox).await {
        if outgoing.send(message).await.is_err() {
            tracing::debug!("the output is closed");
            outbox.abandon();
            return;
        }
    }
    let _ = outgoing.close().await;
}
