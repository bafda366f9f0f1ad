//! [`ConnectionIo`]: the byte stream of one connection, with the limits that only the owner of a socket can enforce.
//!
//! Must not parse what it carries. It knows from the [`Activity`] of the connection whether a request is in progress.
//!
//! | limit | when | then |
//! |---|---|---|
//! | `limits.in_flight` | more than 8 KiB of a head have arrived | a static response with T0013 or T0006, and the end |
//! | `limits.write_timeout` | the client reads too little of what waits | the end |
//! | half-close | the client ended its side after a request | the response still goes out; see [`HALF_CLOSED`] |

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::activity::Activity;
use super::refusal;
use crate::in_flight::{InFlight, Reservation};

/// How long a request goes on after its client ended its side of the connection. A client that only ended its side still
/// reads the response, and one that is gone looks the same: its calls that may be cancelled are, after this time. A
/// connection that was reset ends at once.
const HALF_CLOSED: Duration = Duration::from_secs(2);

/// How many bytes a client that does not keep up must read in each `limits.write_timeout`, unless it reads all that
/// waits.
const LEAST_READ: usize = 64 << 10;

/// The byte stream of one connection.
pub(super) struct ConnectionIo<S> {
    stream: S,
    activity: Arc<Activity>,
    head: Head,
    unread: Option<Unread>,
    write_timeout: Duration,
    /// Runs while the end of the client's side is hidden. On the heap, because hardly a connection has one.
    half_closed: Option<Pin<Box<Sleep>>>,
}

/// The head that is being read. Its bytes count until the next head begins.
struct Head {
    in_flight: Arc<InFlight>,
    client: IpAddr,
    /// The wait that it belongs to.
    wait: u64,
    bytes: usize,
    reservation: Option<Reservation>,
}

/// Bytes that the client does not read.
struct Unread {
    deadline: Pin<Box<Sleep>>,
    /// How many it has read since the deadline was set.
    read: usize,
}

impl<S> ConnectionIo<S> {
    pub(super) fn new(
        stream: S,
        client: IpAddr,
        activity: Arc<Activity>,
        in_flight: Arc<InFlight>,
        write_timeout: Duration,
    ) -> Self {
        ConnectionIo {
            stream,
            head: Head {
                in_flight,
                client,
                wait: activity.since(),
                bytes: 0,
                reservation: None,
            },
            activity,
            unread: None,
            write_timeout,
            half_closed: None,
        }
    }

    /// The result of a write of `offered` bytes: ends the connection when its client reads too little.
    fn written(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        offered: usize,
    ) -> Poll<io::Result<usize>> {
        let written = match written {
            Poll::Ready(written) => written?,
            Poll::Pending => {
                self.activity.set_unread(true);
                let timeout = self.write_timeout;
                let unread = self.unread.get_or_insert_with(|| Unread {
                    deadline: Box::pin(sleep(timeout)),
                    read: 0,
                });
                ready!(unread.deadline.as_mut().poll(cx));
                return Poll::Ready(Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    "the client did not read the response",
                )));
            }
        };
        let Some(unread) = &mut self.unread else {
            return Poll::Ready(Ok(written));
        };
        self.activity.touch();
        if written == offered {
            // Nothing waits any more.
            self.unread = None;
            self.activity.set_unread(false);
            return Poll::Ready(Ok(written));
        }
        unread.read += written;
        if unread.read >= LEAST_READ {
            unread.read = 0;
            let deadline = Instant::now() + self.write_timeout;
            unread.deadline.set(sleep_until(deadline));
        }
        Poll::Ready(Ok(written))
    }
}

impl<S: AsyncWrite + Unpin> ConnectionIo<S> {
    /// Counts bytes that arrived. Those of a head count here; those of a body count where it is read.
    fn arrived(&mut self, cx: &mut Context<'_>, bytes: usize) -> io::Result<()> {
        if !self.activity.is_idle() {
            return Ok(());
        }
        let head = &mut self.head;
        let wait = self.activity.since();
        if head.wait != wait {
            (head.wait, head.bytes, head.reservation) = (wait, 0, None);
        }
        head.bytes = head.bytes.saturating_add(bytes);
        if head.bytes <= crate::in_flight::SMALL {
            return Ok(());
        }
        let reservation = head
            .reservation
            .get_or_insert_with(|| head.in_flight.reservation(Some(head.client)));
        reservation.cover(head.bytes).map_err(|error| {
            // The whole of it, or nothing: the connection ends.
            let refusal = refusal::response(&error);
            let _ = Pin::new(&mut self.stream).poll_write(cx, refusal.as_bytes());
            io::Error::other(error.message().to_owned())
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for ConnectionIo<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let before = buf.filled().len();
        if this.half_closed.is_none() {
            ready!(Pin::new(&mut this.stream).poll_read(cx, buf))?;
            let bytes = buf.filled().len() - before;
            if bytes > 0 || buf.remaining() == 0 {
                return Poll::Ready(this.arrived(cx, bytes));
            }
        }
        // The client's side is at its end.
        if this.activity.is_serving() {
            let over = this
                .half_closed
                .get_or_insert_with(|| Box::pin(sleep(HALF_CLOSED)));
            ready!(over.as_mut().poll(cx));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ConnectionIo<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.written(cx, written, buf.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        let offered = match &self.unread {
            // The number matters only while the client does not keep up.
            None => 0,
            Some(_) => bufs.iter().map(|buf| buf.len()).sum(),
        };
        self.written(cx, written, offered)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;
    use crate::settings::Settings;

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// A connection with a buffer of this size, its activity, and its client.
    fn connected(buffer: usize) -> (ConnectionIo<DuplexStream>, Arc<Activity>, DuplexStream) {
        let settings = Settings::from_vars([("TENT_LIMITS__IN_FLIGHT", "100kB")]);
        let in_flight = InFlight::new(&settings.expect("valid settings"));
        let activity = Arc::new(Activity::new(Instant::now()));
        let (server, client) = duplex(buffer);
        let address = IpAddr::from([192, 0, 2, 1]);
        let io = ConnectionIo::new(server, address, activity.clone(), in_flight, TIMEOUT);
        (io, activity, client)
    }

    // S04.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_ends_its_connection() {
        let (mut io, _, _client) = connected(1000);
        let began = Instant::now();
        let error = io
            .write_all(&[0; 2000])
            .await
            .expect_err("it reads nothing");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), TIMEOUT);
    }

    // S04.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_a_little_now_and_then_ends_its_connection() {
        let read_each_second = async |bytes: usize| {
            let (mut io, _, mut client) = connected(1000);
            let reading = tokio::spawn(async move {
                let mut read = vec![0; bytes];
                while client.read_exact(&mut read).await.is_ok() {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            });
            let written = io.write_all(&vec![0; 400 << 10]).await;
            reading.abort();
            written
        };
        assert!(read_each_second(100).await.is_err());
        assert!(read_each_second(20 << 10).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_between_messages_is_not_a_stall() {
        let (mut io, activity, mut client) = connected(1000);
        for _ in 0..3 {
            // Each message first waits for the client, and then is read whole.
            let (written, ()) = tokio::join!(io.write_all(&[0; 1500]), async {
                tokio::time::sleep(TIMEOUT / 2).await;
                client
                    .read_exact(&mut [0; 1500])
                    .await
                    .expect("it is written");
            });
            written.expect("it was read in time");
            assert_eq!(activity.idleness().is_some(), activity.is_idle());
            tokio::time::sleep(3 * TIMEOUT).await;
        }
    }

    // S02.
    #[tokio::test]
    async fn a_head_counts_in_the_budget() {
        let (mut io, activity, mut client) = connected(1 << 20);
        let mut other = io.head.in_flight.reservation(None);
        other.cover(80_000).expect("room");
        client.write_all(&[b'a'; 30_000]).await.expect("room");
        let mut read = vec![0; 15_000];
        io.read_exact(&mut read).await.expect("there is room");
        let error = io.read_exact(&mut read).await.expect_err("no room");
        assert!(error.to_string().contains("limits.in_flight"), "{error}");
        drop(io);
        let mut refusal = String::new();
        client.read_to_string(&mut refusal).await.expect("a text");
        assert!(refusal.starts_with("HTTP/1.1 503 "), "{refusal}");
        assert!(refusal.contains("T0013") && refusal.contains("retry-after: 1"));
        assert!(activity.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn a_half_closed_connection_ends_after_its_response() {
        let (mut io, activity, mut client) = connected(1000);
        assert!(activity.begin(false));
        client.shutdown().await.expect("it is open");
        let began = Instant::now();
        let read = io.read(&mut [0; 10]).await;
        assert_eq!((read.ok(), began.elapsed()), (Some(0), HALF_CLOSED));
        activity.response_ended();
        let read = io.read(&mut [0; 10]).await;
        assert_eq!((read.ok(), began.elapsed()), (Some(0), HALF_CLOSED));
    }
}
