//! MCP on stdin and stdout: one message a line, read and written in threads, since neither can be waited for
//! otherwise. What is served between them is [`talk`]'s.
//!
//! Nothing but messages is written, and nobody else reads them. That what a function prints does not get
//! between them is for [`kept_stdout`] to see to, that it reads none of them for [`kept_stdin`].

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::thread;

use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use crate::dispatch::Identity;
use crate::error::Result;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::methods::server::Mcp;
use crate::mcp::transport::connection::Connection;
use crate::mcp::transport::connection_loop::{self, End, line_of};
use crate::mcp::transport::frame::{Frame, Lines};

/// How who is refused for want of a caller becomes one.
const SIGN_IN: &str = "Start the server with a good key in TENT_KEY, or with --as USER.";

/// Serves one client until its input ends or `told` does: see [`connection_loop::serve`].
///
/// # Errors
/// T0004 where who calls is not known, T0012 where the input breaks off.
pub(crate) async fn serve(
    mcp: Arc<Mcp>,
    who: Identity,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    told: impl Future<Output = ()>,
) -> Result<()> {
    let outbox = Outbox::default();
    let most = mcp.dispatcher.settings().limits.max_body;
    let line = Connection::new(mcp, who, outbox.clone()).with_sign_in(SIGN_IN);
    let line = connection_loop::opened(line).await?;
    let mut messages = read(input, most);
    let messages = stream::poll_fn(move |cx| messages.poll_recv(cx));
    let written = write(output, outbox.clone());
    let drained = {
        let line = line.clone();
        // The process ends after this: also those that go on after their client has cancelled them are waited for.
        async move { line.drained().await }
    };
    let end = End {
        told,
        drained,
        written: async {
            // The sender goes with its thread.
            let _ = written.await;
        },
    };
    connection_loop::serve(line, outbox, messages, end).await
}

/// Reads messages in a thread of its own: a read from stdin cannot be ended, and nobody waits for this one.
fn read(input: impl Read + Send + 'static, most: usize) -> mpsc::Receiver<io::Result<Frame>> {
    let (send, messages) = mpsc::channel(1);
    thread::spawn(move || {
        let mut input = BufReader::new(input);
        let mut lines = Lines::new(most);
        // Nobody is left to hear it where nobody takes it.
        while let Some(came) = next(&mut input, &mut lines).transpose() {
            let internal_error = came.is_err();
            if send.blocking_send(came).is_err() || internal_error {
                return;
            }
        }
    });
    messages
}

fn next(input: &mut impl BufRead, lines: &mut Lines) -> io::Result<Option<Frame>> {
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        if bytes.is_empty() {
            return Ok(lines.end());
        }
        let (taken, came) = lines.take(bytes);
        input.consume(taken);
        if came.is_some() {
            return Ok(came);
        }
    }
}

/// Writes messages in a thread of its own, until the outbox is closed and empty.
fn write(mut output: impl Write + Send + 'static, outbox: Outbox) -> oneshot::Receiver<()> {
    let (done, written) = oneshot::channel();
    let runtime = Handle::current();
    thread::spawn(move || {
        let mut out = Vec::new();
        loop {
            // RequestContext first: what was sent before it was closed is written.
            let closed = outbox.is_closed();
            let Some(message) = outbox.take() else {
                if closed {
                    break;
                }
                runtime.block_on(outbox.changed());
                continue;
            };
            line_of(&mut out, &message);
            if let Err(error) = output.write_all(&out).and_then(|()| output.flush()) {
                tracing::debug!(%error, "the output is closed");
                outbox.abandon();
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
