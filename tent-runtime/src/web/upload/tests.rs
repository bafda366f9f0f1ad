use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::{StreamExt as _, stream};
use http::Request;

use super::*;
use crate::settings::Settings;

fn upload(body: Body) -> Upload {
    let (parts, body) = Request::new(body).into_parts();
    Upload::of(&parts, body)
}

async fn body(body: Body, limit: usize) -> Result<Bytes> {
    read(&mut upload(body), limit).await
}

async fn read(upload: &mut Upload, limit: usize) -> Result<Bytes> {
    let (parts, ()) = Request::new(()).into_parts();
    upload
        .read(limit, &InFlight::new(&Settings::default()), &parts)
        .await
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

// P34.
#[tokio::test]
async fn what_is_over_the_limit_is_refused_at_once_and_then_read_to_its_end_within_bounds() {
    let mut over = upload(pieces([Ok("123"), Ok("456"), Ok("7")]));
    let error = read(&mut over, 5).await;
    assert_eq!(error.expect_err("it is too large").code(), "T0007");
    assert!(!closes(over).await, "the rest is dropped");
    // The rest of a body over the limit does not matter.
    let mut broken = upload(pieces([Ok("123456"), Err(std::io::Error::other("gone"))]));
    assert_eq!(
        read(&mut broken, 5)
            .await
            .expect_err("it is too large")
            .code(),
        "T0007"
    );
    assert!(closes(broken).await);
    let mut endless = upload(endless());
    let error = read(&mut endless, 5).await.expect_err("it never ends");
    assert_eq!(error.code(), "T0007");
    assert!(closes(endless).await, "there is more of it");
}

// P34.
#[tokio::test]
async fn a_declared_length_over_the_limit_is_refused_before_the_body_is_read() {
    let was_polled = Arc::new(AtomicBool::new(false));
    let noted = was_polled.clone();
    // A body that says how long it is, and waits for `100 Continue`.
    let announced = Announced(6, noted);
    let request = Request::builder().header(header::EXPECT, "100-continue");
    let (parts, body) = request
        .body(Body::new(announced))
        .expect("a request")
        .into_parts();
    let mut upload = Upload::of(&parts, body);
    let error = read(&mut upload, 5).await.expect_err("it is too large");
    assert_eq!((error.code(), error.status()), ("T0007", 413));
    assert!(closes(upload).await);
    assert!(
        !was_polled.load(Ordering::Relaxed),
        "it would send 100 Continue"
    );
}

/// A body of a declared length, none of which comes.
struct Announced(u64, Arc<AtomicBool>);

impl hyper::body::Body for Announced {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.1.store(true, Ordering::Relaxed);
        std::task::Poll::Pending
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        hyper::body::SizeHint::with_exact(self.0)
    }
}

// S02.
#[tokio::test]
async fn a_body_counts_in_the_budget_until_its_response_is_made() {
    let settings = Settings::from_vars([("TENT_LIMITS__IN_FLIGHT", "100kB")]);
    let in_flight = InFlight::new(&settings.expect("valid settings"));
    let (parts, ()) = Request::new(()).into_parts();
    let read = async |size: usize| {
        let mut upload = upload(Body::from(vec![0; size]));
        let read = upload.read(1 << 20, &in_flight, &parts).await;
        read.map(|_| upload)
    };
    let first = read(80_000).await.expect("there is room");
    let mut second = upload(Body::from(vec![0; 80_000]));
    let error = second.read(1 << 20, &in_flight, &parts).await;
    let error = error.expect_err("there is no room");
    assert_eq!((error.code(), error.status()), ("T0013", 503));
    assert!(!closes(second).await, "the rest is dropped");
    assert!(read(8_000).await.is_ok(), "a small one has room");
    assert!(!closes(first).await);
    assert!(read(80_000).await.is_ok(), "there is room again");
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
    let error = read(&mut slow, 5).await.expect_err("it never comes");
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

// S02.
#[tokio::test(start_paused = true)]
async fn a_fast_beginning_buys_no_time_for_the_rest() {
    let size = 4 << 20;
    let begins = stream::iter([Ok::<_, std::io::Error>(vec![0_u8; size - 2])]);
    let fast = Body::from_stream(begins.chain(stream::pending()));
    let began = Instant::now();
    let error = body(fast, size).await.expect_err("its end never comes");
    assert_eq!(error.code(), "T0020");
    assert!(began.elapsed() <= 2 * READ.window);
}
