//! The client at the other end of a call, as its function sees it: progress and lines of a log go into the stream of
//! that one call, at a pace that a client can follow.
//!
//! Writes messages; when they leave is [`outbox`](crate::mcp::client::outbox)'s.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;

use crate::cx::{Level, Progress, Reporter};
use crate::mcp::client::context::RequestContext;
use crate::mcp::client::outbox::Outbox;
use crate::mcp::client::throttle::Pace;
use crate::mcp::protocol::notification::{self, LogParams, ProgressParams};
use crate::mcp::protocol::params::Meta;
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::log_levels::LogLevels;
use crate::mcp::session::negotiated::Negotiated;

/// The client at the other end of one call.
pub(crate) struct CallReporter {
    outbox: Outbox,
    revision: Revision,
    /// Where the client asked for it.
    progress: Option<Arc<Reports>>,
    /// From which level on lines of a log are sent.
    level: Option<Level>,
    lines: Mutex<Lines>,
}

/// The progress of one call.
struct Reports {
    /// As it was sent.
    token: Box<str>,
    outbox: Outbox,
    reported: Mutex<Reported>,
}

struct Reported {
    last: Option<f64>,
    pace: Pace,
    /// The newest of what came faster than it may be sent.
    held: Option<Vec<u8>>,
    /// Whether a task will send that.
    is_awaited: bool,
}

/// The lines of the log of one call.
struct Lines {
    pace: Pace,
    /// How many were left out since the last one that was sent, and the gravest of their levels.
    left_out: Option<(usize, Level)>,
    ended: bool,
}

/// Progress, of which only the newest counts: so many at once, then one each so often.
const REPORTS: (u32, Duration) = (10, Duration::from_millis(100));

/// Lines of a log.
const LINES: (u32, Duration) = (100, Duration::from_millis(20));

impl CallReporter {
    /// The client that sent a request; `None` where it takes no events.
    pub(crate) fn new(
        levels: &LogLevels,
        asked: &RequestContext<'_>,
        meta: &Meta<'_>,
        negotiated: &Negotiated,
    ) -> Result<Option<Arc<Self>>, RpcError> {
        let token = meta.progress_token()?;
        let level = if negotiated.revision.is_modern() {
            meta.log_level()?
        } else {
            let key = negotiated
                .nonce
                .map(|nonce| RequestKey::new(nonce, asked.caller(), ""));
            Some(key.map_or(LogLevels::UNSAID, |key| levels.of(&key)))
        };
        Ok(asked.outbox().map(|outbox| {
            let reports = |token: &str| {
                Arc::new(Reports {
                    token: token.into(),
                    outbox: outbox.clone(),
                    reported: Mutex::new(Reported {
                        last: None,
                        pace: Pace::new(REPORTS.0, REPORTS.1),
                        held: None,
                        is_awaited: false,
                    }),
                })
            };
            Arc::new(CallReporter {
                revision: negotiated.revision,
                progress: token.map(reports),
                level,
                lines: Mutex::new(Lines {
                    pace: Pace::new(LINES.0, LINES.1),
                    left_out: None,
                    ended: false,
                }),
                outbox,
            })
        }))
    }

    /// The call has ended, and nothing more is sent, whatever its function left running. `is_answered`: the client
    /// waits for the answer, before which it is told how far the call came.
    pub(crate) fn end(&self, is_answered: bool) {
        {
            let mut lines = self.lines();
            lines.ended = true;
            if let Some(left_out) = lines.left_out.take().filter(|_| is_answered) {
                self.outbox.send(left_out_of(left_out));
            }
        }
        if let Some(reports) = &self.progress {
            let mut reported = reports.lock();
            reported.last = Some(f64::INFINITY);
            if let Some(held) = reported.held.take().filter(|_| is_answered) {
                self.outbox.send(held);
            }
        }
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        // Nothing panics while it is held.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where its messages go.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }
}

impl Reports {
    fn lock(&self) -> MutexGuard<'_, Reported> {
        // Nothing panics while it is held.
        self.reported.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a report, or holds it in place of the one before until one more may be sent.
    fn send(self: &Arc<Self>, reported: &mut Reported, report: Vec<u8>) {
        if reported.pace.take() {
            reported.held = None;
            self.outbox.send(report);
            return;
        }
        reported.held = Some(report);
        // Without a runtime, in a thread of the function's own, it goes with the next one or with the end.
        if let Ok(runtime) = Handle::try_current()
            && !std::mem::replace(&mut reported.is_awaited, true)
        {
            let reports = Arc::downgrade(self);
            runtime.spawn(async move {
                tokio::time::sleep(REPORTS.1).await;
                if let Some(reports) = reports.upgrade() {
                    reports.send_held();
                }
            });
        }
    }

    fn send_held(&self) {
        let mut reported = self.lock();
        reported.is_awaited = false;
        if let Some(held) = reported.held.take() {
            reported.pace.take();
            self.outbox.send(held);
        }
    }
}

impl Reporter for CallReporter {
    fn started(&self) {
        self.outbox.admit();
    }

    fn progress(&self, progress: &Progress) {
        let Some(reports) = &self.progress else {
            return;
        };
        let done = progress.done;
        let mut reported = reports.lock();
        if !done.is_finite() || reported.last.is_some_and(|last| done <= last) {
            return;
        }
        reported.last = Some(done);
        // Still locked, so that two at once are sent in the order that they were counted in.
        let message = progress.message.as_deref();
        let params = ProgressParams {
            progress_token: notification::raw(&reports.token),
            progress: done,
            total: progress.total.filter(|total| total.is_finite()),
            message: message
                .filter(|_| self.revision.has_progress_messages())
                .map(Into::into),
        };
        let report = notification::write("notifications/progress", params);
        reports.send(&mut reported, report);
    }

    fn log(&self, level: Level, logger: Option<&str>, data: &Value) {
        if self.level.is_none_or(|least| level < least) {
            return;
        }
        let mut lines = self.lines();
        if lines.ended {
            return;
        }
        if !lines.pace.take() {
            let (count, gravest) = lines.left_out.unwrap_or((0, level));
            lines.left_out = Some((count.saturating_add(1), gravest.max(level)));
            return;
        }
        if let Some(left_out) = lines.left_out.take() {
            self.outbox.send(left_out_of(left_out));
        }
        self.outbox.send(line(level, logger, data));
    }
}

impl fmt::Debug for CallReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallReporter").finish_non_exhaustive()
    }
}

/// A log message.
fn line(level: Level, logger: Option<&str>, data: &Value) -> Vec<u8> {
    let params = LogParams {
        level: level.name().into(),
        logger: logger.map(Into::into),
        data: Cow::Borrowed(data),
    };
    notification::write("notifications/message", params)
}

/// The log message that says how many were left out, with the gravest level among them.
fn left_out_of((count, gravest): (usize, Level)) -> Vec<u8> {
    let message = format!("{count} lines came faster than they are sent, and were left out.");
    line(gravest, None, &message.into())
}
