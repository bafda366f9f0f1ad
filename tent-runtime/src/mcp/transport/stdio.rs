//! MCP on stdin and stdout: one message a line.
//! Must not let anything else on either stream: see [`take_stdin`] and [`take_stdout`].
//!
//! Two threads read and write, because a blocking read of stdin cannot be cancelled.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::thread;

use futures_util::stream;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::Decoder as _;

use crate::dispatch::Identity;
use crate::error::Result;
use crate::mcp::client::outbox::{Outbox, Reader};
use crate::mcp::methods::server::Mcp;
use crate::mcp::transport::connection::Connection;
use crate::mcp::transport::connection_loop::{self, Signals, line_of, taken};
use crate::mcp::transport::frame::{Frame, Framer};

/// The fix of an error that asks the client to sign in.
const SIGN_IN: &str = "Start the server with a good key in TENT_KEY, or with --as USER.";

/// The size of one read.
const BLOCK: usize = 8 << 10;

/// Serves one client until its input ends or `shutdown` resolves: see [`connection_loop::serve`].
///
/// # Errors
/// T0004 for credentials that are not valid; T0012 when the input fails.
pub(crate) async fn serve(
    mcp: Arc<Mcp>,
    identity: Identity,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    shutdown: impl Future<Output = ()>,
) -> Result<()> {
    let outbox = Outbox::default();
    let max = mcp.dispatcher.settings().limits.max_body;
    let connection = Connection::new(mcp, identity, outbox.clone()).with_sign_in(SIGN_IN);
    let connection = connection_loop::opened(connection).await?;
    let mut messages = read(input, max);
    let messages = stream::poll_fn(move |cx| messages.poll_recv(cx));
    let written = write(output, Reader::of(outbox.clone()));
    let drained = {
        let connection = connection.clone();
        // The process ends after this, so calls that go on without their client are waited for too.
        async move { connection.drained().await }
    };
    let signals = Signals {
        shutdown,
        drained,
        written: async {
            // The sender goes with its thread.
            let _ = written.await;
        },
    };
    connection_loop::serve(connection, outbox, messages, signals).await
}

/// Reads messages in a thread. Nothing waits for the thread to end.
fn read(mut input: impl Read + Send + 'static, max: usize) -> mpsc::Receiver<io::Result<Frame>> {
    let (send, messages) = mpsc::channel(1);
    thread::spawn(move || {
        let (mut framer, mut buffer) = (Framer::new(max), BytesMut::new());
        while let Some(frame) = next(&mut input, &mut framer, &mut buffer).transpose() {
            let failed = frame.is_err();
            // The send fails when the connection has ended.
            if send.blocking_send(frame).is_err() || failed {
                return;
            }
        }
    });
    messages
}

fn next(
    input: &mut impl Read,
    framer: &mut Framer,
    buffer: &mut BytesMut,
) -> io::Result<Option<Frame>> {
    let mut block = [0; BLOCK];
    loop {
        if let Some(frame) = framer.decode(buffer)? {
            return Ok(Some(frame));
        }
        let read = match input.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        if read == 0 {
            return framer.decode_eof(buffer);
        }
        buffer.extend_from_slice(&block[..read]);
    }
}

/// Writes messages in a thread, until the outbox is closed and empty, or the output fails.
fn write(mut output: impl Write + Send + 'static, outbox: Reader) -> oneshot::Receiver<()> {
    let (done, written) = oneshot::channel();
    let runtime = Handle::current();
    thread::spawn(move || {
        let mut out = Vec::new();
        while let Some(message) = runtime.block_on(taken(&outbox)) {
            line_of(&mut out, &message);
            if let Err(error) = output.write_all(&out).and_then(|()| output.flush()) {
                tracing::debug!(%error, "the output is closed");
                break;
            }
        }
        // Before `written` resolves, so that the connection loop sees a closed outbox.
        drop(outbox);
        let _ = done.send(());
    });
    written
}

/// Takes stdin for messages alone. Any other reader, in this process or in a program that a function starts, reads an
/// empty input.
///
/// # Errors
/// When the system opens no further file.
#[cfg(unix)]
pub(crate) fn take_stdin() -> io::Result<impl Read + Send + 'static> {
    let taken = rustix::io::fcntl_dupfd_cloexec(io::stdin(), 3)?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    Ok(std::fs::File::from(taken))
}

/// Returns stdin. On this system a function that reads stdin takes messages away.
#[cfg(not(unix))]
pub(crate) fn take_stdin() -> io::Result<impl Read + Send + 'static> {
    Ok(io::stdin())
}

/// Takes stdout for messages alone. Any other output goes to stderr.
///
/// # Errors
/// When the system opens no further file.
#[cfg(unix)]
pub(crate) fn take_stdout() -> io::Result<impl Write + Send + 'static> {
    io::stdout().flush()?;
    // Close-on-exec: a program that a function starts would otherwise keep it open.
    let taken = rustix::io::fcntl_dupfd_cloexec(io::stdout(), 3)?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(taken))
}

/// Returns stdout. On this system the output of a function gets between the messages, so a warning says so.
///
/// # Errors
/// None on this system.
#[cfg(not(unix))]
pub(crate) fn take_stdout() -> io::Result<impl Write + Send + 'static> {
    tracing::warn!(
        "on this system stdout is not reserved for messages: a function that prints to it breaks the connection, so print to stderr"
    );
    Ok(io::stdout())
}

#[cfg(test)]
mod tests;
