//! The state of one client on a connection, such as stdin and stdout: its credentials, its handshake, its outbox.
//! Must not read bytes or serve messages.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tent_core::codes;

use http::request::Parts;
use http::{Request, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use tokio::time::Instant;

use crate::caller::Caller;
use crate::cx::{Client, TraceId};
use crate::dispatch::{Admitted, Dispatcher, Identity};
use crate::error::{Error, Result};
use crate::mcp::client::outbox::Outbox;
use crate::mcp::client::response_stream::{CHECK, CHECK_TIME};
use crate::mcp::protocol::revision::Revision;
use crate::mcp::protocol::rpc_error::RpcError;
use crate::mcp::session::in_flight::RequestKey;
use crate::mcp::session::negotiated::Negotiated;
use crate::random;

/// The most requests of one connection that run at once.
const MAX_IN_FLIGHT: usize = 256;

/// One client on a connection.
pub(crate) struct ConnectionState {
    dispatcher: Arc<Dispatcher>,
    identity: Identity,
    /// Distinguishes its requests from those of other connections; `None` where no request can be cancelled.
    nonce: Option<[u8; 16]>,
    handshake: Mutex<Option<Handshake>>,
    outbox: Option<Outbox>,
    permits: Semaphore,
    /// The fix of an error that asks the client to sign in.
    sign_in: &'static str,
    /// Becomes true when no more messages arrive.
    ending: watch::Sender<bool>,
    /// The head of a request that does not exist, without headers.
    parts: Parts,
}

/// A handshake of this connection.
struct Handshake {
    negotiated: Negotiated,
    /// The caller that made it.
    caller: Caller,
    /// Whether the session has started. Before that the client may not even have the response to its handshake,
    /// so it gets no notifications and no requests (2025-11-25, basic/lifecycle, Initialization).
    started: bool,
}

impl ConnectionState {
    /// A connection that carries one message and its response.
    pub(crate) fn of_one(dispatcher: Arc<Dispatcher>, identity: Identity) -> Self {
        let (parts, ()) = Request::new(()).into_parts();
        ConnectionState {
            dispatcher,
            identity,
            nonce: None,
            handshake: Mutex::new(None),
            outbox: None,
            permits: Semaphore::new(MAX_IN_FLIGHT),
            sign_in: "Pass the identity of a caller with access.",
            ending: watch::Sender::new(false),
            parts,
        }
    }

    /// A connection whose requests can be cancelled, and whose notifications go to `outbox`.
    pub(crate) fn new(dispatcher: Arc<Dispatcher>, identity: Identity, outbox: Outbox) -> Self {
        let mut connection = ConnectionState::of_one(dispatcher, identity);
        connection.nonce = Some(random::bytes());
        connection.outbox = Some(outbox);
        connection.sign_in = "Serve the connection with the identity of a caller with access.";
        connection
    }

    /// Sets the fix of an error that asks the client to sign in.
    pub(crate) fn set_sign_in(&mut self, sign_in: &'static str) {
        self.sign_in = sign_in;
    }

    /// Admits the next message. The identity is checked for each message, since a key can be revoked while the connection
    /// is open.
    ///
    /// # Errors
    /// T0004 for a key that is not valid or a user that does not exist.
    pub(crate) async fn admit(&self) -> Result<Admitted> {
        let trace = TraceId::generate();
        self.dispatcher.admit_message(&self.identity, trace).await
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) fn outbox(&self) -> Option<&Outbox> {
        self.outbox.as_ref()
    }

    pub(crate) fn nonce(&self) -> Option<[u8; 16]> {
        self.nonce
    }

    /// Adapts an error to a transport without headers, where the client cannot sign in by one.
    pub(crate) fn adapt(&self, error: RpcError) -> RpcError {
        match error.status {
            StatusCode::UNAUTHORIZED => error.with_data("fix", self.sign_in.into()),
            _ => error,
        }
    }

    /// A permit for one more request. Dropping it returns the permit.
    ///
    /// # Errors
    /// T0006 when too many requests run already.
    pub(crate) fn permit(&self) -> Result<SemaphorePermit<'_>, RpcError> {
        self.permits.try_acquire().map_err(|_| {
            let error = Error::new(codes::TOO_MANY_REQUESTS).with_message(format!(
                "{MAX_IN_FLIGHT} requests are under way, which is the most that are served at once."
            ));
            RpcError::of(&error, &self.dispatcher.about().name)
        })
    }

    /// What the last handshake negotiated, or what applies without one.
    pub(crate) fn negotiated(&self) -> Negotiated {
        let handshake = self.lock();
        let negotiated = handshake.as_ref().map(|one| one.negotiated.clone());
        Negotiated {
            nonce: self.nonce,
            ..negotiated.unwrap_or_else(|| Negotiated::without_handshake(Revision::ASSUMED))
        }
    }

    /// Records a handshake.
    pub(crate) fn negotiate(&self, caller: &Caller, revision: Revision, client: Client) {
        *self.lock() = Some(Handshake {
            negotiated: Negotiated {
                revision,
                client,
                nonce: self.nonce,
                ends: None,
            },
            caller: caller.clone(),
            started: false,
        });
    }

    /// Records that the client uses its session. Returns the session the first time after each handshake.
    pub(crate) fn start_session(&self) -> Option<(RequestKey, Negotiated)> {
        let nonce = self.nonce?;
        let mut handshake = self.lock();
        let handshake = handshake.as_mut().filter(|one| !one.started)?;
        handshake.started = true;
        let key = RequestKey::new(nonce, &handshake.caller, "");
        Some((key, handshake.negotiated.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Handshake>> {
        // No code panics while the lock is held.
        self.handshake
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that no more messages arrive.
    pub(crate) fn end(&self) {
        self.ending.send_replace(true);
    }

    /// Resolves after [`end`](Self::end).
    pub(crate) async fn ended(&self) {
        // `self` owns the sender, so the wait ends by the value alone.
        let _ = self.ending.subscribe().wait_for(|&ending| ending).await;
    }

    /// Admits the next message of a batch, as [`Dispatcher::admit_next`] does.
    ///
    /// # Errors
    /// As [`Dispatcher::admit_next`].
    pub(crate) async fn admit_next(&self, batch: &Admitted) -> Result<Admitted, Error> {
        let admitted = self
            .dispatcher
            .admit_message(&self.identity, batch.trace())
            .await?;
        match admitted.caller().to_string() == batch.caller().to_string() {
            true => Ok(admitted),
            false => Err(Error::new(codes::SIGN_IN)),
        }
    }

    /// Waits for the next check of the identity, a second later. `None` if it is no longer this caller. A store that fails
    /// does not end the wait.
    pub(crate) async fn checked(&self, caller: &Caller) -> Option<Admitted> {
        loop {
            tokio::time::sleep(CHECK).await;
            match self.check(caller).await {
                Ok(Some(admitted)) => return Some(admitted),
                Ok(None) => {}
                Err(CallerGone) => return None,
            }
        }
    }

    /// Checks that the identity is still this caller; `None` if the store failed.
    ///
    /// # Errors
    /// [`CallerGone`] if it is not.
    pub(crate) async fn check(&self, caller: &Caller) -> Result<Option<Admitted>, CallerGone> {
        match self.dispatcher.identify_connection(&self.identity).await {
            Ok(now) if now.to_string() == caller.to_string() => {
                let admitted = Admitted::internal(now, TraceId::generate());
                let deadline = Instant::now().checked_add(CHECK_TIME);
                Ok(Some(admitted.with_deadline(deadline)))
            }
            Err(error) if error.is(codes::UNAVAILABLE) => Ok(None),
            Ok(_) | Err(_) => Err(CallerGone),
        }
    }

    /// The session that the client uses; `None` before its first message after a handshake.
    pub(crate) fn session(&self) -> Option<(RequestKey, Caller, Client)> {
        let nonce = self.nonce?;
        let handshake = self.lock();
        let handshake = handshake.as_ref().filter(|one| one.started)?;
        let key = RequestKey::new(nonce, &handshake.caller, "");
        let client = handshake.negotiated.client.clone();
        Some((key, handshake.caller.clone(), client))
    }
}

/// The identity of a connection is no longer the caller that it was.
#[derive(Debug)]
pub(crate) struct CallerGone;
