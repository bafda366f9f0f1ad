//! SIGINT and SIGTERM: the first one shuts the servers of this process down, the next one ends the process.
//! Must not depend on the runtime of the app, whose threads a function may block.
//!
//! tokio replaces the default action of a signal for the rest of the process, so a thread takes its place:
//!
//! ```text
//! signal ─► servers wait for it? ── yes ─► each of them shuts down
//!                                └─ no ──► the process exits with 128 + the number of the signal
//! ```

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;

use tokio_util::sync::CancellationToken;

/// What a shell reports for a process that the signal ended, less the number of the signal.
const SIGNALLED: i32 = 128;

/// The servers that wait for a signal, by the number of their wait.
static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    next: 0,
    servers: None,
});

struct Waiting {
    next: u64,
    servers: Option<HashMap<u64, CancellationToken>>,
}

/// No code panics while it holds the lock.
fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A server that waits for a signal. Once it has got one, or is dropped, the next signal is for the other servers or ends the
/// process.
struct Wait {
    number: u64,
    signal: CancellationToken,
}

impl Wait {
    fn begin() -> Self {
        let mut waiting = waiting();
        let number = waiting.next;
        waiting.next += 1;
        let signal = CancellationToken::new();
        let servers = waiting.servers.get_or_insert_default();
        servers.insert(number, signal.clone());
        Wait { number, signal }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(servers) = &mut waiting().servers {
            servers.remove(&self.number);
        }
    }
}

/// Returns a future that completes when the process gets SIGINT or SIGTERM. From then on the next of these signals ends the
/// process at once, with exit code 130 or 143.
///
/// The handlers are installed when this returns, not when the future is first polled. Before that a signal kills the
/// process, and with it the calls that a server accepts in the meantime.
pub(crate) fn shutdown_signal() -> impl Future<Output = ()> {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    let wait = Wait::begin();
    let installed = *INSTALLED.get_or_init(|| match install() {
        Ok(()) => true,
        Err(error) => {
            tracing::error!(%error, "SIGINT and SIGTERM end the process without a shutdown");
            false
        }
    });
    async move {
        match installed {
            true => wait.signal.cancelled().await,
            false => std::future::pending().await,
        }
    }
}

/// Starts the thread that waits for signals, with its own runtime, and returns once the handlers are installed.
fn install() -> io::Result<()> {
    let (report, installed) = mpsc::channel();
    thread::Builder::new()
        .name("tent-signals".to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build();
            match runtime {
                Ok(runtime) => runtime.block_on(listen(&report)),
                Err(error) => {
                    let _ = report.send(Err(error));
                }
            }
        })?;
    // The thread sends before it ends.
    installed.recv().map_err(io::Error::other)?
}

#[cfg(unix)]
async fn listen(report: &mpsc::Sender<io::Result<()>>) {
    use tokio::signal::unix::{SignalKind, signal};
    let handlers = || {
        Ok((
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        ))
    };
    let (mut interrupt, mut terminate) = match handlers() {
        Ok(handlers) => handlers,
        Err(error) => {
            let _ = report.send(Err(error));
            return;
        }
    };
    let _ = report.send(Ok(()));
    loop {
        tokio::select! {
            Some(()) = interrupt.recv() => arrived(SignalKind::interrupt().as_raw_value()),
            Some(()) = terminate.recv() => arrived(SignalKind::terminate().as_raw_value()),
            else => return,
        }
    }
}

#[cfg(not(unix))]
async fn listen(report: &mpsc::Sender<io::Result<()>>) {
    /// The number of SIGINT.
    const INTERRUPT: i32 = 2;
    let _ = report.send(Ok(()));
    while tokio::signal::ctrl_c().await.is_ok() {
        arrived(INTERRUPT);
    }
}

/// Tells the servers that wait for a signal; without any, ends the process.
fn arrived(signal: i32) {
    let servers = waiting().servers.take().unwrap_or_default();
    if servers.is_empty() {
        // No log: its writer may be what the process waits for.
        std::process::exit(SIGNALLED + signal);
    }
    for server in servers.into_values() {
        server.cancel();
    }
}
