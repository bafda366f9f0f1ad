//! [`CallReporter`]: the progress notifications and log messages of one call, throttled.
//! Must not send messages itself: it writes them into the [`outbox`](crate::mcp::client::outbox) of the call.
//!
//! | notification | more than the throttle permits | at the end of the call |
//! |---|---|---|
//! | progress | the newest one is held, and sent when one is permitted | the held one is sent |
//! | log message | dropped and counted | one message with the number of dropped ones |

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::cx::{Level, Progress, Reporter};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::client::throttle::Throttle;
use crate::mcp::protocol::notification::{self, LogParams, ProgressParams};
use crate::mcp::protocol::params::Meta;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::log_levels::LogLevels;
use crate::mcp::session::negotiated::Negotiated;

/// Sends the notifications of one call.
pub(crate) struct CallReporter {
    outbox: Outbox,
    revision: Revision,
    /// `None` if the client did not request progress.
    progress: Option<Arc<ProgressReporter>>,
    /// The lowest level of log messages that the client gets; `None` if it gets none.
    level: Option<Level>,
    log: Mutex<LogState>,
}

/// Sends the progress notifications of one call.
struct ProgressReporter {
    /// The progress token, as the client wrote it.
    token: Box<str>,
    outbox: Outbox,
    state: Mutex<ProgressState>,
}

struct ProgressState {
    last: Option<f64>,
    throttle: Throttle,
    /// The newest notification, until the throttle permits it.
    held: Option<Vec<u8>>,
    /// Whether a task waits to send the held notification.
    has_task: bool,
}

/// The state of the log messages of one call.
struct LogState {
    throttle: Throttle,
    /// How many messages were dropped since the last one that was sent, and the highest of their levels.
    dropped: Option<(usize, Level)>,
    ended: bool,
}

/// The burst and the interval of progress notifications.
const PROGRESS: (u32, Duration) = (10, Duration::from_millis(100));

/// The burst and the interval of log messages.
const LOG: (u32, Duration) = (100, Duration::from_millis(20));

impl CallReporter {
    /// The reporter of a request; `None` if its client accepts no notifications.
    ///
    /// # Errors
    /// −32602 for a progress token or a log level that is not valid.
    pub(crate) fn new(
        levels: &LogLevels,
        context: &RequestContext<'_>,
        meta: &Meta<'_>,
        negotiated: &Negotiated,
    ) -> Result<Option<Arc<Self>>, RpcError> {
        let token = meta.progress_token()?;
        let level = if negotiated.revision.is_modern() {
            meta.log_level()?
        } else {
            let key = negotiated
                .nonce
                .map(|nonce| RequestKey::new(nonce, context.caller(), ""));
            Some(key.map_or(LogLevels::DEFAULT, |key| levels.of(&key)))
        };
        Ok(context.outbox().map(|outbox| {
            let progress = |token: &str| {
                Arc::new(ProgressReporter {
                    token: token.into(),
                    outbox: outbox.clone(),
                    state: Mutex::new(ProgressState {
                        last: None,
                        throttle: Throttle::new(PROGRESS),
                        held: None,
                        has_task: false,
                    }),
                })
            };
            Arc::new(CallReporter {
                revision: negotiated.revision,
                progress: token.map(progress),
                level,
                log: Mutex::new(LogState {
                    throttle: Throttle::new(LOG),
                    dropped: None,
                    ended: false,
                }),
                outbox,
            })
        }))
    }

    /// Ends the notifications of the call: tasks that its function left behind send no more. `has_response`: the client
    /// gets a response, and before it the notifications that the throttle held.
    pub(crate) fn end(&self, has_response: bool) {
        {
            let mut log = self.log_state();
            log.ended = true;
            if let Some(dropped) = log.dropped.take().filter(|_| has_response) {
                self.outbox.send(dropped_message(dropped));
            }
        }
        if let Some(progress) = &self.progress {
            let mut state = progress.lock();
            // No later progress is greater, so none is sent.
            state.last = Some(f64::INFINITY);
            if let Some(held) = state.held.take().filter(|_| has_response) {
                self.outbox.send(held);
            }
        }
    }

    fn log_state(&self) -> MutexGuard<'_, LogState> {
        // No code panics while the lock is held.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The outbox that it writes into.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl ProgressReporter {
    fn lock(&self) -> MutexGuard<'_, ProgressState> {
        // No code panics while the lock is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a notification, or holds it in place of an earlier one until the throttle permits it.
    fn send(self: &Arc<Self>, state: &mut ProgressState, notification: Vec<u8>) {
        if state.throttle.take() {
            state.held = None;
            self.outbox.send(notification);
            return;
        }
        state.held = Some(notification);
        // A thread of the function has no runtime to spawn a task on. There the next notification or the end of the call
        // sends the held one.
        if let Ok(runtime) = Handle::try_current()
            && !std::mem::replace(&mut state.has_task, true)
        {
            let progress = Arc::downgrade(self);
            runtime.spawn(async move {
                tokio::time::sleep(PROGRESS.1).await;
                if let Some(progress) = progress.upgrade() {
                    progress.send_held();
                }
            });
        }
    }

    fn send_held(&self) {
        let mut state = self.lock();
        state.has_task = false;
        if let Some(held) = state.held.take() {
            state.throttle.take();
            self.outbox.send(held);
        }
    }
}

impl Reporter for CallReporter {
    fn started(&self) {
        self.outbox.admit();
    }

    fn progress(&self, progress: &Progress) {
        let Some(reporter) = &self.progress else {
            return;
        };
        let done = progress.done;
        let mut state = reporter.lock();
        // Progress must increase with each notification (basic/utilities/progress).
        if !done.is_finite() || state.last.is_some_and(|last| done <= last) {
            return;
        }
        state.last = Some(done);
        // The lock is held until the notification is in the outbox, so that two threads keep the order.
        let message = progress.message.as_deref();
        let params = ProgressParams {
            progress_token: notification::raw(&reporter.token),
            progress: done,
            total: progress.total.filter(|total| total.is_finite()),
            message: message
                .filter(|_| self.revision.has_progress_messages())
                .map(Into::into),
        };
        let notification = notification::write("notifications/progress", params);
        reporter.send(&mut state, notification);
    }

    fn log(&self, level: Level, logger: Option<&str>, data: &Value) {
        if self.level.is_none_or(|lowest| level < lowest) {
            return;
        }
        let mut log = self.log_state();
        if log.ended {
            return;
        }
        if !log.throttle.take() {
            let (count, highest) = log.dropped.unwrap_or((0, level));
            log.dropped = Some((count.saturating_add(1), highest.max(level)));
            return;
        }
        if let Some(dropped) = log.dropped.take() {
            self.outbox.send(dropped_message(dropped));
        }
        self.outbox.send(log_message(level, logger, data));
    }
}

impl fmt::Debug for CallReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallReporter").finish_non_exhaustive()
    }
}

/// A log message.
fn log_message(level: Level, logger: Option<&str>, data: &Value) -> Vec<u8> {
    let params = LogParams {
        level: level.name().into(),
        logger: logger.map(Into::into),
        data: Cow::Borrowed(data),
    };
    notification::write("notifications/message", params)
}

/// The log message about dropped messages: their number, at the highest of their levels.
fn dropped_message((count, highest): (usize, Level)) -> Vec<u8> {
    let message =
        format!("{count} log messages were left out: the function logs faster than they are sent.");
    log_message(highest, None, &message.into())
}
