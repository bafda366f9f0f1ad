//! Reads the body of a request, within limits of size and time, and drops the unread rest before the response is sent.
//!
//! Must not hold more than the limit of a body, nor wait for a sender without a deadline.

use std::time::Duration;

use axum::body::{Body, HttpBody as _};
use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderValue, Response, Version, header};
use http_body_util::BodyExt as _;
use tent_core::codes;
use tent_core::count::counted;
use tokio::time::{Instant, timeout_at};

use crate::error::{Error, Result};

/// How many bytes of an unread body are read and dropped. Without this, a client that writes its whole body before it
/// reads finds a closed connection in place of the response, and so does a client that sends its next request on the
/// same connection.
const MAX_DROPPED: usize = 16 << 20;

/// The least speed of a sender, so that none holds a connection by sending a byte now and then. The time that the
/// response takes does not count.
#[derive(Clone, Copy)]
struct Pace {
    /// The time that every body has, however short it is.
    patience: Duration,
    /// How many bytes each further millisecond must bring.
    bytes_per_ms: u64,
}

/// For a body that is read: 30 seconds, then 4 kB a second.
const READ: Pace = Pace {
    patience: Duration::from_secs(30),
    bytes_per_ms: 4,
};

/// For a body that is dropped, while the response waits: 5 seconds, then 64 kB a second.
const DROP: Pace = Pace {
    patience: Duration::from_secs(5),
    bytes_per_ms: 64,
};

impl Pace {
    /// The time by which the next chunk must arrive, after `read` bytes.
    fn deadline(self, began: Instant, read: usize) -> Instant {
        let more = Duration::from_millis(read as u64 / self.bytes_per_ms);
        began + self.patience + more
    }
}

/// The body of one request. Call [`finish`](Self::finish) with the response, whether the body was read or not.
pub(crate) struct Upload {
    rest: Rest,
    /// The client waits for `100 Continue` before it sends the body. Reading the body sends it.
    waits: bool,
    /// Whether a header of the response can end the connection, as in HTTP/1.
    closable: bool,
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
        }
    }

    /// Reads a whole body of at most `limit` bytes. The second call reads nothing.
    ///
    /// # Errors
    /// T0007 for a larger body, of which at most `limit` bytes are held; T0018 for a body that broke off; T0020 for a
    /// body that arrived too slowly.
    pub(crate) async fn read(&mut self, limit: usize) -> Result<Bytes> {
        match std::mem::replace(&mut self.rest, Rest::Lost) {
            Rest::Unread(body) => {
                let (read, rest) = read(body, limit).await;
                self.rest = rest;
                read
            }
            rest => {
                self.rest = rest;
                Ok(Bytes::new())
            }
        }
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
    let began = Instant::now();
    let mut read = 0_usize;
    loop {
        let frame = match timeout_at(DROP.deadline(began, read), body.frame()).await {
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

async fn read(mut body: Body, limit: usize) -> (Result<Bytes>, Rest) {
    let most = limit.saturating_add(MAX_DROPPED);
    if body.size_hint().lower() > most as u64 {
        return (Err(too_large(limit)), Rest::Lost);
    }
    let began = Instant::now();
    let mut read = 0_usize;
    // Nearly every body comes as one piece, which is then handed on as it is.
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    loop {
        let frame = match timeout_at(READ.deadline(began, read), body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => break,
            Ok(Some(Err(error))) => return (Err(broke_off(error)), Rest::Lost),
            Err(_) => return (Err(Error::new(codes::BODY_TOO_SLOW)), Rest::Lost),
        };
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        read = read.saturating_add(piece.len());
        if read > most {
            return (Err(too_large(limit)), Rest::Lost);
        }
        if read > limit {
            first = Bytes::new();
            whole = BytesMut::new();
        } else if first.is_empty() {
            first = piece;
        } else {
            if whole.is_empty() {
                let rest = usize::try_from(body.size_hint().lower()).unwrap_or(0);
                whole.reserve(read.saturating_add(rest).min(limit));
                whole.extend_from_slice(&first);
            }
            whole.extend_from_slice(&piece);
        }
    }
    let read = match (read > limit, whole.is_empty()) {
        (true, _) => Err(too_large(limit)),
        (false, true) => Ok(first),
        (false, false) => Ok(whole.freeze()),
    };
    (read, Rest::Ended)
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
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures_util::{StreamExt as _, stream};
    use http::Request;

    use super::*;

    fn upload(body: Body) -> Upload {
        let (parts, body) = Request::new(body).into_parts();
        Upload::of(&parts, body)
    }

    async fn body(body: Body, limit: usize) -> Result<Bytes> {
        upload(body).read(limit).await
    }

    /// Whether the answer to a request with this body, which is unread, closes the connection.
    async fn closes(upload: Upload) -> bool {
        let mut response = Response::new(Body::empty());
        upload.finish(&mut response).await;
        response.headers().get(header::CONNECTION).is_some()
    }

    /// A body in these pieces, the end of which is broken where one of them is.
    fn pieces<const N: usize>(pieces: [std::io::Result<&'static str>; N]) -> Body {
        Body::from_stream(stream::iter(pieces))
    }

    fn endless() -> Body {
        let piece = || Ok::<_, std::io::Error>(vec![0_u8; 1 << 20]);
        Body::from_stream(stream::repeat_with(piece))
    }

    /// A body that begins and never goes on.
    fn stuck() -> Body {
        let begins = stream::iter([Ok::<_, std::io::Error>("1")]);
        Body::from_stream(begins.chain(stream::pending()))
    }

    #[tokio::test]
    async fn a_body_comes_whole_however_it_was_cut() {
        let cut = pieces([Ok("1"), Ok(""), Ok("23"), Ok("45")]);
        assert_eq!(body(cut, 5).await.expect("it fits"), "12345");
        assert_eq!(body(Body::empty(), 0).await.expect("it fits"), "");
        let broken = pieces([Ok("1"), Err(std::io::Error::other("gone"))]);
        assert_eq!(body(broken, 5).await.expect_err("it broke").code(), "T0018");
    }

    #[tokio::test]
    async fn what_is_over_the_limit_is_read_to_its_end_within_bounds() {
        let error = body(pieces([Ok("123"), Ok("456"), Ok("7")]), 5).await;
        assert_eq!(error.expect_err("it is too large").code(), "T0007");
        // A body that broke off beyond the limit gets T0018, because all of it was read.
        let broken = pieces([Ok("123456"), Err(std::io::Error::other("gone"))]);
        assert_eq!(body(broken, 5).await.expect_err("it broke").code(), "T0018");
        let mut endless = upload(endless());
        let error = endless.read(5).await.expect_err("it never ends");
        assert_eq!(error.code(), "T0007");
        assert!(closes(endless).await, "there is more of it");
    }

    #[tokio::test]
    async fn a_body_over_the_limit_is_refused_and_one_at_it_is_not() {
        assert_eq!(
            body(Body::from("12345"), 5).await.expect("it fits"),
            "12345"
        );
        let error = body(Body::from("123456"), 5)
            .await
            .expect_err("it is too large");
        assert_eq!(
            (error.code(), error.fields()["limit"].as_u64()),
            ("T0007", Some(5))
        );
    }

    #[tokio::test]
    async fn what_nobody_read_is_read_to_its_end_within_bounds() {
        let ended = Arc::new(AtomicBool::new(false));
        let noted = ended.clone();
        let last = stream::once(async move {
            noted.store(true, Ordering::Relaxed);
            Ok("2")
        });
        let first = stream::iter([Ok::<_, std::io::Error>("1")]);
        let body = Body::from_stream(first.chain(last));
        assert!(!closes(upload(body)).await);
        assert!(ended.load(Ordering::Relaxed), "the next request follows it");

        assert!(!closes(upload(Body::empty())).await);
        assert!(!closes(upload(Body::from("1"))).await);
        assert!(closes(upload(endless())).await);
        assert!(closes(upload(pieces([Err(std::io::Error::other("gone"))]))).await);
        let large = vec![0; MAX_DROPPED + 1];
        assert!(closes(upload(Body::from(large))).await);
    }

    #[tokio::test]
    async fn a_client_that_waits_to_be_told_to_go_on_is_answered_without_that() {
        let request = Request::builder().header(header::EXPECT, "100-Continue");
        let request = request.body(stuck()).expect("a request");
        let (parts, body) = request.into_parts();
        assert!(closes(Upload::of(&parts, body)).await);
    }

    #[tokio::test]
    async fn nothing_closes_a_connection_of_http_2() {
        let request = Request::builder().version(Version::HTTP_2);
        let (parts, body) = request.body(endless()).expect("a request").into_parts();
        assert!(!closes(Upload::of(&parts, body)).await);
    }

    /// The clock stands still and goes on by itself where everything waits for it.
    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_not_waited_for_without_end() {
        let mut slow = upload(stuck());
        let error = slow.read(5).await.expect_err("it never comes");
        assert_eq!((error.code(), error.status()), ("T0020", 408));
        assert!(closes(slow).await);
        assert!(closes(upload(stuck())).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_body_may_take_long_and_a_trickle_may_not() {
        let each_second = |size: usize| {
            Body::from_stream(stream::unfold(0, move |at| async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                (at < 120).then(|| (Ok::<_, std::io::Error>(vec![0_u8; size]), at + 1))
            }))
        };
        let limit = 120 * 8_000;
        let whole = body(each_second(8_000), limit).await;
        assert_eq!(whole.expect("it comes fast enough").len(), limit);
        let error = body(each_second(1), limit).await.expect_err("too slow");
        assert_eq!(error.code(), "T0020");
    }
}
