//! `admit`, the first step of dispatch: decides whether a request may be served at all, and who sent it.
//!
//! It knows neither the method of the request nor what it asks for. Each request is admitted once, whether it is a
//! list, a call or a notification; each message of a JSON-RPC batch counts as a request.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use http::request::Parts;
use tokio::time::Instant;

use super::guard::in_time;
use super::{Dispatcher, rate};
use crate::caller::Caller;
use crate::cx::TraceId;
use crate::error::{Error, Result};
use crate::in_flight::Reservation;
use tent_core::codes;

/// A client that a T0013 refuses may try again after this time.
const RETRY_AFTER_CLOSING: Duration = Duration::from_secs(5);

/// A request that dispatch admitted. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Admitted {
    caller: Caller,
    client_address: Option<IpAddr>,
    trace: TraceId,
    deadline: Option<Instant>,
    /// The bytes of the request body in the budget of the process; `None` for a small one.
    body: Option<Arc<Reservation>>,
}

/// The sender of the messages of a connection without HTTP, known when the connection opens.
#[derive(Clone)]
pub(crate) enum Identity {
    /// This caller.
    Caller(Caller),
    /// The user of this id.
    User(String),
    /// The holder of this API key.
    Key(String),
}

impl Dispatcher {
    /// Admits an HTTP request: checks `Host` and `Origin`, identifies the caller and sets the deadline.
    ///
    /// The caller of this function refuses new work during a shutdown ([`check_open`](Self::check_open)), since a
    /// notification or a response of a client belongs to a call that is still running.
    ///
    /// # Errors
    /// T0014 for a host or an origin that is not served, T0004 for credentials that are not valid, T0006 for a caller
    /// that sends too much, T0010 and T0012 if the caller cannot be identified.
    pub(crate) async fn admit(&self, parts: &Parts, trace: TraceId) -> Result<Admitted> {
        let deadline = self.deadline();
        self.check_host(parts)?;
        let caller = self.identify_until(parts, &trace, deadline).await?;
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        self.admitted(Admitted {
            caller,
            client_address: address.map(|ConnectInfo(address)| address.ip().to_canonical()),
            trace,
            deadline,
            body: None,
        })
    }

    /// Admits a message of a connection without HTTP. The identity is checked for each message, since a key can be
    /// revoked and a user removed meanwhile.
    ///
    /// # Errors
    /// As [`admit`](Self::admit), except T0014.
    pub(crate) async fn admit_message(
        &self,
        identity: &Identity,
        trace: TraceId,
    ) -> Result<Admitted> {
        let deadline = self.deadline();
        let caller = self.identify_peer(identity, &trace, deadline).await?;
        self.admitted(Admitted {
            deadline,
            ..Admitted::internal(caller, trace)
        })
    }

    /// Admits the next message of a batch, which is a request with its own deadline. Its caller is identified again: its
    /// key may have been revoked, or its roles changed, while the messages before it were served.
    ///
    /// # Errors
    /// As [`admit`](Self::admit), except T0014; T0004 if the credentials name another caller by now.
    pub(crate) async fn admit_next(&self, batch: &Admitted, parts: &Parts) -> Result<Admitted> {
        let deadline = self.deadline();
        let caller = self.identify_until(parts, &batch.trace, deadline).await?;
        if caller.to_string() != batch.caller.to_string() {
            return Err(Error::new(codes::SIGN_IN));
        }
        self.admitted(Admitted {
            caller,
            deadline,
            ..batch.clone()
        })
    }

    /// The last part of `admit`, whatever the transport.
    fn admitted(&self, request: Admitted) -> Result<Admitted> {
        rate::check(&request)?;
        Ok(request)
    }

    /// Refuses new work during a shutdown.
    ///
    /// # Errors
    /// T0013 from [`close`](Self::close) on.
    pub(crate) fn check_open(&self) -> Result<()> {
        match self.is_closing() {
            false => Ok(()),
            true => Err(Error::new(codes::SHUTTING_DOWN)
                .with_message("The server is shutting down and accepts no new calls.")
                .with_retry_after(RETRY_AFTER_CLOSING)),
        }
    }

    /// When a request that arrives now must be answered: after `limits.call_timeout`. `None` for no limit.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.settings.limits.call_timeout)
    }
}

impl Admitted {
    /// A call that no request made: of the command line, of the app itself, or of another function. It has no deadline
    /// and counts against no rate.
    pub(crate) fn internal(caller: Caller, trace: TraceId) -> Self {
        Admitted {
            caller,
            client_address: None,
            trace,
            deadline: None,
            body: None,
        }
    }

    /// The same with a deadline.
    #[must_use]
    pub(crate) fn with_deadline(self, deadline: Option<Instant>) -> Self {
        Admitted { deadline, ..self }
    }

    /// The identity that sent the request.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The address of the connection; `None` where it is unknown.
    pub(crate) fn client_address(&self) -> Option<IpAddr> {
        self.client_address
    }

    /// The id of the request.
    pub(crate) fn trace(&self) -> TraceId {
        self.trace
    }

    /// When the request must be answered; `None` for no limit. Every await of the request is under it.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Records that the request body has arrived. Moves the deadline later by the time that this took: its own limits bound
    /// that time.
    pub(crate) fn uploaded(&mut self, took: Duration, body: Option<Arc<Reservation>>) {
        self.deadline = self.deadline.and_then(|at| at.checked_add(took));
        self.body = body;
    }

    /// How many bytes of the request body count in the budget of the process.
    pub(super) fn body_bytes(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.bytes())
    }

    /// Waits for a part of tent, such as the store, until the deadline of the request.
    ///
    /// # Errors
    /// T0010 at the deadline, and those of `work`.
    pub(crate) fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T>>,
    ) -> impl Future<Output = Result<T>> {
        in_time(self.deadline, work)
    }

    /// What the request counts against, in limits of streams, retries and rates: the caller, or the address of an
    /// anonymous one.
    pub(crate) fn quota_key(&self) -> String {
        quota_key(&self.caller, self.client_address)
    }

    /// The same with the address of a client.
    #[must_use]
    pub(super) fn with_client_address(self, client_address: Option<IpAddr>) -> Self {
        Admitted {
            client_address,
            ..self
        }
    }
}

/// What a request counts against: its caller, or the address of an anonymous one.
pub(super) fn quota_key(caller: &Caller, client_address: Option<IpAddr>) -> String {
    if caller.is_known() {
        return caller.to_string();
    }
    match client_address {
        // The holder of one address of a /64 network holds all of them.
        Some(IpAddr::V6(ip)) => format!("{:x?}", &ip.segments()[..4]),
        Some(IpAddr::V4(ip)) => ip.to_string(),
        None => String::new(),
    }
}

/// Without the text of a key.
impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Identity::Caller(caller) => f.debug_tuple("Caller").field(caller).finish(),
            Identity::User(id) => f.debug_tuple("User").field(id).finish(),
            Identity::Key(_) => f.debug_tuple("Key").finish_non_exhaustive(),
        }
    }
}
