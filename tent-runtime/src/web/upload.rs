//! Reads the body of a request, within limits of size and time, and drops the unread rest before the response is sent.
//!
//! Must not hold more than the limit of a body, nor wait for a sender without a deadline.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderValue, Response, Version, header};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use tent_core::codes;
use tent_core::count::counted;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use crate::error::{Error, Result};
use crate::in_flight::{InFlight, Reservation, SMALL};

/// How many bytes of an unread body are read and dropped. Without this, a client that writes its whole body before it
/// reads finds a closed connection in place of the response, and so does a client that sends its next request on the
/// same connection.
const MAX_DROPPED: usize = 16 << 20;

/// The least speed of a sender, so that none holds a connection and memory by sending a byte now and then. It counts
/// over a recent window: a fast beginning buys no time for the rest.
#[derive(Clone, Copy)]
struct Pace {
    window: Duration,
    /// How many bytes each window must bring, unless it brings the end of the body.
    bytes: usize,
}

/// For a body that is read: 4 kB a second.
const READ: Pace = Pace {
    window: Duration::from_secs(30),
    bytes: 120_000,
};

/// For a body that is dropped, while the response waits: 64 kB a second.
const DROP: Pace = Pace {
    window: Duration::from_secs(1),
    bytes: 64_000,
};

/// The recent window of a sender.
struct Window {
    pace: Pace,
    began: Instant,
    /// The bytes that arrived in it.
    bytes: usize,
}

impl Window {
    fn of(pace: Pace) -> Self {
        Window {
            pace,
            began: Instant::now(),
            bytes: 0,
        }
    }

    /// The next frame of the body, within the window.
    async fn next(
        &mut self,
        body: &mut Body,
    ) -> Result<Option<Result<Frame<Bytes>, axum::Error>>, Elapsed> {
        let frame = timeout_at(self.began + self.pace.window, body.frame()).await?;
        if let Some(Ok(frame)) = &frame {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            self.bytes = self.bytes.saturating_add(bytes);
            if self.bytes >= self.pace.bytes {
                *self = Window::of(self.pace);
            }
        }
        Ok(frame)
    }
}

/// The body of one request. Call [`finish`](Self::finish) with the response, whether the body was read or not.
pub(crate) struct Upload {
    rest: Rest,
    /// The client waits for `100 Continue` before it sends the body. Reading the body sends it.
    waits: bool,
    /// Whether a header of the response can end the connection, as in HTTP/1.
    closable: bool,
    /// The bytes of the body that was read. They count until the response is made.
    reservation: Option<Arc<Reservation>>,
}

enum Rest {
    Unread(Body),
    /// Read to its end.
    Ended,
    /// Abandoned before its end.
    Lost,
}

impl Upload {
    /// The body of the request with this head.
    pub(crate) fn of(parts: &Parts, body: Body) -> Self {
        let expect = parts.headers.get(header::EXPECT);
        Upload {
            rest: Rest::Unread(body),
            waits: expect.is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"100-continue")),
            closable: parts.version <= Version::HTTP_11,
            reservation: None,
        }
    }

    /// Reads a whole body of at most `limit` bytes, which count against the budget. The second call reads nothing.
    ///
    /// # Errors
    /// T0007 for a larger body, at once if its length is declared (RFC 9110, section 10.1.1); T0013 and T0006 if the
    /// budget has no room; T0018 for a body that broke off; T0020 for a body that arrived too slowly.
    pub(crate) async fn read(
        &mut self,
        limit: usize,
        in_flight: &Arc<InFlight>,
        parts: &Parts,
    ) -> Result<Bytes> {
        let body = match std::mem::replace(&mut self.rest, Rest::Lost) {
            Rest::Unread(body) => body,
            rest => {
                self.rest = rest;
                return Ok(Bytes::new());
            }
        };
        if body.size_hint().lower() > limit as u64 {
            self.rest = Rest::Unread(body);
            return Err(too_large(limit));
        }
        self.waits = false;
        let mut reading = Reading {
            limit,
            read: 0,
            reservation: None,
        };
        let (read, rest) = reading.read(body, in_flight, parts).await;
        let reservation = reading.reservation.filter(|_| read.is_ok());
        self.reservation = reservation.map(Arc::new);
        self.rest = rest;
        read
    }

    /// The bytes of the body in the budget of the process; `None` for a small one.
    pub(crate) fn reservation(&self) -> Option<Arc<Reservation>> {
        self.reservation.clone()
    }

    /// Reads and drops the rest of the body, so that the connection can serve the next request. If the rest is too long,
    /// or the client waits for `100 Continue`, the response closes the connection.
    pub(crate) async fn finish(self, response: &mut Response<Body>) {
        let ended = match self.rest {
            Rest::Ended => true,
            Rest::Lost => false,
            Rest::Unread(body) => body.is_end_stream() || (!self.waits && dropped(body).await),
        };
        if !ended && self.closable {
            response
                .headers_mut()
                .insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }
}

/// Whether it was read to its end.
async fn dropped(mut body: Body) -> bool {
    if body.size_hint().lower() > MAX_DROPPED as u64 {
        return false;
    }
    let mut window = Window::of(DROP);
    let mut read = 0_usize;
    loop {
        let frame = match window.next(&mut body).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return true,
            Ok(Some(Err(_))) | Err(_) => return false,
        };
        read = read.saturating_add(frame.data_ref().map_or(0, Bytes::len));
        if read > MAX_DROPPED {
            return false;
        }
    }
}

/// A body that is being read.
struct Reading {
    limit: usize,
    /// How many bytes arrived so far.
    read: usize,
    reservation: Option<Reservation>,
}

impl Reading {
    async fn read(
        &mut self,
        mut body: Body,
        in_flight: &Arc<InFlight>,
        parts: &Parts,
    ) -> (Result<Bytes>, Rest) {
        let mut window = Window::of(READ);
        // Nearly every body comes as one piece, which is then handed on as it is.
        let mut first = Bytes::new();
        let mut whole = BytesMut::new();
        loop {
            let frame = match window.next(&mut body).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(None) => break,
                Ok(Some(Err(error))) => return (Err(broke_off(error)), Rest::Lost),
                Err(_) => return (Err(Error::new(codes::BODY_TOO_SLOW)), Rest::Lost),
            };
            let Ok(piece) = frame.into_data() else {
                continue;
            };
            if let Err(error) = self.count(piece.len(), in_flight, parts) {
                return (Err(error), Rest::Unread(body));
            }
            if first.is_empty() && whole.is_empty() {
                first = piece;
                continue;
            }
            if whole.is_empty() {
                let rest = usize::try_from(body.size_hint().lower()).unwrap_or(0);
                whole.reserve(self.read.saturating_add(rest).min(self.limit));
                whole.extend_from_slice(&first);
                first = Bytes::new();
            }
            whole.extend_from_slice(&piece);
        }
        let whole = match whole.is_empty() {
            true => first,
            false => whole.freeze(),
        };
        (Ok(whole), Rest::Ended)
    }

    /// Counts the next bytes before they are held.
    fn count(&mut self, more: usize, in_flight: &Arc<InFlight>, parts: &Parts) -> Result<()> {
        self.read = self.read.saturating_add(more);
        if self.read > self.limit {
            return Err(too_large(self.limit));
        }
        if self.read <= SMALL {
            return Ok(());
        }
        let reservation = self
            .reservation
            .get_or_insert_with(|| in_flight.reservation_of(&parts.extensions));
        reservation.cover(self.read)
    }
}

fn broke_off(error: axum::Error) -> Error {
    Error::new(codes::INVALID_JSON)
        .with_message("The body broke off before its end.")
        .with_source(error)
}

fn too_large(limit: usize) -> Error {
    Error::new(codes::TOO_LARGE)
        .with_message(format!(
            "The body is over the {} that this server takes.",
            counted(limit, "byte")
        ))
        .with_field("limit", limit as u64)
}

#[cfg(test)]
mod tests;
