//! Dispatch: the only path to a function of the app. Every endpoint and every MCP method passes the same steps, each
//! once per request.
//!
//! It knows no wire format. An endpoint reads its request, hands over what it names and holds, and writes the
//! [`Outcome`].
//!
//! ```text
//!  endpoint: request parts, or the identity of a connection
//!     │
//!     ▼
//!  admit ───────► Admitted    who sent it, and until when it must be answered
//!     ▼
//!  resolve ─────► Resolved    what it names, if this caller may use it      (a list: visible)
//!     ▼
//!  call ────────► Outcome     what the function returned
//! ```
//!
//! The steps in order. A step that refuses ends the request with its code, and no later step runs:
//!
//! | step | decides | code | file |
//! |---|---|---|---|
//! | admit: host | whether `Host` and `Origin` are this server's | T0014 | `host` |
//! | admit: identify | which caller the credentials name | T0004 | `identify` |
//! | admit: rate | whether the caller or its address sends too much (permits every request for now) | T0006 | `rate` |
//! | admit: open | whether the server still takes new work | T0013 | `admit` |
//! | resolve: find | which function the request names | T0001, T0004 | `resolve` |
//! | resolve: access | whether its rule accepts the caller | T0001, T0004 | `access` |
//! | resolve: scope | whether the caller's key holds its scope | T0005 | `resolve` |
//! | call: validate | whether the input is valid, and the client capable | T0003, T0021 | `validate` |
//! | call: approve | whether a person must approve first | T7120 | `approval` |
//! | call: claim | whether this call runs, or one before it did | T0009, T0011, T0015 | `idempotency` |
//! | call: run | what the function returns, in its time | T0010, T0012, T0019 | `run`, `blocking`, `detached` |
//! | call: record | nothing; the claim stores the outcome | | `idempotency` |
//! | call: audit | nothing; the log gets the end of the call | | `audit` |
//!
//! `admit` sets one deadline, and every await of the request is under it (`guard`): the hooks that identify a user,
//! the access rules, the store and the function. The lookups of a list or a completion run under it as well.

mod access;
mod admit;
mod app_info;
mod approval;
mod audit;
mod blocking;
mod call;
mod detached;
mod guard;
mod host;
pub(crate) mod idempotency;
mod identify;
mod nested;
mod rate;
mod rejected_credentials;
mod readable;
mod related;
mod resolve;
mod run;
mod span;
mod validate;
mod visible;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub(crate) use admit::{Admitted, Identity};
pub(crate) use app_info::AppInfo;
pub(crate) use call::{Call, Outcome};
pub(crate) use host::Hosts;
pub(crate) use idempotency::{CallClaim, ClaimedCall, Entered};
pub(crate) use identify::IdentityHooks;
pub(crate) use resolve::{Endpoint, Requester, Resolved, Target};

use crate::caller::Caller;
use crate::cx::States;
use crate::error::Error;
use crate::in_flight::InFlight;
use crate::keys::Keys;
use crate::registry::{Diagnostics, Registry};
use crate::seal::Sealer;
use crate::settings::Settings;
use crate::store::Store;

/// The parts that a [`Dispatcher`] is made of.
pub(crate) struct DispatcherParts {
    /// The functions.
    pub registry: Registry,
    /// The states of the app.
    pub states: States,
    /// What the app says about itself.
    pub about: AppInfo,
    /// The settings.
    pub settings: Settings,
    /// The functions of the app that identify users.
    pub hooks: IdentityHooks,
    /// The store of API keys and ended sessions.
    pub store: Arc<dyn Store>,
    /// Seals tokens.
    pub sealer: Sealer,
}

/// Dispatches the requests of one app to its functions.
pub(crate) struct Dispatcher {
    registry: ArcSwap<Registry>,
    /// Held while the registry changes, so that no change is lost.
    changing: Mutex<()>,
    states: Arc<States>,
    about: AppInfo,
    settings: Settings,
    in_flight: Arc<InFlight>,
    hooks: IdentityHooks,
    hosts: Hosts,
    keys: Keys,
    callers: identify::CachedCallers,
    rejected_credentials: rejected_credentials::RejectedCredentials,
    store: Arc<dyn Store>,
    claims: Arc<idempotency::Claims>,
    sealer: Sealer,
    /// Cancelled when the server should get no new calls, before it refuses them.
    draining: CancellationToken,
    closing: CancellationToken,
    /// The calls that run in separate tasks.
    tasks: TaskTracker,
    detached: detached::DetachedCalls,
    threads: blocking::BlockingThreads,
    /// Itself, for the calls that a function makes.
    weak: Weak<Dispatcher>,
}

impl Dispatcher {
    /// Makes the dispatcher of an app.
    pub(crate) fn new(parts: DispatcherParts) -> Arc<Self> {
        let DispatcherParts {
            registry,
            states,
            about,
            settings,
            hooks,
            store,
            sealer,
        } = parts;
        let tasks = TaskTracker::new();
        // A closed tracker still takes tasks. Only closed can it be waited for.
        tasks.close();
        Arc::new_cyclic(|weak| Dispatcher {
            registry: ArcSwap::from_pointee(registry),
            changing: Mutex::default(),
            states: Arc::new(states),
            about,
            hosts: Hosts::new(&settings.web),
            in_flight: InFlight::new(&settings),
            settings,
            hooks,
            keys: Keys::new(store.clone()),
            callers: identify::cached_callers(),
            rejected_credentials: rejected_credentials::RejectedCredentials::default(),
            claims: idempotency::Claims::new(store.clone()),
            store,
            sealer,
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
            tasks,
            detached: detached::DetachedCalls::default(),
            threads: blocking::BlockingThreads::default(),
            weak: weak.clone(),
        })
    }

    /// The functions of the app.
    pub(crate) fn registry(&self) -> Arc<Registry> {
        self.registry.load_full()
    }

    /// Replaces the functions of the app by what `change` makes of them, and calls `changed` with the snapshots before
    /// and after. One change at a time: a change within a change would wait for itself.
    ///
    /// # Errors
    /// Those of `change`. Nothing has changed then.
    pub(crate) fn change_registry<R>(
        &self,
        change: impl FnOnce(&Registry) -> Result<(Registry, R), Diagnostics>,
        changed: impl FnOnce(&Arc<Registry>, &Arc<Registry>),
    ) -> Result<R, Diagnostics> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.registry();
        let (after, result) = change(&before)?;
        let after = Arc::new(after);
        self.registry.store(after.clone());
        changed(&before, &after);
        Ok(result)
    }

    /// The states of the app.
    pub(crate) fn states(&self) -> &States {
        &self.states
    }

    /// What the app says about itself.
    pub(crate) fn about(&self) -> &AppInfo {
        &self.about
    }

    /// The settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The budget of the bytes that requests and responses hold.
    pub(crate) fn in_flight(&self) -> &Arc<InFlight> {
        &self.in_flight
    }

    /// The API keys of the app.
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The store of API keys and ended sessions.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Seals and opens tokens.
    pub(crate) fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Declares that the server is not ready for new calls, serves them for `limits.drain` all the same, then closes.
    pub(crate) async fn drain(&self) {
        self.draining.cancel();
        tokio::time::sleep(self.settings.limits.drain).await;
        self.close();
    }

    /// Whether [`drain`](Self::drain) or [`close`](Self::close) was called.
    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled() || self.is_closing()
    }

    /// The number of calls that run in a separate task: see [`drained`](Self::drained).
    pub(crate) fn tasks(&self) -> usize {
        self.tasks.len()
    }

    /// Refuses new requests from now on, with T0013. Calls that are running go on: see [`drained`](Self::drained).
    pub(crate) fn close(&self) {
        self.closing.cancel();
    }

    /// Whether [`close`](Self::close) was called.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.is_cancelled()
    }

    /// Completes when [`close`](Self::close) is called.
    pub(crate) async fn closed(&self) {
        self.closing.cancelled().await;
    }

    /// Completes when no call is running in a separate task: the calls of legacy clients and claimed retries, which
    /// go on after their client disconnected.
    pub(crate) async fn drained(&self) {
        self.tasks.wait().await;
    }

    /// Also serves requests whose `Host` is this address, on which the server listens.
    pub(crate) fn serve_host(&self, address: std::net::IpAddr) {
        self.hosts.serve(address);
    }

    /// The claimed calls of this process.
    pub(crate) fn claims(&self) -> &Arc<idempotency::Claims> {
        &self.claims
    }

    /// Makes T0026 of an error of the store that ends a request before anything runs. The log has the cause.
    pub(crate) fn unavailable(&self, error: Error, place: &str, admitted: &Admitted) -> Error {
        let caller = admitted.caller().to_string();
        guard::unavailable(error, place, &caller, admitted.trace().as_str())
    }

    /// Makes an error of tent itself safe for its caller: with a reference, under which the log has the cause.
    pub(crate) fn internal_error(
        &self,
        error: Error,
        place: &str,
        caller: &Caller,
        trace: &str,
    ) -> Error {
        guard::with_reference(error, place, &caller.to_string(), trace)
    }
}

impl fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatcher")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}
