//! MCP on stdin and stdout: one message a line. Calls run at once; their answers, and what they say before,
//! go out as they come.
//!
//! Nothing but messages is written, and nobody else reads them. That what a function prints does not get
//! between them is for [`kept_stdout`] to see to, that it reads none of them for [`kept_stdin`].

use std::io::{self, BufRead, BufReader, Read, Write};
use std::pin::pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::Mcp;
use super::line::{self, Line, Who};
use super::salvage::Salvage;
use super::stream::{Sink, on_one_line};
use crate::error::Result;

/// So many messages wait to be written before no more are read: who asks without reading the answers waits.
const MOST_WAITING: usize = 1024;

/// How long calls under way may go on when stdin has ended, or the process was told to end.
const GRACE: Duration = Duration::from_secs(10);

/// How long what was answered last is waited for where the grace is over.
const LAST: Duration = Duration::from_secs(1);

/// Serves one client until its input ends or `told` does. A client that reads nothing keeps it from neither:
/// told to end it ends within [`GRACE`] and [`LAST`], and where its input has ended it waits for as long as
/// something is taken within each [`GRACE`].
///
/// # Errors
/// T0004 where who calls is not known.
pub(crate) async fn serve(
    mcp: Arc<Mcp>,
    who: Who,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    told: impl Future<Output = ()>,
) -> Result<()> {
    let sink = Sink::default();
    let most = mcp.door.settings().limits.body;
    let line = Arc::new(Line::new(mcp, who, sink.clone())?);
    line.caller(&line::trace()).await?;
    let mut messages = read(input, most);
    let written = write(output, sink.clone());
    let mut calls = JoinSet::new();
    let told = told.shared();
    let mut heard = pin!(told.clone());
    loop {
        let mut next = pin!(async {
            sink.room(MOST_WAITING).await;
            let message = messages.recv().await?;
            let trace = line::trace();
            // It asks the store, and the app itself.
            let caller = line.caller(&trace).await;
            Some((message, trace, caller))
        });
        let next = loop {
            tokio::select! {
                next = &mut next => break next,
                // Frees what the calls that have ended still hold.
                Some(_) = calls.join_next() => {}
                () = sink.ended() => break None,
                () = &mut heard => break None,
            }
        };
        let Some((message, trace, caller)) = next else {
            break;
        };
        let mut answering = Box::pin({
            let (line, sink) = (line.clone(), sink.clone());
            async move {
                let answer = match message {
                    Came::Whole(message) => line.answer(caller, &trace, &message).await,
                    Came::TooLong(id) => Some(line.too_long(id.as_deref())),
                };
                if let Some(answer) = answer {
                    sink.send_surely(answer);
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
    let end = Instant::now() + GRACE;
    let all = async {
        while calls.join_next().await.is_some() {}
        // Also those that go on after their client has cancelled them.
        line.drained().await;
    };
    if timeout_at(end, all).await.is_err() {
        tracing::warn!("some calls did not end in time and were dropped");
        calls.abort_all();
    }
    sink.close();
    let over = async {
        told.await;
        sleep_until(end.max(Instant::now() + LAST)).await;
    };
    tokio::select! {
        // It is gone where the other end is.
        _ = written => return Ok(()),
        () = over => {}
        () = left(&sink) => {}
    }
    tracing::warn!("the output is not read, and what waited for it was dropped");
    Ok(())
}

/// Ends when nobody has taken anything of what waits for a whole [`GRACE`].
async fn left(sink: &Sink) {
    loop {
        let waiting = sink.waiting();
        sleep(GRACE).await;
        if sink.waiting() == waiting {
            return;
        }
    }
}

/// A line of the input.
enum Came {
    Whole(Vec<u8>),
    /// It is longer than any may be, and was not kept; its id was, where it is one.
    TooLong(Option<String>),
}

impl Came {
    fn is_empty(&self) -> bool {
        matches!(self, Came::Whole(message) if message.trim_ascii().is_empty())
    }
}

/// Reads messages in a thread of its own: a read from stdin cannot be ended, and nobody waits for this one.
fn read(input: impl Read + Send + 'static, most: usize) -> mpsc::Receiver<Came> {
    let (send, messages) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        loop {
            match next(&mut input, most) {
                Ok(Some(message)) if message.is_empty() => {}
                Ok(Some(message)) => {
                    if send.blocking_send(message).is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    tracing::error!(%error, "the input broke off");
                    return;
                }
            }
        }
    });
    messages
}

/// The next line, of which at most a byte more than `most` is kept.
fn next(input: &mut impl BufRead, most: usize) -> io::Result<Option<Came>> {
    let mut line = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let read = input.by_ref().take(limit).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    // Without its end it is the last one, or goes on.
    if line.ends_with(b"\n") || read <= most {
        return Ok(Some(Came::Whole(line)));
    }
    let mut salvage = Salvage::default();
    salvage.read(&line);
    drop(line);
    loop {
        let more = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            more => more?,
        };
        let end = more.iter().position(|&byte| byte == b'\n');
        salvage.read(&more[..end.unwrap_or(more.len())]);
        let (taken, is_over) = match end {
            Some(end) => (end + 1, true),
            None => (more.len(), more.is_empty()),
        };
        input.consume(taken);
        if is_over {
            return Ok(Some(Came::TooLong(salvage.id())));
        }
    }
}

/// Writes messages in a thread of its own, until the sink is closed and empty.
fn write(mut output: impl Write + Send + 'static, sink: Sink) -> oneshot::Receiver<()> {
    let (done, written) = oneshot::channel();
    let runtime = Handle::current();
    thread::spawn(move || {
        let mut out = Vec::new();
        loop {
            // Asked first: what was sent before it was closed is written.
            let closed = sink.is_closed();
            let Some(message) = sink.take() else {
                if closed {
                    break;
                }
                runtime.block_on(sink.changed());
                continue;
            };
            out.clear();
            on_one_line(&mut out, &message);
            out.push(b'\n');
            if let Err(error) = output.write_all(&out).and_then(|()| output.flush()) {
                tracing::debug!(%error, "the output is closed");
                sink.abandon();
                break;
            }
        }
        let _ = done.send(());
    });
    written
}

/// Stdin for messages alone: whoever else reads from now on, here or in a program that a function starts,
/// finds nothing there.
///
/// # Errors
/// Where the system gives no further file.
#[cfg(unix)]
pub(crate) fn kept_stdin() -> io::Result<impl Read + Send + 'static> {
    let kept = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    Ok(std::fs::File::from(kept))
}

/// Stdin. On this system a function that reads it takes messages away.
#[cfg(not(unix))]
pub(crate) fn kept_stdin() -> io::Result<impl Read + Send + 'static> {
    Ok(io::stdin())
}

/// Stdout for messages alone: whatever else is printed from now on goes to stderr.
///
/// # Errors
/// Where the system gives no further file.
#[cfg(unix)]
pub(crate) fn kept_stdout() -> io::Result<impl Write + Send + 'static> {
    io::stdout().flush()?;
    // Not handed on to the programs that a function starts: they would keep it open.
    let kept = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(kept))
}

/// Stdout. On this system what a function prints gets between the messages, which is said.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub(crate) fn kept_stdout() -> io::Result<impl Write + Send + 'static> {
    tracing::warn!(
        "on this system stdout is not kept for messages: a function that prints to it breaks the client off, so print to stderr"
    );
    Ok(io::stdout())
}
