//! The door: the one way in. [`Dispatcher::call`] is the only thing in this crate that calls a user's
//! function, after it has asked who may call and whether the input fits.
//!
//! Knows no wire format. What an envelope does not hand over in a [`Call`], the door does not know.

mod app_info;
mod access;
mod request;
mod prepared;
mod guard;
mod host;
mod identify;
pub(crate) mod idempotency;
mod rejected;
mod rounds;
mod run;
mod span;
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::Instrument;

pub use app_info::AppInfo;
pub use host::Hosts;
pub use identify::{IdentityHook, IdentityHooks};
use prepared::PreparedCall;
pub use request::{ReadableResources, RequestContext};
pub use rounds::{Entering, Rounds};
use tent_core::codes;

use crate::caller::Caller;
use crate::cx::{Client, Cx, Era, Peer, States, Unfinished};
use crate::error::{Error, Result};
use crate::function::{Function, Kind, Output};
use crate::keys::Keys;
use crate::registry::Registry;
use crate::schema::InputEncoding;
use crate::seal::Sealer;
use crate::settings::Settings;
use crate::store::Store;

/// The door that a call came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `/api`.
    Api,
    /// `/mcp`: functions that are offered to it.
    Mcp,
    /// The command line, on the machine itself: every function.
    Cli,
    /// `/mcp`, to read a resource.
    Resource,
    /// `/mcp`, to get a prompt.
    Prompt,
    /// `/mcp`, for a method that a function answers by `on`.
    Method,
}

impl Endpoint {
    fn offers(self, function: &Function) -> bool {
        match self {
            Endpoint::Api => function.api && function.on.is_none(),
            Endpoint::Mcp => function.mcp && function.on.is_none(),
            Endpoint::Cli | Endpoint::Resource | Endpoint::Prompt => true,
            Endpoint::Method => function.on.is_some(),
        }
    }

    /// What there is at this door, whether or not it is offered to anyone.
    fn all(self, registry: &Registry) -> Box<dyn Iterator<Item = &Arc<Function>> + Send + '_> {
        match self {
            Endpoint::Api | Endpoint::Mcp | Endpoint::Cli | Endpoint::Method => {
                Box::new(registry.functions().iter())
            }
            Endpoint::Resource => Box::new(registry.resources().iter().map(|one| &one.function)),
            Endpoint::Prompt => Box::new(registry.prompts().iter()),
        }
    }

    fn find<'a>(self, registry: &'a Registry, name: &str) -> Option<&'a Arc<Function>> {
        match self {
            Endpoint::Api | Endpoint::Mcp | Endpoint::Cli | Endpoint::Method => registry.find(name),
            Endpoint::Resource => self.all(registry).find(|one| one.name == name),
            Endpoint::Prompt => registry.prompt(name),
        }
    }
}

/// One call of one function, as an envelope hands it over.
#[derive(Clone, Debug)]
pub struct Call {
    /// The function's name.
    pub name: String,
    /// Its input, as it was sent.
    pub input: Map<String, Value>,
    /// Whether the wire has only strings.
    pub wire: InputEncoding,
    /// Who calls.
    pub caller: Caller,
    /// What the client says of itself.
    pub client: Client,
    /// What the request brings in `_meta` that is the app's to read.
    pub meta: Map<String, Value>,
    /// The id of the request.
    pub trace: String,
    /// When the request has to be answered ([`Dispatcher::deadline`]), which the access rule and, unless it states a time
    /// of its own, the function are held to; `None` where they may take as long as they like.
    pub deadline: Option<Instant>,
    /// The door it came to.
    pub at: Endpoint,
    /// What the envelope offers the call beyond its answer.
    pub peer: Option<Arc<dyn Peer>>,
    /// Where the call can come in several rounds.
    pub rounds: Option<Arc<dyn Rounds>>,
}

/// What a [`Dispatcher`] is made of.
pub struct DispatcherParts {
    /// The functions.
    pub registry: Registry,
    /// The states of the app.
    pub states: States,
    /// What clients are told of the app.
    pub about: AppInfo,
    /// The settings.
    pub settings: Settings,
    /// The means to tell who calls.
    pub hooks: IdentityHooks,
    /// Where keys and ended sessions are kept.
    pub store: Arc<dyn Store>,
    /// What seals and opens sealed texts.
    pub sealer: Sealer,
}

/// The door of one app.
pub struct Dispatcher {
    registry: Registry,
    states: Arc<States>,
    about: AppInfo,
    settings: Settings,
    hooks: IdentityHooks,
    hosts: Hosts,
    keys: Keys,
    people: identify::People,
    refusals: rejected::RejectedCredentials,
    store: Arc<dyn Store>,
    claims: Arc<idempotency::Claims>,
    sealer: Sealer,
    closing: watch::Sender<bool>,
    under_way: tasks::UnderWay,
    places: run::BlockingPermits,
}

impl Dispatcher {
    /// The door to these functions.
    pub fn new(parts: DispatcherParts) -> Arc<Self> {
        let DispatcherParts {
            registry,
            states,
            about,
            settings,
            hooks,
            store,
            sealer,
        } = parts;
        Arc::new(Dispatcher {
            registry,
            states: Arc::new(states),
            about,
            hosts: Hosts::new(&settings.web),
            settings,
            hooks,
            keys: Keys::new(store.clone()),
            people: identify::people(),
            refusals: rejected::RejectedCredentials::default(),
            claims: idempotency::Claims::new(store.clone()),
            store,
            sealer,
            closing: watch::Sender::new(false),
            under_way: tasks::UnderWay::default(),
            places: run::BlockingPermits::default(),
        })
    }

    /// The functions behind it.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Also serves requests whose `Host` is this address, on which the server listens.
    pub fn serve_host(&self, address: std::net::IpAddr) {
        self.hosts.serve(address);
    }

    /// What clients are told of the app.
    pub fn about(&self) -> &AppInfo {
        &self.about
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The keys of this app.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Where keys and ended sessions are kept.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The claimed calls of this process.
    pub(crate) fn claims(&self) -> &Arc<idempotency::Claims> {
        &self.claims
    }

    /// What seals and opens sealed texts.
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Refuses every call from now on, with T0013. Calls under way go on: see [`drained`](Self::drained).
    pub fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Whether [`close`](Self::close) was called.
    pub fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Ends when [`close`](Self::close) was called.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives in `self`, so the wait can only end by the value.
        let _ = closing.wait_for(|&closing| closing).await;
    }

    /// The function of this name, for who may call it.
    ///
    /// # Errors
    /// T0004 where nobody calls and the function is not open to everyone, whatever the name; T0001 for what
    /// is not there, not offered here, or not to be known by this caller, all alike; T0005 for a scope that
    /// the caller's key lacks.
    pub async fn find(&self, name: &str, at: Endpoint, cx: &Cx) -> Result<&Arc<Function>> {
        self.find_until(name, at, cx, cx.deadline()).await
    }

    /// As [`find`](Self::find), where the access rule has until `deadline`, and no longer than `cx`.
    async fn find_until(
        &self,
        name: &str,
        at: Endpoint,
        cx: &Cx,
        deadline: Option<Instant>,
    ) -> Result<&Arc<Function>> {
        let function = at
            .find(&self.registry, name)
            .filter(|f| at.offers(f.as_ref()));
        let function = match function {
            Some(function) if access::allows(&function.access, cx, deadline).await => function,
            _ if !cx.caller().is_known() => return Err(Error::new(codes::SIGN_IN)),
            _ => return Err(Error::new(codes::NOT_FOUND)),
        };
        if !cx.caller().holds(&function.scope) {
            return Err(Error::new(codes::NOT_ALLOWED)
                .with_message(format!("The key lacks the scope {}.", function.scope))
                .with_field("scopes", vec![&*function.scope]));
        }
        Ok(function)
    }

    /// A `Cx` outside of a call and of any request, with the time that a call has.
    pub fn cx_of(&self, caller: &Caller, client: &Client) -> Cx {
        self.cx_by(RequestContext {
            caller,
            client,
            trace: "",
            deadline: self.deadline(),
        })
    }

    /// A failure of tent's own parts, as a caller may see it: with a reference, where the log has the rest.
    pub fn internal_error(&self, error: Error, place: &str, caller: &Caller, trace: &str) -> Error {
        guard::with_reference(error, place, &caller.to_string(), trace)
    }

    /// Runs a call through every step of the door.
    ///
    /// A caller that goes away drops this future, and with it the function. A legacy MCP client's calls go
    /// on all the same: its revisions say that a lost connection cancels nothing. So does a round that runs once.
    ///
    /// # Errors
    /// What [`find`](Self::find) says, T0013 while the server closes, T0003 for an input that does not
    /// fit, T7120 for what asks a person first, T0010, T0012 and T0019 for how the function ended, and what
    /// the function itself states.
    pub async fn call(self: &Arc<Self>, call: Call) -> Result<Output> {
        if call.client.era != Era::Legacy && !self.goes_on(&call) {
            let span = span::of(&call);
            return self.pass(self.begin(call)).instrument(span).await;
        }
        // Kept until the end, so that nobody stops the call.
        let (_never, told) = watch::channel(false);
        let ended = self.call_until(call, told).await;
        ended.unwrap_or_else(|| Err(Error::unexpected("a call was stopped that nobody can stop")))
    }

    /// Whether a call runs to its end whether or not its caller is still there.
    fn goes_on(&self, call: &Call) -> bool {
        let only_reads = |function: &Arc<Function>| function.kind == Kind::Query;
        call.rounds.as_ref().is_some_and(|rounds| rounds.is_later())
            && !call
                .at
                .find(&self.registry, &call.name)
                .is_some_and(only_reads)
    }

    /// Runs a call; where this is dropped before its end, the function is told.
    async fn pass(&self, begun: PreparedCall) -> Result<Output> {
        let cx = begun.cx.clone();
        let unfinished = Unfinished::new(cx.stop());
        let ended = self.steps(begun).await;
        unfinished.finish();
        ended
    }

    async fn steps(&self, begun: PreparedCall) -> Result<Output> {
        let PreparedCall {
            cx,
            name,
            mut input,
            wire,
            request,
            at,
            rounds,
        } = begun;
        if self.is_closing() {
            return Err(Error::new(codes::SHUTTING_DOWN).with_retry_after(Duration::from_secs(5)));
        }
        // 1. Is there such a function, for this caller?
        let function = self.find_until(&name, at, &cx, request).await?;
        cx.client().require(&function.needs)?;
        // 2. Does the input fit?
        function.input.validate(&mut input, wire)?;
        // 3. Sent before? comes with the records of calls.
        // 4. A person's yes: nobody can be asked yet, so what asks fails closed.
        if function.asks {
            return Err(Error::new(codes::APPROVAL_NEEDED).with_message(format!(
                "{} asks a person before it runs, and nobody can be asked here.",
                function.title
            )));
        }
        if let Some(peer) = cx.peer() {
            peer.begins();
        }
        // 5. A round that came before is answered what it was.
        if let Some(rounds) = &rounds {
            let entered = rounds.enter(Entering {
                name: &function.name,
                kind: function.kind,
                caller: cx.caller(),
                input: &input,
                deadline: cx.deadline(),
                stop: cx.stop(),
            });
            let entered = entered.await.map_err(|error| {
                self.internal_error(error, "the store of rounds", cx.caller(), cx.trace())
            });
            if !entered? {
                return Ok(Output::incomplete());
            }
        }
        // 6. Run it; 7. encode, which its body does as its last step.
        let most = self.settings.limits.max_response;
        let outcome = run::run(function, cx, input, most, &self.places).await;
        if let Some(rounds) = &rounds {
            rounds.ended(&outcome).await;
        }
        outcome
    }
}

impl std::fmt::Debug for Dispatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}
