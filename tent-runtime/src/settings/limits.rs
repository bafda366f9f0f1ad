//! [`Limits`]: the limits of the server on size, time and number.

use std::time::Duration;

/// Section `limits`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// `limits.max_body`: the greatest size of a request body, in bytes. Default: 4 MiB.
    pub max_body: usize,
    /// `limits.max_response`: the greatest size of a function's output, and of the responses to one JSON-RPC batch, in
    /// bytes. Default: 16 MiB.
    pub max_response: usize,
    /// `limits.call_timeout`: the time limit of a request, including the access rules and functions that it runs. The
    /// `timeout` of a function replaces it from the start of that function. Default: 30 seconds.
    pub call_timeout: Duration,
    /// `limits.drain`: how long the server goes on serving new calls after it gets SIGINT or SIGTERM. `/readyz` is 503 from
    /// the signal on, so that a load balancer has this time to send calls elsewhere. Default: zero.
    pub drain: Duration,
    /// `limits.grace`: how long running calls have to end when the server shuts down, after [`drain`](Self::drain), or when the
    /// input of an MCP client on stdio ends. Default: [`call_timeout`](Self::call_timeout), but at least 10 seconds.
    pub grace: Option<Duration>,
    /// `limits.write_timeout`: how long a client may read nothing of a response before its connection ends. While the client
    /// does not read, it must take 64 KiB, or all that waits, in each such time. The server's own listener enforces this; an
    /// app that serves [`Tent::router`](crate::Tent::router) itself needs a limit of its listener. Default: 30 seconds.
    pub write_timeout: Duration,
    /// `limits.in_flight`: the greatest number of bytes that the process holds of request heads, request bodies, the inputs
    /// of calls until they end, responses and messages that wait to be sent, beyond the first 8 KiB of each. What exceeds it
    /// is T0013 with `Retry-After`. The server's own listener counts heads; the others count on any listener. What a function
    /// allocates while it runs is its own; before a plain function runs, as many bytes as its last output had are reserved.
    /// Default: 256 MiB.
    pub in_flight: usize,
    /// `limits.in_flight_per_address`: the share of `limits.in_flight` that one client address may use; more is T0006 with
    /// `Retry-After`. IPv6 addresses count per /64 network. [`web.trusted_proxies`](super::Web::trusted_proxies), and
    /// requests on the app's own listener without `axum::extract::ConnectInfo<SocketAddr>`, count only in total. Default:
    /// half of `limits.in_flight`.
    pub in_flight_per_address: Option<usize>,
    /// `limits.connections`: the greatest number of open connections of the server's own listener. If another client
    /// connects, the connection that is idle for the longest time closes. Default: 16,384, or fewer if the process may not
    /// open as many files. A greater value than that is lowered with a warning.
    pub connections: Option<usize>,
    /// `limits.connections_per_address`: the greatest number of open connections from one client address, which counts as
    /// for `limits.in_flight_per_address`. If the address opens another, its connection that is idle for the longest time
    /// closes; if none is idle, the new one is T0006. Default: half of `limits.connections`.
    pub connections_per_address: Option<usize>,
    /// `limits.ask_time`: the time limit for a person's or a client's response to a request of the server. Default: 10
    /// minutes.
    pub ask_time: Duration,
    /// `limits.list_ttl`: how long clients may cache lists, such as the list of tools. Zero disables it. Default: 5 minutes.
    pub list_ttl: Duration,
    /// `limits.streams_per_caller`: the greatest number of MCP streams that a caller may have open with this process. A
    /// further stream is T0006. Anonymous streams ([`mcp.anyone`](super::Mcp::anyone)) count per address of the connection, and
    /// IPv6 addresses count per /64 network. Behind a proxy, or on the app's own listener without
    /// `axum::extract::ConnectInfo<SocketAddr>`, all anonymous streams count together. Default: 100.
    pub streams_per_caller: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_body: 4 << 20,
            max_response: 16 << 20,
            call_timeout: Duration::from_secs(30),
            drain: Duration::ZERO,
            grace: None,
            write_timeout: Duration::from_secs(30),
            in_flight: 256 << 20,
            in_flight_per_address: None,
            connections: None,
            connections_per_address: None,
            ask_time: Duration::from_secs(600),
            list_ttl: Duration::from_secs(300),
            streams_per_caller: 100,
        }
    }
}

/// The least time that running calls have to end, where the settings name none.
const LEAST_GRACE: Duration = Duration::from_secs(10);

impl Limits {
    /// How long running calls have to end: [`grace`](Self::grace) or its default.
    pub(crate) fn grace_time(&self) -> Duration {
        self.grace.unwrap_or(self.call_timeout.max(LEAST_GRACE))
    }

    /// The bytes that one client address may use of [`in_flight`](Self::in_flight).
    pub(crate) fn share_of_in_flight(&self) -> usize {
        let share = self.in_flight_per_address.unwrap_or(self.in_flight / 2);
        share.min(self.in_flight)
    }

    /// Probable mistakes: limits that exclude each other, each as a sentence.
    pub(super) fn warnings(&self) -> Vec<String> {
        let share = self.share_of_in_flight();
        let limits = [
            ("limits.max_body", self.max_body),
            ("limits.max_response", self.max_response),
        ];
        let over = limits.into_iter().filter(|(_, size)| *size > share);
        let warning = |(name, size)| {
            format!(
                "{name} is {size} bytes, but one address may use only {share} bytes: raise limits.in_flight, or limits.in_flight_per_address."
            )
        };
        over.map(warning).collect()
    }
}
